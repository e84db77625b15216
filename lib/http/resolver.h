// Names to addresses, with a deadline that holds even when the system's resolver hangs.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/address.h"

namespace scaledcache::http {

// Thread safe.
class Resolver {
 public:
  Resolver() = default;
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;
  virtual ~Resolver() = default;

  // All addresses of `host`, at least one, in the order in which to try them; blocks no longer than
  // `timeout`. Errors: Unavailable (no such name, name server silent), Timeout, Cancelled.
  virtual Result<std::vector<Address>> resolve(const std::string& host,
                                               Milliseconds timeout,
                                               std::stop_token stop) = 0;
};

// A blocking look-up, run on a thread of its own. Must not throw.
using Lookup = std::function<Result<std::vector<Address>>(const std::string& host)>;

// Asks getaddrinfo().
[[nodiscard]] Result<std::vector<Address>> look_up(const std::string& host);

// Runs each look-up on a detached thread, since a hanging one can be neither cancelled nor joined:
// the caller goes on at its deadline and the late answer is dropped. At most `max_lookups` run at
// once; further callers wait for their turn within their deadline. Threads may outlive this object.
class SystemResolver final : public Resolver {
 public:
  explicit SystemResolver(int max_lookups = 8, Lookup lookup = look_up);

  Result<std::vector<Address>> resolve(const std::string& host,
                                       Milliseconds timeout,
                                       std::stop_token stop) override;

 private:
  struct Shared;

  std::shared_ptr<Shared> shared_;
};

}  // namespace scaledcache::http
