#include "prom/decode.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "prom/answers.h"

namespace scaledcache::prom {
namespace {

using core::Fault;

std::string answer_of(const std::string& type, const std::string& result) {
  return R"({"status":"success","data":{"resultType":")" + type + R"(","result":)" + result + "}}";
}

std::string one_value(const std::string& value) {
  return answer_of("vector", R"([{"metric":{},"value":[1767225600.5,")" + value + R"("]}])");
}

std::string samples_of(const std::string& values) {
  return answer_of("matrix", R"([{"metric":{"pod":"a"},"values":)" + values + "}]");
}

TEST_CASE("Prometheus' answer to a range selector: every sample of every pod, in milliseconds") {
  const auto answer = decode_series(recorded("prometheus-range.json"));
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->partial);
  REQUIRE(answer->series.size() == 2);
  const core::Series& ended = answer->series[0];
  REQUIRE(ended.labels.size() == 5);
  CHECK(ended.labels[0] == core::Label{"__name__", "varnish_main_client_req"});
  CHECK(ended.labels[4] == core::Label{"pod", "varnish-burst-6c5d8f7b9c-k8zqp"});
  REQUIRE(ended.samples.size() == 6);
  CHECK(ended.samples.front() == core::Sample{1'796'062'521'623, 333});
  CHECK(ended.samples.back() == core::Sample{1'796'062'526'623, 703});
  CHECK(answer->series[1].samples.size() == 10);
}

TEST_CASE("VictoriaMetrics' answer ends a series with a staleness marker, and it stays") {
  const auto answer = decode_series(recorded("victoriametrics-range.json"));
  REQUIRE(answer.has_value());
  REQUIRE(answer->series.size() == 2);
  const core::Series& ended = answer->series[0];
  REQUIRE(ended.samples.size() == 8);
  CHECK(ended.samples[6] == core::Sample{1'796'062'526'397, 666});
  CHECK(ended.samples[7].time_ms == 1'796'062'527'398);
  CHECK(std::isnan(ended.samples[7].value));
  CHECK(ended.labels[2] == core::Label{"job", "varnish"});  // sorted, though it was not sent so
}

TEST_CASE("a range query gives one number per step") {
  const auto answer = decode_series(recorded("prometheus-history.json"));
  REQUIRE(answer.has_value());
  REQUIRE(answer->series.size() == 1);
  CHECK(answer->series[0].labels.empty());
  CHECK(answer->series[0].samples.size() == 5);
  CHECK(answer->series[0].samples[3].value == doctest::Approx(125.2228));
}

TEST_CASE("one number, as a vector of one element or a scalar, with the backend's time") {
  const auto vector = decode_value(recorded("prometheus-vector.json"));
  CHECK(vector->fault == Fault::None);
  CHECK(vector->value == 74);
  CHECK(vector->time == WallTime{Milliseconds{1'796'062'530'667}});
  const auto scalar = decode_value(recorded("prometheus-time.json"));
  CHECK(scalar->value == doctest::Approx(1'796'062'530.672));
  CHECK(scalar->time == WallTime{Milliseconds{1'796'062'530'672}});
}

TEST_CASE("VictoriaMetrics' time() lags, the time of its answer does not") {
  const auto answer = decode_value(recorded("victoriametrics-time.json"));
  CHECK(answer->time == WallTime{Milliseconds{1'796'062'530'000}});
  CHECK(answer->value == doctest::Approx(1'796'062'500.719));
}

TEST_CASE("what is no usable number is named") {
  const std::string one = R"({"metric":{},"value":[1767225600,"1"]})";

  struct Row {
    const char* name;
    std::string body;
    Fault want;
  };

  const Row rows[] = {
      {"zero is a number", one_value("0"), Fault::None},
      {"minus zero is zero", one_value("-0"), Fault::None},
      {"an exponent", one_value("1.5e+06"), Fault::None},
      {"1e308", one_value("1e308"), Fault::None},
      {"recorded NaN", recorded("prometheus-nan.json"), Fault::NotANumber},
      {"a number too large for a double", one_value("1e999"), Fault::NotANumber},
      {"text", one_value("many"), Fault::NotANumber},
      {"no text", one_value(""), Fault::NotANumber},
      {"a number and more", one_value("1 "), Fault::NotANumber},
      {"hexadecimal", one_value("0x10"), Fault::NotANumber},
      {"a comma", one_value("1,5"), Fault::NotANumber},
      {"two signs", one_value("+-1"), Fault::NotANumber},
      {"+Inf", one_value("+Inf"), Fault::Infinite},
      {"Inf", one_value("Inf"), Fault::Infinite},
      {"-Inf", one_value("-Inf"), Fault::Infinite},
      {"negative", one_value("-0.001"), Fault::Negative},
      {"two elements", answer_of("vector", "[" + one + "," + one + "]"), Fault::SeveralElements},
      {"recorded two elements", recorded("prometheus-two.json"), Fault::SeveralElements},
      {"recorded string", recorded("prometheus-string.json"), Fault::WrongType},
      {"a matrix", samples_of(R"([[1767225600,"1"]])"), Fault::WrongType},
      {"an empty matrix", answer_of("matrix", "[]"), Fault::WrongType},
      {"a native histogram",
       answer_of("vector", R"([{"metric":{},"histogram":[1767225600,{"count":"3"}]}])"),
       Fault::WrongType},
      {"no type", R"({"status":"success","data":{"result":[]}})", Fault::WrongType},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto answer = decode_value(row.body);
      REQUIRE(answer.has_value());
      CHECK(core::name_of(answer->fault) == core::name_of(row.want));
      CHECK((row.want == Fault::None || answer->value == 0));
    }
  }
}

TEST_CASE("an empty answer is no data, never zero") {
  const std::string bodies[] = {recorded("prometheus-empty.json"), answer_of("vector", "null"),
                                answer_of("scalar", "[]")};
  for (const std::string& body : bodies) {
    CAPTURE(body);
    CHECK(decode_value(body).error().code == ErrorCode::NoData);
  }
  CHECK(decode_series(answer_of("matrix", "[]")).error().code == ErrorCode::NoData);
  CHECK(decode_series(samples_of("[]")).error().code == ErrorCode::NoData);
}

TEST_CASE("samples keep what the core judges, and come in the order of time") {
  const auto answer = decode_series(
      samples_of(R"([[3,"-1"],[1,"+Inf"],[2,"NaN"],[2,"7"],[4,"1e3"],[4.0004,"5"]])"));
  REQUIRE(answer.has_value());
  const std::vector<core::Sample> want{
      {1000, std::numeric_limits<double>::infinity()}, {2000, 7}, {3000, -1}, {4000, 1000}};
  CHECK(answer->series[0].samples == want);
}

TEST_CASE("a counter's answer of another kind is refused") {
  for (const std::string& body :
       {recorded("prometheus-vector.json"), recorded("prometheus-time.json"),
        recorded("prometheus-string.json"), samples_of(R"([[1,"many"]])")}) {
    CHECK(decode_series(body).error().code == ErrorCode::Protocol);
  }
}

TEST_CASE("HTTP 200 with an error inside is an error") {
  struct Row {
    const char* name;
    std::string body;
    ErrorCode want;
  };

  const Row rows[] = {
      {"a bad query on Prometheus", recorded("prometheus-error.json"), ErrorCode::Invalid},
      {"a bad query on VictoriaMetrics", recorded("victoriametrics-error.json"),
       ErrorCode::Invalid},
      {"an execution error", R"({"status":"error","errorType":"execution"})", ErrorCode::Invalid},
      {"no type", R"({"status":"error","error":"secret"})", ErrorCode::Invalid},
      {"a time-out", R"({"status":"error","errorType":"timeout"})", ErrorCode::Unavailable},
      {"a crash", R"({"status":"error","errorType":"internal"})", ErrorCode::Unavailable},
      {"a 503", R"({"status":"error","errorType":"503"})", ErrorCode::Unavailable},
      {"data beside the error",
       R"({"status":"error","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"5"]}]}})",
       ErrorCode::Invalid},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto answer = decode_value(row.body);
      REQUIRE_FALSE(answer.has_value());
      CHECK(answer.error().code == row.want);
      CHECK(answer.error().message.find("secret") == std::string::npos);
    }
  }
}

