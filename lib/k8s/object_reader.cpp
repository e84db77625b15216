#include "k8s/object_reader.h"

#include <limits>
#include <utility>

#include "base/duration.h"
#include "k8s/spec.h"
#include "k8s/utf8.h"

namespace scaledcache::k8s {

std::string shown(const Json& value) {
  if (value.is_object()) {
    return "an object";
  }
  if (value.is_array()) {
    return "a list";
  }
  return cut_utf8(dump_json(value), 60);
}

ObjectReader::ObjectReader(const Json& object, std::string path, Problems& problems)
    : path_(std::move(path)), problems_(problems) {
  if (object.is_object()) {
    object_ = &object;
  } else {
    problems_.push_back({path_, "is " + shown(object) + ", must be an object"});
  }
}

const Json* ObjectReader::find(std::string_view key) {
  known_.emplace(key);
  const Json* member = object_ == nullptr ? nullptr : find_member(*object_, key);
  return member == nullptr || member->is_null() ? nullptr : member;
}

std::string ObjectReader::path_of(std::string_view key) const {
  return path_ + "." + std::string(key);
}

void ObjectReader::add_problem(std::string_view key, const std::string& message) {
  problems_.push_back({path_of(key), message});
}

void ObjectReader::require(std::string_view key) {
  if (object_ != nullptr && find(key) == nullptr) {
    add_problem(key, "is required");
  }
}

void ObjectReader::expect(std::string_view key, const Json& value, const std::string& what) {
  add_problem(key, "is " + shown(value) + ", must be " + what);
}

void ObjectReader::read(std::string_view key, std::string& value) {
  std::optional<std::string> text;
  read(key, text);
  if (text) {
    value = *std::move(text);
  }
}

void ObjectReader::read(std::string_view key, std::optional<std::string>& value) {
  const Json* field = find(key);
  if (field == nullptr) {
    return;
  }
  if (field->is_string()) {
    value = field->get<std::string>();
  } else {
    expect(key, *field, "a string");
  }
}

void ObjectReader::read(std::string_view key, int& value) {
  std::optional<int> number;
  read(key, number);
  value = number.value_or(value);
}

void ObjectReader::read(std::string_view key, std::optional<int>& value) {
  const Json* field = find(key);
  if (field == nullptr) {
    return;
  }
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const bool fits = field->is_number_integer() &&
                    (!field->is_number_unsigned() || field->get<std::uint64_t>() <= kMost) &&
                    field->get<std::int64_t>() <= kMost && field->get<std::int64_t>() >= -kMost;
  if (fits) {
    value = field->get<int>();
  } else {
    expect(key, *field, "an integer");
  }
}

void ObjectReader::read(std::string_view key, bool& value) {
  const Json* field = find(key);
  if (field == nullptr) {
    return;
  }
  if (field->is_boolean()) {
    value = field->get<bool>();
  } else {
    expect(key, *field, "true or false");
  }
}

void ObjectReader::read(std::string_view key, Milliseconds& value) {
  std::optional<Milliseconds> duration;
  read(key, duration);
  value = duration.value_or(value);
}

void ObjectReader::read(std::string_view key, std::optional<Milliseconds>& value) {
  const Json* field = find(key);
  if (field == nullptr) {
    return;
  }
  const auto duration = field->is_string() ? parse_duration(field->get_ref<const std::string&>())
                                           : Result<Milliseconds>(Error{ErrorCode::Invalid, ""});
  if (duration) {
    value = *duration;
  } else {
    expect(key, *field, "a duration of at most 16 characters, such as \"30s\" or \"1h30m\"");
  }
}

void ObjectReader::read_quantity(std::string_view key, double& value) {
  std::optional<double> number;
  read_quantity(key, number);
  value = number.value_or(value);
}

void ObjectReader::read_quantity(std::string_view key, std::optional<double>& value) {
  const Json* field = find(key);
  if (field == nullptr) {
    return;
  }
  const bool readable = field->is_number_integer() || field->is_string();
  const auto number =
      readable ? parse_quantity(field->is_string() ? field->get<std::string>() : field->dump())
               : std::nullopt;
  if (number) {
    value = number;
  } else {
    expect(key, *field, "a quantity of at most 16 characters, such as 200, \"1.5k\" or \"250m\"");
  }
}

void ObjectReader::refuse_unknown() {
  if (object_ == nullptr) {
    return;
  }
  for (const auto& [key, value] : object_->items()) {
    if (!known_.contains(key)) {
      add_problem(cut_utf8(key, 60), "is a field that this version does not know");
    }
  }
}

}  // namespace scaledcache::k8s
