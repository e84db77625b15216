#include "controller/leader.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "k8s/paths.h"
#include "runtime/thread_name.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kLeaseManager = "scaledcache-lease";
constexpr std::chrono::milliseconds kShortestTimeout{1'000};
constexpr int kReleaseAttempts = 3;

// A request that outlasts half the deadline leaves time for another one.
k8s::KubeClient::Options client_options(const k8s::LeaseTiming& timing) {
  k8s::KubeClient::Options options;
  options.timeout = std::max(kShortestTimeout, timing.renew_deadline / 2);
  return options;
}

Fields fields_of(const Candidacy& candidacy) {
  Fields fields;
  fields["lease"] = candidacy.lease.name_space + "/" + candidacy.lease.name;
  fields["identity"] = candidacy.identity;
  return fields;
}

}  // namespace

Leader::Leader(const LeaderParts& parts, Candidacy candidacy)
    : parts_(parts),
      candidacy_(std::move(candidacy)),
      client_(parts_.transport, parts_.server, parts_.clock, client_options(candidacy_.timing)),
      candidate_(candidacy_.identity, candidacy_.timing),
      window_end_(BootTime::min()),
      last_round_(parts_.boot_clock.time()) {}

Leader::~Leader() {
  release();
}

void Leader::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    set_thread_name("sc-lease");
    run(stop);
  });
}

void Leader::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    make_round(stop);
    publish();
    if (candidate_.lost(parts_.boot_clock.time())) {
      parts_.log.error("the lease is lost, another replica may lead: this process ends",
                       fields_of(candidacy_));
      lost_.request_stop();
      return;
    }
    parts_.clock.wait_for(until_next_round(), stop);
  }
}

void Leader::make_round(const std::stop_token& stop) {
  k8s::LeaseTimes asked = times();
  k8s::LeaseStep step = candidate_.begin(asked);
  while (step) {
    const Result<k8s::StoredLease> answer = send(*step, stop);
    const k8s::LeaseTimes now = times();
    if (std::holds_alternative<k8s::ReadLease>(*step)) {
      step = candidate_.read(answer, now);
      if (!answer && answer.error().code != ErrorCode::NotFound) {
        note_failure(answer.error());
      }
    } else {
      candidate_.written(answer, asked.now);
      step.reset();
      answer ? last_failure_.clear() : note_failure(answer.error());
    }
    asked = now;
  }
  last_round_ = parts_.boot_clock.time();
}

Result<k8s::StoredLease> Leader::send(const k8s::LeaseRequest& request,
                                      const std::stop_token& stop) {
  const k8s::LeaseName& lease = candidacy_.lease;
  const std::string path = k8s::object_path(k8s::leases(), lease.name_space, lease.name);
  Result<Json> answer = Error{ErrorCode::Cancelled, ""};
  if (const auto* create = std::get_if<k8s::CreateLease>(&request)) {
    answer = client_.post({k8s::collection_path(k8s::leases(), lease.name_space),
                           k8s::encode_lease(lease, create->record, ""), kLeaseManager},
                          stop);
  } else if (const auto* replace = std::get_if<k8s::ReplaceLease>(&request)) {
    answer = client_.put(
        {path, k8s::encode_lease(lease, replace->record, replace->resource_version), kLeaseManager},
        stop);
  } else {
    answer = client_.get(path, stop);
  }
  return answer ? k8s::decode_lease(*answer) : Result<k8s::StoredLease>(answer.error());
}

k8s::LeaseTimes Leader::times() const {
  return {parts_.boot_clock.time(), parts_.clock.wall()};
}

// A conflict is another replica's success, and a failure that lasts is told once.
void Leader::note_failure(const Error& error) {
  const bool quiet = error.code == ErrorCode::Conflict || error.code == ErrorCode::Cancelled;
  if (quiet || error.message == last_failure_) {
    return;
  }
  last_failure_ = error.message;
  Fields fields = fields_of(candidacy_);
  fields["code"] = scaledcache::name_of(error.code);
  fields["error"] = error.message;
  parts_.log.warn("the lease cannot be read or written, trying again", fields);
}

void Leader::publish() {
  window_end_ = candidate_.window_end().value_or(BootTime::min());
  const std::string holder = candidate_.holder();
  if (holder != last_holder_ && holder != candidacy_.identity && !holder.empty()) {
    Fields fields = fields_of(candidacy_);
    fields["holder"] = holder;
    parts_.log.info("standing by: another replica leads", fields);
  }
  last_holder_ = holder;
  if (leads() && !elected_.stop_requested()) {
    parts_.log.info("this replica leads", fields_of(candidacy_));
    elected_.request_stop();
  }
}

// Not beyond the end of our own window: the end of leadership must be noticed when it comes.
std::chrono::milliseconds Leader::until_next_round() const {
  const BootTime now = parts_.boot_clock.time();
  BootTime due = candidate_.next_round(now);
  if (const auto end = candidate_.window_end()) {
    due = std::min(due, *end);
  }
  return std::chrono::ceil<std::chrono::milliseconds>(due - now);
}

std::chrono::milliseconds Leader::write_window() const {
  const BootTime end = window_end_;
  return end == BootTime::min()
             ? std::chrono::milliseconds{0}
             : std::chrono::floor<std::chrono::milliseconds>(end - parts_.boot_clock.time());
}

std::chrono::milliseconds Leader::silence() const {
  return std::chrono::floor<std::chrono::milliseconds>(parts_.boot_clock.time() -
                                                       last_round_.load());
}

void Leader::release() {
  thread_ = {};  // asks it to stop, and waits for it
  window_end_ = BootTime::min();
  for (int attempt = 0; attempt < kReleaseAttempts; ++attempt) {
    const auto step =
        candidate_.lost(parts_.boot_clock.time()) ? k8s::LeaseStep() : candidate_.release(times());
    if (!step) {
      return;
    }
    const auto answer = send(*step, {});
    if (answer) {
      parts_.log.info("the lease is given back", fields_of(candidacy_));
      return;
    }
    if (answer.error().code != ErrorCode::Conflict) {
      note_failure(answer.error());
      return;
    }
    (void)candidate_.read(send(k8s::ReadLease{}, {}), times());
  }
}

}  // namespace scaledcache::controller
