#include "k8s/status_fields.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/duration.h"
#include "base/rfc3339.h"
#include "k8s/replica_count.h"

namespace scaledcache::k8s {
namespace {

double rounded(double value) {
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 10);
  double result = value;
  std::from_chars(text.data(), end.ptr, result);
  return result;
}

double shortened(double value) {
  const double size = std::abs(value);
  const double unit = size >= 100 ? 1 : size >= 10 ? 10 : 100;
  return std::round(value * unit) / unit;
}

}  // namespace

void FieldWriter::put(const char* key, const std::string& text) {
  if (!text.empty()) {
    object_[key] = text;
  }
}

void FieldWriter::put(const char* key, const std::optional<int>& number) {
  if (number) {
    object_[key] = *number;
  }
}

void FieldWriter::put(const char* key, const std::optional<WallTime>& time) {
  if (time) {
    object_[key] = format_micro_time(*time);
  }
}

void FieldWriter::put(const char* key, const std::optional<Milliseconds>& duration) {
  if (duration) {
    object_[key] = format_duration(*duration);
  }
}

void FieldWriter::put(const char* key, Json value) {
  object_[key] = std::move(value);
}

void FieldWriter::put_number(const char* key, std::optional<double> number) {
  if (number && std::isfinite(*number)) {
    object_[key] = *number;
  }
}

void FieldWriter::put_rounded(const char* key, std::optional<double> number) {
  put_number(key, number ? std::optional(rounded(*number)) : std::nullopt);
}

void FieldWriter::put_shortened(const char* key, std::optional<double> number) {
  put_number(key, number ? std::optional(shortened(*number)) : std::nullopt);
}

Json FieldWriter::take() {
  return std::move(object_);
}

std::optional<double> number_member(const Json& object, const char* key) {
  const Json* member = find_member(object, key);
  if (member == nullptr || !member->is_number()) {
    return std::nullopt;
  }
  const auto number = member->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<int> optional_count(const Json& object, const char* key) {
  const Json* member = find_member(object, key);
  return member == nullptr || member->is_null() ? std::nullopt : count_member(object, key, 0);
}

std::optional<Milliseconds> duration_member(const Json& object, const char* key) {
  const auto duration = parse_duration(string_member(object, key));
  return duration ? std::optional(*duration) : std::nullopt;
}

}  // namespace scaledcache::k8s
