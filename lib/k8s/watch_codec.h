// Decodes what list and watch send: the envelope that every object has, the frames of a stream, and
// lists item by item, so that a page never stands in memory as one tree.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace scaledcache::k8s {

// Nested deeper than any sound object.
inline constexpr int kMaxJsonDepth = 64;

// Who an object is and which state of it was seen.
struct Envelope {
  std::string name_space;  // empty for cluster-scoped kinds
  std::string name;
  std::string uid;
  std::string resource_version;

  // "namespace/name", or "name" without a namespace: how stores and queues call it.
  [[nodiscard]] std::string key() const;

  bool operator==(const Envelope&) const = default;
};

// Protocol when name, UID or resource version are missing.
[[nodiscard]] Result<Envelope> decode_envelope(const Json& object);

enum class EventType { Added, Modified, Deleted, Bookmark, Error };

struct WatchEvent {
  EventType type = EventType::Error;
  Json object;
};

// Protocol when the frame is no JSON, nested too deep, of an unknown type, or has no object.
[[nodiscard]] Result<WatchEvent> decode_event(std::string_view frame);

struct ListHead {
  std::string resource_version;
  std::string continue_token;
};

// Calls `take` with each item as it is parsed; what it returns as an error ends the walk. The list
// counts only when the whole text parsed: on an error, forget the items already taken. Protocol
// when it is cut off, no list, nested too deep, or without a resource version.
[[nodiscard]] Result<ListHead> decode_list(std::string_view text,
                                           const std::function<Result<void>(const Json&)>& take);

}  // namespace scaledcache::k8s
