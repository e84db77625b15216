#include "sim/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/duration.h"
#include "base/spelling.h"

namespace scaledcache::sim {
namespace {

bool parse_number(std::string_view text, double& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size() &&
         std::isfinite(value);
}

}  // namespace

void Problems::add(int line, const std::string& field, const std::string& message) {
  all_.push_back(file_ + ":" + std::to_string(line) + ": " + (field.empty() ? "" : field + ": ") +
                 message);
}

void report_unknown_key(const Value& map,
                        const std::string& key,
                        const Value& value,
                        std::span<const std::string_view> known) {
  const std::string near = nearest(key, known);
  std::string message = "unknown key";
  if (!near.empty()) {
    message += "; did you mean " + near + "?";
  } else {
    message += "; known are";
    for (const std::string_view one : known) {
      message += " " + std::string(one);
    }
  }
  (value.is_null() && value.line() <= 0 ? map : value).fail(message);
}

std::string Value::flow() const {
  YAML::Emitter emitter;
  emitter.SetMapFormat(YAML::Flow);
  emitter.SetSeqFormat(YAML::Flow);
  emitter << node_;
  return emitter.c_str();
}

void Value::fail(const std::string& message) const {
  problems_->add(line(), path_, message);
}

std::string Value::text() const {
  if (!node_.IsScalar()) {
    fail("must be a text");
    return {};
  }
  return node_.Scalar();
}

bool Value::boolean() const {
  const std::string value = node_.IsScalar() ? node_.Scalar() : "";
  if (value != "true" && value != "false") {
    fail("must be true or false");
  }
  return value == "true";
}

double Value::number() const {
  double value = 0;
  if (!node_.IsScalar() || !parse_number(node_.Scalar(), value)) {
    fail("\"" + (node_.IsScalar() ? node_.Scalar() : flow()) + "\" is not a number");
  }
  return value;
}

double Value::quantity() const {
  constexpr std::string_view kUnits = "mkMG";
  constexpr std::array kFactors{1e-3, 1e3, 1e6, 1e9};
  std::string value = node_.IsScalar() ? node_.Scalar() : "";
  double factor = 1;
  const std::size_t unit = value.empty() ? std::string::npos : kUnits.find(value.back());
  if (unit != std::string::npos) {
    factor = kFactors.at(unit);
    value.pop_back();
  }
  double parsed = 0;
  if (!parse_number(value, parsed) || parsed < 0) {
    fail("\"" + (node_.IsScalar() ? node_.Scalar() : flow()) +
         "\" is not a quantity: use a number, with m, k, M or G behind it where you like");
    return 1;
  }
  return parsed * factor;
}

int Value::integer(int least, int most) const {
  int value = least;
  const std::string written = node_.IsScalar() ? node_.Scalar() : "";
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (written.empty() || error != std::errc{} || end != written.data() + written.size() ||
      value < least || value > most) {
    fail("must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return least;
  }
  return value;
}

Milliseconds Value::duration() const {
  const auto parsed = parse_duration(node_.IsScalar() ? node_.Scalar() : "");
  if (!parsed) {
    fail(parsed.error().message);
    return Milliseconds{0};
  }
  return *parsed;
}

Milliseconds Value::duration(Milliseconds least, Milliseconds most) const {
  const std::size_t before = problems_->all().size();
  const Milliseconds value = duration();
  if (problems_->all().size() == before && (value < least || value > most)) {
    fail("must be from " + format_duration(least) + " to " + format_duration(most));
  }
  return std::clamp(value, least, most);
}

Milliseconds Value::span() const {
  std::string_view rest = node_.IsScalar() ? std::string_view{node_.Scalar()} : std::string_view{};
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) {
    rest.remove_prefix(1);
  }
  Milliseconds total{0};
  const std::size_t day = rest.find('d');
  double days = 0;
  if (day != std::string_view::npos && parse_number(rest.substr(0, day), days)) {
    total += Milliseconds{std::llround(days * 86'400'000)};
    rest.remove_prefix(day + 1);
  }
  if (!rest.empty() || total.count() == 0) {
    const auto parsed = parse_duration(rest);
    if (!parsed) {
      fail("\"" + (node_.IsScalar() ? node_.Scalar() : flow()) +
           "\" is not a time: use numbers with d, h, m, s or ms, such as 90s or 1d12h");
      return Milliseconds{0};
    }
    total += *parsed;
  }
  return negative ? -total : total;
}

double Value::percent() const {
  std::string written = node_.IsScalar() ? node_.Scalar() : "";
  double value = 0;
  const bool sign = written.ends_with('%');
  if (sign) {
    written.pop_back();
  }
  if (!sign || !parse_number(written, value)) {
    fail("must be a percentage such as 5%");
  }
  return value / 100;
}

std::size_t Value::one_of(std::span<const std::string_view> names) const {
  const std::string written = node_.IsScalar() ? node_.Scalar() : flow();
  const auto found = std::find(names.begin(), names.end(), written);
  if (found != names.end()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  std::string message = "\"" + written + "\" is none of";
  for (const std::string_view name : names) {
    message += " " + std::string(name);
  }
  fail(message);
  return 0;
}

bool Value::has(const std::string& key) const {
  return node_.IsMap() && node_[key].IsDefined();
}

Value Value::at(const std::string& key) const {
  const std::string path = path_.empty() ? key : path_ + "." + key;
  return has(key) ? Value(node_[key], path, *problems_) : Value(YAML::Node(), path, *problems_);
}

std::vector<Value> Value::items() const {
  std::vector<Value> result;
  if (!node_.IsSequence()) {
    fail("must be a list");
    return result;
  }
  for (std::size_t i = 0; i < node_.size(); ++i) {
    result.emplace_back(node_[i], path_ + "[" + std::to_string(i) + "]", *problems_);
  }
  return result;
}

std::vector<std::pair<std::string, Value>> Value::entries() const {
  std::vector<std::pair<std::string, Value>> result;
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    result.emplace_back(key,
                        Value(entry.second, path_.empty() ? key : path_ + "." + key, *problems_));
  }
  return result;
}

}  // namespace scaledcache::sim
