// Base64 as kubeconfigs, Secrets and admission answers carry it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scaledcache::k8s {

// The standard alphabet with padding, white space between; nothing for any other text.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

// The standard alphabet with padding, on one line.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

}  // namespace scaledcache::k8s
