#include "k8s/watch_codec.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

struct Decoded {
  Result<ListHead> head;
  std::vector<std::string> items;
};

Decoded decode(const std::string& text) {
  std::vector<std::string> items;
  auto head = decode_list(text, [&](const Json& item) {
    items.push_back(dump_json(item));
    return Result<void>();
  });
  return {std::move(head), std::move(items)};
}

TEST_CASE("a list is decoded item by item, wherever its metadata stands") {
  const std::string metadata = R"("metadata":{"resourceVersion":"7","continue":"c"})";
  const std::string items = R"("items":[{"a":"]}\"{"} , {"b":[{"c":{}}]}])";
  for (const std::string& text :
       {"{" + metadata + "," + items + "}", "{" + items + "," + metadata + "}",
        " {\n" + items + "\n,\n" + metadata + " } \n"}) {
    const Decoded decoded = decode(text);
    REQUIRE(decoded.head);
    CHECK(decoded.head->resource_version == "7");
    CHECK(decoded.head->continue_token == "c");
    CHECK(decoded.items == std::vector<std::string>{R"({"a":"]}\"{"})", R"({"b":[{"c":{}}]})"});
  }
}

TEST_CASE("an empty page is a list, with or without a token") {
  for (const char* items : {"[]", "null"}) {
    const Decoded decoded =
        decode(std::string(R"({"metadata":{"resourceVersion":"7","continue":"c"},"items":)") +
               items + "}");
    REQUIRE(decoded.head);
    CHECK(decoded.head->continue_token == "c");
    CHECK(decoded.items.empty());
  }
}

TEST_CASE("only the items of the list itself are items") {
  const Decoded decoded =
      decode(R"({"metadata":{"resourceVersion":"7","items":[{"no":1}]},"x":{"items":[{"no":2}]},)"
             R"("kind":"items","y":[{"no":3}],"items":[{"yes":1}]})");
  REQUIRE(decoded.head);
  CHECK(decoded.items == std::vector<std::string>{R"({"yes":1})"});
}

TEST_CASE("a list counts only when its whole text parsed") {
  const std::string whole = R"({"metadata":{"resourceVersion":"7"},"items":[{"a":"x"},{"b":[1]}]})";
  REQUIRE(decode(whole).head);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Decoded decoded = decode(whole.substr(0, length));
    CAPTURE(length);
    REQUIRE_FALSE(decoded.head);
    CHECK(decoded.head.error().code == ErrorCode::Protocol);
  }
}

TEST_CASE("what is no list is refused") {
  struct Row {
    const char* name;
    std::string text;
  };

  const std::vector<Row> rows{
      {"D21: a proxy's page", "<html>{\"items\":[]}</html>"},
      {"no items", R"({"metadata":{"resourceVersion":"7"}})"},
      {"items that are no array", R"({"metadata":{"resourceVersion":"7"},"items":{"a":1}})"},
      {"no resource version", R"({"metadata":{},"items":[]})"},
      {"a resource version that is a number", R"({"metadata":{"resourceVersion":7},"items":[]})"},
      {"no metadata", R"({"items":[]})"},
      {"items without a comma between", R"({"metadata":{"resourceVersion":"7"},"items":[{}{}]})"},
      {"text between items", R"({"metadata":{"resourceVersion":"7"},"items":[{},x{}]})"},
      {"a bad item", R"({"metadata":{"resourceVersion":"7"},"items":[{"a":}]})"},
      {"two documents", R"({"metadata":{"resourceVersion":"7"},"items":[]}{})"},
      {"an array", "[]"},
      {"D16: an item nested too deep", R"({"metadata":{"resourceVersion":"7"},"items":[{"a":)" +
                                           std::string(100'000, '[') + std::string(100'000, ']') +
                                           "}]}"},
      {"D16: nested too deep outside the items", std::string(100'000, '[')},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const Decoded decoded = decode(row.text);
      REQUIRE_FALSE(decoded.head);
      CHECK(decoded.head.error().code == ErrorCode::Protocol);
    }
  }
}

TEST_CASE("an item that is refused ends the walk") {
  int taken = 0;
  const auto head =
      decode_list(R"({"metadata":{"resourceVersion":"7"},"items":[{},{},{}]})", [&](const Json&) {
        ++taken;
        return taken < 2 ? Result<void>() : Result<void>(Error{ErrorCode::Protocol, "no"});
      });
  REQUIRE_FALSE(head);
  CHECK(head.error().message == "no");
  CHECK(taken == 2);
}

TEST_CASE("frames of the five types are events") {
  struct Row {
    const char* name;
    EventType want;
  };

  for (const Row& row : {Row{"ADDED", EventType::Added}, Row{"MODIFIED", EventType::Modified},
                         Row{"DELETED", EventType::Deleted}, Row{"BOOKMARK", EventType::Bookmark},
                         Row{"ERROR", EventType::Error}}) {
    SUBCASE(row.name) {
      const auto event = decode_event(std::string(R"({"type":")") + row.name +
                                      R"(","object":{"kind":"Pod"},"extra":[1]})");
      REQUIRE(event);
      CHECK(event->type == row.want);
      CHECK(string_member(event->object, "kind") == "Pod");
    }
  }
}

TEST_CASE("frames that cannot be trusted are refused") {
  for (const std::string& frame :
       {std::string("<html>"), std::string(R"({"type":"ADDED","object":{})"),
        std::string(R"({"type":"ADDED"})"), std::string(R"({"type":"ADDED","object":7})"),
        std::string(R"({"type":"SYNC","object":{}})"), std::string(R"({"type":7,"object":{}})"),
        std::string("[]"), std::string("7"),
        R"({"type":"ADDED","object":)" + std::string(100'000, '[')}) {
    const auto event = decode_event(frame);
    REQUIRE_FALSE(event);
    CHECK(event.error().code == ErrorCode::Protocol);
  }
}

TEST_CASE("an envelope needs name, UID and resource version") {
  const Json sound = Json::parse(
      R"({"metadata":{"namespace":"shop","name":"a","uid":"u","resourceVersion":"7"}})");
  const auto envelope = decode_envelope(sound);
  REQUIRE(envelope);
  CHECK(*envelope == Envelope{"shop", "a", "u", "7"});
  CHECK(envelope->key() == "shop/a");
  for (const char* member : {"name", "uid", "resourceVersion"}) {
    Json broken = sound;
    broken["metadata"].erase(member);
    CHECK_FALSE(decode_envelope(broken));
    broken["metadata"][member] = 7;
    CHECK_FALSE(decode_envelope(broken));
  }
  CHECK_FALSE(decode_envelope(Json::object()));
  CHECK_FALSE(decode_envelope(Json(7)));
}

TEST_CASE("an object without a namespace is called by its name alone") {
  CHECK(Envelope{"", "node-1", "u", "7"}.key() == "node-1");
}

}  // namespace
}  // namespace scaledcache::k8s
