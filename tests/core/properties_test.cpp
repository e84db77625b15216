// What must always hold, on generated inputs with fixed seeds.
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "core/builders.h"
#include "core/describe.h"
#include "core/random.h"
#include "core/rates.h"

namespace scaledcache::core::test {
namespace {

Policy any_policy(Random& random) {
  Policy rules = policy(random.whole(0, 5), 0, std::pow(10, random.between(-1, 4)));
  rules.max_replicas = rules.min_replicas + random.whole(1, 100);
  rules.short_window = std::chrono::seconds{random.whole(5, 60)};
  rules.long_window = rules.short_window + std::chrono::seconds{random.whole(0, 900)};
  rules.cooldown = std::chrono::seconds{random.whole(0, 900)};
  rules.scale_up.max_factor = random.whole(1, 10);
  rules.scale_up.max_pods = random.whole(1, 10);
  rules.scale_up.tolerance_percent = random.whole(0, 20);
  rules.scale_up.look_ahead_percent = random.whole(0, 100);
  rules.scale_down.step_percent = random.whole(1, 100);
  rules.scale_down.patience_percent = random.whole(0, 100);
  rules.scale_down.tolerance_percent = random.whole(0, 30);
  rules.scale_down.outage_hold = random.whole(1, 4);
  rules.signals[0].kind = random.chance(0.5) ? SignalKind::Counter : SignalKind::Query;
  if (random.chance(0.3)) {
    rules.signals[0].saturation = random.chance(0.5) ? SaturationKind::Rate : SaturationKind::Gauge;
  }
  return rules;
}

double any_rate(Random& random, const Policy& rules) {
  constexpr std::array kOdd{0.0, 1e-300, 1e300, 1e308, 1.0};
  if (random.chance(0.05)) {
    return kOdd.at(static_cast<std::size_t>(random.whole(0, 4)));
  }
  return random.between(0, 1.5) * rules.signals[0].requests_per_replica * rules.max_replicas;
}

SignalReading any_reading(Random& random, const Policy& rules) {
  SignalReading reading = fresh(any_rate(random, rules));
  const double rate = reading.short_rate;
  for (double& delta : reading.delta) {
    delta = rate * random.between(0.5, 1.5);
  }
  if (random.chance(0.2)) {
    reading = with_health(any_rate(random, rules), Health::Partial, Fault::MissingPods);
  } else if (random.chance(0.2)) {
    reading = unusable(Fault::Timeout);
  }
  if (random.chance(0.2)) {
    reading.saturation = random.between(0, 2) * rate / 100;
  }
  return reading;
}

TEST_CASE("within the bounds, and the same input gives the same output") {
  Random random(1);
  for (int world = 0; world < 600; ++world) {
    const Policy rules = any_policy(random);
    History history = first_history(kStart);
    int replicas = random.whole(0, 120);
    WallTime now = kStart;
    for (int tick = 0; tick < 100; ++tick, now += 5s) {
      const Observation observation = observe(replicas, any_reading(random, rules));
      const Decision decision = decide(rules, observation, history, now);
      const Decision again = decide(rules, observation, history, now);
      REQUIRE(decision.replicas == again.replicas);
      REQUIRE(decision.reason == again.reason);
      REQUIRE(decision.history == again.history);
      if (!decision.fighting && (replicas > 0 || rules.min_replicas == 0)) {
        REQUIRE(decision.replicas >= rules.min_replicas);
        REQUIRE(decision.replicas <= rules.max_replicas);
      }
      REQUIRE_FALSE(describe(rules, observation, decision, now).empty());
      history = decision.history;
      replicas = decision.replicas;
      if (random.chance(0.02)) {
        replicas = random.whole(0, 120);
      }
    }
  }
}

TEST_CASE("without usable data the count never falls") {
  Random random(2);
  for (int world = 0; world < 400; ++world) {
    const Policy rules = any_policy(random);
    Play play(rules, random.whole(std::max(1, rules.min_replicas), rules.max_replicas));
    play.pass(std::chrono::seconds{random.whole(5, 600)}, fresh(any_rate(random, rules)));
    const int before = play.replicas();
    for (int tick = 0; tick < 60; ++tick) {
      REQUIRE(play.tick(unusable(random.chance(0.5) ? Fault::EmptyAnswer : Fault::NotANumber))
                  .replicas == before);
    }
  }
}

SignalReading scaled(SignalReading reading, double k) {
  reading.short_rate *= k;
  for (double& delta : reading.delta) {
    delta *= k;
  }
  return reading;
}

TEST_CASE("a larger rate never gives fewer replicas") {
  Random random(3);
  for (int world = 0; world < 20'000; ++world) {
    const Policy rules = any_policy(random);
    Play play(rules, random.whole(std::max(1, rules.min_replicas), rules.max_replicas));
    const double rate =
        random.between(0, 1.2) * rules.signals[0].requests_per_replica * rules.max_replicas;
    for (int tick = random.whole(0, 3); tick > 0; --tick) {
      play.tick(fresh(rate));
    }
    SignalReading reading = fresh(rate);
    for (double& delta : reading.delta) {
      delta = rate * random.between(0.3, 1.5);
    }
    const Observation less = observe(play.replicas(), reading);
    const Observation more = observe(play.replicas(), scaled(reading, random.between(1, 3)));
    const int smaller = decide(rules, less, play.history(), play.now()).replicas;
    const int larger = decide(rules, more, play.history(), play.now()).replicas;
    CAPTURE(world);
    REQUIRE(larger >= smaller);
  }
}

// Sum of uniforms: zero mean, unit variance.
double unit(Random& random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) {
    sum += random.part();
  }
  return sum - 6;
}

// Readings of a load with independent noise per second, as the windows average it.
class NoisyLoad {
 public:
  NoisyLoad(double rate, double deviation, std::uint64_t seed)
      : rate_(rate), deviation_(deviation), random_(seed) {}