TEST_CASE("an answer is partial when the backend says so, and not for other warnings") {
  const auto with = [](const std::string& members) {
    return R"({"status":"success",)" + members +
           R"(,"data":{"resultType":"vector","result":[{"metric":{},"value":[1,"5"]}]}})";
  };

  struct Row {
    const char* name;
    std::string members;
    bool partial;
    int warnings;
  };

  const Row rows[] = {
      {"VictoriaMetrics cluster", R"("isPartial":true)", true, 0},
      {"VictoriaMetrics cluster, whole", R"("isPartial":false,"stats":{"seriesFetched":"1"})",
       false, 0},
      {"Thanos, a store gone", R"("warnings":["No StoreAPIs matched for this query"])", true, 1},
      {"Thanos, a sidecar down",
       R"("warnings":["receive series from Addr: 10.0.0.9:10901 LabelSets: {}: rpc error"])", true,
       1},
      {"Thanos, a sidecar slow",
       R"("warnings":["failed to receive any data in 5s from 10.0.0.9:10901"])", true, 1},
      {"a shard", R"("warnings":["fine","one Shard failed"])", true, 2},
      {"partial response", R"("warnings":["PARTIAL response"])", true, 1},
      {"a hint about the query",
       R"("warnings":["PromQL info: metric might not be a counter"],"infos":["store"])", false, 1},
      {"warnings of another type", R"("warnings":[7,null,{"a":["store"]},true])", false, 0},
      {"no list of warnings", R"("warnings":"store")", false, 0},
      {"null", R"("warnings":null,"isPartial":null)", false, 0},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto answer = decode_value(with(row.members));
      REQUIRE(answer.has_value());
      CHECK(answer->value == 5);
      CHECK(answer->partial == row.partial);
      CHECK(answer->warnings == row.warnings);
    }
  }
}

TEST_CASE("members may come in any order, and unknown ones are skipped") {
  const std::string body =
      R"({"trace":{"a":[1,{"result":[]}],"status":"error"},"data":{"stats":{"x":[[]]},"result":)"
      R"([{"values":[[1,"2"]],"extra":{"values":[[9,"9"]]},"metric":{"pod":"a"}}],)"
      R"("resultType":"matrix"},"status":"success"})";
  const auto answer = decode_series(body);
  REQUIRE(answer.has_value());
  CHECK(answer->series[0].samples == std::vector<core::Sample>{{1000, 2}});
  CHECK(answer->series[0].labels == std::vector<core::Label>{{"pod", "a"}});
}

}  // namespace
}  // namespace scaledcache::prom
