// Bodies that no honest backend sends. Each must come back as an error with a fixed phrase: no
// crash, no exception, no text of the sender.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "prom/answers.h"
#include "prom/decode.h"

namespace scaledcache::prom {
namespace {

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) {
    text += piece;
  }
  return text;
}

std::string matrix(const std::string& element) {
  return R"({"status":"success","data":{"resultType":"matrix","result":[)" + element + "]}}";
}

std::string numbered_members(int count) {
  std::string members;
  for (int i = 0; i < count; ++i) {
    members += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":\"v\"";
  }
  return members;
}

void check_refused(const std::string& body, DecodeLimits limits = {}) {
  const auto series = decode_series(body, limits);
  const auto value = decode_value(body, limits);
  REQUIRE_FALSE(series.has_value());
  REQUIRE_FALSE(value.has_value());
  for (const Error& error : {series.error(), value.error()}) {
    CHECK(error.code == ErrorCode::Protocol);
    CHECK_FALSE(error.message.empty());
    CHECK(error.message.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("F1 F12: bodies that are no answer are refused") {
  struct Row {
    const char* name;
    std::string body;
  };

  const Row rows[] = {
      {"nothing", ""},
      {"blanks", " \n\t "},
      {"HTML", "<html><body>hunter2</body></html>"},
      {"a number", "42"},
      {"null", "null"},
      {"a string", R"("hunter2")"},
      {"a list", R"([{"status":"success"}])"},
      {"an empty object", "{}"},
      {"another status", R"({"status":"hunter2","data":{}})"},
      {"a status that is a number", R"({"status":1})"},
      {"a status that is an object", R"({"status":{"a":1}})"},
      {"data as a list", R"({"status":"success","data":[]})"},
      {"data as text", R"({"status":"success","data":"hunter2"})"},
      {"a type that is a number", R"({"status":"success","data":{"resultType":7}})"},
      {"a result that is text", R"({"status":"success","data":{"result":"hunter2"}})"},
      {"a result that is an object", R"({"status":"success","data":{"result":{}}})"},
      {"a result within a list", matrix("[]")},
      {"a scalar and a series", matrix(R"({"metric":{},"values":[]},1,"2")")},
      {"a series behind a scalar", matrix(R"(1,"2",{"metric":{},"values":[]})")},
      {"two results",
       R"({"status":"success","data":{"resultType":"matrix","result":[],"result":[]}})"},
      {"labels as a list", matrix(R"({"metric":[],"values":[]})")},
      {"a label that is a number", matrix(R"({"metric":{"pod":7},"values":[]})")},
      {"a label that is an object", matrix(R"({"metric":{"pod":{}},"values":[]})")},
      {"a label twice", matrix(R"({"metric":{"pod":"a","pod":"b"},"values":[]})")},
      {"samples as an object", matrix(R"({"metric":{},"values":{}})")},
      {"samples as text", matrix(R"({"metric":{},"values":"hunter2"})")},
      {"a sample that is a number", matrix(R"({"metric":{},"values":[1]})")},
      {"an empty sample", matrix(R"({"metric":{},"values":[[]]})")},
      {"a sample without a value", matrix(R"({"metric":{},"values":[[1]]})")},
      {"a sample of three", matrix(R"({"metric":{},"values":[[1,"2","3"]]})")},
      {"a value that is no string", matrix(R"({"metric":{},"values":[[1,2]]})")},
      {"a time that is a string", matrix(R"({"metric":{},"values":[["1","2"]]})")},
      {"a time that is an object", matrix(R"({"metric":{},"values":[[{},"2"]]})")},
      {"a time beyond all years", matrix(R"({"metric":{},"values":[[1e300,"2"]]})")},
      {"a time beyond doubles", matrix(R"({"metric":{},"values":[[1e999,"2"]]})")},
      {"a null value", matrix(R"({"metric":{},"values":[[1,null]]})")},
      {"a boolean value", matrix(R"({"metric":{},"values":[[1,true]]})")},
      {"NaN as a bare word", matrix(R"({"metric":{},"values":[[1,NaN]]})")},
      {"bytes that are not UTF-8", matrix("{\"metric\":{\"pod\":\"\xff\xfe\"},\"values\":[]}")},
      {"half a surrogate", matrix(R"({"metric":{"pod":"\ud800"},"values":[]})")},
      {"a zero byte", std::string("{\0}", 3)},
      {"text behind the answer", matrix("") + "hunter2"},
      {"two answers", matrix("") + matrix("")},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      check_refused(row.body);
    }
  }
}

TEST_CASE("F12: nesting beyond the limit is refused wherever it stands, however deep") {
  const std::size_t kDepths[] = {33, 100'000, 1'000'000};
  for (const std::size_t depth : kDepths) {
    CAPTURE(depth);
    const std::string lists = repeated("[", depth) + repeated("]", depth);
    check_refused(lists);
    check_refused(repeated(R"({"a":)", depth));
    check_refused(R"({"infos":)" + lists + R"(,"status":"success"})");
    check_refused(R"({"warnings":)" + lists + R"(,"status":"success"})");
  }
}

TEST_CASE("nesting up to the limit is skipped") {
  const std::string lists = repeated("[", 31) + repeated("]", 31);
  const auto answer =
      decode_value(R"({"infos":)" + lists +
                   R"(,"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})");
  REQUIRE(answer.has_value());
  CHECK(answer->value == 2);
}

TEST_CASE("F12: a million keys are skipped where nothing is kept, and refused as labels") {
  const std::string members = numbered_members(1'000'000);
  const auto answer = decode_value(
      "{" + members + R"(,"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})");
  REQUIRE(answer.has_value());
  CHECK(answer->value == 2);
  check_refused(matrix(R"({"metric":{)" + members + R"(},"values":[]})"));
}

TEST_CASE("more elements than allowed are refused") {
  const std::string body =
      matrix(R"({"metric":{},"values":[)" + repeated(R"([1,"2"],)", 99) + R"([1,"2"]]})");
  CHECK(decode_series(body, {.max_elements = 400}).has_value());
  check_refused(body, {.max_elements = 300});
  check_refused(matrix(R"({"metric":{)" + numbered_members(5) + R"(},"values":[]})"),
                {.max_labels = 4});
}

TEST_CASE("an answer cut at any byte is refused") {
  for (const char* name : {"victoriametrics-range.json", "prometheus-range.json"}) {
    const std::string whole = recorded(name);
    REQUIRE(decode_series(whole).has_value());
    const std::size_t end = whole.find_last_of('}');
    for (std::size_t length = 0; length <= end; ++length) {
      const auto answer = decode_series(std::string_view(whole).substr(0, length));
      REQUIRE_FALSE(answer.has_value());
      REQUIRE(answer.error().code == ErrorCode::Protocol);
    }
  }
}

TEST_CASE("an answer with any one byte changed gives a value or an error, and nothing else") {
  const std::string whole = recorded("victoriametrics-range.json");
  int values = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'"', '{', ']', '9', '\0', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      const auto series = decode_series(changed);
      const auto value = decode_value(changed);
      values += series.has_value() ? 1 : 0;
      REQUIRE((series.has_value() || !series.error().message.empty()));
      REQUIRE((value.has_value() || !value.error().message.empty()));
    }
  }
  CHECK(values > 0);
}

}  // namespace
}  // namespace scaledcache::prom
