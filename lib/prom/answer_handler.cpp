#include "prom/answer_handler.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "prom/sample_text.h"

namespace scaledcache::prom {
AnswerHandler::AnswerHandler(DecodeLimits limits) : limits_(limits) {}

bool AnswerHandler::refuse(std::string_view reason) {
  refusal_ = reason;
  return false;
}

bool AnswerHandler::refuse_shape() {
  return refuse("the JSON is not an answer of the Prometheus HTTP API");
}

bool AnswerHandler::count() {
  return ++elements_ <= limits_.max_elements || refuse("the answer has too many elements");
}

AnswerHandler::Key AnswerHandler::key_of(Place place, std::string_view name) {
  struct Row {
    Place place;
    std::string_view name;
    Key key;
  };

  constexpr std::array<Row, 10> kRows{{
      {Place::Root, "status", Key::Status},
      {Place::Root, "errorType", Key::ErrorType},
      {Place::Root, "isPartial", Key::IsPartial},
      {Place::Root, "warnings", Key::Warnings},
      {Place::Root, "data", Key::Data},
      {Place::Data, "resultType", Key::ResultType},
      {Place::Data, "result", Key::Result},
      {Place::Element, "metric", Key::Metric},
      {Place::Element, "value", Key::Value},
      {Place::Element, "values", Key::Values},
  }};
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.place == place && candidate.name == name;
  });
  return row == kRows.end() ? Key::None : row->key;
}

bool AnswerHandler::key(std::string& name) {
  if (!count()) {
    return false;
  }
  if (places_.back() == Place::Metric) {
    label_ = std::move(name);
  } else {
    key_ = key_of(places_.back(), name);
  }
  return true;
}

AnswerHandler::Place AnswerHandler::object_place() const {
  switch (places_.back()) {
    case Place::Top:
      return Place::Root;
    case Place::Root:
      return key_ == Key::Data ? Place::Data : Place::Other;
    case Place::Result:
      return Place::Element;
    case Place::Element:
      return key_ == Key::Metric ? Place::Metric : Place::Other;
    default:
      return Place::Other;
  }
}

AnswerHandler::Place AnswerHandler::array_place() const {
  switch (places_.back()) {
    case Place::Root:
      return key_ == Key::Warnings ? Place::Warnings : Place::Other;
    case Place::Data:
      return key_ == Key::Result ? Place::Result : Place::Other;
    case Place::Element:
      return key_ == Key::Value ? Place::Pair : key_ == Key::Values ? Place::Values : Place::Other;
    case Place::Values:
      return Place::Pair;
    default:
      return Place::Other;
  }
}

// A container of a kind that does not belong where it stands is refused, unknown ones are skipped.
bool AnswerHandler::open(Place child) {
  const Place parent = places_.back();
  const bool matters = parent == Place::Root || parent == Place::Data || parent == Place::Element
                           ? key_ != Key::None && key_ != Key::Warnings
                           : parent != Place::Other && parent != Place::Warnings;
  if (child == Place::Other && matters) {
    return refuse_shape();
  }
  if (places_.size() > static_cast<std::size_t>(limits_.max_depth)) {
    return refuse("the JSON is nested too deeply");
  }
  places_.push_back(child);
  key_ = Key::None;
  return count();
}

void AnswerHandler::close() {
  places_.pop_back();
  key_ = Key::None;
}

bool AnswerHandler::start_object(std::size_t /*size*/) {
  const Place child = object_place();
  if (child == Place::Element) {
    if (pair_size_ != 0) {
      return refuse_shape();  // a scalar and series in one result
    }
    current_ = {};
  }
  return open(child);
}

bool AnswerHandler::end_object() {
  const bool is_series = places_.back() == Place::Element;
  close();
  return !is_series || finish_series();
}

bool AnswerHandler::start_array(std::size_t /*size*/) {
  const Place child = array_place();
  if (child == Place::Result) {
    if (has_result_) {
      return refuse_shape();
    }
    has_result_ = true;
  }
  if (child == Place::Pair || child == Place::Result) {
    pair_size_ = 0;
  }
  return open(child);
}

bool AnswerHandler::end_array() {
  const Place place = places_.back();
  close();
  if (place == Place::Pair) {
    return finish_pair();
  }
  if (place != Place::Result || pair_size_ == 0) {
    return true;
  }
  if (!answer_.series.empty()) {
    return refuse_shape();  // series and a scalar in one result
  }
  current_ = {};
  return finish_pair() && finish_series();
}

