// How a KEDA trigger proves who asks: its authModes and the TriggerAuthentication it names.
#pragma once

#include <span>
#include <string>

#include "controller/commands/draft.h"

namespace scaledcache::controller {

inline constexpr const char* kTriggerAuthentication = "TriggerAuthentication";
inline constexpr const char* kClusterTriggerAuthentication = "ClusterTriggerAuthentication";

// Puts `auth` and `tls` into `backend`, the draft's own or one that is compared with it; `trigger`
// is the object at `path`. Secrets are named, never read.
void carry_trigger_auth(const Json& trigger,
                        const std::string& path,
                        std::span<const Document> all,
                        OrderedJson& backend,
                        Draft& draft);

// What of a TriggerAuthentication a ScaledCache can use: told by the fields' own paths.
[[nodiscard]] Ledger ledger_of_authentication(const Document& authentication);

}  // namespace scaledcache::controller
