// Fields of a status: what is absent is left out, and what is broken reads as absent, since it was
// written by an older or newer operator, or by hand. Internal to this room.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"

namespace scaledcache::k8s {

class FieldWriter {
 public:
  void put(const char* key, const std::string& text);
  void put(const char* key, const std::optional<int>& number);
  void put(const char* key, const std::optional<WallTime>& time);
  void put(const char* key, const std::optional<Milliseconds>& duration);
  void put(const char* key, Json value);

  void put_number(const char* key, std::optional<double> number);

  // With ten significant digits: enough that no count computed from it differs, and no
  // 2299.9999999999995.
  void put_rounded(const char* key, std::optional<double> number);

  // For people: 2299, 45.3, 4.53.
  void put_shortened(const char* key, std::optional<double> number);

  // What was put; to be called once.
  [[nodiscard]] Json take();

 private:
  Json object_ = Json::object();
};

[[nodiscard]] std::optional<double> number_member(const Json& object, const char* key);
[[nodiscard]] std::optional<int> optional_count(const Json& object, const char* key);
[[nodiscard]] std::optional<Milliseconds> duration_member(const Json& object, const char* key);

}  // namespace scaledcache::k8s
