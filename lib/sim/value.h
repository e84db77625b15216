// One node of a YAML file with its place, and what was wrong with it. Reading never stops at the
// first problem: a bad value is reported and its default stands. Internal to this room: the only
// header that knows yaml-cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "base/clock.h"

namespace scaledcache::sim {

// Sentences of the form "file:line: field: what is wrong".
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(int line, const std::string& field, const std::string& message);

  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<std::string> all_;
};

class Value {
 public:
  Value(YAML::Node node, std::string path, Problems& problems)
      : node_(std::move(node)), path_(std::move(path)), problems_(&problems) {}

  [[nodiscard]] bool is_map() const { return node_.IsMap(); }

  [[nodiscard]] bool is_list() const { return node_.IsSequence(); }

  [[nodiscard]] bool is_null() const { return node_.IsNull() || !node_.IsDefined(); }

  [[nodiscard]] const YAML::Node& node() const { return node_; }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] int line() const { return node_.Mark().line + 1; }

  // The node as one line of YAML.
  [[nodiscard]] std::string flow() const;

  void fail(const std::string& message) const;

  // Each of these reports what is not so and gives back a harmless value.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number() const;    // finite
  [[nodiscard]] double quantity() const;  // 200, "1.5k", "250m"; at least 0
  [[nodiscard]] int integer(int least, int most) const;
  [[nodiscard]] Milliseconds duration() const;  // as in a manifest
  [[nodiscard]] Milliseconds duration(Milliseconds least, Milliseconds most) const;
  [[nodiscard]] Milliseconds span() const;  // a duration that may have a sign and days
  [[nodiscard]] double percent() const;     // "5%" is 0.05
  [[nodiscard]] std::size_t one_of(std::span<const std::string_view> names) const;

  // The value of a key; a null one where there is none.
  [[nodiscard]] Value at(const std::string& key) const;
  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] std::vector<Value> items() const;
  [[nodiscard]] std::vector<std::pair<std::string, Value>> entries() const;

 private:
  YAML::Node node_;
  std::string path_;
  Problems* problems_;
};

// What one key of a map means for a T.
template <class T>
struct FieldOf {
  std::string_view key;
  void (*read)(const Value&, T&);  // nothing: known, and of no meaning here
};

// Reports a key that is in none of the tables, with the nearest one that is.
void report_unknown_key(const Value& map,
                        const std::string& key,
                        const Value& value,
                        std::span<const std::string_view> known);

// Reads a map by its table.
template <class T, std::size_t N>
void read_map(const Value& map, const std::array<FieldOf<T>, N>& fields, T& into) {
  if (!map.is_map()) {
    map.fail("is not a map");
    return;
  }
  for (const auto& [key, value] : map.entries()) {
    bool known = false;
    for (const FieldOf<T>& field : fields) {
      if (field.key == key) {
        known = true;
        if (field.read != nullptr) {
          field.read(value, into);
        }
      }
    }
    if (!known) {
      std::vector<std::string_view> keys;
      for (const FieldOf<T>& field : fields) {
        keys.push_back(field.key);
      }
      report_unknown_key(map, key, value, keys);
    }
  }
}

}  // namespace scaledcache::sim
