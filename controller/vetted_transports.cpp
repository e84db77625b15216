#include "controller/vetted_transports.h"

#include <cstddef>

#include "base/clock.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kPodConnect{1'000};
constexpr std::size_t kIdleToPods = 16;

}  // namespace

VettedTransports::VettedTransports(const Setup& setup)
    : backends({.addresses = address_policy(setup)}, resolver),
      pods({.addresses = address_policy(setup),
            .connect_timeout = kPodConnect,
            .max_idle_connections = kIdleToPods},
           resolver) {}

}  // namespace scaledcache::controller
