#include "controller/decision_record.h"

#include "controller/record_codec.h"

namespace scaledcache::controller {
namespace record {

template <>
inline constexpr auto kMembers<core::SignalPolicy> =
    std::tuple{member("name", &core::SignalPolicy::name),
               member("kind", &core::SignalPolicy::kind),
               member("podLabel", &core::SignalPolicy::pod_label),
               member("requestsPerReplica", &core::SignalPolicy::requests_per_replica),
               member("targetUtilizationPercent", &core::SignalPolicy::target_utilization_percent),
               member("activationRate", &core::SignalPolicy::activation_rate),
               member("includesBaseline", &core::SignalPolicy::includes_baseline),
               member("saturation", &core::SignalPolicy::saturation)};

template <>
inline constexpr auto kMembers<core::BaselinePolicy> =
    std::tuple{member("requestsPerReplica", &core::BaselinePolicy::requests_per_replica)};

template <>
inline constexpr auto kMembers<core::ScaleUpPolicy> =
    std::tuple{member("tolerancePercent", &core::ScaleUpPolicy::tolerance_percent),
               member("maxFactor", &core::ScaleUpPolicy::max_factor),
               member("maxPods", &core::ScaleUpPolicy::max_pods),
               member("lookAheadPercent", &core::ScaleUpPolicy::look_ahead_percent),
               member("headroom", &core::ScaleUpPolicy::headroom),
               member("cooldown", &core::ScaleUpPolicy::cooldown)};

template <>
inline constexpr auto kMembers<core::ScaleDownPolicy> =
    std::tuple{member("tolerancePercent", &core::ScaleDownPolicy::tolerance_percent),
               member("stepPercent", &core::ScaleDownPolicy::step_percent),
               member("interval", &core::ScaleDownPolicy::interval),
               member("patiencePercent", &core::ScaleDownPolicy::patience_percent),
               member("outageHold", &core::ScaleDownPolicy::outage_hold)};

template <>
inline constexpr auto kMembers<core::FallbackPolicy> =
    std::tuple{member("behavior", &core::FallbackPolicy::behavior),
               member("replicas", &core::FallbackPolicy::replicas)};

// Schedules are not a member: they have acted on min_replicas before the record is made.
template <>
inline constexpr auto kMembers<core::Policy> =
    std::tuple{member("minReplicas", &core::Policy::min_replicas),
               member("maxReplicas", &core::Policy::max_replicas),
               member("pollInterval", &core::Policy::poll_interval),
               member("shortWindow", &core::Policy::short_window),
               member("longWindow", &core::Policy::long_window),
               member("cooldown", &core::Policy::cooldown),
               member("signals", &core::Policy::signals),
               member("baseline", &core::Policy::baseline),
               member("scaleUp", &core::Policy::scale_up),
               member("scaleDown", &core::Policy::scale_down),
               member("fallback", &core::Policy::fallback),
               member("failureGrace", &core::Policy::failure_grace),
               member("maxSampleAge", &core::Policy::max_sample_age),
               member("dryRun", &core::Policy::dry_run)};

template <>
inline constexpr auto kMembers<core::RatePoint> =
    std::tuple{member("time", &core::RatePoint::time), member("rate", &core::RatePoint::rate)};

template <>
inline constexpr auto kMembers<core::SignalReading> =
    std::tuple{member("health", &core::SignalReading::health),
               member("fault", &core::SignalReading::fault),
               member("delta", &core::SignalReading::delta),
               member("completeIntervals", &core::SignalReading::complete_intervals),
               member("shortRate", &core::SignalReading::short_rate),
               member("interval", &core::SignalReading::interval),
               member("scrapeInterval", &core::SignalReading::scrape_interval),
               member("sampleAge", &core::SignalReading::sample_age),
               member("measured", &core::SignalReading::measured),
               member("newestSample", &core::SignalReading::newest_sample),
               member("gapless", &core::SignalReading::gapless),
               member("coverage", &core::SignalReading::coverage),
               member("judgedPods", &core::SignalReading::judged_pods),
               member("coveredPods", &core::SignalReading::covered_pods),
               member("baselineCovered", &core::SignalReading::baseline_covered),
               member("foreignSeries", &core::SignalReading::foreign_series),
               member("duplicateSeries", &core::SignalReading::duplicate_series),
               member("badSeries", &core::SignalReading::bad_series),
               member("standingStill", &core::SignalReading::standing_still),
               member("pulse", &core::SignalReading::pulse),
               member("hasServed", &core::SignalReading::has_served),
               member("saturation", &core::SignalReading::saturation),
               member("labelsSeen", &core::SignalReading::labels_seen),
               member("likelyPodLabel", &core::SignalReading::likely_pod_label),
               member("history", &core::SignalReading::history)};

template <>
inline constexpr auto kMembers<core::PodCounts> =
    std::tuple{member("ready", &core::PodCounts::ready), member("warm", &core::PodCounts::warm),
               member("warming", &core::PodCounts::warming)};

template <>
inline constexpr auto kMembers<core::PauseWish> =
    std::tuple{member("paused", &core::PauseWish::paused),
               member("pausedReplicas", &core::PauseWish::paused_replicas),
               member("noGrowth", &core::PauseWish::no_growth),
               member("noShrinking", &core::PauseWish::no_shrinking)};

template <>
inline constexpr auto kMembers<core::Rollout> = std::tuple{
    member("revision", &core::Rollout::revision), member("since", &core::Rollout::since)};

template <>
inline constexpr auto kMembers<core::CountWrite> =
    std::tuple{member("ours", &core::CountWrite::ours), member("time", &core::CountWrite::time)};

template <>
inline constexpr auto kMembers<core::Observation> =
    std::tuple{member("replicas", &core::Observation::replicas),
               member("draining", &core::Observation::draining),
               member("lastWrite", &core::Observation::last_write),
               member("contender", &core::Observation::contender),
               member("pause", &core::Observation::pause),
               member("forceActivation", &core::Observation::force_activation),
               member("rollout", &core::Observation::rollout),
               member("pods", &core::Observation::pods),
               member("warmingSince", &core::Observation::warming_since),
               member("warmed", &core::Observation::warmed),
               member("signals", &core::Observation::signals),
               member("baselineReady", &core::Observation::baseline_ready),
               member("growthVeto", &core::Observation::growth_veto)};

template <>
inline constexpr auto kMembers<core::Change> =
    std::tuple{member("time", &core::Change::time), member("from", &core::Change::from),
               member("to", &core::Change::to), member("ours", &core::Change::ours)};

template <>
inline constexpr auto kMembers<core::PeakWindow::Bucket> =
    std::tuple{member("slot", &core::PeakWindow::Bucket::slot),
               member("first", &core::PeakWindow::Bucket::first),
               member("newest", &core::PeakWindow::Bucket::newest),
               member("peak", &core::PeakWindow::Bucket::peak)};

template <>
inline constexpr auto kMembers<core::SignalHistory> =
    std::tuple{member("name", &core::SignalHistory::name),
               member("peak", &core::SignalHistory::peak),
               member("baselineLack", &core::SignalHistory::baseline_lack),
               member("lastPeak", &core::SignalHistory::last_peak),
               member("fresh", &core::SignalHistory::fresh),
               member("noise", &core::SignalHistory::noise),
               member("risk", &core::SignalHistory::risk),
               member("suspectSince", &core::SignalHistory::suspect_since),
               member("beforeSuspect", &core::SignalHistory::before_suspect),
               member("lastValue", &core::SignalHistory::last_value),
               member("lastUsable", &core::SignalHistory::last_usable),
               member("lastFresh", &core::SignalHistory::last_fresh),
               member("freshSince", &core::SignalHistory::fresh_since),
               member("saturatedAt", &core::SignalHistory::saturated_at),
               member("saturatedTicks", &core::SignalHistory::saturated_ticks),
               member("newestSample", &core::SignalHistory::newest_sample),
               member("advancedAt", &core::SignalHistory::advanced_at),
               member("scrapeInterval", &core::SignalHistory::scrape_interval),
               member("lag", &core::SignalHistory::lag),
               member("hasServed", &core::SignalHistory::has_served),
               member("servedSince", &core::SignalHistory::served_since),
               member("filled", &core::SignalHistory::filled)};

template <>
inline constexpr auto kMembers<core::History> =
    std::tuple{member("signals", &core::History::signals),
               member("replicas", &core::History::replicas),
               member("shadow", &core::History::shadow),
               member("firstTick", &core::History::first_tick),
               member("lastTick", &core::History::last_tick),
               member("lastUsable", &core::History::last_usable),
               member("lastUp", &core::History::last_up),
               member("lastDown", &core::History::last_down),
               member("lastUpIsStart", &core::History::last_up_is_start),
               member("lastChange", &core::History::last_change),
               member("lastOwnChange", &core::History::last_own_change),
               member("idle", &core::History::idle),
               member("lead", &core::History::lead),
               member("parked", &core::History::parked),
               member("undone", &core::History::undone),
               member("lastFightWrite", &core::History::last_fight_write),
               member("contended", &core::History::contended),
               member("outageHoldUntil", &core::History::outage_hold_until),
               member("rolloutRevision", &core::History::rollout_revision),
               member("rolloutSince", &core::History::rollout_since)};

template <>
inline constexpr auto kMembers<DecisionInputs> =
    std::tuple{member("now", &DecisionInputs::now), member("policy", &DecisionInputs::policy),
               member("observation", &DecisionInputs::observation),
               member("history", &DecisionInputs::history)};

// A window as one flat array: its span, then first, newest and peak of each bucket. Adding the two
// ends of a bucket again makes the same bucket.
template <>
struct Codec<core::PeakWindow> {
  static Out write(const core::PeakWindow& window) {
    Out out = Out::array({window.span().count()});
    for (const auto& bucket : window.buckets()) {
      out.push_back(Codec<WallTime>::write(bucket.first));
      out.push_back(Codec<WallTime>::write(bucket.newest));
      out.push_back(Codec<double>::write(bucket.peak));
    }
    return out;
  }

