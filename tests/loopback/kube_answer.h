// What the API server says: a status code and a JSON body, for refusals a metav1.Status.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

#include "loopback/http_peer.h"

namespace scaledcache::loopback {

struct KubeAnswer {
  int status = 200;
  Json body;
  HeaderList headers{};

  [[nodiscard]] bool refused() const { return status >= 400; }
};

// The reason that Kubernetes gives with a code, such as "NotFound" with 404.
[[nodiscard]] std::string_view reason_of(int code);

// A metav1.Status of a failure; an empty `reason` is the usual one of that code.
[[nodiscard]] Json failure(int code, const std::string& message, std::string reason = {});

[[nodiscard]] KubeAnswer refusal(int code, const std::string& message, std::string reason = {});

}  // namespace scaledcache::loopback
