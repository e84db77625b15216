#include "loopback/kube_objects.h"

#include "base/clock.h"
#include "base/rfc3339.h"

namespace scaledcache::loopback {
namespace {

// Everything outside metadata and status: what raises the generation.
Json intent_of(Json object) {
  object.erase("metadata");
  object.erase("status");
  return object;
}

// An object without what moves at each write, to see whether a write changes anything.
Json content_of(Json object) {
  object["metadata"].erase("resourceVersion");
  object["metadata"].erase("managedFields");
  return object;
}

}  // namespace

const KubeObjects::Shelf& KubeObjects::shelf_of(std::string_view plural) const {
  return shelves_[std::string(plural)];
}

void KubeObjects::changed() {
  news_.notify_all();
  on_change_();
}

Json KubeObjects::store(Shelf& shelf, std::string_view plural, Json object, const char* event) {
  const ServedKind& kind = kind_of(plural);
  object["apiVersion"] = kind.api_version();
  object["kind"] = kind.kind;
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  const bool hidden = shelf.to_hide > 0;
  shelf.to_hide -= hidden ? 1 : 0;
  shelf.history.push_back({version_, event, object, hidden});
  shelf.objects[key_of(object)] = object;
  return object;
}

KubeAnswer KubeObjects::create(std::string_view plural, Json object) {
  KubeAnswer answer;
  {
    std::lock_guard lock(mutex_);
    Shelf& shelf = shelves_[std::string(plural)];
    const std::string key = key_of(object);
    if (shelf.objects.contains(key)) {
      return refusal(409, std::string(plural) + " \"" + key + "\" already exists", "AlreadyExists");
    }
    Json& meta = object["metadata"];
    meta["uid"] = "00000000-0000-4000-8000-" + std::to_string(100000000000 + ++uids_);
    meta["generation"] = 1;
    if (!meta.contains("creationTimestamp")) {
      meta["creationTimestamp"] = format_time(system_clock().wall());
    }
    answer = {201, store(shelf, plural, std::move(object), "ADDED")};
  }
  changed();
  return answer;
}

Json KubeObjects::apply(std::string_view plural, Json object) {
  const std::string key = key_of(object);
  if (!find(plural, key)) {
    return create(plural, std::move(object)).body;
  }
  return update(plural, key,
                [&](Json old) {
                  Json next = object;
                  Json meta = old["metadata"];
                  for (const char* part : {"labels", "annotations"}) {
                    meta.erase(part);
                    if (object["metadata"].contains(part)) {
                      meta[part] = object["metadata"][part];
                    }
                  }
                  next["metadata"] = std::move(meta);
                  next["apiVersion"] = old["apiVersion"];
                  next["kind"] = old["kind"];
                  if (old.contains("status")) {
                    next["status"] = old["status"];
                  }
                  return KubeAnswer{200, std::move(next)};
                })
      .body;
}

bool KubeObjects::remove(std::string_view plural, const std::string& key) {
  {
    std::lock_guard lock(mutex_);
    Shelf& shelf = shelves_[std::string(plural)];
    const auto found = shelf.objects.find(key);
    if (found == shelf.objects.end()) {
      return false;
    }
    store(shelf, plural, found->second, "DELETED");
    shelf.objects.erase(key);
  }
  changed();
  return true;
}

KubeAnswer KubeObjects::update(std::string_view plural,
                               const std::string& key,
                               const std::function<KubeAnswer(Json object)>& change) {
  KubeAnswer answer;
  {
    std::lock_guard lock(mutex_);
    Shelf& shelf = shelves_[std::string(plural)];
    const auto found = shelf.objects.find(key);
    if (found == shelf.objects.end()) {
      return refusal(404, std::string(plural) + " \"" + key + "\" not found");
    }
    const Json old = found->second;
    answer = change(old);
    if (answer.refused() || content_of(answer.body) == content_of(old)) {
      answer.body = answer.refused() ? std::move(answer.body) : old;
      return answer;
    }
    if (intent_of(answer.body) != intent_of(old)) {
      answer.body["metadata"]["generation"] = old["metadata"]["generation"].get<int>() + 1;
    }
    answer.body = store(shelf, plural, std::move(answer.body), "MODIFIED");
  }
  changed();
  return answer;
}

std::optional<Json> KubeObjects::find(std::string_view plural, const std::string& key) const {
  std::lock_guard lock(mutex_);
  const Content& objects = shelf_of(plural).objects;
  const auto found = objects.find(key);
  return found == objects.end() ? std::nullopt : std::optional<Json>(found->second);
}

std::vector<Json> KubeObjects::all(std::string_view plural) const {
  std::lock_guard lock(mutex_);
  std::vector<Json> objects;
  for (const auto& [key, object] : shelf_of(plural).objects) {
    objects.push_back(object);
  }
  return objects;
}

ListView KubeObjects::list(std::string_view plural, const Selection& selection) const {
  std::lock_guard lock(mutex_);
  const Shelf& shelf = shelf_of(plural);
  ListView view{shelf.frozen ? shelf.frozen_version : version_, {}};
  for (const auto& [key, object] : shelf.frozen ? *shelf.frozen : shelf.objects) {
    if (selection.holds(object)) {
      view.items.push_back(object);
    }
  }
  return view;
}

std::uint64_t KubeObjects::version() const {
  std::lock_guard lock(mutex_);
  return version_;
}

std::uint64_t KubeObjects::compacted(std::string_view plural) const {
  std::lock_guard lock(mutex_);
  return shelf_of(plural).compacted;
}

WatchNews KubeObjects::wait_for_news(std::string_view plural,
                                     std::uint64_t version,
                                     std::size_t orders,
                                     std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  const Shelf& shelf = shelf_of(plural);
  WatchNews news;
  news_.wait_for(lock, wait, [&] {
    news = {};
    news.version = shelf.frozen ? shelf.frozen_version : version_;
    for (const ObjectEvent& event : shelf.history) {
      const bool visible = !shelf.frozen || event.version <= shelf.frozen_version;
      if (event.version > version && visible && !event.hidden) {
        news.events.push_back(event);
      }
    }
    news.orders.assign(shelf.orders.begin() + static_cast<std::ptrdiff_t>(orders),
                       shelf.orders.end());
    return !news.events.empty() || !news.orders.empty();
  });
  return news;
}

std::size_t KubeObjects::orders(std::string_view plural) const {
  std::lock_guard lock(mutex_);
  return shelf_of(plural).orders.size();
}

void KubeObjects::compact(std::string_view plural) {
  std::lock_guard lock(mutex_);
  shelves_[std::string(plural)].compacted = ++version_;
}

void KubeObjects::freeze(std::string_view plural) {
  std::lock_guard lock(mutex_);
  Shelf& shelf = shelves_[std::string(plural)];
  shelf.frozen = shelf.objects;
  shelf.past = shelf.objects;
  shelf.frozen_version = version_;
}

void KubeObjects::rewind(std::string_view plural) {
  std::lock_guard lock(mutex_);
  Shelf& shelf = shelves_[std::string(plural)];
  shelf.frozen = shelf.past;
}

void KubeObjects::thaw(std::string_view plural) {
  {
    std::lock_guard lock(mutex_);
    shelves_[std::string(plural)].frozen.reset();
  }
  changed();
}

void KubeObjects::hide_events(std::string_view plural, int count) {
  std::lock_guard lock(mutex_);
  shelves_[std::string(plural)].to_hide = count;
}

void KubeObjects::order(std::string_view plural, StreamOrder order) {
  {
    std::lock_guard lock(mutex_);
    shelves_[std::string(plural)].orders.push_back(std::move(order));
  }
  changed();
}

}  // namespace scaledcache::loopback
