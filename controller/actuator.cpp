#include "controller/actuator.h"

#include "controller/dip_watch.h"
#include "controller/drain_facts.h"
#include "controller/drain_report.h"
#include "controller/local_traffic.h"
#include "controller/status_report.h"
#include "controller/transitions.h"
#include "k8s/event.h"
#include "k8s/object_meta.h"
#include "k8s/paths.h"
#include "k8s/scale.h"
#include "k8s/status_patch.h"

namespace scaledcache::controller {

Result<void> Actuator::apply(const Look& look, Memory& memory, const std::stop_token& stop) {
  const k8s::ObjectMeta& meta = look.cache.meta;
  const auto strays = drainer_.strays(meta.name_space, meta.name, memory.status->drains);
  (void)drainer_.release(strays, stop);  // what fails is logged, and found again
  memory.look_again.reset();
  const bool draining = drains(look.cache) || !memory.status->drains.empty();
  return draining ? apply_draining(look, memory, stop) : apply_plainly(look, memory, stop);
}

Result<void> Actuator::release_drains(const std::string& name_space,
                                      const std::string& cache,
                                      const std::stop_token& stop) {
  return drainer_.release(drainer_.strays(name_space, cache, {}), stop);
}

Result<void> Actuator::apply_plainly(const Look& look,
                                     Memory& memory,
                                     const std::stop_token& stop) {
  const int count =
      look.gathered.policy.dry_run ? look.gathered.target.replicas : look.decision.replicas;
  const auto scaled = write_scale(look, count, memory, stop);
  if (!scaled) {
    return scaled.error();
  }
  memory.history = look.decision.history;
  report(look, memory, report_look(*memory.status, look), *scaled, stop);
  return {};
}

// In this order, so that a crash between any two leaves what the next look can go on from: gates of
// drains that ended open; intents are stored; pods are marked and their gates closed; the count is
// written.
Result<void> Actuator::apply_draining(const Look& look,
                                      Memory& memory,
                                      const std::stop_token& stop) {
  const core::DrainPlan plan = plan_drains(look, memory, stop);
  const int count = next_count(look, plan);
  const auto events = drain_events(look, plan, memory);
  (void)drainer_.release(pods_to_release(look, plan, memory), stop);  // else they are strays
  for (const core::EndedDrain& ended : plan.ended) {
    memory.drain_marks.erase(ended.intent.uid);  // a drain that begins anew marks anew
  }
  const bool grows = count > look.gathered.target.replicas;
  if (const auto ready = grows ? Result<void>() : prepare_drains(look, plan, memory, stop);
      !ready) {
    return ready;
  }
  const auto scaled = write_scale(look, count, memory, stop);
  if (!scaled) {
    return scaled.error();
  }
  note_drains(look, plan, memory);
  const core::Decision decision = carried_out(look, plan, *memory.history, count);
  memory.history = decision.history;
  const Look told{look.cache, look.gathered, decision, sentence_of(look, plan), look.now};
  k8s::Status next = with_drains(report_look(*memory.status, told), plan);
  next.replicas = count;
  const bool told_by_decision = *scaled && (grows || !plan.lower_to || plan.at_once);
  report(look, memory, std::move(next), told_by_decision, stop);
  tell(look.cache, events, stop);
  return {};
}

// Services are asked for only when pods are about to be chosen.
core::DrainPlan Actuator::plan_drains(const Look& look,
                                      const Memory& memory,
                                      const std::stop_token& stop) {
  core::DrainPolicy policy = drain_policy(look);
  const core::DrainFacts facts = drain_facts(look, memory);
  core::DrainPlan plan = core::plan_drain(policy, facts, look.now);
  if (!plan.start.empty() && routes_locally(parts_.client, look.gathered.target, stop)) {
    policy.victims.node_local = true;
    plan = core::plan_drain(policy, facts, look.now);
  }
  return plan;
}

Result<void> Actuator::prepare_drains(const Look& look,
                                      const core::DrainPlan& plan,
                                      Memory& memory,
                                      const std::stop_token& stop) {
  k8s::Status next = with_drains(*memory.status, plan);
  const bool differs =
      next.drains != memory.status->drains || next.drain_goal != memory.status->drain_goal;
  if (differs) {
    if (auto stored = write_status(look.cache, memory, std::move(next), false, stop); !stored) {
      return stored;
    }
  }
  return drainer_.drain(look, plan.intents, memory, stop);
}

void Actuator::note_drains(const Look& look, const core::DrainPlan& plan, Memory& memory) const {
  const core::Decision& decision = look.decision;
  memory.look_again = plan.again_after;
  for (const core::EndedDrain& ended : plan.ended) {
    parts_.metrics.count_drain(ended.end);
    if (ended.end == core::DrainEnd::Completed || ended.end == core::DrainEnd::Lost) {
      drainer_.forget(ended.intent.uid);
    }
  }
  if (decision.replicas < decision.from) {
    memory.drain_toward = decision.replicas;
  } else if (!plan.active() || decision.replicas > decision.from) {
    memory.drain_toward.reset();
  }
  if (plan.lower_to) {
    memory.fleet_at_lowering.clear();
    for (const k8s::Pod& pod : look.gathered.target.pods) {
      if (pod.alive()) {
        memory.fleet_at_lowering.push_back(pod.name);
      }
    }
  }
}

void Actuator::report(
    const Look& look, Memory& memory, k8s::Status next, bool scaled, const std::stop_token& stop) {
  next.dip = memory.dip;
  k8s::set_condition(next.conditions, effect_condition(memory.effect), look.cache.meta.generation,
                     look.now);
  const auto written = write_status(look.cache, memory, std::move(next), scaled, stop);
  // The next look finds the same difference and writes it; scaling does not wait for that.
  const std::string failure = written ? "" : written.error().message;
  if (!written && memory.unwritten != failure) {
    note_unwritten(look.cache, "status", written.error());
  }
  memory.unwritten = failure;
}

void Actuator::note_unwritten(const k8s::ScaledCache& cache,
                              const std::string& what,
                              const Error& error) const {
  if (error.code == ErrorCode::Cancelled) {
    return;
  }
  parts_.metrics.count_error(error.code);
  Fields fields;
  fields["key"] = cache.meta.name_space + "/" + cache.meta.name;
  fields["code"] = scaledcache::name_of(error.code);
  fields["error"] = error.message;
  parts_.log.warn(what + " not written", fields);
}

Result<bool> Actuator::write_scale(const Look& look,
                                   int count,
                                   Memory& memory,
                                   const std::stop_token& stop) {
  const Target& target = look.gathered.target;
  if (count == target.replicas) {
    return false;
  }
  const k8s::ScaleChange change{target.reference.uid, target.resource_version, target.replicas,
                                count};
  const auto answer = parts_.client.patch(
      {k8s::scale_path(target.type, look.cache.meta.name_space, target.reference.name),
       k8s::encode_scale_patch(change), k8s::kFieldManager, k8s::Unprocessable::Conflict},
      stop);
  if (!answer) {
    return answer.error();
  }
  parts_.metrics.count_write("scale");
  const auto written = k8s::decode_scale(*answer);
  memory.own_scale_write = OwnScaleWrite{target.reference.uid,
                                         written ? written->resource_version : "", count, look.now};
  return true;
}

Result<void> Actuator::write_status(const k8s::ScaledCache& cache,
                                    Memory& memory,
                                    k8s::Status next,
                                    bool scaled,
                                    const std::stop_token& stop) {
  const SteadyTime now = parts_.clock.steady();
  const k8s::Status& stored = *memory.status;
  const auto since_write =
      std::chrono::duration_cast<Milliseconds>(now - memory.status_written.value_or(now));
  if (!k8s::status_write_due(cache.spec, stored, next, since_write)) {
    return {};
  }
  const auto events = transitions(cache, {stored, next, scaled}, parts_.clock.wall());
  if (const auto patch = k8s::encode_status_patch(cache.meta.uid, stored, next)) {
    const auto answer = parts_.client.patch(
        {k8s::status_path(k8s::scaled_caches(), cache.meta.name_space, cache.meta.name), *patch,
         k8s::kFieldManager, k8s::Unprocessable::Conflict},
        stop);
    if (!answer) {
      return answer.error();
    }
    parts_.metrics.count_write("status");
    if (const auto meta = k8s::decode_meta(*answer)) {
      memory.status_version = meta->resource_version;
    }
  }
  memory.status = std::move(next);
  memory.status_written = now;
  tell(cache, events, stop);
  return {};
}

void Actuator::tell(const k8s::ScaledCache& cache,
                    const std::vector<k8s::Event>& events,
                    const std::stop_token& stop) {
  for (const k8s::Event& event : events) {
    const auto posted = parts_.client.post(
        {k8s::collection_path(k8s::events(), cache.meta.name_space),
         dump_json(k8s::encode_event(event, parts_.instance)), k8s::kFieldManager},
        stop);
    if (posted) {
      parts_.metrics.count_write("event");
      continue;
    }
    note_unwritten(cache, "event " + event.reason, posted.error());
  }
}

}  // namespace scaledcache::controller
