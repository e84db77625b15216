// How long the core takes: samples → rates → decision for small and large fleets, and a simulated
// day. Prints one line each: what, the median (of the day, the fastest of five: a busy machine is
// no finding), and the bar it is held to; exit status 1 where a bar is missed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "core/builders.h"
#include "core/rates.h"
#include "sim/run.h"

namespace scaledcache {
namespace {

// Microseconds of each of many calls, shortest first.
std::vector<double> times_of(int calls, const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const SteadyTime start = system_clock().steady();
    call();
    times.push_back(
        std::chrono::duration<double, std::micro>(system_clock().steady() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times;
}

double median_of(int calls, const std::function<void()>& call) {
  return times_of(calls, call)[static_cast<std::size_t>(calls) / 2];
}

bool report(const std::string& what, double microseconds, double bar) {
  const bool met = microseconds < bar;
  std::printf("%-44s %12.1f us   bar %12.0f us   %s\n", what.c_str(), microseconds, bar,
              met ? "met" : "MISSED");
  return met;
}

// An answer as a backend gives it: `count` pods, scraped every five seconds for 70 seconds.
struct Fleet {
  std::vector<core::Series> series;
  std::vector<core::PodFacts> pods;

  explicit Fleet(int count) {
    for (int i = 0; i < count; ++i) {
      core::PodFacts pod;
      pod.name = "varnish-burst-7c9f8d6b5-" + std::to_string(10'000 + i);
      pod.ready = true;
      pod.ready_since = core::test::kStart - std::chrono::hours{1};
      pod.container_started = pod.ready_since;
      core::Series one;
      one.labels = {{"__name__", "varnish_main_client_req"},
                    {"namespace", "blog"},
                    {"pod", pod.name},
                    {"job", "blog/varnish"},
                    {"instance", "10.0.0.1:9131"},
                    {"container", "exporter"}};
      for (int second = -70 + i % 5; second <= 0; second += 5) {
        one.samples.push_back(
            {(core::test::kStart + std::chrono::seconds{second}).time_since_epoch().count(),
             1e6 + 195.0 * second});
      }
      pods.push_back(std::move(pod));
      series.push_back(std::move(one));
    }
  }
};

double decide_microseconds(int count, int calls) {
  const Fleet fleet(count);
  core::Policy policy = core::test::policy(2, 2 * count);
  core::test::Play play(policy, count);
  play.settle(195.0 * count);
  core::Question question =
      core::question_for(policy, policy.signals[0], play.history(), core::test::kStart);
  question.window = core::answer_window(policy, std::chrono::seconds{5});
  question.history_step.reset();
  question.backend_now = question.now;
  core::Observation observation = core::test::observe(count, {});
  return median_of(calls, [&] {
    observation.signals[0] = core::read_counter(question, fleet.series, fleet.pods);
    static_cast<void>(core::decide(policy, observation, play.history(), play.now()));
  });
}

double day_microseconds() {
  sim::Scenario scenario;
  scenario.policy = core::test::policy(2, 60);
  scenario.sources.resize(1);
  scenario.world.replicas = 20;
  sim::Load load;
  for (int hour = 0; hour < 24; ++hour) {
    const double rate = 200.0 * (20 + (hour < 12 ? hour : 24 - hour));
    load.points.push_back({std::chrono::hours{hour}, rate, {0, true}, hour > 0});
  }
  scenario.loads.push_back(load);
  scenario.end = std::chrono::hours{24};
  return times_of(5, [&] { static_cast<void>(sim::run(scenario)); }).front();
}

int main_() {
  bool met = report("samples, rates, decision: 10 pods", decide_microseconds(10, 20'000), 20);
  met =
      report("samples, rates, decision: 1,000 pods", decide_microseconds(1'000, 500), 2'000) && met;
  met = report("a simulated day, a tick every 5 s, 20 to 32 pods", day_microseconds(), 1e6) && met;
  return met ? 0 : 1;
}

}  // namespace
}  // namespace scaledcache

int main() {
  return scaledcache::main_();
}
