// What the fake API server remembers of its requests.
#include <algorithm>
#include <fstream>

#include "loopback/api_call.h"
#include "loopback/fake_api_server.h"

namespace scaledcache::loopback {

std::vector<ApiWrite> FakeApiServer::writes() const {
  std::lock_guard lock(mutex_);
  return writes_;
}

std::vector<ApiRequest> FakeApiServer::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t FakeApiServer::count(std::string_view method, std::string_view part) const {
  std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(requests_.begin(), requests_.end(), [&](const ApiRequest& request) {
        return request.method == method && request.target.find(part) != std::string::npos;
      }));
}

std::size_t FakeApiServer::watches(const std::string& plural) const {
  std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(requests_.begin(), requests_.end(), [&](const ApiRequest& request) {
        return request.method == "GET" &&
               request.target.find("/" + plural + "?") != std::string::npos &&
               request.target.find("watch=") != std::string::npos;
      }));
}

std::size_t FakeApiServer::lists(const std::string& plural) const {
  std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(requests_.begin(), requests_.end(), [&](const ApiRequest& request) {
        return request.method == "GET" &&
               (request.target.ends_with("/" + plural) ||
                request.target.find("/" + plural + "?") != std::string::npos) &&
               request.target.find("watch=") == std::string::npos &&
               request.target.find("continue=") == std::string::npos;
      }));
}

void FakeApiServer::record(const HttpRequest& request) {
  {
    std::lock_guard lock(mutex_);
    requests_.push_back({request.method, request.target, request.header("authorization"),
                         request.header("user-agent")});
    note_call(request);
  }
  pulse_.beat();
}

// At once, because a test may end without a word; in one write, because others write as well.
void FakeApiServer::note_call(const HttpRequest& request) {
  const auto call = call_of(request);
  const bool by_person = request.header("authorization") == std::string("Bearer ") + kPersonsToken;
  if (call && !by_person && calls_.insert(call->line()).second) {
    std::ofstream(SCALEDCACHE_CALLS_FILE, std::ios::app) << call->line() << std::flush;
  }
}

void FakeApiServer::log_write(const HttpRequest& request, int status) {
  {
    std::lock_guard lock(mutex_);
    writes_.push_back({request.method, request.path, request.header("content-type"),
                       request.parameter("fieldManager"), Json::parse(request.body, nullptr, false),
                       status});
  }
  pulse_.beat();
}

}  // namespace scaledcache::loopback
