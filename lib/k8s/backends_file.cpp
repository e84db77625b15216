#include "k8s/backends_file.h"

#include <cstddef>
#include <exception>
#include <utility>

#include <yaml-cpp/yaml.h>

#include "k8s/object_reader.h"
#include "k8s/spec_checks.h"
#include "k8s/spec_reader.h"
#include "k8s/syntax.h"

namespace scaledcache::k8s {
namespace {

constexpr int kMaxDepth = 16;
constexpr int kMaxNodes = 100'000;  // aliases of aliases grow without end

struct TooMuch : std::exception {};

// All that a backend has is text, but for the words true and false.
Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  const bool is_quoted = node.Tag() == "!";
  return !is_quoted && (text == "true" || text == "false") ? Json(text == "true") : Json(text);
}

Json to_json(const YAML::Node& node, int depth, int& nodes) {
  if (depth > kMaxDepth || ++nodes > kMaxNodes) {
    throw TooMuch();
  }
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& entry : node) {
      object[entry.first.as<std::string>()] = to_json(entry.second, depth + 1, nodes);
    }
    return object;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const auto& entry : node) {
      list.push_back(to_json(entry, depth + 1, nodes));
    }
    return list;
  }
  return node.IsScalar() ? scalar(node) : Json();
}

Result<Json> read_yaml(const std::string& text) {
  try {
    int nodes = 0;
    return to_json(YAML::Load(text), 0, nodes);
  } catch (const YAML::Exception& error) {
    // Its message may quote the text.
    return Error{ErrorCode::Invalid,
                 "is no YAML (line " + std::to_string(error.mark.line + 1) + ")"};
  } catch (const std::exception&) {
    return Error{ErrorCode::Invalid, "is no YAML that can be read"};
  }
}

BackendSpec read_named(const std::string& name, Json object, Problems& problems) {
  if (!object.is_object()) {
    problems.push_back({name, "must be a map with url"});
    return {};
  }
  if (!is_dns_name(name, 63, false)) {
    problems.push_back({name, "is no name of a backend: use 1 to 63 of a-z, 0-9 and -"});
  }
  for (const char* not_here : {"address", "name", "timeout"}) {
    if (object.contains(not_here)) {
      problems.push_back({name + "." + not_here, "is no field of a named backend"});
      object.erase(not_here);
    }
  }
  if (object.contains("url")) {
    object["address"] = std::exchange(object["url"], Json());
    object.erase("url");
  }
  Problems found;
  BackendSpec backend = read_backend(object, name, found);
  if (found.empty()) {
    check_backend(backend, Checks(name, found));
  }
  if (!backend.address) {
    found.push_back({name + ".url", "is missing"});
  }
  for (Problem& problem : found) {
    problem.path = problem.path == name + ".address" ? name + ".url" : problem.path;
    problems.push_back(std::move(problem));
  }
  return backend;
}

}  // namespace

Result<BackendsByName> parse_backends(const std::string& text) {
  auto read = read_yaml(text);
  if (!read) {
    return read.error();
  }
  BackendsByName backends;
  if (read->is_null()) {
    return backends;
  }
  if (!read->is_object()) {
    return Error{ErrorCode::Invalid, "must be a map from names to backends"};
  }
  Problems problems;
  for (auto& [name, object] : read->items()) {
    backends.emplace(name, read_named(name, std::move(object), problems));
  }
  if (!problems.empty()) {
    return Error{ErrorCode::Invalid, join(problems)};
  }
  return backends;
}

}  // namespace scaledcache::k8s
