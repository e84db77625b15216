// Receives the events of a JSON parser and keeps of an answer of the Prometheus HTTP API what
// counts. Everything else is dropped as it passes, so that memory follows the samples and nothing
// recurses: the text comes from a stranger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/samples.h"

namespace scaledcache::prom {

struct DecodeLimits {
  int max_depth = 32;
  std::size_t max_elements = 4'000'000;  // values and keys
  std::size_t max_labels = 128;          // of one series
};

// An answer as it came, its parts not yet judged.
struct RawAnswer {
  std::string status;
  std::string error_type;
  std::string result_type;
  std::vector<core::Series> series;  // a scalar is one series without labels
  std::size_t unreadable = 0;        // values that are text but no number; NaN in `series`
  int warnings = 0;
  bool partial = false;
};

class AnswerHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit AnswerHandler(DecodeLimits limits);

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(std::int64_t value) override;
  bool number_unsigned(std::uint64_t value) override;
  bool number_float(double value, const std::string& text) override;
  bool string(std::string& text) override;
  bool binary(nlohmann::json::binary_t& value) override;
  bool start_object(std::size_t size) override;
  bool key(std::string& name) override;
  bool end_object() override;
  bool start_array(std::size_t size) override;
  bool end_array() override;
  bool parse_error(std::size_t position,
                   const std::string& token,
                   const nlohmann::json::exception& error) override;

  // Why parsing ended early, as a fixed phrase; empty when it did not.
  [[nodiscard]] std::string_view refusal() const { return refusal_; }

  [[nodiscard]] RawAnswer& answer() { return answer_; }

 private:
  // Where the parser is: which container is open.
  enum class Place { Top, Root, Data, Result, Element, Metric, Values, Pair, Warnings, Other };
  // The last key of that container, where it matters.
  enum class Key {
    None,
    Status,
    ErrorType,
    IsPartial,
    Warnings,
    Data,
    ResultType,
    Result,
    Metric,
    Value,
    Values,
  };

  [[nodiscard]] static Key key_of(Place place, std::string_view name);
  [[nodiscard]] Place object_place() const;
  [[nodiscard]] Place array_place() const;
  bool refuse(std::string_view reason);
  bool refuse_shape();
  bool count();
  bool open(Place child);
  void close();
  bool number(double value);
  bool scalar_elsewhere();
  bool finish_series();
  bool finish_pair();
  bool take_value(std::string_view text);

  DecodeLimits limits_;
  RawAnswer answer_;
  std::string_view refusal_;
  std::vector<Place> places_{Place::Top};
  Key key_ = Key::None;
  std::string label_;
  core::Series current_;
  core::Sample sample_;
  int pair_size_ = 0;
  std::size_t elements_ = 0;
  bool has_result_ = false;
};

}  // namespace scaledcache::prom
