// The objects of a cluster as an API server keeps them: one counter of resource versions for all,
// a history of events for each kind that can be compacted, and readers that lag on command.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

#include "loopback/kube_answer.h"
#include "loopback/kube_kinds.h"

namespace scaledcache::loopback {

struct ObjectEvent {
  std::uint64_t version = 0;
  std::string type;  // ADDED, MODIFIED, DELETED
  Json object;
  bool hidden = false;  // no watch tells of it
};

// What a test makes the open watches of a kind do.
struct StreamOrder {
  enum class End { None, Clean, Cut };

  std::string frame;  // sent as it is, before the end; empty: nothing
  End end = End::None;
};

struct ListView {
  std::uint64_t version = 0;
  std::vector<Json> items;
};

// What is new for one watch.
struct WatchNews {
  std::vector<ObjectEvent> events;
  std::vector<StreamOrder> orders;
  std::uint64_t version = 0;  // everything visible up to here is known to the watch now
};

// Thread safe.
class KubeObjects {
 public:
  // `on_change` is called after each change, without a lock.
  explicit KubeObjects(std::function<void()> on_change) : on_change_(std::move(on_change)) {}

  // Creates it, or replaces all but status and what the server owns, as a user would.
  Json apply(std::string_view plural, Json object);

  // 409 AlreadyExists when it is there.
  KubeAnswer create(std::string_view plural, Json object);

  bool remove(std::string_view plural, const std::string& key);

  // Replaces the object by what `change` makes of it, or refuses: an answer without a body of kind
  // Status is the new object. Nothing is written when nothing differs.
  KubeAnswer update(std::string_view plural,
                    const std::string& key,
                    const std::function<KubeAnswer(Json object)>& change);

  // The present state, whatever lags.
  [[nodiscard]] std::optional<Json> find(std::string_view plural, const std::string& key) const;
  [[nodiscard]] std::vector<Json> all(std::string_view plural) const;

  // What lists and watches see.
  [[nodiscard]] ListView list(std::string_view plural, const Selection& selection) const;
  [[nodiscard]] std::uint64_t version() const;
  [[nodiscard]] std::uint64_t compacted(std::string_view plural) const;

  // Events after `version` and orders after number `orders`; waits up to `wait` for one.
  WatchNews wait_for_news(std::string_view plural,
                          std::uint64_t version,
                          std::size_t orders,
                          std::chrono::milliseconds wait);
  [[nodiscard]] std::size_t orders(std::string_view plural) const;

  // New watches from a version before this moment get 410.
  void compact(std::string_view plural);

  // Lists and watches of the kind stand still until thaw(); writes and single reads do not.
  void freeze(std::string_view plural);
  void thaw(std::string_view plural);

  // As freeze(), but at the state that the last freeze() caught: readers go back in time.
  void rewind(std::string_view plural);

  // The next `count` events of the kind reach no watch.
  void hide_events(std::string_view plural, int count);

  void order(std::string_view plural, StreamOrder order);

 private:
  using Content = std::map<std::string, Json>;

  struct Shelf {
    Content objects;
    std::vector<ObjectEvent> history;
    std::uint64_t compacted = 0;
    std::optional<Content> frozen;
    std::uint64_t frozen_version = 0;
    Content past;  // what the last freeze caught
    int to_hide = 0;
    std::vector<StreamOrder> orders;
  };

  Json store(Shelf& shelf, std::string_view plural, Json object, const char* event);
  [[nodiscard]] const Shelf& shelf_of(std::string_view plural) const;
  void changed();

  const std::function<void()> on_change_;
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::uint64_t version_ = 1000;
  std::uint64_t uids_ = 0;
  mutable std::map<std::string, Shelf, std::less<>> shelves_;
};

}  // namespace scaledcache::loopback
