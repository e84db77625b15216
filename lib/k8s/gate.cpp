#include "k8s/gate.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/json.h"
#include "base/rfc3339.h"

namespace scaledcache::k8s {
namespace {

constexpr std::string_view kOpening = " [cache ";
constexpr std::size_t kDigits = 8;

// FNV-1a, folded to 32 bits: short enough for people, and two starts of one pod differ.
std::uint32_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
  }
  return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

bool declares(const Container& container, int port) {
  return std::find(container.ports.begin(), container.ports.end(), port) != container.ports.end();
}

std::string hexadecimal(std::uint32_t number) {
  std::string text(kDigits, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4U) {
    *digit = "0123456789abcdef"[number & 0xFU];
  }
  return text;
}

std::string identity_of(const Pod& pod, std::span<const Container> containers) {
  std::string text = pod.uid;
  for (const Container& container : containers) {
    text += " " + container.name + "=" + container.id;
    if (container.started) {
      text += " " + format_time(*container.started);
    }
  }
  return hexadecimal(hash_of(text));
}

}  // namespace

std::optional<Patch> encode_gate_patch(const Pod& pod, const GateWrite& wanted, WallTime now) {
  const auto& stored = pod.gate;
  if (stored && stored->open == wanted.open && stored->reason == wanted.reason &&
      stored->message == wanted.message) {
    return std::nullopt;
  }
  const bool stays = stored && stored->open == wanted.open && stored->since;
  const Json condition{{"type", kGateCondition},
                       {"status", wanted.open ? "True" : "False"},
                       {"reason", wanted.reason},
                       {"message", wanted.message},
                       {"lastProbeTime", format_time(now)},
                       {"lastTransitionTime", format_time(stays ? *stored->since : now)}};
  return Patch{kStrategicMergePatch,
               dump_json({{"metadata", {{"uid", pod.uid}}},
                          {"status", {{"conditions", Json::array({condition})}}}})};
}

std::string cache_identity(const Pod& pod, int port) {
  const std::span<const Container> all(pod.containers);
  const auto is_cache = [&](const Container& container) { return declares(container, port); };
  if (std::count_if(all.begin(), all.end(), is_cache) != 1) {
    return identity_of(pod, all);
  }
  const auto cache = std::find_if(all.begin(), all.end(), is_cache);
  return identity_of(pod, all.subspan(static_cast<std::size_t>(cache - all.begin()), 1));
}

bool is_identity_of(const Pod& pod, std::string_view identity) {
  const std::span<const Container> all(pod.containers);
  bool found = identity_of(pod, all) == identity;
  for (std::size_t i = 0; i < all.size(); ++i) {
    found = found || identity_of(pod, all.subspan(i, 1)) == identity;
  }
  return found;
}

std::string with_identity(const std::string& text, const std::string& identity) {
  return identity.empty() ? text : text + std::string(kOpening) + identity + "]";
}

std::string identity_in(std::string_view message) {
  const std::size_t at = message.rfind(kOpening);
  if (at == std::string_view::npos || !message.ends_with(']')) {
    return {};
  }
  const std::string_view identity =
      message.substr(at + kOpening.size(), message.size() - at - kOpening.size() - 1);
  return identity.size() == kDigits ? std::string(identity) : std::string();
}

}  // namespace scaledcache::k8s
