#include "k8s/frame_splitter.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

using Frames = std::vector<std::string>;

struct Outcome {
  Frames frames;
  bool partial = false;

  bool operator==(const Outcome&) const = default;
};

Outcome split(const std::vector<std::string_view>& chunks) {
  FrameSplitter splitter;
  Outcome outcome;
  for (const std::string_view chunk : chunks) {
    const auto fed = splitter.feed(chunk, [&](std::string_view frame) {
      outcome.frames.emplace_back(frame);
      return true;
    });
    CHECK(fed == FrameSplitter::Fed::All);
  }
  outcome.partial = splitter.has_partial();
  return outcome;
}

TEST_CASE("frames are cut at line ends") {
  struct Row {
    const char* name;
    std::string stream;
    Outcome want;
  };

  const std::vector<Row> rows{
      {"one frame", "{}\n", {{"{}"}, false}},
      {"many frames in one read", "a\nb\nc\n", {{"a", "b", "c"}, false}},
      {"a CR before the LF is dropped", "a\r\nb\r\n", {{"a", "b"}, false}},
      {"a CR inside a frame stays", "a\rb\n", {{"a\rb"}, false}},
      {"empty lines are no frames", "\n\r\na\n\n\r\nb\n", {{"a", "b"}, false}},
      {"an unfinished line is kept back", "a\nb", {{"a"}, true}},
      {"nothing at all", "", {{}, false}},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CHECK(split({row.stream}) == row.want);
    }
  }
}

TEST_CASE("D13: a stream split at every byte gives the same frames") {
  const std::string stream = "{\"a\":1}\r\n\n{\"b\":\"x\r y\"}\n\r\n\r\r\nlast\ncut";
  const Outcome whole = split({stream});
  REQUIRE(whole.frames.size() == 4);
  const std::string_view view = stream;
  for (std::size_t first = 0; first <= view.size(); ++first) {
    for (std::size_t second = first; second <= view.size(); ++second) {
      const Outcome parts =
          split({view.substr(0, first), view.substr(first, second - first), view.substr(second)});
      CAPTURE(first);
      CAPTURE(second);
      CHECK(parts == whole);
    }
  }
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < view.size(); ++i) {
    bytes.push_back(view.substr(i, 1));
  }
  CHECK(split(bytes) == whole);
}

TEST_CASE("D16: a frame over the limit is refused, whether it ends or not") {
  const auto take = [](std::string_view) { return true; };
  FrameSplitter at_limit(8);
  CHECK(at_limit.feed("12345678\n", take) == FrameSplitter::Fed::All);
  FrameSplitter ended(8);
  CHECK(ended.feed("123456789\n", take) == FrameSplitter::Fed::TooLong);
  FrameSplitter endless(8);
  CHECK(endless.feed("12345", take) == FrameSplitter::Fed::All);
  CHECK(endless.feed("6789", take) == FrameSplitter::Fed::TooLong);
  CHECK_FALSE(endless.has_partial());
}

TEST_CASE("a sink that says stop gets no further frame") {
  FrameSplitter splitter;
  Frames taken;
  const auto fed = splitter.feed("a\nb\nc\n", [&](std::string_view frame) {
    taken.emplace_back(frame);
    return taken.size() < 2;
  });
  CHECK(fed == FrameSplitter::Fed::Stopped);
  CHECK(taken == Frames{"a", "b"});
}

}  // namespace
}  // namespace scaledcache::k8s
