// Reads the fields of one JSON object and writes down every fault with its path, so that a user
// mends all of them in one edit. An absent or null field leaves the target untouched.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/problem.h"

namespace scaledcache::k8s {

class ObjectReader {
 public:
  // A problem, and no fields, when `object` is no object. Both references must outlive the reader.
  ObjectReader(const Json& object, std::string path, Problems& problems);

  // The field, or nullptr when it is absent or null; either way it counts as known.
  [[nodiscard]] const Json* find(std::string_view key);

  [[nodiscard]] std::string path_of(std::string_view key) const;

  // "path.key message", as in "spec.minReplicas is required".
  void add_problem(std::string_view key, const std::string& message);

  // A problem when the field is absent or null.
  void require(std::string_view key);

  void read(std::string_view key, std::string& value);
  void read(std::string_view key, std::optional<std::string>& value);
  void read(std::string_view key, int& value);
  void read(std::string_view key, std::optional<int>& value);
  void read(std::string_view key, bool& value);
  void read(std::string_view key, Milliseconds& value);
  void read(std::string_view key, std::optional<Milliseconds>& value);

  // A quantity of Kubernetes: an integer, or a string such as "1.5k".
  void read_quantity(std::string_view key, double& value);
  void read_quantity(std::string_view key, std::optional<double>& value);

  // A problem for every field that nobody asked for. Call it last.
  void refuse_unknown();

 private:
  void expect(std::string_view key, const Json& value, const std::string& what);

  const Json* object_ = nullptr;  // nullptr when it is no object
  std::string path_;
  Problems& problems_;
  std::set<std::string, std::less<>> known_;
};

// A value for an error message: short, without line breaks.
[[nodiscard]] std::string shown(const Json& value);

}  // namespace scaledcache::k8s
