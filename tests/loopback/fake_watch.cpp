// The watch half of the fake API server.
#include <charconv>

#include "loopback/fake_api_server.h"

namespace scaledcache::loopback {
namespace {

constexpr std::chrono::milliseconds kSlice{50};  // how soon a client that left is noticed
constexpr int kSlicesToBookmark = 40;

std::string frame_of(const char* type, const Json& object) {
  return dump_json({{"type", type}, {"object", object}}) + "\n";
}

std::string gone_frame() {
  return frame_of("ERROR", failure(410, "too old resource version"));
}

std::string too_large_frame() {
  Json status = failure(504, "Too large resource version");
  status["details"] = {{"causes", Json::array({{{"reason", "ResourceVersionTooLarge"},
                                                {"message", "Too large resource version"}}})},
                       {"retryAfterSeconds", 1}};
  return frame_of("ERROR", status);
}

std::string bookmark_frame(const ServedKind& kind, std::uint64_t version) {
  return frame_of("BOOKMARK", {{"kind", kind.kind},
                               {"apiVersion", kind.api_version()},
                               {"metadata", {{"resourceVersion", std::to_string(version)}}}});
}

}  // namespace

bool FakeApiServer::send_frame(HttpExchange& exchange, std::string_view frame) const {
  WatchHabits::Framing framing{};
  {
    std::lock_guard lock(mutex_);
    framing = habits_.framing;
  }
  switch (framing) {
    case WatchHabits::Framing::Plain:
      return exchange.write_chunk(frame);
    case WatchHabits::Framing::ByteWise:
      for (const char byte : frame) {
        if (!exchange.write_chunk({&byte, 1})) {
          return false;
        }
      }
      return true;
    case WatchHabits::Framing::Crlf:
      frame.remove_suffix(1);
      return exchange.write_chunk("\r\n" + std::string(frame) + "\r\n\n");
  }
  return false;
}

void FakeApiServer::watch(HttpExchange& exchange, const Route& route) {
  const std::string text = exchange.request().parameter("resourceVersion");
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error == std::errc::invalid_argument && !text.empty()) {
    return exchange.answer(500, dump_json(failure(500, "resourceVersion: Invalid value")));
  }
  WatchHabits habits;
  {
    std::lock_guard lock(mutex_);
    habits = habits_;
  }
  if (!exchange.begin_stream()) {
    return exchange.close();
  }
  ListView initial;
  if (version == 0) {
    initial = objects_.list(route.kind->plural, {route.name_space, "", ""});
    version = initial.version;
  }
  if (version > objects_.version()) {
    send_frame(exchange, too_large_frame());
  } else if (habits.always_gone || version < objects_.compacted(route.kind->plural)) {
    send_frame(exchange, gone_frame());
  } else if (!habits.close_at_once) {
    return stream(exchange, route, version, std::move(initial));
  }
  exchange.end_stream();
}

void FakeApiServer::stream(HttpExchange& exchange,
                           const Route& route,
                           std::uint64_t version,
                           ListView initial) {
  const std::string& plural = route.kind->plural;
  const Selection selection{route.name_space, exchange.request().parameter("labelSelector"), ""};
  const bool wants_bookmarks = !exchange.request().parameter("allowWatchBookmarks").empty();
  std::size_t orders = objects_.orders(plural);
  bool alive = true;
  for (const Json& object : initial.items) {
    alive = alive && send_frame(exchange, frame_of("ADDED", object));
  }
  for (int quiet = 0; alive && !exchange.client_gone(std::chrono::milliseconds{0}); ++quiet) {
    const WatchNews news = objects_.wait_for_news(plural, version, orders, kSlice);
    for (const ObjectEvent& event : news.events) {
      if (selection.holds(event.object)) {
        alive = alive && send_frame(exchange, frame_of(event.type.c_str(), event.object));
        quiet = 0;
      }
    }
    version = news.version;
    for (const StreamOrder& order : news.orders) {
      ++orders;
      if (!order.frame.empty()) {
        alive = alive && send_frame(exchange, order.frame);
      }
      if (order.end == StreamOrder::End::Clean) {
        return exchange.end_stream();
      }
      if (order.end == StreamOrder::End::Cut) {
        return exchange.close(true);
      }
    }
    if (wants_bookmarks && quiet >= kSlicesToBookmark) {
      std::unique_lock lock(mutex_);
      const bool bookmarks = habits_.bookmarks;
      lock.unlock();
      alive = alive && (!bookmarks || send_frame(exchange, bookmark_frame(*route.kind, version)));
      quiet = 0;
    }
  }
  exchange.close();
}

}  // namespace scaledcache::loopback
