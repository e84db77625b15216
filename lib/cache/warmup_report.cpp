// What a warm-up leaves behind: its counts, and pages to probe with.
#include <algorithm>
#include <utility>

#include "cache/warmup_run.h"

namespace scaledcache::cache {

std::vector<ProvedUrl> WarmupRun::choose_proved() {
  std::vector<Page*> proved;
  for (Page& page : pages_) {
    if (page.is_proved() && !page.short_lived) {
      proved.push_back(&page);
    }
  }
  std::vector<Page*> chosen;
  const std::size_t count = std::min(proved.size(), plan_.limits.proved);
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(proved[i * proved.size() / count]);
  }
  Mutex mutex;
  std::vector<ProvedUrl> urls;
  for_each(chosen, [&](Page& page) {
    const http::Headers& headers = headers_of(page);
    const auto answer = pod_->ask(
        {.path = page.path, .headers = headers, .method = http::Method::Head}, over_.get_token());
    const bool by_head = answer && is_hit(answer->verdict);
    MutexLock lock(mutex);
    urls.push_back({.path = page.path, .headers = headers, .by_head = by_head});
  });
  return urls;
}

WarmupReport WarmupRun::report() {
  WarmupReport report;
  report.proved = choose_proved();
  for (const Page& page : pages_) {
    ++report.urls;
    report.fetched += page.fetched ? 1 : 0;
    report.hits += page.outcome == PageOutcome::Hit ? 1 : 0;
    report.stale += page.outcome == PageOutcome::StaleHit ? 1 : 0;
    report.misses += page.outcome == PageOutcome::Miss ? 1 : 0;
    report.uncacheable += page.outcome == PageOutcome::Uncacheable ? 1 : 0;
    report.unknown += page.outcome == PageOutcome::Unknown ? 1 : 0;
    report.errors += page.outcome == PageOutcome::Error ? 1 : 0;
  }
  report.bytes = pod_->bytes();
  report.duration = std::chrono::round<Milliseconds>(doors_.clock.steady() - begin_);
  report.origin = doors_.health.trouble();
  MutexLock lock(mutex_);
  report.end = end_ ? end_->end : WarmupEnd::Finished;
  report.trouble = end_ && !end_->trouble.empty() ? end_->trouble : trouble_;
  return report;
}

}  // namespace scaledcache::cache