bool AnswerHandler::finish_pair() {
  if (pair_size_ != 2) {
    return refuse_shape();
  }
  pair_size_ = 0;
  current_.samples.push_back(sample_);
  return true;
}

bool AnswerHandler::finish_series() {
  std::vector<core::Label>& labels = current_.labels;
  std::sort(labels.begin(), labels.end(),
            [](const core::Label& a, const core::Label& b) { return a.name < b.name; });
  const auto same_name = [](const core::Label& a, const core::Label& b) {
    return a.name == b.name;
  };
  if (std::adjacent_find(labels.begin(), labels.end(), same_name) != labels.end()) {
    return refuse("a series has one label twice");
  }
  put_in_order(current_.samples);
  answer_.series.push_back(std::move(current_));
  return true;
}

bool AnswerHandler::string(std::string& text) {
  if (!count()) {
    return false;
  }
  switch (places_.back()) {
    case Place::Root:
      if (key_ == Key::Status) {
        answer_.status = std::move(text);
        return true;
      }
      if (key_ == Key::ErrorType) {
        answer_.error_type = std::move(text);
        return true;
      }
      return scalar_elsewhere();
    case Place::Data:
      if (key_ == Key::ResultType) {
        answer_.result_type = std::move(text);
        return true;
      }
      return scalar_elsewhere();
    case Place::Metric:
      if (current_.labels.size() == limits_.max_labels) {
        return refuse("a series has too many labels");
      }
      current_.labels.push_back({std::move(label_), std::move(text)});
      return true;
    case Place::Warnings:
      ++answer_.warnings;
      answer_.partial = answer_.partial || tells_of_missing_data(text);
      return true;
    case Place::Pair:
    case Place::Result:
      return take_value(text);
    default:
      return scalar_elsewhere();
  }
}

bool AnswerHandler::take_value(std::string_view text) {
  if (pair_size_ != 1) {
    return refuse_shape();
  }
  ++pair_size_;
  const auto value = parse_number(text);
  if (!value) {
    ++answer_.unreadable;
  }
  sample_.value = value.value_or(std::numeric_limits<double>::quiet_NaN());
  return true;
}

bool AnswerHandler::number(double value) {
  if (!count()) {
    return false;
  }
  const Place place = places_.back();
  if (place != Place::Pair && place != Place::Result) {
    return scalar_elsewhere();
  }
  const auto time = to_milliseconds(value);
  if (pair_size_ != 0 || !time) {
    return refuse_shape();
  }
  sample_.time_ms = *time;
  ++pair_size_;
  return true;
}

bool AnswerHandler::boolean(bool value) {
  if (!count()) {
    return false;
  }
  if (places_.back() == Place::Root && key_ == Key::IsPartial) {
    answer_.partial = answer_.partial || value;
    return true;
  }
  return scalar_elsewhere();
}

bool AnswerHandler::null() {
  if (!count()) {
    return false;
  }
  const bool is_empty_result = places_.back() == Place::Data && key_ == Key::Result;
  return is_empty_result || places_.back() == Place::Root || scalar_elsewhere();
}

// A plain value where nothing of that kind is expected: harmless in parts that are skipped.
bool AnswerHandler::scalar_elsewhere() {
  switch (places_.back()) {
    case Place::Root:
    case Place::Data:
    case Place::Element:
      return key_ == Key::None || key_ == Key::Warnings || key_ == Key::IsPartial || refuse_shape();
    case Place::Warnings:
    case Place::Other:
      return true;
    default:
      return refuse_shape();
  }
}

bool AnswerHandler::number_integer(std::int64_t value) {
  return number(static_cast<double>(value));
}

bool AnswerHandler::number_unsigned(std::uint64_t value) {
  return number(static_cast<double>(value));
}

bool AnswerHandler::number_float(double value, const std::string& /*text*/) {
  return number(value);
}

bool AnswerHandler::binary(nlohmann::json::binary_t& /*value*/) {
  return refuse_shape();
}

bool AnswerHandler::parse_error(std::size_t /*position*/,
                                const std::string& /*token*/,
                                const nlohmann::json::exception& /*error*/) {
  return refuse("the answer is not JSON, or ends early");
}

}  // namespace scaledcache::prom
