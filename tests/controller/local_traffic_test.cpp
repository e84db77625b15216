#include "controller/local_traffic.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

Json service(const char* policy, const Json& selector) {
  return {{"spec", {{"internalTrafficPolicy", policy}, {"selector", selector}}}};
}

TEST_CASE("a Service that routes on each node to its own pods is found by what it selects") {
  const Json labels{{"app", "web"}, {"tier", "cache"}};
  CHECK(routes_locally({service("Local", {{"app", "web"}})}, labels));
  CHECK(routes_locally(
      {service("Cluster", {{"app", "web"}}), service("Local", {{"tier", "cache"}})}, labels));
  CHECK_FALSE(routes_locally({service("Cluster", {{"app", "web"}})}, labels));
  CHECK_FALSE(routes_locally({service("Local", {{"app", "other"}})}, labels));
  CHECK_FALSE(routes_locally({service("Local", {{"app", "web"}, {"x", "y"}})}, labels));
  CHECK_FALSE(routes_locally({service("Local", Json::object())}, labels));
  CHECK_FALSE(routes_locally({Json{{"spec", {{"internalTrafficPolicy", "Local"}}}}}, labels));
  CHECK_FALSE(routes_locally({Json("no object")}, labels));
}

}  // namespace
}  // namespace scaledcache::controller
