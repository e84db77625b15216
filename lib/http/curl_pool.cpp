#include "http/curl_pool.h"

#include <algorithm>
#include <utility>

#include <signal.h>

namespace scaledcache::http {
namespace {

// libcurl lets OpenSSL write to sockets that the peer has closed; the default action of SIGPIPE
// would end the process.
void ignore_broken_pipes() {
  struct sigaction action {};

  if (::sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, nullptr);
  }
}

}  // namespace

void set_up_curl() {
  static const CURLcode done = [] {
    ignore_broken_pipes();
    return curl_global_init(CURL_GLOBAL_DEFAULT);
  }();
  static_cast<void>(done);
}

CurlMulti CurlPool::take(const std::string& origin) {
  {
    MutexLock lock(mutex_);
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                    [&](const Idle& idle) { return idle.origin == origin; });
    if (found != idle_.rend()) {
      CurlMulti multi = std::move(found->multi);
      idle_.erase(std::next(found).base());
      return multi;
    }
  }
  CurlMulti multi(curl_multi_init());
  if (multi) {
    curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, 1L);
  }
  return multi;
}

void CurlPool::put(std::string origin, CurlMulti multi) {
  CurlMulti dropped;
  MutexLock lock(mutex_);
  idle_.push_back({std::move(origin), std::move(multi)});
  if (idle_.size() > max_idle_) {
    dropped = std::move(idle_.front().multi);
    idle_.erase(idle_.begin());
  }
}

}  // namespace scaledcache::http
