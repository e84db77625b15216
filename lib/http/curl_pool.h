// Owners for libcurl's handles, and the place where connections wait between two requests.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <curl/curl.h>

#include "base/mutex.h"

namespace scaledcache::http {

// CURL and CURLM are both void: the deleter tells them apart.
template <auto free>
struct FreeWith {
  void operator()(auto* handle) const { free(handle); }
};

using CurlEasy = std::unique_ptr<CURL, FreeWith<curl_easy_cleanup>>;
using CurlMulti = std::unique_ptr<CURLM, FreeWith<curl_multi_cleanup>>;
using CurlList = std::unique_ptr<curl_slist, FreeWith<curl_slist_free_all>>;

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  curl_easy_setopt(easy, option, value);
}

// Sets libcurl up for the whole process; cheap when it is done already. Thread safe.
void set_up_curl();

// Keeps what carried a finished request, with its open connection, for the next one to the same
// origin. Thread safe; closes connections outside its lock.
class CurlPool {
 public:
  // Keeps at most `max_idle` connections.
  explicit CurlPool(std::size_t max_idle) : max_idle_(max_idle) {}

  // One that has talked to `origin` if there is any, else a new one; null without memory.
  [[nodiscard]] CurlMulti take(const std::string& origin);

  // Takes back what take() gave.
  void put(std::string origin, CurlMulti multi);

 private:
  struct Idle {
    std::string origin;
    CurlMulti multi;
  };

  const std::size_t max_idle_;
  Mutex mutex_;
  std::vector<Idle> idle_ GUARDED_BY(mutex_);  // the longest unused first
};

}  // namespace scaledcache::http
