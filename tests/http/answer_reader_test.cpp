#include "http/answer_reader.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

bool take_lines(AnswerReader& reader, const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines) {
    if (!reader.take_header_line(line)) {
      return false;
    }
  }
  return true;
}

TEST_CASE("an answer is put together from its pieces") {
  AnswerReader reader(1000, 1000);
  REQUIRE(take_lines(reader, {"HTTP/1.1 200 OK\r\n", "A:  b \r\n", "Empty:\r\n"}));
  CHECK(!reader.has_head());
  REQUIRE(take_lines(reader, {"\r\n"}));
  CHECK(reader.has_head());
  REQUIRE(reader.take_body("one "));
  REQUIRE(reader.take_body("two"));
  REQUIRE(take_lines(reader, {"Trailer: x\r\n", "\r\n"}));
  const Response response = reader.take_response();
  CHECK(response.status == 200);
  CHECK(response.headers == Headers{{"A", "b"}, {"Empty", ""}});
  CHECK(response.body == "one two");
}

TEST_CASE("interim answers leave nothing behind") {
  AnswerReader reader(1000, 1000);
  REQUIRE(take_lines(reader, {"HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n"}));
  CHECK(!reader.has_head());
  REQUIRE(take_lines(reader, {"HTTP/1.1 204 No Content\r\n", "\r\n"}));
  CHECK(reader.has_head());
  CHECK(reader.take_response().headers.empty());
}

TEST_CASE("a head that is broken or not wanted is refused") {
  struct Row {
    const char* name;
    std::vector<std::string_view> lines;
    const char* refusal;
  };

  const std::string_view ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<Row> rows{
      {"empty line first", {"\r\n"}, "the answer is not HTTP/1.1"},
      {"other version", {"HTTP/2 200\r\n"}, "the answer is not HTTP/1.1"},
      {"short status", {"HTTP/1.1 20\r\n"}, "the answer is not HTTP/1.1"},
      {"status of words", {"HTTP/1.1 2x0 OK\r\n"}, "the answer is not HTTP/1.1"},
      {"status below 100", {"HTTP/1.1 099 OK\r\n"}, "the answer is not HTTP/1.1"},
      {"no colon", {ok, "nonsense\r\n"}, "the answer has a broken header line"},
      {"no name", {ok, ": x\r\n"}, "the answer has a broken header line"},
      {"folded", {ok, "A: b\r\n", "\tc: d\r\n"}, "the answer has a broken header line"},
      {"gzip", {ok, "content-encoding: GZIP\r\n"}, "the answer is compressed"},
      {"gzip behind identity",
       {ok, "Content-Encoding: identity\r\n", "Content-Encoding: gzip\r\n"},
       "the answer is compressed"},
      {"deflate as transfer encoding",
       {ok, "Transfer-Encoding: deflate\r\n"},
       "the answer has an unknown transfer encoding"},
      {"switch", {"HTTP/1.1 101 Switching Protocols\r\n", "\r\n"}, "the answer switches protocols"},
      {"redirect", {"HTTP/1.1 301 Moved\r\n", "\r\n"}, "redirects are not followed"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      AnswerReader reader(1000, 1000);
      CHECK(!take_lines(reader, row.lines));
      CHECK(reader.refusal() == row.refusal);
    }
  }
}

TEST_CASE("limits hold to the byte, over interim answers, head and trailers") {
  const std::vector<std::string_view> lines{"HTTP/1.1 103 X\r\n", "\r\n", "HTTP/1.1 200 OK\r\n",
                                            "A: b\r\n", "\r\n"};
  std::size_t bytes = 0;
  for (const std::string_view line : lines) {
    bytes += line.size();
  }
  AnswerReader exact(bytes, 3);
  CHECK(take_lines(exact, lines));
  CHECK(exact.take_body("abc"));
  CHECK(!exact.take_body("d"));
  CHECK(exact.refusal() == "the answer's body passes 3 bytes");
  AnswerReader with_trailer(bytes, 3);
  CHECK(take_lines(with_trailer, lines));
  CHECK(!with_trailer.take_header_line("T: x\r\n"));
  AnswerReader short_by_one(bytes - 1, 3);
  CHECK(!take_lines(short_by_one, lines));
  CHECK(short_by_one.refusal() ==
        "the answer's header passes " + std::to_string(bytes - 1) + " bytes");
}

}  // namespace
}  // namespace scaledcache::http
