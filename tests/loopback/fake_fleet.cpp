#include "loopback/fake_fleet.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace scaledcache::loopback {
namespace {

constexpr std::int64_t kPastMs = 20 * 60 * 1000;  // how far back the counters go

std::int64_t now_ms() {
  return system_clock().wall().time_since_epoch().count();
}

std::int64_t on_grid(std::int64_t time_ms) {
  return time_ms / kScrapeMs * kScrapeMs;
}

// In [-1, 1], the same for the same second (a multiplicative hash).
double wobble(std::int64_t time_ms) {
  const auto hash = static_cast<std::uint64_t>(time_ms / kScrapeMs) * 0x9E3779B97F4A7C15U;
  return static_cast<double>(hash >> 40U) / static_cast<double>(1U << 23U) - 1.0;
}

}  // namespace

FakeFleet::FakeFleet(std::string metric)
    : metric_(std::move(metric)), origin_ms_(on_grid(now_ms() - kPastMs)) {
  load_[origin_ms_] = 0;
}

void FakeFleet::set_load(double requests_per_second) {
  std::lock_guard lock(mutex_);
  load_ = {{origin_ms_, requests_per_second}};
}

void FakeFleet::step_load(double requests_per_second) {
  std::lock_guard lock(mutex_);
  load_[on_grid(now_ms()) + kScrapeMs] = requests_per_second;
}

void FakeFleet::set_noise(double share) {
  std::lock_guard lock(mutex_);
  noise_ = share;
}

void FakeFleet::set_pods(const std::vector<std::string>& serving,
                         const std::vector<std::string>& scraped) {
  std::lock_guard lock(mutex_);
  const std::int64_t from = pods_.empty() ? origin_ms_ : on_grid(now_ms()) + kScrapeMs;
  pods_[from] = {{serving.begin(), serving.end()}, {scraped.begin(), scraped.end()}};
}

double FakeFleet::load_at(std::int64_t time_ms) const {
  return std::prev(load_.upper_bound(time_ms))->second * (1 + noise_ * wobble(time_ms));
}

const FakeFleet::Pods& FakeFleet::pods_at(std::int64_t time_ms) const {
  static const Pods nobody;
  const auto after = pods_.upper_bound(time_ms);
  return after == pods_.begin() ? nobody : std::prev(after)->second;
}

Json FakeFleet::values_of(const std::string& pod, std::int64_t from, std::int64_t to) const {
  Json values = Json::array();
  double counter = 0;
  for (std::int64_t time = origin_ms_ + kScrapeMs; time <= to; time += kScrapeMs) {
    const std::set<std::string>& serving = pods_at(time - kScrapeMs).serving;
    if (serving.contains(pod)) {
      counter +=
          load_at(time - kScrapeMs) * kScrapeMs / 1000.0 / static_cast<double>(serving.size());
    }
    if (time > from && pods_at(time).scraped.contains(pod)) {
      values.push_back({static_cast<double>(time) / 1000.0, std::to_string(std::floor(counter))});
    }
  }
  return values;
}

Json FakeFleet::matrix(WallTime now, std::int64_t window_ms) const {
  std::lock_guard lock(mutex_);
  const std::int64_t to = now.time_since_epoch().count();
  std::set<std::string> names;
  for (const auto& [from, pods] : pods_) {
    names.insert(pods.scraped.begin(), pods.scraped.end());
  }
  Json result = Json::array();
  for (const std::string& pod : names) {
    Json values = values_of(pod, to - window_ms, to);
    if (!values.empty()) {
      result.push_back({{"metric",
                         {{"__name__", metric_},
                          {"namespace", "shop"},
                          {"pod", pod},
                          {"job", "caches"},
                          {"instance", pod + ":9131"}}},
                        {"values", std::move(values)}});
    }
  }
  return result;
}

double FakeFleet::load(WallTime now) const {
  std::lock_guard lock(mutex_);
  return load_at(now.time_since_epoch().count());
}

Json FakeFleet::rates(std::int64_t start_ms, std::int64_t end_ms, std::int64_t step_ms) const {
  std::lock_guard lock(mutex_);
  Json values = Json::array();
  for (std::int64_t time = std::max(start_ms, origin_ms_); time <= end_ms; time += step_ms) {
    values.push_back({static_cast<double>(time) / 1000.0, std::to_string(load_at(time))});
  }
  return Json::array({{{"metric", Json::object()}, {"values", std::move(values)}}});
}

}  // namespace scaledcache::loopback
