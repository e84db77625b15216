// Values written for people, as YAML in block style with comments where they belong, or as JSON.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace scaledcache::controller {

using OrderedJson = nlohmann::ordered_json;

// By path ("spec.backend.auth", "spec.signals[0].query"): what is said behind the field, or above
// it where it is a map or a list.
using Comments = std::map<std::string, std::string>;

// One document without its "---". kubectl reads it back as the same value.
[[nodiscard]] std::string yaml_text(const OrderedJson& value, const Comments& comments = {});

// As --output wants it: "yaml", else JSON with an indent of 2. Ends with a line break; bytes that
// are no UTF-8 are replaced.
[[nodiscard]] std::string document_text(const OrderedJson& value, std::string_view format);

}  // namespace scaledcache::controller
