#include "core/signals.h"

#include <algorithm>
#include <cmath>

#include "core/constants.h"

namespace scaledcache::core {
namespace {

constexpr double kMostRate = 1e300;  // so that no square or sum overflows

double seconds(Milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

double square(double x) {
  return x * x;
}

// Whole replicas for `rate`, clamped before it becomes an integer.
int replicas_for(double rate, double q, int least, int most) {
  const double exact = std::ceil(rate / q - kEpsilon);
  return exact > least ? static_cast<int>(std::min(exact, static_cast<double>(most))) : least;
}

// One signal on its way through the rules of one tick.
class Judgement {
 public:
  Judgement(const Tick& tick,
            const SignalPolicy& signal,
            const SignalReading& reading,
            SignalHistory& history)
      : tick_(tick), signal_(signal), reading_(reading), history_(history) {}

  SignalVerdict judge() {
    remember_samples();
    verdict_.name = signal_.name;
    verdict_.q = signal_.q();
    verdict_.fault = reading_.fault;
    verdict_.short_rate = short_rate();
    verdict_.gate = gate();
    judge_health();
    fill_past();
    if (is_usable(verdict_.health)) {
      judge_level();
      judge_saturation();
      remember_level();
    }
    judge_peak();
    judge_headroom();
    judge_boost();
    judge_need();
    judge_shrink();
    remember_health();
    return verdict_;
  }

 private:
  [[nodiscard]] double delta(std::size_t k) const { return std::min(reading_.delta[k], kMostRate); }

  [[nodiscard]] double short_rate() const { return std::min(reading_.short_rate, kMostRate); }

  [[nodiscard]] double s() const { return seconds(reading_.interval); }

  [[nodiscard]] int replicas(double rate) const {
    return replicas_for(rate, verdict_.q, tick_.min, tick_.max);
  }

  // What baseline pods carry of `rate`.
  [[nodiscard]] double less_baseline(double rate, int pods) const {
    const auto& baseline = tick_.policy.baseline;
    return baseline ? std::max(0.0, rate - pods * baseline->requests_per_replica) : rate;
  }

  [[nodiscard]] int baseline_now() const {
    return signal_.kind == SignalKind::Counter ? reading_.baseline_covered
                                               : tick_.observation.baseline_ready.value_or(0);
  }

  // The fewest baseline pods of the long window.
  [[nodiscard]] int baseline_least() const {
    const auto lack =
        history_.baseline_lack.highest(tick_.now - tick_.policy.long_window, tick_.now);
    return lack ? std::min(baseline_now(), static_cast<int>(-lack->peak)) : baseline_now();
  }

  // Rates that differ by less are the same: four deviations of arrivals as they come, three of
  // what this signal has shown.
  [[nodiscard]] double gate() const {
    return std::max(kGateArrivals * std::sqrt(arrivals()), kGateNoise * std::sqrt(history_.noise));
  }

  // Variance of δ₀ − δ₁ for independent arrivals.
  [[nodiscard]] double arrivals() const { return 2 * std::max({delta(0), delta(1), 1.0}) / s(); }

  void remember_samples() {
    if (reading_.scrape_interval) {
      history_.scrape_interval = reading_.scrape_interval;
    }
    if (reading_.has_served && !history_.has_served) {
      history_.has_served = true;
      history_.served_since = tick_.now;
    }
    if (reading_.measured) {
      history_.lag = tick_.now - *reading_.measured;
    }
    if (reading_.newest_sample && reading_.newest_sample != history_.newest_sample) {
      history_.newest_sample = reading_.newest_sample;
      history_.advanced_at = tick_.now;
    }
  }

  // A backend that shows no clock: the samples are as old as the time since they last moved on.
  [[nodiscard]] bool stopped_advancing() const {
    return signal_.kind == SignalKind::Counter && !reading_.sample_age && history_.advanced_at &&
           tick_.now - *history_.advanced_at >
               max_sample_age_of(tick_.policy, history_.scrape_interval);
  }

  void judge_health() {
    verdict_.health = reading_.health;
    if (is_usable(verdict_.health) && stopped_advancing()) {
      verdict_.health = Health::Stale;
      verdict_.fault = Fault::TooOld;
    }
    judge_suspect();
  }

  [[nodiscard]] double value_before() const {
    return signal_.kind == SignalKind::Counter ? std::max(delta(1), delta(2))
                                               : history_.last_value.value_or(0);
  }

  // Visitors who stay away stop the requests that a cache counts, never its uptime.
  [[nodiscard]] bool is_stuck() const {
    return reading_.standing_still && reading_.pulse == Pulse::Still;
  }

  // A rate that all but vanishes from one step to the next is not believed until it is back or has
  // lasted the long window.
  void judge_suspect() {
    if (!is_usable(verdict_.health)) {
      if (history_.suspect_since) {
        *history_.suspect_since += tick_.elapsed;  // lasting needs fresh samples
      }
      return;
    }
    const double before = value_before();
    const bool is_noise = signal_.kind == SignalKind::Counter && before - delta(0) <= verdict_.gate;
    if (!history_.suspect_since && delta(0) < kFallen * before && !is_noise &&
        tick_.observation.pods.ready > 0) {
      history_.suspect_since = tick_.now;
      history_.before_suspect = before;
    }
    history_.last_value = delta(0);
    if (!history_.suspect_since) {
      return;
    }
    if (is_stuck()) {
      *history_.suspect_since += tick_.elapsed;  // lasting needs an exporter that is alive
    }
    const bool back = delta(0) >= kFallen * history_.before_suspect;
    const bool lasted = tick_.now - *history_.suspect_since >= tick_.policy.long_window;
    if (back || lasted) {
      history_.suspect_since.reset();
    } else if (verdict_.health == Health::Fresh) {
      verdict_.health = Health::Suspect;
    }
  }

  void fill_past() {
    const Milliseconds look_back = kLongestLead + tick_.policy.short_window / 2;
    const Milliseconds longest =
        tick_.policy.long_window * std::max(1, tick_.policy.scale_down.outage_hold);
    history_.peak.set_span(longest + look_back);
    history_.fresh.set_span(tick_.policy.long_window);
    history_.baseline_lack.set_span(tick_.policy.long_window);
    if (history_.filled || !is_usable(verdict_.health)) {
      return;
    }
    std::optional<WallTime> before;
    for (const RatePoint& point : reading_.history) {
      if (point.time < tick_.now && std::isfinite(point.rate)) {
        history_.peak.add(point.time, point.rate);
        if (point.time < tick_.next.first_tick) {  // later ones were seen as they were
          history_.fresh.add(point.time,
                             before ? point.time - *before : tick_.policy.poll_interval);
        }
        before = point.time;
      }
    }
    history_.filled = true;
  }

  // Rule 5: a real jump acts on the newest interval, noise does not.
  void judge_level() {
    verdict_.jumped =
        delta(0) - std::min(delta(1), delta(2)) > verdict_.gate && delta(0) > short_rate();
    verdict_.level = verdict_.jumped ? delta(0) : short_rate();
    if (verdict_.health == Health::Fresh) {
      const double term =
          std::min(square(delta(0) - delta(1)), kNoiseClip * std::max(history_.noise, arrivals()));
      history_.noise += share_of(kNoiseMemory) * (term - history_.noise);
    }
  }

  // How much of a moving mean over `memory` this tick is.
  [[nodiscard]] double share_of(Milliseconds memory) const {
    return std::min(1.0, seconds(tick_.elapsed) / seconds(memory));
  }

  // Rule 7: a fleet at its limit shows its limit and no more.
  void judge_saturation() {
    verdict_.saturation_unknown =
        signal_.saturation != SaturationKind::None && !reading_.saturation;
    const double refused = reading_.saturation.value_or(0);
    const bool is_gauge = signal_.saturation == SaturationKind::Gauge;
    const bool seen = signal_.saturation != SaturationKind::None &&
                      refused > (is_gauge ? 0 : kSaturatedShare * verdict_.level);
    history_.saturated_ticks = seen ? history_.saturated_ticks + 1 : 0;
    const bool lasting = seen && (!is_gauge || history_.saturated_ticks >= kSaturatedTicks);
    const double net = less_baseline(verdict_.level, baseline_now());
    verdict_.saturated = lasting && tick_.serving * verdict_.q <= kSaturationFactor * net;
    if (lasting) {
      history_.saturated_at = tick_.now;
    }
  }

  void remember_level() {
    history_.peak.add(tick_.now, verdict_.level);
    if (tick_.policy.baseline) {
      history_.baseline_lack.add(tick_.now, -baseline_now());
    }
  }

  void judge_peak() {
    history_.last_peak = history_.peak.highest(tick_.now - tick_.long_window, tick_.now);
    verdict_.peak = history_.last_peak ? history_.last_peak->peak : 0;
  }

  // The highest level of the long window as it stood one lead ago; nothing without data from then.
  [[nodiscard]] std::optional<double> plan() const {
    const WallTime then = tick_.now - (tick_.next.lead + tick_.policy.short_window / 2);
    const Milliseconds near = 2 * std::max(tick_.policy.poll_interval, Milliseconds{5'000});
    const auto planned = history_.peak.highest(then - tick_.policy.long_window, then);
    if (!planned || !history_.peak.highest(then - near, then)) {
      return std::nullopt;
    }
    return planned->peak;
  }

  // Rule 8: what the load has lately done within one lead.
  void judge_headroom() {
    if (verdict_.health == Health::Fresh) {
      double surprise = 0;
      if (const auto planned = plan()) {
        const double least = verdict_.q * std::max(1, tick_.min);
        surprise = std::clamp(short_rate() / std::max(*planned, least) - 1, 0.0, kSurpriseCap);
      }
      history_.risk += share_of(kRiskMemory) * (square(surprise) - history_.risk);
    }
    if (tick_.policy.scale_up.headroom == Headroom::Learned) {
      const double once = square(kSurpriseCap) *
                          seconds(tick_.next.lead + 2 * tick_.policy.short_window) /
                          seconds(kRiskMemory);
      verdict_.headroom =
          std::min(kHeadroomCap, kHeadroomFactor * std::sqrt(std::max(0.0, history_.risk - once)));
    }
  }

  // Rule 6: three rises in a row, none of them a step or a hole in the samples.
  [[nodiscard]] bool is_ramp() const {
    const std::array rises{delta(0) - delta(1), delta(1) - delta(2), delta(2) - delta(3)};
    const auto [smallest, largest] = std::minmax_element(rises.begin(), rises.end());
    const double planned = tick_.serving * verdict_.q;
    return *smallest > 0 && *smallest >= *largest / 2 && delta(0) - delta(2) > verdict_.gate &&
           less_baseline(verdict_.level, baseline_now()) > kRampLevel * planned &&
           fresh_for(4 * reading_.interval) && reading_.complete_intervals >= 4 && reading_.gapless;
  }

  [[nodiscard]] bool fresh_for(Milliseconds time) const {
    return verdict_.health == Health::Fresh && history_.fresh_since &&
           tick_.now - *history_.fresh_since >= time;
  }

  void judge_boost() {
    const int percent = tick_.policy.scale_up.look_ahead_percent;
    if (percent == 0 || signal_.kind == SignalKind::Query || !is_ramp()) {
      return;
    }
    const double slowest =
        std::min({delta(0) - delta(1), delta(1) - delta(2), delta(2) - delta(3)});
    const double ahead =
        seconds(tick_.next.lead) + seconds(tick_.policy.poll_interval) / 2 + s() / 2;
    verdict_.boost = std::min(percent / 100.0 * verdict_.level, slowest / s() * ahead);
  }

  [[nodiscard]] bool is_active(double rate) const {
    return tick_.policy.min_replicas > 0 || rate > signal_.activation_rate;
  }

  void judge_need() {
    if (!is_usable(verdict_.health)) {
      return;
    }
    const double level = verdict_.level * (verdict_.saturated ? kSaturationFactor : 1);
    const double whole = (level + verdict_.boost) * (1 + verdict_.headroom);
    verdict_.need = is_active(verdict_.level) ? less_baseline(whole, baseline_now()) : 0;
    verdict_.wish = replicas(verdict_.need);
    verdict_.unclamped = replicas_for(verdict_.need, verdict_.q, 0, 1'000'000'000);
    if (verdict_.health == Health::Partial) {
      const int most =
          tick_.serving + std::max(1, static_cast<int>(kPartialGrowth * tick_.serving));
      verdict_.held_back = verdict_.wish > most;
      verdict_.wish = std::min(verdict_.wish, most);
    }
  }

  // Rule 10: where the long window points.
  void judge_shrink() {
    const bool saturated_lately =
        history_.saturated_at && tick_.now - *history_.saturated_at <= tick_.policy.long_window;
    const double peak = verdict_.peak * (saturated_lately ? kSaturationFactor : 1);
    const double whole = peak * (1 + verdict_.headroom) + verdict_.gate;
    verdict_.shrink_to =
        is_active(verdict_.peak) ? replicas(less_baseline(whole, baseline_least())) : tick_.min;
  }

  void remember_health() {
    const bool fresh = verdict_.health == Health::Fresh;
    if (is_usable(verdict_.health)) {
      history_.last_usable = tick_.now;
    }
    if (fresh) {
      history_.last_fresh = tick_.now;
      history_.fresh_since = history_.fresh_since.value_or(tick_.now);
    } else {
      history_.fresh_since.reset();
    }
    if (fresh || (verdict_.health == Health::Suspect && !is_stuck())) {
      history_.fresh.add(tick_.now, tick_.elapsed);
    }
  }

  const Tick& tick_;
  const SignalPolicy& signal_;
  const SignalReading& reading_;
  SignalHistory& history_;
  SignalVerdict verdict_{};
};

}  // namespace

SignalVerdict judge_signal(const Tick& tick,
                           const SignalPolicy& signal,
                           const SignalReading& reading,
                           SignalHistory& history) {
  return Judgement(tick, signal, reading, history).judge();
}

}  // namespace scaledcache::core
