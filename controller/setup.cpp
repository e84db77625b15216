#include "controller/setup.h"

#include <string_view>
#include <vector>

#include "http/url.h"

namespace scaledcache::controller {
namespace {

std::string value_of(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

}  // namespace

std::string instance_name(const Environment& environment) {
  const std::string pod = value_of(environment, "POD_NAME");
  return pod.empty() ? "scaledcache" : pod;
}

http::AddressPolicy address_policy(const Setup& setup) {
  http::AddressPolicy policy;
  policy.allow_loopback = setup.options.development;
  std::vector<std::string> denied{value_of(setup.environment, "KUBERNETES_SERVICE_HOST"),
                                  value_of(setup.environment, "POD_IP")};
  if (const auto url = http::parse_url(setup.cluster.origin)) {
    denied.push_back(url->host);
  }
  for (const std::string& text : denied) {
    const auto address = http::parse_address(text);
    if (address &&
        http::AddressPolicy{}.judge(*address)) {  // what is refused anyway needs no entry
      policy.denied.push_back(*address);
    }
  }
  return policy;
}

}  // namespace scaledcache::controller
