#include "http/address.h"

#include <algorithm>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace scaledcache::http {
namespace {

constexpr std::size_t kV4Bytes = 4;

struct Range {
  std::string_view prefix;
  int bits;
  std::string_view reason;
};

constexpr std::string_view kLoopback = "a loopback address";
constexpr std::string_view kUnspecified = "an unspecified address";
constexpr std::string_view kLinkLocal = "a link-local address";
constexpr std::string_view kMetadata = "a cloud metadata address";
constexpr std::string_view kMulticast = "a multicast address";
constexpr std::string_view kBroadcast = "a broadcast address";

constexpr std::array kDeniedRanges{
    Range{"0.0.0.0", 8, kUnspecified},
    Range{"127.0.0.0", 8, kLoopback},
    Range{"169.254.0.0", 16, kLinkLocal},
    Range{"100.100.100.200", 32, kMetadata},  // Alibaba Cloud
    Range{"168.63.129.16", 32, kMetadata},    // Azure
    Range{"192.0.0.192", 32, kMetadata},      // Oracle Cloud
    Range{"224.0.0.0", 4, kMulticast},
    Range{"255.255.255.255", 32, kBroadcast},
    Range{"::", 128, kUnspecified},
    Range{"::1", 128, kLoopback},
    Range{"fe80::", 10, kLinkLocal},
    Range{"fd00:ec2::254", 128, kMetadata},  // AWS
    Range{"fd20:ce::254", 128, kMetadata},   // Google Cloud
    Range{"ff00::", 8, kMulticast},
};

// Where an IPv6 range keeps an IPv4 address: the positions of its four bytes.
struct Embedding {
  std::string_view prefix;
  int bits;
  std::array<std::size_t, kV4Bytes> at;
  std::uint8_t flipped = 0;  // XORed over each byte
};

constexpr std::array<std::size_t, kV4Bytes> kLastBytes{12, 13, 14, 15};

// RFC 6052 skips byte 8. A local NAT64 prefix inside 64:ff9b:1::/48 may have any of its lengths.
constexpr std::array kEmbeddings{
    Embedding{"::ffff:0:0", 96, kLastBytes},        // IPv4-mapped
    Embedding{"::", 96, kLastBytes},                // IPv4-compatible
    Embedding{"::ffff:0:0:0", 96, kLastBytes},      // IPv4-translated
    Embedding{"64:ff9b::", 96, kLastBytes},         // NAT64, the well-known prefix
    Embedding{"64:ff9b:1::", 48, kLastBytes},       // NAT64, local, /96
    Embedding{"64:ff9b:1::", 48, {9, 10, 11, 12}},  // /64
    Embedding{"64:ff9b:1::", 48, {7, 9, 10, 11}},   // /56
    Embedding{"64:ff9b:1::", 48, {6, 7, 9, 10}},    // /48
    Embedding{"2002::", 16, {2, 3, 4, 5}},          // 6to4
    Embedding{"2001::", 32, {4, 5, 6, 7}},          // Teredo: the server
    Embedding{"2001::", 32, kLastBytes, 0xff},      // Teredo: the client
};

bool in_range(const Address& address, std::string_view prefix, int bits) {
  const std::optional<Address> base = parse_address(prefix);
  if (!base || base->family != address.family) {
    return false;
  }
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(base->bytes.begin(), base->bytes.begin() + whole, address.bytes.begin())) {
    return false;
  }
  const int rest = bits % 8;
  return rest == 0 || ((base->bytes[whole] ^ address.bytes[whole]) >> (8 - rest)) == 0;
}

// 0:5efe or 200:5efe before the last four bytes, whatever the prefix.
bool is_isatap(const Address& address) {
  const auto& b = address.bytes;
  return (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe;
}

Address pick(const Address& address,
             const std::array<std::size_t, kV4Bytes>& at,
             std::uint8_t flipped) {
  Address inner;
  for (std::size_t i = 0; i < kV4Bytes; ++i) {
    inner.bytes[i] = static_cast<std::uint8_t>(address.bytes[at[i]] ^ flipped);
  }
  return inner;
}

std::optional<std::string_view> reason_against(const AddressPolicy& policy,
                                               const Address& address) {
  for (const Range& range : kDeniedRanges) {
    const bool excused = policy.allow_loopback && range.reason == kLoopback;
    if (!excused && in_range(address, range.prefix, range.bits)) {
      return range.reason;
    }
  }
  if (std::find(policy.denied.begin(), policy.denied.end(), address) != policy.denied.end()) {
    return "an address of the API server or of the operator itself";
  }
  return std::nullopt;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  if (text.size() >= buffer.size() || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  std::copy(text.begin(), text.end(), buffer.begin());
  Address address;
  if (::inet_pton(AF_INET, buffer.data(), address.bytes.data()) == 1) {
    return address;
  }
  address.family = AddressFamily::V6;
  if (::inet_pton(AF_INET6, buffer.data(), address.bytes.data()) == 1) {
    return address;
  }
  return std::nullopt;
}

std::optional<Address> address_of(const sockaddr& socket_address) {
  Address address;
  if (socket_address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &socket_address, sizeof v4);
    std::memcpy(address.bytes.data(), &v4.sin_addr, sizeof v4.sin_addr);
    return address;
  }
  if (socket_address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &socket_address, sizeof v6);
    address.family = AddressFamily::V6;
    std::memcpy(address.bytes.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    return address;
  }
  return std::nullopt;
}

std::string to_string(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = address.family == AddressFamily::V4 ? AF_INET : AF_INET6;
  ::inet_ntop(family, address.bytes.data(), text.data(), text.size());
  return text.data();
}

std::vector<Address> embedded_addresses(const Address& address) {
  std::vector<Address> inner;
  if (address.family == AddressFamily::V4) {
    return inner;
  }
  for (const Embedding& embedding : kEmbeddings) {
    if (in_range(address, embedding.prefix, embedding.bits)) {
      inner.push_back(pick(address, embedding.at, embedding.flipped));
    }
  }
  if (is_isatap(address)) {
    inner.push_back(pick(address, kLastBytes, 0));
  }
  return inner;
}

Result<void> AddressPolicy::judge(const Address& address) const {
  std::optional<std::string_view> reason = reason_against(*this, address);
  // The IPv6 loopback is an IPv4-compatible form of 0.0.0.1 by its bits only.
  const bool is_v6_loopback = in_range(address, "::1", 128);
  if (!reason && !is_v6_loopback) {
    for (const Address& inner : embedded_addresses(address)) {
      reason = reason ? reason : reason_against(*this, inner);
    }
  }
  if (reason) {
    return Error{ErrorCode::Forbidden, to_string(address) + " is " + std::string(*reason)};
  }
  return {};
}

}  // namespace scaledcache::http
