#include "controller/decision_record.h"

#include "controller/record_codec.h"

namespace scaledcache::controller {
namespace record {

using core::Change;
using core::CountWrite;
using core::FallbackPolicy;
using core::History;
using core::Observation;
using core::PauseWish;
using core::PodCounts;
using core::Policy;
using core::RatePoint;
using core::Rollout;
using core::ScaleDownPolicy;
using core::ScaleUpPolicy;
using core::SignalHistory;
using core::SignalPolicy;
using core::SignalReading;

template <>
inline constexpr auto kMembers<SignalPolicy> =
    std::tuple{member("name", &SignalPolicy::name),
               member("kind", &SignalPolicy::kind),
               member("podLabel", &SignalPolicy::pod_label),
               member("requestsPerReplica", &SignalPolicy::requests_per_replica),
               member("targetUtilizationPercent", &SignalPolicy::target_utilization_percent),
               member("activationRate", &SignalPolicy::activation_rate),
               member("includesBaseline", &SignalPolicy::includes_baseline),
               member("saturation", &SignalPolicy::saturation)};

template <>
inline constexpr auto kMembers<core::BaselinePolicy> =
    std::tuple{member("requestsPerReplica", &core::BaselinePolicy::requests_per_replica)};

template <>
inline constexpr auto kMembers<ScaleUpPolicy> =
    std::tuple{member("tolerancePercent", &ScaleUpPolicy::tolerance_percent),
               member("maxFactor", &ScaleUpPolicy::max_factor),
               member("maxPods", &ScaleUpPolicy::max_pods),
               member("lookAheadPercent", &ScaleUpPolicy::look_ahead_percent),
               member("headroom", &ScaleUpPolicy::headroom),
               member("cooldown", &ScaleUpPolicy::cooldown)};

template <>
inline constexpr auto kMembers<ScaleDownPolicy> =
    std::tuple{member("tolerancePercent", &ScaleDownPolicy::tolerance_percent),
               member("stepPercent", &ScaleDownPolicy::step_percent),
               member("interval", &ScaleDownPolicy::interval),
               member("patiencePercent", &ScaleDownPolicy::patience_percent),
               member("outageHold", &ScaleDownPolicy::outage_hold)};

template <>
inline constexpr auto kMembers<FallbackPolicy> = std::tuple{
    member("behavior", &FallbackPolicy::behavior), member("replicas", &FallbackPolicy::replicas)};

// Schedules are not a member: they have acted on min_replicas before the record is made.
template <>
inline constexpr auto kMembers<Policy> = std::tuple{member("minReplicas", &Policy::min_replicas),
                                                    member("maxReplicas", &Policy::max_replicas),
                                                    member("pollInterval", &Policy::poll_interval),
                                                    member("shortWindow", &Policy::short_window),
                                                    member("longWindow", &Policy::long_window),
                                                    member("cooldown", &Policy::cooldown),
                                                    member("signals", &Policy::signals),
                                                    member("baseline", &Policy::baseline),
                                                    member("scaleUp", &Policy::scale_up),
                                                    member("scaleDown", &Policy::scale_down),
                                                    member("fallback", &Policy::fallback),
                                                    member("failureGrace", &Policy::failure_grace),
                                                    member("maxSampleAge", &Policy::max_sample_age),
                                                    member("dryRun", &Policy::dry_run)};

template <>
inline constexpr auto kMembers<RatePoint> =
    std::tuple{member("time", &RatePoint::time), member("rate", &RatePoint::rate)};

template <>
inline constexpr auto kMembers<SignalReading> =
    std::tuple{member("health", &SignalReading::health),
               member("fault", &SignalReading::fault),
               member("delta", &SignalReading::delta),
               member("completeIntervals", &SignalReading::complete_intervals),
               member("shortRate", &SignalReading::short_rate),
               member("interval", &SignalReading::interval),
               member("scrapeInterval", &SignalReading::scrape_interval),
               member("sampleAge", &SignalReading::sample_age),
               member("measured", &SignalReading::measured),
               member("newestSample", &SignalReading::newest_sample),
               member("gapless", &SignalReading::gapless),
               member("coverage", &SignalReading::coverage),
               member("judgedPods", &SignalReading::judged_pods),
               member("coveredPods", &SignalReading::covered_pods),
               member("baselineCovered", &SignalReading::baseline_covered),
               member("foreignSeries", &SignalReading::foreign_series),
               member("duplicateSeries", &SignalReading::duplicate_series),
               member("badSeries", &SignalReading::bad_series),
               member("standingStill", &SignalReading::standing_still),
               member("hasServed", &SignalReading::has_served),
               member("saturation", &SignalReading::saturation),
               member("labelsSeen", &SignalReading::labels_seen),
               member("likelyPodLabel", &SignalReading::likely_pod_label),
               member("history", &SignalReading::history)};

template <>
inline constexpr auto kMembers<PodCounts> =
    std::tuple{member("ready", &PodCounts::ready), member("warm", &PodCounts::warm),
               member("warming", &PodCounts::warming)};

template <>
inline constexpr auto kMembers<PauseWish> = std::tuple{
    member("paused", &PauseWish::paused), member("pausedReplicas", &PauseWish::paused_replicas),
    member("noGrowth", &PauseWish::no_growth), member("noShrinking", &PauseWish::no_shrinking)};

template <>
inline constexpr auto kMembers<Rollout> =
    std::tuple{member("revision", &Rollout::revision), member("since", &Rollout::since)};

template <>
inline constexpr auto kMembers<CountWrite> =
    std::tuple{member("ours", &CountWrite::ours), member("time", &CountWrite::time)};

template <>
inline constexpr auto kMembers<Observation> =
    std::tuple{member("replicas", &Observation::replicas),
               member("draining", &Observation::draining),
               member("lastWrite", &Observation::last_write),
               member("contender", &Observation::contender),
               member("pause", &Observation::pause),
               member("forceActivation", &Observation::force_activation),
               member("rollout", &Observation::rollout),
               member("pods", &Observation::pods),
               member("warmingSince", &Observation::warming_since),
               member("warmed", &Observation::warmed),
               member("signals", &Observation::signals),
               member("baselineReady", &Observation::baseline_ready),
               member("growthVeto", &Observation::growth_veto)};

template <>
inline constexpr auto kMembers<Change> =
    std::tuple{member("time", &Change::time), member("from", &Change::from),
               member("to", &Change::to), member("ours", &Change::ours)};

template <>
inline constexpr auto kMembers<core::PeakWindow::Bucket> =
    std::tuple{member("slot", &core::PeakWindow::Bucket::slot),
               member("first", &core::PeakWindow::Bucket::first),
               member("newest", &core::PeakWindow::Bucket::newest),
               member("peak", &core::PeakWindow::Bucket::peak)};

template <>
inline constexpr auto kMembers<SignalHistory> =
    std::tuple{member("name", &SignalHistory::name),
               member("peak", &SignalHistory::peak),
               member("baselineLack", &SignalHistory::baseline_lack),
               member("lastPeak", &SignalHistory::last_peak),
               member("fresh", &SignalHistory::fresh),
               member("noise", &SignalHistory::noise),
               member("risk", &SignalHistory::risk),
               member("suspectSince", &SignalHistory::suspect_since),
               member("beforeSuspect", &SignalHistory::before_suspect),
               member("lastValue", &SignalHistory::last_value),
               member("lastUsable", &SignalHistory::last_usable),
               member("lastFresh", &SignalHistory::last_fresh),
               member("freshSince", &SignalHistory::fresh_since),
               member("saturatedAt", &SignalHistory::saturated_at),
               member("saturatedTicks", &SignalHistory::saturated_ticks),
               member("newestSample", &SignalHistory::newest_sample),
               member("advancedAt", &SignalHistory::advanced_at),
               member("scrapeInterval", &SignalHistory::scrape_interval),
               member("lag", &SignalHistory::lag),
               member("hasServed", &SignalHistory::has_served),
               member("servedSince", &SignalHistory::served_since),
               member("filled", &SignalHistory::filled)};

template <>
inline constexpr auto kMembers<History> =
    std::tuple{member("signals", &History::signals),
               member("replicas", &History::replicas),
               member("shadow", &History::shadow),
               member("firstTick", &History::first_tick),
               member("lastTick", &History::last_tick),
               member("lastUsable", &History::last_usable),
               member("lastUp", &History::last_up),
               member("lastDown", &History::last_down),
               member("lastUpIsStart", &History::last_up_is_start),
               member("lastChange", &History::last_change),
               member("lastOwnChange", &History::last_own_change),
               member("idle", &History::idle),
               member("lead", &History::lead),
               member("parked", &History::parked),
               member("undone", &History::undone),
               member("lastFightWrite", &History::last_fight_write),
               member("contended", &History::contended),
               member("outageHoldUntil", &History::outage_hold_until),
               member("rolloutRevision", &History::rollout_revision),
               member("rolloutSince", &History::rollout_since)};

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
