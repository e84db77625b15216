#include "k8s/gate.h"

#include <cstdint>

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

std::string hexadecimal(std::uint32_t number) {
  std::string text(kDigits, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4U) {
    *digit = "0123456789abcdef"[number & 0xFU];
  }
  return text;
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

std::string cache_identity(const Pod& pod) {
  std::string text = pod.uid + " " + pod.containers;
  if (pod.container_started) {
    text += " " + format_time(*pod.container_started);
  }
  return hexadecimal(hash_of(text));
}

std::string with_identity(const std::string& text, const std::string& identity) {
  return text + std::string(kOpening) + identity + "]";
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
