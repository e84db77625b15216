#include "k8s/kubeconfig_file.h"

#include <exception>
#include <utility>

#include <yaml-cpp/yaml.h>

namespace scaledcache::k8s {
namespace {

Error invalid(const std::string& file, const std::string& what) {
  return Error{ErrorCode::Invalid, "kubeconfig " + file + ": " + what};
}

std::string text_of(const YAML::Node& node) {
  if (!node.IsDefined() || node.IsNull()) {
    return {};
  }
  return node.IsScalar() ? node.Scalar() : std::string("{…}");
}

KubeconfigEntry entry_of(const std::string& file, const YAML::Node& body) {
  KubeconfigEntry entry{file, {}};
  for (const auto& member : body) {
    if (std::string text = text_of(member.second); !text.empty()) {
      entry.fields.emplace(text_of(member.first), std::move(text));
    }
  }
  return entry;
}

// Reads `- name: x` with its `singular: {…}` from the list `plural`.
Result<std::map<std::string, KubeconfigEntry>> entries_of(const std::string& file,
                                                          const YAML::Node& root,
                                                          const std::string& singular) {
  const std::string plural = singular + "s";
  const YAML::Node list = root[plural];
  std::map<std::string, KubeconfigEntry> entries;
  if (!list.IsDefined() || list.IsNull()) {
    return entries;
  }
  if (!list.IsSequence()) {
    return invalid(file, plural + " must be a list");
  }
  for (const YAML::Node& item : list) {
    const std::string name = item.IsMap() ? text_of(item["name"]) : std::string();
    const YAML::Node body = item.IsMap() ? item[singular] : YAML::Node();
    const bool absent = !body.IsDefined() || body.IsNull();  // a Node that is not may not be asked
    if (name.empty() || !(absent || body.IsMap())) {
      return invalid(file, "each of the list " + plural + " must have a name and a map");
    }
    entries.emplace(name, absent ? KubeconfigEntry{file, {}} : entry_of(file, body));
  }
  return entries;
}

Result<Kubeconfig> decode(const std::string& file, const YAML::Node& root) {
  if (!root.IsMap()) {
    return invalid(file, "must be a map with clusters, users and contexts");
  }
  Kubeconfig config;
  config.current_context = text_of(root["current-context"]);
  for (const auto& [singular, target] :
       {std::pair{"cluster", &config.clusters}, std::pair{"user", &config.users},
        std::pair{"context", &config.contexts}}) {
    auto entries = entries_of(file, root, singular);
    if (!entries) {
      return entries.error();
    }
    *target = std::move(*entries);
  }
  return config;
}

}  // namespace

std::string KubeconfigEntry::field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : found->second;
}

Result<Kubeconfig> parse_kubeconfig(const std::string& file, const std::string& text) {
  try {
    const YAML::Node root = YAML::Load(text);
    return root.IsNull() ? Kubeconfig{} : decode(file, root);
  } catch (const YAML::Exception& error) {
    // Its message may quote the text, which may be a secret.
    return invalid(file, "is no YAML (line " + std::to_string(error.mark.line + 1) + ")");
  } catch (const std::exception&) {
    return invalid(file, "is no YAML that can be read");
  }
}

void merge_into(Kubeconfig& merged, Kubeconfig next) {
  if (merged.current_context.empty()) {
    merged.current_context = std::move(next.current_context);
  }
  merged.clusters.merge(next.clusters);
  merged.users.merge(next.users);
  merged.contexts.merge(next.contexts);
}

}  // namespace scaledcache::k8s
