// Joins a watcher to a store: decodes what arrives and reports each difference.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "k8s/store.h"
#include "k8s/watcher.h"

namespace scaledcache::k8s {

template <class T>
class StoreSink final : public WatchSink {
 public:
  // A failure keeps the object in the store by its envelope, marked with the fault.
  using Decoder = std::function<Result<T>(const Json& object)>;
  // Called on the watcher's thread, outside every lock.
  using OnChange = std::function<void(const Change<T>& change)>;
  // False: the object is of no interest and is not kept.
  using Keep = std::function<bool(const T& object)>;

  // `store` outlives the sink.
  StoreSink(Store<T>& store, Decoder decode, OnChange on_change, Keep keep = {})
      : store_(store),
        decode_(std::move(decode)),
        on_change_(std::move(on_change)),
        keep_(std::move(keep)) {}

  void begin_list() override { staged_.clear(); }

  void stage(Envelope envelope, const Json& object) override {
    Entry<T> entry = entry_of(std::move(envelope), object);
    if (is_wanted(entry)) {
      staged_.push_back(std::move(entry));
    }
  }

  void commit_list() override { report(store_.replace(std::exchange(staged_, {}))); }

  void put(Envelope envelope, const Json& object) override {
    Entry<T> entry = entry_of(std::move(envelope), object);
    report(is_wanted(entry) ? store_.put(std::move(entry)) : store_.remove(entry.envelope));
  }

  void remove(const Envelope& envelope) override { report(store_.remove(envelope)); }

 private:
  [[nodiscard]] Entry<T> entry_of(Envelope envelope, const Json& object) const {
    Result<T> decoded = decode_(object);
    if (!decoded) {
      return Entry<T>{std::move(envelope), nullptr, decoded.error()};
    }
    return Entry<T>{std::move(envelope), std::make_shared<const T>(std::move(*decoded)), {}};
  }

  [[nodiscard]] bool is_wanted(const Entry<T>& entry) const {
    return !keep_ || !entry.object || keep_(*entry.object);
  }

  void report(const typename Store<T>::Changes& changes) const {
    for (const Change<T>& change : changes) {
      on_change_(change);
    }
  }

  Store<T>& store_;
  Decoder decode_;
  OnChange on_change_;
  Keep keep_;
  std::vector<Entry<T>> staged_;
};

}  // namespace scaledcache::k8s
