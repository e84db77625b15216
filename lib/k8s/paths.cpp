#include "k8s/paths.h"

namespace scaledcache::k8s {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += {'%', kHex[byte >> 4U], kHex[byte & 0xFU]};
}

}  // namespace

const ResourceType& scaled_caches() {
  static const ResourceType type{"scaledcache.io", "v1alpha1", "scaledcaches"};
  return type;
}

const ResourceType& deployments() {
  static const ResourceType type{"apps", "v1", "deployments"};
  return type;
}

const ResourceType& pods() {
  static const ResourceType type{"", "v1", "pods"};
  return type;
}

const ResourceType& events() {
  static const ResourceType type{"events.k8s.io", "v1", "events"};
  return type;
}

const ResourceType& leases() {
  static const ResourceType type{"coordination.k8s.io", "v1", "leases"};
  return type;
}

std::string version_path(std::string_view group, std::string_view version) {
  const std::string prefix = group.empty() ? "/api/" : "/apis/" + percent_encode(group) + "/";
  return prefix + percent_encode(version);
}

std::string collection_path(const ResourceType& type, std::string_view name_space) {
  std::string path = version_path(type.group, type.version);
  if (!name_space.empty()) {
    path += "/namespaces/" + percent_encode(name_space);
  }
  return path + "/" + percent_encode(type.plural);
}

std::string object_path(const ResourceType& type,
                        std::string_view name_space,
                        std::string_view name) {
  return collection_path(type, name_space) + "/" + percent_encode(name);
}

std::string scale_path(const ResourceType& type,
                       std::string_view name_space,
                       std::string_view name) {
  return object_path(type, name_space, name) + "/scale";
}

std::string status_path(const ResourceType& type,
                        std::string_view name_space,
                        std::string_view name) {
  return object_path(type, name_space, name) + "/status";
}

std::string with_query(std::string path, const Query& query) {
  char separator = path.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [key, value] : query) {
    if (!value.empty()) {
      path += separator + percent_encode(key) + "=" + percent_encode(value);
      separator = '&';
    }
  }
  return path;
}

std::string percent_encode(std::string_view text) {
  // "." and ".." would be climbed by whoever tidies the path on the way.
  const bool only_dots = text.find_first_not_of('.') == std::string_view::npos;
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c) && !only_dots) {
      encoded += c;
    } else {
      append_escaped(encoded, c);
    }
  }
  return encoded;
}

}  // namespace scaledcache::k8s
