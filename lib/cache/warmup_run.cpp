#include "cache/warmup_run.h"

#include <algorithm>
#include <array>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

namespace scaledcache::cache {
namespace {

constexpr Milliseconds kKnockEvery{100};
// Some caches store a page only after its last byte is out, and Age tells nothing before a second.
constexpr std::array kAskAgainAfter{Milliseconds{100}, Milliseconds{400}, Milliseconds{700},
                                    Milliseconds{1'000}};
constexpr std::size_t kMostAskedAgain = 200;
constexpr int kMostCompared = 32;

}  // namespace

WarmupReport WarmupRun::run(const std::stop_token& stop) {
  begin_ = doors_.clock.steady();
  const SteadyTime deadline = begin_ + plan_.timeout;
  pod_.emplace(plan_, doors_, pod_address_, deadline);
  if (peer_address_) {
    peer_.emplace(plan_, doors_, *peer_address_, deadline);
  }
  const std::stop_callback link(stop, [this] { end_with(WarmupEnd::Cancelled); });
  gather();
  if (pages_.empty() && sitemap_failed_) {
    end_with(WarmupEnd::NoAnswer);
  }
  fetch();
  prove();
  return report();
}

WarmupProgress WarmupRun::progress() const {
  return {.urls = urls_, .fetched = fetched_, .judged = judged_, .hits = hits_};
}

void WarmupRun::prove() {
  for_each(pages_from(0), [this](Page& page) { judge_page(page, false); });
  for (std::size_t round = 0; round < kAskAgainAfter.size(); ++round) {
    std::vector<Page*> open = open_pages();
    if (round == 1 && peer_) {
      set_aside_what_no_peer_keeps(open);
      open = open_pages();
    }
    if (open.empty() || is_over() ||
        !doors_.clock.wait_for(kAskAgainAfter[round], over_.get_token())) {
      return;
    }
    for_each(open, [this](Page& page) { judge_page(page, true); });
  }
}

// `again`: the origin will be asked if the cache has nothing.
void WarmupRun::judge_page(Page& page, bool again) {
  const PodQuestion question{.path = page.path, .headers = headers_of(page)};
  const bool from_cache = page.fetched && page.first != HitVerdict::Uncacheable && !again;
  std::optional<PodAnswer> answer;
  if (from_cache) {
    Result<PodAnswer> got = pod_->ask(question, over_.get_token());
    if (got) {
      answer = std::move(*got);
    } else {
      note_failure(got.error());
    }
  } else {
    answer = ask_origin(question);
  }
  if (is_over()) {
    return;
  }
  page.fetched = page.fetched || answer.has_value();
  page.outcome = answer ? outcome_of(*answer) : PageOutcome::Error;
  if (answer && redirects_elsewhere(*answer, page.path)) {
    page.outcome = PageOutcome::Error;
    note_trouble(
        "the site redirects the same path elsewhere: warmup's scheme, hostHeader or variants are "
        "not"
        " what visitors send (X-Forwarded-Proto?)");
  }
  if (answer && page.is_proved()) {
    page.short_lived = is_short_lived(answer->response.headers);
    compare(page, *answer);
  }
  judged_ += again ? 0 : 1;
  hits_ += page.is_proved() ? 1 : 0;
}

void WarmupRun::compare(Page& page, const PodAnswer& answer) {
  if (!peer_ || comparisons_.fetch_add(1) >= kMostCompared) {
    return;
  }
  const auto other =
      peer_->ask({.path = page.path, .headers = headers_of(page)}, over_.get_token());
  if (other && !other->failed() && differs(answer, *other)) {
    page.outcome = PageOutcome::Error;
    note_trouble("an answer differs in status or length from that of a warm pod");
  }
}

void WarmupRun::set_aside_what_no_peer_keeps(const std::vector<Page*>& open) {
  std::vector<Page*> missed;
  std::copy_if(open.begin(), open.end(), std::back_inserter(missed),
               [](const Page* page) { return page->outcome == PageOutcome::Miss; });
  missed.resize(std::min<std::size_t>(missed.size(), kMostCompared));
  for_each(missed, [this](Page& page) {
    if (!peer_keeps(page) && !is_over()) {
      page.outcome = PageOutcome::Uncacheable;
    }
  });
}

// The peer may not have had it: what it keeps it has the second time.
bool WarmupRun::peer_keeps(const Page& page) {
  for (int i = 0; i < 2; ++i) {
    const auto ticket = doors_.origin.take(over_.get_token());
    if (!ticket) {
      return true;
    }
    const auto answer =
        peer_->ask({.path = page.path, .headers = headers_of(page)}, over_.get_token());
    if (!answer || is_hit(answer->verdict)) {
      return true;
    }
  }
  return false;
}

std::optional<PodAnswer> WarmupRun::ask_origin(const PodQuestion& question) {
  const auto ticket = doors_.origin.take(over_.get_token());
  if (!ticket) {
    return std::nullopt;
  }
  if (const OriginTrouble trouble = doors_.health.trouble(); trouble != OriginTrouble::None) {
    end_with(WarmupEnd::OriginFailing, trouble == OriginTrouble::Slow
                                           ? "the origin answers too slowly"
                                           : "the origin answers with errors");
    return std::nullopt;
  }
  const SteadyTime asked = doors_.clock.steady();
  Result<PodAnswer> answer = pod_->ask(question, over_.get_token());
  if (!answer) {
    if (answer.error().code == ErrorCode::Timeout && !pod_->is_out_of_time()) {
      doors_.health.note(true, std::chrono::round<Milliseconds>(doors_.clock.steady() - asked));
    }
    note_failure(answer.error());
    return std::nullopt;
  }
  if (!is_hit(answer->verdict)) {
    doors_.health.note(answer->failed(), answer->took);
  }
  if (pod_->bytes() > plan_.limits.bytes) {
    end_with(WarmupEnd::TooMuch, "the bodies pass the limit of one warm-up");
  }
  return std::move(*answer);
}

std::optional<PodAnswer> WarmupRun::ask_patiently(const PodQuestion& question) {
  const SteadyTime patience = doors_.clock.steady() + plan_.listener_patience;
  for (bool waited = false;; waited = true) {
    std::optional<PodAnswer> answer = ask_origin(question);
    if (answer && waited) {
      note_trouble({});  // what was in the way is over
    }
    if (answer || pod_->was_reached() || is_over()) {
      return answer;
    }
    if (doors_.clock.steady() >= patience) {
      end_with(WarmupEnd::NoAnswer);  // the trouble is noted
      return std::nullopt;
    }
    doors_.clock.wait_for(kKnockEvery, over_.get_token());
  }
}

void WarmupRun::note_failure(const Error& error) {
  if (is_over()) {
    return;
  }
  if (error.code == ErrorCode::Invalid || error.code == ErrorCode::Forbidden) {
    end_with(WarmupEnd::Invalid, error.message);
  } else if (pod_->is_out_of_time()) {
    end_with(WarmupEnd::TimedOut, "the warm-up is out of time");
  } else {
    note_trouble(error.message);
  }
}

void WarmupRun::for_each(const std::vector<Page*>& pages, const std::function<void(Page&)>& work) {
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    try {
      for (std::size_t i = 0; !is_over() && (i = next.fetch_add(1)) < pages.size();) {
        work(*pages[i]);
      }
    } catch (const std::exception&) {  // would end the process where the thread is not our caller's
      end_with(WarmupEnd::Invalid, "the warm-up ended with an exception");
    }
  };
  const auto wanted = static_cast<std::size_t>(std::max(plan_.concurrency, 1));
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < std::min(wanted, pages.size()); ++i) {
      others.emplace_back(loop);
    }
  } catch (const std::system_error&) {
    // No thread is left: the work is done by those that there are.
  }
  loop();
}

std::vector<Page*> WarmupRun::pages_from(std::size_t first) {
  std::vector<Page*> pages;
  for (std::size_t i = first; i < pages_.size(); ++i) {
    pages.push_back(&pages_[i]);
  }
  return pages;
}

std::vector<Page*> WarmupRun::open_pages() {
  std::vector<Page*> open;
  for (Page& page : pages_) {
    if (page.is_open() && open.size() < kMostAskedAgain) {
      open.push_back(&page);
    }
  }
  return open;
}

const http::Headers& WarmupRun::headers_of(const Page& page) const {
  static const http::Headers kPlain{};
  return plan_.variants.empty() ? kPlain : plan_.variants[page.variant];
}

void WarmupRun::end_with(WarmupEnd end, std::string trouble) {
  {
    MutexLock lock(mutex_);
    if (!end_) {
      end_ = End{end, std::move(trouble)};
    }
  }
  over_.request_stop();
}

void WarmupRun::note_trouble(const std::string& trouble) {
  MutexLock lock(mutex_);
  trouble_ = trouble;
}

}  // namespace scaledcache::cache
