// IP addresses, and which of them the operator may dial on behalf of people who can write a
// resource. Pure values; no sockets here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sockaddr;

namespace scaledcache::http {

enum class AddressFamily { V4, V6 };

// Bytes in network order; an IPv4 address fills the first four, the rest is zero.
struct Address {
  AddressFamily family = AddressFamily::V4;
  std::array<std::uint8_t, 16> bytes{};

  bool operator==(const Address&) const = default;
};

// Reads "192.0.2.1" or "2001:db8::1"; no brackets, no zone, no short, octal or hexadecimal IPv4
// forms. Nothing if it is not an address.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

// Nothing for another family than IPv4 and IPv6.
[[nodiscard]] std::optional<Address> address_of(const sockaddr& socket_address);

// The canonical text: "192.0.2.1", "2001:db8::1".
[[nodiscard]] std::string to_string(const Address& address);

// The IPv4 addresses that an IPv6 address stands for: as IPv4-mapped, IPv4-compatible,
// IPv4-translated, NAT64 (RFC 6052 and RFC 8215), 6to4, Teredo or ISATAP address. Several where
// the prefix length is a local choice.
[[nodiscard]] std::vector<Address> embedded_addresses(const Address& address);

// Immutable after construction; judge() may be called from any thread.
struct AddressPolicy {
  bool allow_loopback = false;    // for development only
  std::vector<Address> denied{};  // the API server's addresses, the operator's own

  // Success when the address may be dialled, else Forbidden with the reason. Loopback, unspecified,
  // link-local, cloud metadata, multicast and broadcast addresses are refused, `denied` as well,
  // also in each form of embedded_addresses().
  [[nodiscard]] Result<void> judge(const Address& address) const;
};

}  // namespace scaledcache::http
