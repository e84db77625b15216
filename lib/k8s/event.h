// Events (events.k8s.io/v1) as people see them in `kubectl get events`: a record of transitions,
// never state.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/object_meta.h"

namespace scaledcache::k8s {

inline constexpr const char* kReportingController = "scaledcache.io/controller";

struct Event {
  ObjectRef regarding;
  bool warning = false;  // type Warning, else Normal
  std::string reason;    // CamelCase, such as "ScaledUp"
  std::string action;    // CamelCase, what was done: "Scale", "Hold"
  std::string note;      // one sentence
  WallTime time{};
};

// The body for POST …/namespaces/<regarding's>/events. Texts that are too long are cut at a UTF-8
// boundary (note 1024 bytes, the others 128). `reporting_instance` names this process.
[[nodiscard]] Json encode_event(const Event& event, const std::string& reporting_instance);

}  // namespace scaledcache::k8s
