#include "prom/decode.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scaledcache::prom {
namespace {

Error protocol(std::string_view phrase) {
  return Error{ErrorCode::Protocol, std::string(phrase)};
}

// VictoriaMetrics writes the HTTP status where Prometheus writes a word.
bool is_failure_of_the_backend(std::string_view error_type) {
  return error_type == "timeout" || error_type == "canceled" || error_type == "internal" ||
         error_type == "unavailable" || (error_type.size() == 3 && error_type.starts_with('5'));
}

Result<void> judge_status(const RawAnswer& answer) {
  if (answer.status == "success") {
    return {};
  }
  if (answer.status != "error") {
    return protocol("the JSON is not an answer of the Prometheus HTTP API");
  }
  if (is_failure_of_the_backend(answer.error_type)) {
    return Error{ErrorCode::Unavailable, "the backend failed to answer the query, or in time"};
  }
  return Error{ErrorCode::Invalid, "the backend refuses the query"};
}

Result<RawAnswer> parse(std::string_view body, DecodeLimits limits) {
  AnswerHandler handler(limits);
  const bool parsed = nlohmann::json::sax_parse(body.begin(), body.end(), &handler);
  if (!parsed) {
    return protocol(handler.refusal());
  }
  if (auto good = judge_status(handler.answer()); !good) {
    return good.error();
  }
  return std::move(handler.answer());
}

core::Fault judge_value(double value) {
  if (std::isnan(value)) {
    return core::Fault::NotANumber;
  }
  if (std::isinf(value)) {
    return core::Fault::Infinite;
  }
  return value < 0 ? core::Fault::Negative : core::Fault::None;
}

}  // namespace

Result<SeriesAnswer> decode_series(std::string_view body, DecodeLimits limits) {
  auto raw = parse(body, limits);
  if (!raw) {
    return raw.error();
  }
  if (raw->result_type != "matrix") {
    return protocol("the backend gave something else than samples over time");
  }
  if (raw->unreadable > 0) {
    return protocol("a sample is not a number");
  }
  SeriesAnswer answer{std::move(raw->series), raw->partial, raw->warnings};
  std::erase_if(answer.series, [](const core::Series& series) { return series.samples.empty(); });
  if (answer.series.empty()) {
    return Error{ErrorCode::NoData, "the answer is empty"};
  }
  return answer;
}

Result<ValueAnswer> decode_value(std::string_view body, DecodeLimits limits) {
  auto raw = parse(body, limits);
  if (!raw) {
    return raw.error();
  }
  ValueAnswer answer{.partial = raw->partial, .warnings = raw->warnings};
  const bool has_right_type = raw->result_type == "vector" || raw->result_type == "scalar";
  if (has_right_type && raw->series.empty()) {
    return Error{ErrorCode::NoData, "the answer is empty"};
  }
  if (has_right_type && raw->series.size() > 1) {
    answer.fault = core::Fault::SeveralElements;
    return answer;
  }
  if (!has_right_type || raw->series.front().samples.size() != 1) {
    answer.fault = core::Fault::WrongType;
    return answer;
  }
  const core::Sample& sample = raw->series.front().samples.front();
  answer.fault = judge_value(sample.value);
  answer.time = WallTime{Milliseconds{sample.time_ms}};
  answer.value = answer.fault == core::Fault::None ? sample.value : 0;
  return answer;
}

}  // namespace scaledcache::prom
