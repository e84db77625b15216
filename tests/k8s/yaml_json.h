// YAML as the API server's tools see it: as JSON. For files of our own only.
#pragma once

#include <charconv>
#include <string>

#include <yaml-cpp/yaml.h>

#include "base/json.h"

namespace scaledcache::k8s {

inline Json scalar_to_json(const YAML::Node& node) {
  const std::string text = node.Scalar();
  if (node.Tag() == "!") {  // quoted
    return text;
  }
  if (text == "true" || text == "false") {
    return text == "true";
  }
  std::int64_t integer = 0;
  const char* end = text.data() + text.size();
  const auto whole = std::from_chars(text.data(), end, integer);
  if (whole.ec == std::errc{} && whole.ptr == end) {
    return integer;
  }
  double number = 0;
  const auto fraction = std::from_chars(text.data(), end, number);
  if (fraction.ec == std::errc{} && fraction.ptr == end) {
    return number;
  }
  return text;
}

inline Json yaml_to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& entry : node) {
      object[entry.first.as<std::string>()] = yaml_to_json(entry.second);
    }
    return object;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const auto& entry : node) {
      list.push_back(yaml_to_json(entry));
    }
    return list;
  }
  return node.IsScalar() ? scalar_to_json(node) : Json();
}

// `path` counts from the root of the source tree.
inline Json load_yaml(const std::string& path) {
  return yaml_to_json(YAML::LoadFile(std::string(SCALEDCACHE_SOURCE_DIR) + "/" + path));
}

}  // namespace scaledcache::k8s
