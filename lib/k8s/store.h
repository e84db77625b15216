// The objects of one kind, as the last list and the watch since have shown them. Identity is the
// UID: the same name with another UID is another object.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mutex.h"
#include "k8s/watch_codec.h"

namespace scaledcache::k8s {

// One object. `object` is null when its envelope was sound but the rest could not be decoded;
// `fault` then says why.
template <class T>
struct Entry {
  Envelope envelope;
  std::shared_ptr<const T> object;
  std::optional<Error> fault{};
};

// One difference between two states of a store: `before` alone is a deletion, with the last state
// that was seen; `after` alone an addition.
template <class T>
struct Change {
  std::optional<Entry<T>> before;
  std::optional<Entry<T>> after;

  [[nodiscard]] const Envelope& envelope() const {
    return after ? after->envelope : before->envelope;
  }

  [[nodiscard]] std::string key() const { return envelope().key(); }

  [[nodiscard]] bool is_added() const { return !before; }

  [[nodiscard]] bool is_deleted() const { return !after; }
};

// Thread safe. One watcher writes, anybody reads; readers get copies that share the objects.
template <class T>
class Store {
 public:
  using Changes = std::vector<Change<T>>;

  [[nodiscard]] std::optional<Entry<T>> find(const std::string& key) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
      return std::nullopt;
    }
    return found->second;
  }

  // In the order of keys.
  [[nodiscard]] std::vector<Entry<T>> all() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<Entry<T>> entries;
    entries.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) {
      entries.push_back(entry);
    }
    return entries;
  }

  // The objects of one namespace, in the order of names.
  [[nodiscard]] std::vector<Entry<T>> in_namespace(const std::string& name_space) const
      EXCLUDES(mutex_) {
    const std::string prefix = name_space + "/";
    MutexLock lock(mutex_);
    std::vector<Entry<T>> entries;
    for (auto at = entries_.lower_bound(prefix);
         at != entries_.end() && at->first.compare(0, prefix.size(), prefix) == 0; ++at) {
      entries.push_back(at->second);
    }
    return entries;
  }

  [[nodiscard]] std::size_t size() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return entries_.size();
  }

  // True once a list was whole: until then, absence means nothing.
  [[nodiscard]] bool synced() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return synced_;
  }

  // Makes `content` the whole content, in one step for every reader. Returns what differs: an
  // object is changed when its resource version is another one.
  Changes replace(std::vector<Entry<T>> content) EXCLUDES(mutex_) {
    std::map<std::string, Entry<T>> next;
    for (Entry<T>& entry : content) {
      std::string key = entry.envelope.key();
      next.insert_or_assign(std::move(key), std::move(entry));
    }
    std::map<std::string, Entry<T>> previous = next;
    {
      MutexLock lock(mutex_);
      entries_.swap(previous);
      synced_ = true;
    }
    return differences(std::move(previous), std::move(next));
  }

  // Adds or replaces one object.
  Changes put(Entry<T> entry) EXCLUDES(mutex_) {
    const std::string key = entry.envelope.key();
    std::optional<Entry<T>> before;
    {
      MutexLock lock(mutex_);
      const auto [at, added] = entries_.try_emplace(key, entry);
      if (!added) {
        before = std::exchange(at->second, entry);
      }
    }
    Changes changes;
    add_change(changes, std::move(before), std::move(entry));
    return changes;
  }

  // Removes the object of that key and UID; another object of the same name stays.
  Changes remove(const Envelope& envelope) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = entries_.find(envelope.key());
    if (found == entries_.end() || found->second.envelope.uid != envelope.uid) {
      return {};
    }
    Changes changes;
    changes.push_back({std::move(found->second), std::nullopt});
    entries_.erase(found);
    return changes;
  }

 private:
  static void add_change(Changes& changes, std::optional<Entry<T>> before, Entry<T> after) {
    if (before && before->envelope.uid != after.envelope.uid) {
      changes.push_back({std::move(before), std::nullopt});
      before.reset();
    } else if (before && before->envelope.resource_version == after.envelope.resource_version) {
      return;
    }
    changes.push_back({std::move(before), std::move(after)});
  }

  static Changes differences(std::map<std::string, Entry<T>> previous,
                             std::map<std::string, Entry<T>> next) {
    Changes changes;
    for (auto& [key, entry] : next) {
      std::optional<Entry<T>> before;
      if (auto node = previous.extract(key)) {
        before = std::move(node.mapped());
      }
      add_change(changes, std::move(before), std::move(entry));
    }
    for (auto& [key, entry] : previous) {
      changes.push_back({std::move(entry), std::nullopt});
    }
    return changes;
  }

  mutable Mutex mutex_;
  std::map<std::string, Entry<T>> entries_ GUARDED_BY(mutex_);
  bool synced_ GUARDED_BY(mutex_) = false;
};

}  // namespace scaledcache::k8s
