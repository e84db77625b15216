#include "k8s/lease.h"

#include <algorithm>
#include <utility>

#include "base/rfc3339.h"

namespace scaledcache::k8s {
namespace {

// Behind the end of another's lease, so that a clock that ticks coarsely does not ask too early.
constexpr std::chrono::milliseconds kAfterLease{100};

const Json& member_or_null(const Json& object, std::string_view key) {
  static const Json nothing;
  const Json* member = find_member(object, key);
  return member == nullptr ? nothing : *member;
}

}  // namespace

Result<StoredLease> decode_lease(const Json& object) {
  StoredLease lease;
  lease.resource_version = string_member(member_or_null(object, "metadata"), "resourceVersion");
  if (lease.resource_version.empty()) {
    return Error{ErrorCode::Protocol, "a Lease without a resource version"};
  }
  const Json& spec = member_or_null(object, "spec");
  lease.record.holder = string_member(spec, "holderIdentity");
  lease.record.duration = std::chrono::seconds{
      std::clamp<std::int64_t>(integer_member(spec, "leaseDurationSeconds", 0), 0, 86'400)};
  lease.record.acquire_time = string_member(spec, "acquireTime");
  lease.record.renew_time = string_member(spec, "renewTime");
  lease.record.transitions = std::max<std::int64_t>(0, integer_member(spec, "leaseTransitions", 0));
  return lease;
}

std::string encode_lease(const LeaseName& name,
                         const LeaseRecord& record,
                         const std::string& resource_version) {
  Json metadata{{"namespace", name.name_space}, {"name", name.name}};
  if (!resource_version.empty()) {
    metadata["resourceVersion"] = resource_version;
  }
  return dump_json({{"apiVersion", "coordination.k8s.io/v1"},
                    {"kind", "Lease"},
                    {"metadata", std::move(metadata)},
                    {"spec",
                     {{"holderIdentity", record.holder},
                      {"leaseDurationSeconds", record.duration.count()},
                      {"acquireTime", record.acquire_time},
                      {"renewTime", record.renew_time},
                      {"leaseTransitions", record.transitions}}}});
}

LeaseCandidate::LeaseCandidate(std::string identity, const LeaseTiming& timing)
    : identity_(std::move(identity)), timing_(timing) {}

LeaseStep LeaseCandidate::begin(const LeaseTimes& times) {
  if (view_is_ours_ && seen_) {
    return ReplaceLease{claim(times), seen_->resource_version};
  }
  return ReadLease{};
}

LeaseStep LeaseCandidate::read(const Result<StoredLease>& answer, const LeaseTimes& times) {
  if (!answer) {
    if (answer.error().code != ErrorCode::NotFound) {
      return std::nullopt;
    }
    seen_.reset();
    return CreateLease{claim(times)};
  }
  observe(*answer, times.now);
  if (is_held_by_other(times.now)) {
    return std::nullopt;
  }
  return ReplaceLease{claim(times), seen_->resource_version};
}

void LeaseCandidate::written(const Result<StoredLease>& answer, BootTime start) {
  view_is_ours_ = answer.has_value();
  if (!answer) {
    return;
  }
  observe(*answer, start);
  view_is_ours_ = answer->record.holder == identity_;
  if (view_is_ours_) {
    renewed_ = start;
  }
}

// The raw record counts, not what it says about time: a holder that renews changes it.
void LeaseCandidate::observe(const StoredLease& lease, BootTime now) {
  if (!seen_ || seen_->record != lease.record) {
    seen_since_ = now;
  }
  seen_ = lease;
  taken_from_us_ = taken_from_us_ || (renewed_ && lease.record.holder != identity_);
}

bool LeaseCandidate::is_held_by_other(BootTime now) const {
  const std::string& holder = seen_->record.holder;
  return !holder.empty() && holder != identity_ && now < seen_since_ + seen_->record.duration;
}

LeaseRecord LeaseCandidate::claim(const LeaseTimes& times) const {
  const std::string now = format_micro_time(times.wall);
  LeaseRecord record{identity_, timing_.duration, now, now, 0};
  if (seen_) {
    const bool ours = seen_->record.holder == identity_;
    record.transitions = seen_->record.transitions + (ours ? 0 : 1);
    if (ours) {
      record.acquire_time = seen_->record.acquire_time;
    }
  }
  return record;
}

BootTime LeaseCandidate::next_round(BootTime now) const {
  const BootTime usual = now + timing_.retry_period;
  if (!seen_ || view_is_ours_ || !is_held_by_other(now)) {
    return usual;
  }
  return std::min(usual, seen_since_ + seen_->record.duration + kAfterLease);
}

std::optional<BootTime> LeaseCandidate::window_end() const {
  if (!renewed_ || taken_from_us_) {
    return std::nullopt;
  }
  return *renewed_ + timing_.renew_deadline;
}

bool LeaseCandidate::lost(BootTime now) const {
  return renewed_ && (taken_from_us_ || now >= *renewed_ + timing_.renew_deadline);
}

LeaseStep LeaseCandidate::release(const LeaseTimes& times) const {
  if (!renewed_ || taken_from_us_ || !seen_ || seen_->record.holder != identity_) {
    return std::nullopt;
  }
  LeaseRecord record = claim(times);
  record.holder.clear();
  record.duration = std::chrono::seconds{1};
  return ReplaceLease{std::move(record), seen_->resource_version};
}

std::string LeaseCandidate::holder() const {
  return seen_ ? seen_->record.holder : std::string();
}

}  // namespace scaledcache::k8s