  SignalReading next() {
    for (int i = 0; i < 5; ++i) {
      seconds_.push_back(std::max(0.0, rate_ + deviation_ * unit(random_)));
    }
    SignalReading reading = fresh(mean(0, 30));
    for (std::size_t k = 0; k < 4; ++k) {
      reading.delta[k] = mean(10 * k, 10);
    }
    return reading;
  }

 private:
  [[nodiscard]] double mean(std::size_t back, std::size_t length) const {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = back; i < back + length && i < seconds_.size(); ++i, ++count) {
      sum += seconds_[seconds_.size() - 1 - i];
    }
    return count == 0 ? rate_ : sum / static_cast<double>(count);
  }

  double rate_;
  double deviation_;
  Random random_;
  std::vector<double> seconds_;
};

TEST_CASE(
    "noise around any rate changes the count at most once in six hours after it has settled") {
  Random random(4);
  for (int world = 0; world < 24; ++world) {
    const double rate = random.between(150, 3900);
    const bool poisson = world % 2 == 0;
    NoisyLoad load(rate, poisson ? std::sqrt(rate) : 0.05 * rate, random.next());
    Play play(policy(1, 40), std::max(1, static_cast<int>(std::ceil(rate / 200))));
    for (int tick = 0; tick < 2 * 720; ++tick) {
      play.tick(load.next());
    }
    int changes = 0;
    for (int tick = 0; tick < 6 * 720; ++tick) {
      const Decision decision = play.tick(load.next());
      changes += decision.replicas != decision.from ? 1 : 0;
    }
    CAPTURE(rate);
    CAPTURE(poisson);
    CHECK(changes <= 1);
  }
}

