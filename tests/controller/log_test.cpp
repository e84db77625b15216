#include "controller/log.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kTime = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2}} + 678ms;

TEST_CASE("a JSON line starts with time, level and message and keeps the order of its fields") {
  Fields fields;
  fields["key"] = "blog/blog";
  fields["from"] = 2;
  fields["to"] = 8;
  CHECK(
      format_line(LogFormat::Json, kTime, LogLevel::Info, "decision", fields) ==
      R"({"time":"2026-01-02T00:00:00.678Z","level":"info","msg":"decision","key":"blog/blog","from":2,"to":8})");
}

TEST_CASE("a text line quotes what a reader could misread") {
  Fields fields;
  fields["key"] = "blog/blog";
  fields["reason"] = "two words";
  fields["broken"] = "a\nb";
  fields["escape"] = "\x1b[2J";
  CHECK(
      format_line(LogFormat::Text, kTime, LogLevel::Warn, "hold", fields) ==
      R"(2026-01-02T00:00:00.678Z warn hold key=blog/blog reason="two words" broken="a\nb" escape="\u001b[2J")");
}

TEST_CASE("bytes that are not UTF-8 do not stop a line") {
  Fields fields;
  fields["text"] = "\xff";
  CHECK(format_line(LogFormat::Json, kTime, LogLevel::Info, "x", fields).find("\xEF\xBF\xBD") !=
        std::string::npos);
}

}  // namespace
}  // namespace scaledcache::controller
