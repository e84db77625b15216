#include "controller/pod_ledger.h"

#include <algorithm>
#include <utility>

#include "k8s/spec_policy.h"

namespace scaledcache::controller {
namespace {

// What a pod shows of itself, and what only we remember of the time before. A Terminating pod gets
// no new traffic, whatever its Ready condition still says.
void refresh(core::PodFacts& facts, const k8s::Pod& pod, WallTime now) {
  core::PodFacts seen = k8s::to_pod_facts(pod, /*belongs=*/true);
  seen.ready = seen.ready && !seen.terminating;
  if (!seen.ready) {
    const auto until =
        facts.ready ? std::optional(seen.ready_until.value_or(now)) : facts.ready_until;
    seen.ready_since = facts.ready_since;
    seen.ready_until = until;
  }
  facts = std::move(seen);
}

void mark_gone(core::PodFacts& facts, WallTime last_seen) {
  if (facts.ready) {
    facts.ready_until = last_seen;
  }
  facts.ready = false;
  facts.terminating = true;
}

}  // namespace

std::vector<core::PodFacts> PodLedger::update(const std::vector<k8s::Pod>& owned,
                                              WallTime now,
                                              Milliseconds keep) {
  newly_ready_.clear();
  for (const k8s::Pod& pod : owned) {
    const auto [at, is_new] = entries_.try_emplace(pod.uid, Entry{{}, now, now});
    Entry& entry = at->second;
    const bool was_ready_before = is_new || entry.facts.ready_since.has_value();
    refresh(entry.facts, pod, now);
    entry.last_seen = now;
    note_first_readiness(pod.uid, entry, was_ready_before);
  }
  std::vector<core::PodFacts> pods;
  for (auto at = entries_.begin(); at != entries_.end();) {
    Entry& entry = at->second;
    if (now - entry.last_seen > keep) {
      at = entries_.erase(at);
      continue;
    }
    if (entry.last_seen != now) {
      mark_gone(entry.facts, entry.last_seen);
    }
    pods.push_back(entry.facts);
    ++at;
  }
  return pods;
}

void PodLedger::note_first_readiness(const std::string& uid,
                                     const Entry& entry,
                                     bool was_ready_before) {
  if (!was_ready_before && entry.facts.ready_since) {
    newly_ready_.push_back(
        {uid, std::max(*entry.facts.ready_since - entry.first_seen, Milliseconds{0})});
  }
}

std::map<std::string, WallTime> PodLedger::starting_since() const {
  std::map<std::string, WallTime> since;
  for (const auto& [uid, entry] : entries_) {
    const bool done = entry.facts.phase == core::PodPhase::Failed ||
                      entry.facts.phase == core::PodPhase::Succeeded;
    if (!entry.facts.ready_since && !entry.facts.terminating && !done) {
      since.emplace(uid, entry.first_seen);
    }
  }
  return since;
}

}  // namespace scaledcache::controller
