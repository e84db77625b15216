#include "http/resolver.h"

#include <condition_variable>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <netdb.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/mutex.h"

namespace scaledcache::http {
namespace {

using Answer = Result<std::vector<Address>>;

Error ended(const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return Error{ErrorCode::Cancelled, "stopped while resolving a name"};
  }
  return Error{ErrorCode::Timeout, "resolving the name took too long"};
}

}  // namespace

Answer look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (failure != 0) {
    return Error{ErrorCode::Unavailable, failure == EAI_AGAIN ? "the name server does not answer"
                                                              : "the name does not resolve"};
  }
  std::vector<Address> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    if (const auto address = address_of(*entry->ai_addr)) {
      addresses.push_back(*address);
    }
  }
  ::freeaddrinfo(found);
  if (addresses.empty()) {
    return Error{ErrorCode::Unavailable, "the name has no address"};
  }
  return addresses;
}

struct SystemResolver::Shared {
  Shared(int max_lookups, Lookup look) : free_slots(max_lookups), lookup(std::move(look)) {}

  Mutex mutex;
  std::condition_variable_any changed;
  int free_slots GUARDED_BY(mutex);
  const Lookup lookup;
};

SystemResolver::SystemResolver(int max_lookups, Lookup lookup)
    : shared_(std::make_shared<Shared>(max_lookups, std::move(lookup))) {}

Answer SystemResolver::resolve(const std::string& host,
                               Milliseconds timeout,
                               std::stop_token stop) {
  const SteadyTime deadline = system_clock().steady() + timeout;
  const auto answer = std::make_shared<std::optional<Answer>>();  // guarded by shared_->mutex
  Shared& shared = *shared_;
  MutexLock lock(shared.mutex);
  const auto has_slot = [&]() REQUIRES(shared.mutex) { return shared.free_slots > 0; };
  if (!shared.changed.wait_until(lock, stop, deadline, has_slot)) {
    return ended(stop);
  }
  try {
    std::thread([shared = shared_, answer, host] {
      ::pthread_setname_np(::pthread_self(), "resolve");
      Answer found = shared->lookup(host);
      {
        MutexLock thread_lock(shared->mutex);
        *answer = std::move(found);
        ++shared->free_slots;
      }
      shared->changed.notify_all();
    }).detach();
  } catch (const std::system_error&) {
    return Error{ErrorCode::Unavailable, "no thread is left to resolve a name"};
  }
  --shared.free_slots;
  if (!shared.changed.wait_until(lock, stop, deadline, [&] { return answer->has_value(); })) {
    return ended(stop);
  }
  return std::move(**answer);
}

}  // namespace scaledcache::http
