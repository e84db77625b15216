// One warm-up under way: its pages, its threads, its end.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "cache/page.h"
#include "cache/pod_client.h"
#include "cache/warmup.h"

namespace scaledcache::cache {

class WarmupRun {
 public:
  WarmupRun(const WarmupPlan& plan,
            const WarmupDoors& doors,
            const http::Address& pod,
            std::optional<http::Address> peer)
      : plan_(plan), doors_(doors), pod_address_(pod), peer_address_(peer) {}

  // Once.
  WarmupReport run(const std::stop_token& stop);

  // From any thread.
  [[nodiscard]] WarmupProgress progress() const;

 private:
  struct End {
    WarmupEnd end = WarmupEnd::Finished;
    std::string trouble;
  };

  // The three movements.
  void gather();
  void fetch();
  void prove();
  // And what is left for later.
  [[nodiscard]] std::vector<ProvedUrl> choose_proved();
  [[nodiscard]] WarmupReport report();

  void add(const std::string& path);
  void read_sitemaps();
  [[nodiscard]] std::vector<std::string> read_one_sitemap(const std::string& path, bool& is_index);

  void fetch_page(Page& page, bool look_for_assets);
  void find_assets_of(Page& page, const PodAnswer& answer);
  void judge_page(Page& page, bool again);
  void compare(Page& page, const PodAnswer& answer);
  void set_aside_what_no_peer_keeps(const std::vector<Page*>& open);
  [[nodiscard]] bool peer_keeps(const Page& page);

  // Asks the pod for what the origin may have to answer, in turn with others. Nothing when the run
  // is over or there is no answer, which is noted.
  std::optional<PodAnswer> ask_origin(const PodQuestion& question);
  // The first request of all: waits until somebody listens.
  std::optional<PodAnswer> ask_patiently(const PodQuestion& question);
  void note_failure(const Error& error);

  // Calls `work` for each with so many threads at once, until the run is over.
  void for_each(const std::vector<Page*>& pages, const std::function<void(Page&)>& work);
  [[nodiscard]] std::vector<Page*> pages_from(std::size_t first);
  [[nodiscard]] std::vector<Page*> open_pages();

  [[nodiscard]] const http::Headers& headers_of(const Page& page) const;
  // The first reason counts.
  void end_with(WarmupEnd end, std::string trouble = {}) EXCLUDES(mutex_);
  void note_trouble(const std::string& trouble) EXCLUDES(mutex_);

  [[nodiscard]] bool is_over() const { return over_.stop_requested(); }

  const WarmupPlan plan_;
  const WarmupDoors doors_;
  const http::Address pod_address_;
  const std::optional<http::Address> peer_address_;
  std::optional<PodClient> pod_;
  std::optional<PodClient> peer_;
  std::stop_source over_;
  SteadyTime begin_{};

  std::vector<Page> pages_;  // grows between movements only; each page is one thread's at a time
  std::unordered_set<std::string> known_;
  bool sitemap_failed_ = false;
  std::atomic<int> urls_{0};
  std::atomic<int> fetched_{0};
  std::atomic<int> judged_{0};
  std::atomic<int> hits_{0};
  std::atomic<int> comparisons_{0};
  Mutex mutex_;
  std::optional<End> end_ GUARDED_BY(mutex_);
  std::string trouble_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::cache
