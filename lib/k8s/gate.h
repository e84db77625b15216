// The readiness gate scaledcache.io/cache-warm as we write it: one condition of a pod, and with it
// which containers it speaks of, so that a restart of the operator knows what it had proven.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "k8s/patch.h"
#include "k8s/pod.h"

namespace scaledcache::k8s {

// Names the writes of the gate in managedFields.
inline constexpr const char* kGateManager = "scaledcache-gate";

// What we want the condition to say.
struct GateWrite {
  bool open = false;
  std::string reason;   // CamelCase
  std::string message;  // for people; may carry an identity

  bool operator==(const GateWrite&) const = default;
};

// A strategic merge patch for pods/status that touches this condition alone, and fails (409) when
// the pod is another one by now. The transition time moves only with the status. Nothing when
// `pod` says the same already.
[[nodiscard]] std::optional<Patch> encode_gate_patch(const Pod& pod,
                                                     const GateWrite& wanted,
                                                     WallTime now);

// Eight hexadecimal digits that differ after every restart of the cache: of the container that
// declares `port`, so that an exporter beside it may come and go; of any container where none or
// several declare it.
[[nodiscard]] std::string cache_identity(const Pod& pod, int port);

// Whether that identity, made with whatever port, is one of the pod as it is now.
[[nodiscard]] bool is_identity_of(const Pod& pod, std::string_view identity);

// `text` and, in brackets behind it, the identity where there is one; identity_in() finds it again
// ("" where there is none).
[[nodiscard]] std::string with_identity(const std::string& text, const std::string& identity);
[[nodiscard]] std::string identity_in(std::string_view message);

}  // namespace scaledcache::k8s
