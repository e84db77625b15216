#include "controller/warmup_runner.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

namespace scaledcache::controller {
namespace {

constexpr std::size_t kMostOrigins = 256;

constexpr int kPlaces = kWarmupsAtOnce * 4;

// Requests wait for their turn in places that all warm-ups share: a slow site must not fill those.
int places_for(double requests_per_second) {
  const bool slow = requests_per_second > 0 && requests_per_second < kPlaces / 2;
  return slow ? std::max(2, static_cast<int>(2 * requests_per_second)) : kPlaces;
}

// Each URL once to fill and once to prove; those that missed were asked for a little more often.
std::uint64_t requests_of(const cache::WarmupReport& report) {
  const int proofs =
      report.hits + report.stale + report.misses + report.uncacheable + report.unknown;
  return static_cast<std::uint64_t>(report.fetched + proofs);
}

}  // namespace

std::string key_of(const k8s::ScaledCache& cache) {
  return cache.meta.name_space + "/" + cache.meta.name;
}

WarmupRunner::WarmupRunner(Parts parts, OnEnd on_end)
    : parts_(parts),
      on_end_(std::move(on_end)),
      budget_(parts.clock, {parts.requests_per_second, kPlaces}),
      sitemaps_(parts.clock, {0, 1}),
      queue_(parts.clock) {}

void WarmupRunner::start() {
  pool_ = std::make_unique<WorkerPool>(
      queue_, static_cast<std::size_t>(kWarmupsAtOnce),
      WorkerCallbacks{
          [this](const std::string& key, const std::stop_token& stop) { work(key, stop); },
          [](const std::string&, std::string_view) {}},
      "sc-warm");
}

bool WarmupRunner::begin(WarmJob job) {
  const std::string key = job.key;
  const std::string cache = key_of(*job.cache);
  const k8s::WarmupSpec& spec = job.cache->spec.warmup;
  {
    MutexLock lock(mutex_);
    if (runs_.contains(key) || !waves_.try_enter(cache, spec.max_warming_pods)) {
      return false;
    }
    if (origins_.size() > kMostOrigins) {  // those of ScaledCaches that are gone, among others
      std::erase_if(origins_, [](const auto& entry) { return entry.second.use_count() == 1; });
    }
    std::shared_ptr<Origin>& origin = origins_[cache];
    if (!origin) {
      origin = std::make_shared<Origin>(parts_.clock, &budget_);
    }
    const double rate = spec.max_origin_requests_per_second;
    origin->budget.set_limits({rate, places_for(rate)});
    runs_.emplace(key, Run{std::move(job), origin, std::stop_source{}});
  }
  queue_.add(key);
  return true;
}

void WarmupRunner::cancel(const std::string& key) {
  if (auto run = find(key)) {
    run->stop.request_stop();
  }
}

std::optional<WarmJob> WarmupRunner::running(const std::string& key) const {
  MutexLock lock(mutex_);
  const auto found = runs_.find(key);
  return found == runs_.end() ? std::nullopt : std::optional(found->second.job);
}

cache::WarmupProgress WarmupRunner::progress(const std::string& key) const {
  MutexLock lock(mutex_);
  const auto found = runs_.find(key);
  return found == runs_.end() || !found->second.warmup ? cache::WarmupProgress{}
                                                       : found->second.warmup->progress();
}

std::optional<WarmupRunner::Run> WarmupRunner::find(const std::string& key) const {
  MutexLock lock(mutex_);
  const auto found = runs_.find(key);
  return found == runs_.end() ? std::nullopt : std::optional(found->second);
}

void WarmupRunner::attach(const std::string& key, std::shared_ptr<cache::Warmup> warmup) {
  MutexLock lock(mutex_);
  runs_.at(key).warmup = std::move(warmup);
}

void WarmupRunner::work(const std::string& key, const std::stop_token& stop) {
  std::optional<Run> run = find(key);
  if (!run) {
    return;
  }
  const std::stop_callback forward(stop, [&run] { run->stop.request_stop(); });
  cache::WarmupReport report;
  try {
    report = warm(*run);
  } catch (const std::exception&) {
    report.end = cache::WarmupEnd::Invalid;
    report.trouble = "the warm-up ended with an exception";
  }
  {
    MutexLock lock(mutex_);
    runs_.erase(key);
  }
  waves_.leave(key_of(*run->job.cache));
  parts_.metrics.observe_warmup(cache::name_of(report.end), requests_of(report), report.duration);
  on_end_(run->job, report);
}

cache::WarmupReport WarmupRunner::warm(Run& run) {
  cache::WarmupReport report;
  const std::stop_token stop = run.stop.get_token();
  auto plan = parts_.source.plan(*run.job.cache, stop);
  if (!plan) {
    const bool cancelled = plan.error().code == ErrorCode::Cancelled;
    report.end = cancelled ? cache::WarmupEnd::Cancelled : cache::WarmupEnd::Invalid;
    report.trouble = plan.error().message;
    return report;
  }
  const auto warmup = std::make_shared<cache::Warmup>(
      *plan,
      cache::WarmupDoors{parts_.pods, run.origin->budget, run.origin->health, parts_.clock,
                         &sitemaps_},
      run.job.address, run.job.peer);
  attach(run.job.key, warmup);
  return warmup->run(stop);
}

}  // namespace scaledcache::controller
