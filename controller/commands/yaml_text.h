// Values written as YAML, for people: block style, comments where they belong.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace scaledcache::controller {

using OrderedJson = nlohmann::ordered_json;

// By path ("spec.backend.auth", "spec.signals[0].query"): what is said behind the field, or above
// it where it is a map or a list.
using Comments = std::map<std::string, std::string>;

// One document without its "---". kubectl reads it back as the same value.
[[nodiscard]] std::string yaml_text(const OrderedJson& value, const Comments& comments = {});

}  // namespace scaledcache::controller