TEST_CASE("never more than one reversal per cooldown") {
  Random random(5);
  for (int world = 0; world < 40; ++world) {
    Play play(policy(2, 60), 20);
    WallTime shrunk{};
    WallTime reversed = kStart - 24h;
    double rate = 3900;
    for (int tick = 0; tick < 1000; ++tick) {
      if (random.chance(0.02)) {
        rate = random.between(200, 11'000);
      }
      const WallTime now = play.now();
      const Decision decision = play.tick(fresh(rate));
      if (decision.replicas < decision.from) {
        shrunk = now;
      } else if (decision.replicas > decision.from && now - shrunk < 5min) {
        REQUIRE(now - reversed >= 5min);
        reversed = now;
        shrunk = WallTime{};
      }
    }
  }
}

TEST_CASE("a clean step is answered with exactly the replicas it needs") {
  Random random(6);
  for (int world = 0; world < 200; ++world) {
    const double before = random.between(400, 2000);
    const double after = before * random.between(1.2, 4);
    Play play(policy(2, 100), static_cast<int>(std::ceil(before / 200)));
    play.settle(before);
    // The step runs through the windows as time passes.
    for (int second = 5; second <= 120; second += 5) {
      const auto share = [&](int from, int to) {
        const double inside = std::clamp(second - from, 0, to - from);
        return before + (after - before) * inside / (to - from);
      };
      SignalReading reading = fresh(share(0, 30));
      reading.delta = {share(0, 10), share(10, 20), share(20, 30), share(30, 40)};
      play.tick(reading);
    }
    CAPTURE(before);
    CAPTURE(after);
    REQUIRE(play.replicas() == static_cast<int>(std::ceil(after / 200 - 1e-6)));
  }
}

Series any_series(Random& random, int pod) {
  constexpr std::array kOdd{HUGE_VAL, -HUGE_VAL, -1.0, 0.0, 1e308, 1e-300};
  Series series;
  series.labels = {{"pod", "pod-" + std::to_string(pod)}, {"job", random.chance(0.9) ? "a" : "b"}};
  double value = random.between(0, 1e6);
  std::int64_t time = kStart.time_since_epoch().count() - random.whole(0, 100'000);
  for (int i = random.whole(0, 20); i > 0; --i) {
    time += random.whole(1, 12'000);
    value += random.between(0, 5000);
    double shown = value;
    if (random.chance(0.03)) {
      shown =
          random.chance(0.5) ? std::nan("") : kOdd.at(static_cast<std::size_t>(random.whole(0, 5)));
    }
    series.samples.push_back({time, shown});
  }
  return series;
}

TEST_CASE("any answer reads as finite rates of at least zero") {
  Random random(7);
  for (int world = 0; world < 20'000; ++world) {
    Question question;
    question.signal = policy().signals[0];
    question.now = kStart;
    question.has_served = random.chance(0.5);
    if (random.chance(0.8)) {
      question.backend_now = kStart + std::chrono::seconds{random.whole(-600, 600)};
    }
    if (random.chance(0.2)) {
      question.history_step = 5s;
    }
    std::vector<Series> series;
    std::vector<PodFacts> pods;
    for (int i = random.whole(0, 6); i > 0; --i) {
      series.push_back(any_series(random, i));
      PodFacts pod;
      pod.name = "pod-" + std::to_string(i);
      pod.belongs = random.chance(0.9);
      pod.ready = random.chance(0.8);
      pod.terminating = random.chance(0.1);
      if (random.chance(0.9)) {
        pod.ready_since = kStart - std::chrono::seconds{random.whole(-10, 200)};
      }
      if (random.chance(0.9)) {
        pod.container_started = kStart - std::chrono::seconds{random.whole(-10, 300)};
      }
      if (!pod.ready) {
        pod.ready_until = kStart - std::chrono::seconds{random.whole(0, 100)};
      }
      pods.push_back(pod);
    }
    const SignalReading reading = read_counter(question, series, pods);
    REQUIRE(std::isfinite(reading.short_rate));
    REQUIRE(reading.short_rate >= 0);
    for (const double delta : reading.delta) {
      REQUIRE(std::isfinite(delta));
      REQUIRE(delta >= 0);
    }
    REQUIRE(reading.coverage >= 0);
    REQUIRE(reading.coverage <= 1);
  }
}

}  // namespace
}  // namespace scaledcache::core::test