  static core::PeakWindow read(const Json& json) {
    core::PeakWindow window;
    window.set_span(Codec<Milliseconds>::read(json.at(0)));
    for (std::size_t i = 1; i + 2 < json.size(); i += 3) {
      const double peak = Codec<double>::read(json.at(i + 2));
      window.add(Codec<WallTime>::read(json.at(i)), peak);
      window.add(Codec<WallTime>::read(json.at(i + 1)), peak);
    }
    return window;
  }
};

// Likewise: the span, then newest and held of each bucket.
template <>
struct Codec<core::ShareWindow> {
  static Out write(const core::ShareWindow& window) {
    Out out = Out::array({window.span().count()});
    for (const auto& bucket : window.buckets()) {
      out.push_back(Codec<WallTime>::write(bucket.newest));
      out.push_back(Codec<Milliseconds>::write(bucket.held));
    }
    return out;
  }

  static core::ShareWindow read(const Json& json) {
    core::ShareWindow window;
    window.set_span(Codec<Milliseconds>::read(json.at(0)));
    for (std::size_t i = 1; i + 1 < json.size(); i += 2) {
      window.add(Codec<WallTime>::read(json.at(i)), Codec<Milliseconds>::read(json.at(i + 1)));
    }
    return window;
  }
};

}  // namespace record

nlohmann::ordered_json record_inputs(const DecisionInputs& inputs) {
  return record::Codec<DecisionInputs>::write(inputs);
}

Result<DecisionInputs> read_inputs(const Json& json) {
  if (!json.is_object()) {
    return Error{ErrorCode::Protocol, "the record is no JSON object"};
  }
  try {
    return record::Codec<DecisionInputs>::read(json);
  } catch (const record::Unreadable& unreadable) {
    return Error{ErrorCode::Protocol,
                 "member \"" + unreadable.member + "\" of the record cannot be read"};
  } catch (const Json::exception&) {
    return Error{ErrorCode::Protocol, "a member of the record is of a wrong type"};
  }
}

}  // namespace scaledcache::controller
