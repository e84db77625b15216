#include "core/describe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/duration.h"

namespace scaledcache::core {
namespace {

// "2300", "45.7", "0.25": what a person would say; never an exponent for what fits.
std::string number(double value) {
  std::array<char, 40> text{};
  const bool whole = value >= 100 || value == std::floor(value);
  const bool fits = std::abs(value) < 1e15;
  const auto format = fits ? std::chars_format::fixed : std::chars_format::scientific;
  const int digits = !fits || (!whole && value < 10) ? 2 : (whole ? 0 : 1);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, digits);
  return {text.data(), end.ptr};
}

std::string replicas(int count) {
  return std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

std::string percent(double share) {
  return number(std::round(share * 100)) + " %";
}

// Waiting times in whole seconds, upwards: "in 43s".
std::string wait(Milliseconds time) {
  const auto whole = std::chrono::ceil<std::chrono::seconds>(time);
  return format_duration(std::max<Milliseconds>(whole, Milliseconds{0}));
}

// The signal with the largest wish; the first one where none has any.
const SignalVerdict* leading(const Decision& decision) {
  const SignalVerdict* lead = nullptr;
  for (const SignalVerdict& signal : decision.signals) {
    if (lead == nullptr || signal.unclamped > lead->unclamped) {
      lead = &signal;
    }
  }
  return lead;
}

std::string why_more(const SignalVerdict& signal) {
  std::string text;
  if (signal.saturated) {
    text += ", counted half as much again because requests are refused";
  }
  if (signal.boost > 0) {
    text += ", " + number(signal.boost) + " more expected while pods start";
  }
  if (signal.headroom > 0.005) {
    text += ", " + percent(signal.headroom) + " headroom for bursts";
  }
  return text.empty() ? text : text + ",";
}

// "2300 req/s need 12 replicas (200 each)"
std::string demand(const Decision& decision) {
  const SignalVerdict* lead = leading(decision);
  if (lead == nullptr) {
    return "no signal is configured";
  }
  std::string text = number(lead->level) + " req/s";
  if (decision.signals.size() > 1) {
    text += " of " + lead->name;
  }
  return text + why_more(*lead) + " need " + replicas(lead->unclamped) + " (" + number(lead->q) +
         " each)";
}

std::string capped(const Decision& decision) {
  const SignalVerdict* lead = leading(decision);
  if (lead != nullptr && lead->unclamped > decision.max_replicas) {
    return ", capped at " + std::to_string(decision.max_replicas) + " by maxReplicas";
  }
  return {};
}

std::string long_window(const Policy& policy, const Decision& decision) {
  double peak = 0;
  for (const SignalVerdict& signal : decision.signals) {
    peak = std::max(peak, signal.peak);
  }
  return "the peak of the last " + format_duration(policy.long_window) + " (" + number(peak) +
         " req/s) needs " + std::to_string(decision.shrink_to);
}

const SignalVerdict* unusable_signal(const Decision& decision) {
  for (const SignalVerdict& signal : decision.signals) {
    if (!is_usable(signal.health)) {
      return &signal;
    }
  }
  return nullptr;
}

std::string no_data(const Decision& decision) {
  const SignalVerdict* signal = unusable_signal(decision);
  if (signal == nullptr) {
    return "no usable data";
  }
  return "no usable data from " + signal->name + " (" + std::string(name_of(signal->health)) +
         ", " + std::string(name_of(signal->fault)) + ")";
}

std::string at_stake(const Decision& decision) {
  return "holding " + replicas(decision.replicas);
}

// What is left of a time that began at `since`.
std::string left(std::optional<WallTime> since, Milliseconds time, WallTime now) {
  return since ? wait(*since + time - now) : "0s";
}

std::string wait_for_patience(const Policy& policy, const Decision& decision) {
  if (decision.surplus <= 0) {
    return "";
  }
  const auto window = static_cast<double>(policy.long_window.count());
  const double missing = policy.scale_down.patience_percent / 100.0 * window -
                         static_cast<double>(decision.history.idle.count()) -
                         decision.surplus * window;
  if (missing <= 0) {
    return "";
  }
  return "; a surplus of " + percent(decision.surplus) + " has to last another " +
         wait(Milliseconds{std::llround(missing / decision.surplus)});
}

std::string grow(const Decision& decision) {
  std::string text = demand(decision) + capped(decision);
  if (decision.cancel_drains > 0) {
    text += "; " + std::to_string(decision.cancel_drains) + " drains are given up";
  }
  if (decision.reason == Reason::ScaleUpLimited) {
    text += "; limited to " + std::to_string(decision.replicas) + " now";
  }
  return text;
}

std::string shrink(const Policy& policy, const Decision& decision) {
  std::string text = long_window(policy, decision);
  if (decision.replicas > decision.shrink_to) {
    text += "; one step down to " + std::to_string(decision.replicas) + " now, the next in " +
            wait(policy.scale_down.interval);
  }
  return text;
}

std::string hold(const Policy& policy,
                 const Observation& observation,
                 const Decision& decision,
                 WallTime now) {
  const History& history = decision.history;
  switch (decision.reason) {
    case Reason::GrowthCoolingDown:
      return demand(decision) + "; scaleUp.cooldown lets it grow in " +
             left(history.last_up, policy.scale_up.cooldown, now);
    case Reason::Draining:
      return std::to_string(observation.draining) +
             " pods are draining; no further step down before they are gone";
    case Reason::DataPartial:
      return demand(decision) + "; not every pod shows its samples, so nothing shrinks";
    case Reason::DataSuspect:
      return "the rate all but vanished from one sample to the next (" +
             number(leading(decision)->level) + " req/s); not believed before it has lasted " +
             format_duration(policy.long_window);
    case Reason::LongWindow:
      return long_window(policy, decision) + wait_for_patience(policy, decision);
    case Reason::RolloutInProgress:
      return long_window(policy, decision) + ", but a rollout is under way";
    case Reason::Warming:
      return long_window(policy, decision) + ", but pods are still warming";
    case Reason::CoolingDown:
      return long_window(policy, decision) + "; the cooldown ends in " +
             left(history.last_up, policy.cooldown, now);
    case Reason::ScaleDownLimited:
      return long_window(policy, decision) + "; the next step down is due in " +
             left(history.last_down, policy.scale_down.interval, now);
    case Reason::PausedDirection:
      return demand(decision) + "; an annotation forbids this direction";
    case Reason::AtMaximum:
    case Reason::Steady:
      return demand(decision) + capped(decision);
    case Reason::AtMinimum:
      return demand(decision) + "; minReplicas is " + std::to_string(decision.min_replicas);
    default:
      return demand(decision) + "; growth would not help (" +
             std::string(name_of(decision.reason)) + ")";
  }
}

std::string because(const Policy& policy,
                    const Observation& observation,
                    const Decision& decision,
                    WallTime now) {
  switch (decision.reason) {
    case Reason::Paused:
      return "paused by annotation";
    case Reason::ScaledToZero:
      return "somebody scaled it to 0; set it above 0 to go on";
    case Reason::BelowMinimum:
      return "below the minimum of " + std::to_string(decision.min_replicas);
    case Reason::AboveMaximum:
      return "above the maximum of " + std::to_string(decision.max_replicas);
    case Reason::Contested:
      return decision.fighting
                 ? "another writer keeps putting the count back; only growth is written"
                 : "another autoscaler is in charge of this target";
    case Reason::NoData:
      return no_data(decision);
    case Reason::Fallback:
      return no_data(decision) + "; the fallback applies";
    case Reason::Grow:
    case Reason::ScaleUpLimited:
      return grow(decision);
    case Reason::Shrink:
      return shrink(policy, decision);
    case Reason::ScaleDownLimited:
      return decision.replicas < decision.from ? shrink(policy, decision)
                                               : hold(policy, observation, decision, now);
    default:
      return hold(policy, observation, decision, now);
  }
}

}  // namespace

std::string describe(const Policy& policy,
                     const Observation& observation,
                     const Decision& decision,
                     WallTime now) {
  std::string text = because(policy, observation, decision, now);
  if (decision.replicas == decision.from) {
    text += "; " + at_stake(decision);
  }
  return text + "; next look in " + format_duration(decision.look_again_after);
}

}  // namespace scaledcache::core
