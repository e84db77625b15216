#include "http/head.h"

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

constexpr std::size_t kHeaderLimit = 200;
constexpr std::size_t kBodyLimit = 1000;

TEST_CASE("a head is judged before the body is read") {
  struct Row {
    const char* name;
    Head head;
    Method method;
    const char* want;  // empty: accepted
  };

  for (const Row& row : {
           Row{"a length", {200, {{"Content-Length", "1000"}}}, Method::Get, ""},
           Row{"chunks", {404, {{"transfer-encoding", "Chunked"}}}, Method::Get, ""},
           Row{"identity coding",
               {200, {{"Content-Length", "1"}, {"Content-Encoding", "identity"}}},
               Method::Get,
               ""},
           Row{"no content", {204, {}}, Method::Get, ""},
           Row{"an answer to HEAD", {200, {{"Content-Length", "5000"}}}, Method::Head, ""},
           Row{"early hints", {103, {}}, Method::Get, "status 103 is no final answer"},
           Row{"a status beyond the range",
               {700, {}},
               Method::Get,
               "status 700 is no final answer"},
           Row{"a redirect",
               {302, {{"Content-Length", "0"}, {"Location", "http://elsewhere/"}}},
               Method::Get,
               "the answer is a redirect (302), which is never followed"},
           Row{"not modified",
               {304, {}},
               Method::Get,
               "the answer is a redirect (304), which is never followed"},
           Row{"gzip",
               {200, {{"Content-Length", "1"}, {"content-encoding", "gzip"}}},
               Method::Get,
               "the answer is compressed, which was not asked for"},
           Row{"no framing",
               {200, {}},
               Method::Get,
               "the answer is neither chunked nor has a length, so its end cannot be told"},
           Row{"a length that is no number",
               {200, {{"Content-Length", "5, 5"}}},
               Method::Get,
               "the answer is neither chunked nor has a length, so its end cannot be told"},
           Row{"a negative length",
               {200, {{"Content-Length", "-1"}}},
               Method::Get,
               "the answer is neither chunked nor has a length, so its end cannot be told"},
           Row{"gzip as transfer coding",
               {200, {{"Transfer-Encoding", "gzip, chunked"}}},
               Method::Get,
               "the answer uses a transfer coding other than chunked"},
           Row{"a body too long",
               {200, {{"Content-Length", "1001"}}},
               Method::Get,
               "the answer announces a body larger than 1000 bytes"},
           Row{"headers too long",
               {200, {{"Content-Length", "1"}, {"X", std::string(200, 'x')}}},
               Method::Get,
               "the header block is larger than 200 bytes"},
       }) {
    SUBCASE(row.name) {
      const auto judged = judge_head(row.head, row.method, kHeaderLimit, kBodyLimit);
      if (std::string(row.want).empty()) {
        CHECK(judged);
      } else {
        REQUIRE_FALSE(judged);
        CHECK(judged.error() == Error{ErrorCode::Protocol, row.want});
      }
    }
  }
}

TEST_CASE("headers that belong to the library, and line breaks, are refused in a request") {
  struct Row {
    const char* name;
    Headers headers;
    bool fine;
  };

  for (const Row& row : {
           Row{"none", {}, true},
           Row{"those of a client",
               {{"Authorization", "Bearer x"}, {"Accept", "text/plain"}},
               true},
           Row{"the host", {{"HOST", "elsewhere"}}, false},
           Row{"a length", {{"content-length", "3"}}, false},
           Row{"a line break in a value", {{"Accept", "a\r\nX: y"}}, false},
           Row{"a line break in a name", {{"A\nX", "y"}}, false},
           Row{"a zero", {{"Accept", std::string(1, '\0')}}, false},
       }) {
    SUBCASE(row.name) {
      const auto judged = judge_request_headers(row.headers);
      CHECK(judged.has_value() == row.fine);
      CHECK((row.fine || judged.error().code == ErrorCode::Invalid));
    }
  }
}

}  // namespace
}  // namespace scaledcache::http
