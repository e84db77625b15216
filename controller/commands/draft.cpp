#include "controller/commands/draft.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/duration.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {
namespace {

// In the order of docs and examples.
constexpr std::array<std::string_view, 17> kSpecOrder{"scaleTargetRef",
                                                      "minReplicas",
                                                      "maxReplicas",
                                                      "pollInterval",
                                                      "shortWindow",
                                                      "longWindow",
                                                      "cooldown",
                                                      "backend",
                                                      "signals",
                                                      "baseline",
                                                      "schedules",
                                                      "scaleUp",
                                                      "scaleDown",
                                                      "fallback",
                                                      "failureGrace",
                                                      "dryRun",
                                                      "restoreReplicasOnDelete"};

// What the API server keeps about an object, and what others said about it.
bool is_bookkeeping(std::string_view path) {
  constexpr std::array<std::string_view, 4> kAsked{"metadata.name", "metadata.namespace",
                                                   "metadata.labels", "metadata.annotations"};
  if (path == "apiVersion" || path == "kind" || path == "status" || path.starts_with("status.")) {
    return true;
  }
  if (path.find("kubectl.kubernetes.io/") != std::string_view::npos) {
    return true;
  }
  return path.starts_with("metadata") &&
         std::none_of(kAsked.begin(), kAsked.end(),
                      [&](std::string_view asked) { return path.starts_with(asked); });
}

void add_leaves(const Json& value, const std::string& path, std::vector<std::string>& leaves) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items()) {
      add_leaves(member, path.empty() ? key : path + "." + key, leaves);
    }
  } else if (value.is_array() && !value.empty() &&
             (value.front().is_object() || value.front().is_array())) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      add_leaves(value[i], path + "[" + std::to_string(i) + "]", leaves);
    }
  } else if (!is_bookkeeping(path)) {
    leaves.push_back(path);
  }
}

struct Unit {
  std::string_view suffix;
  double factor;
};

constexpr std::array kUnits{Unit{"Ki", 1024.0}, Unit{"Mi", 1048576.0}, Unit{"Gi", 1073741824.0},
                            Unit{"n", 1e-9},    Unit{"u", 1e-6},       Unit{"m", 1e-3},
                            Unit{"k", 1e3},     Unit{"M", 1e6},        Unit{"G", 1e9},
                            Unit{"T", 1e12}};

std::optional<double> parse_quantity_text(std::string_view text) {
  double factor = 1;
  for (const Unit& unit : kUnits) {
    if (text.ends_with(unit.suffix)) {
      factor = unit.factor;
      text.remove_suffix(unit.suffix.size());
      break;
    }
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc{} || parsed.ptr != end || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value * factor;
}

}  // namespace

const std::optional<std::string>* Ledger::mark_of(std::string path) const {
  while (!path.empty()) {
    if (const auto found = marks_.find(path); found != marks_.end()) {
      return &found->second;
    }
    const std::size_t cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
  return nullptr;
}

Ledger::Settled Ledger::settle(const Json& object) const {
  std::vector<std::string> leaves;
  add_leaves(object, "", leaves);
  Settled settled;
  for (const std::string& leaf : leaves) {
    const std::optional<std::string>* mark = mark_of(leaf);
    if (mark == nullptr) {
      settled.dropped.push_back({leaf, "this version does not know the field"});
    } else if (*mark) {
      settled.dropped.push_back({leaf, **mark});
    } else {
      settled.carried.push_back(leaf);
    }
  }
  return settled;
}

OrderedJson Draft::manifest() const {
  OrderedJson ordered = OrderedJson::object();
  for (const std::string_view key : kSpecOrder) {
    if (spec.contains(key)) {
      ordered[std::string(key)] = spec.at(std::string(key));
    }
  }
  return {{"apiVersion", k8s::kApiVersion},
          {"kind", k8s::kKind},
          {"metadata", metadata},
          {"spec", ordered}};
}

Draft begin_draft(const Document& source, std::string_view tool) {
  Draft draft;
  draft.metadata["name"] = source.name();
  draft.ledger.carry("metadata.name");
  if (!source.name_space().empty()) {
    draft.metadata["namespace"] = source.name_space();
    draft.ledger.carry("metadata.namespace");
  }
  if (const Json* labels = member_at(source.value, {"metadata", "labels"})) {
    draft.metadata["labels"] = OrderedJson(*labels);
    draft.ledger.carry("metadata.labels");
  }
  const Json* annotations = member_at(source.value, {"metadata", "annotations"});
  if (annotations == nullptr || !annotations->is_object()) {
    return draft;
  }
  for (const auto& [name, value] : annotations->items()) {
    const bool other = name.find(tool) == std::string::npos &&
                       name.find("kubectl.kubernetes.io/") == std::string::npos;
    if (other) {
      draft.metadata["annotations"][name] = OrderedJson(value);
      draft.ledger.carry("metadata.annotations." + name);
    }
  }
  return draft;
}

const Json* member_at(const Json& object, std::initializer_list<const char*> path) {
  const Json* at = &object;
  for (const char* key : path) {
    at = find_member(*at, key);
    if (at == nullptr || at->is_null()) {
      return nullptr;
    }
  }
  return at;
}

std::optional<std::int64_t> count_of(const Json* value) {
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->is_number_integer()) {
    return value->get<std::int64_t>();
  }
  if (!value->is_string()) {
    return std::nullopt;
  }
  const auto& text = value->get_ref<const std::string&>();
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const bool whole = !text.empty() && parsed.ec == std::errc{} && parsed.ptr == end;
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<double> quantity_of(const Json* value) {
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->is_number()) {
    return value->get<double>();
  }
  return value->is_string() ? parse_quantity_text(value->get_ref<const std::string&>())
                            : std::nullopt;
}

OrderedJson quantity_text(double value) {
  if (value >= 1 && value == std::floor(value) && value < 1e15) {
    return static_cast<std::int64_t>(value);
  }
  if (value < 1) {
    return std::to_string(std::llround(value * 1000)) + "m";
  }
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 3);
  std::string shown(text.data(), end.ptr);
  shown.erase(shown.find_last_not_of('0') + 1);
  return shown.ends_with('.') ? shown.substr(0, shown.size() - 1) : shown;
}

std::string seconds_text(std::int64_t seconds) {
  return format_duration(std::chrono::seconds{seconds});
}

}  // namespace scaledcache::controller
