#include "controller/page_book.h"

#include <utility>

#include "core/reason.h"

namespace scaledcache::controller {
namespace {

std::uint32_t second_of(WallTime time) {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

PagePoint point_of(const PageCache& page) {
  PagePoint point{.second = second_of(page.looked),
                  .replicas = page.replicas,
                  .serving = page.gated ? page.warm : page.ready};
  if (!page.signals.empty()) {
    point.rate = static_cast<float>(page.signals.front().rate);
    point.peak = static_cast<float>(page.signals.front().peak);
    point.q = static_cast<float>(page.signals.front().q);
  }
  return point;
}

// The newest point moves along until the next one is due, so that the chart ends at now.
void add_point(std::deque<PagePoint>& points, const PagePoint& point) {
  constexpr auto kSpacing = std::chrono::duration_cast<std::chrono::seconds>(kPagePointSpacing);
  const std::size_t count = points.size();
  if (count > 1 && points[count - 1].second < points[count - 2].second + kSpacing.count()) {
    points.back() = point;
    return;
  }
  points.push_back(point);
  if (points.size() > kMaxPagePoints) {
    points.pop_front();
  }
}

void add_decision(std::deque<PageDecision>& decisions, const Look& look) {
  PageDecision decision{look.now, look.decision.from, look.decision.replicas,
                        std::string(core::name_of(look.decision.reason)), look.sentence};
  const bool changes = decision.from != decision.to;
  if (!changes && !decisions.empty() && decisions.front().reason == decision.reason &&
      decisions.front().to == decision.to && decisions.front().from == decision.from) {
    decisions.front().sentence = std::move(decision.sentence);
    return;
  }
  decisions.push_front(std::move(decision));
  if (decisions.size() > kMaxPageDecisions) {
    decisions.pop_back();
  }
}

}  // namespace

PageBook::Entry& PageBook::put(PageCache page) {
  std::string key = page.key();
  Entry& entry = entries_[key];
  entry.cache = std::make_shared<const PageCache>(std::move(page));
  changed_.insert(std::move(key));
  return entry;
}

void PageBook::note_look(const Look& look, const k8s::Status& status) {
  PageCache page = page_after_look(look, status);
  const PagePoint point = point_of(page);
  MutexLock lock(mutex_);
  Entry& entry = put(std::move(page));
  add_point(entry.points, point);
  add_decision(entry.decisions, look);
}

void PageBook::note_failure(const k8s::ScaledCache& cache,
                            const k8s::Status& status,
                            const Error& error,
                            WallTime now) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(cache.meta.name_space + "/" + cache.meta.name);
  std::optional<PageCache> before;
  if (found != entries_.end()) {
    before = *found->second.cache;
  }
  put(page_after_failure(std::move(before), cache, status, error, now));
}

void PageBook::forget(const std::string& key) {
  MutexLock lock(mutex_);
  if (entries_.erase(key) > 0) {
    changed_.insert(key);
  }
}

std::vector<std::shared_ptr<const PageCache>> PageBook::all() const {
  std::vector<std::shared_ptr<const PageCache>> caches;
  MutexLock lock(mutex_);
  caches.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) {
    caches.push_back(entry.cache);
  }
  return caches;
}

std::optional<PageDetail> PageBook::find(const std::string& key) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    return std::nullopt;
  }
  const Entry& entry = found->second;
  return PageDetail{entry.cache,
                    {entry.points.begin(), entry.points.end()},
                    {entry.decisions.begin(), entry.decisions.end()}};
}

PageChanges PageBook::take_changes() {
  PageChanges changes;
  MutexLock lock(mutex_);
  for (const std::string& key : changed_) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
      changes.gone.push_back(key);
    } else {
      changes.caches.push_back(found->second.cache);
    }
  }
  changed_.clear();
  return changes;
}

}  // namespace scaledcache::controller
