#include "http/address.h"

#include <string>
#include <vector>

#include <netinet/in.h>
#include <sys/un.h>

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

Address address(std::string_view text) {
  const auto parsed = parse_address(text);
  REQUIRE_MESSAGE(parsed, std::string(text));
  return *parsed;
}

bool allowed(const AddressPolicy& policy, std::string_view text) {
  return policy.judge(address(text)).has_value();
}

TEST_CASE("addresses of the cluster and of the internet may be dialled") {
  for (const char* text :
       {"10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "8.8.8.8", "240.0.0.1",
        "126.255.255.255", "128.0.0.1", "169.253.255.255", "100.100.100.201", "2001:db8::1",
        "fd00::1", "fec0::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"}) {
    CAPTURE(text);
    CHECK(allowed({}, text));
  }
}

TEST_CASE("dangerous addresses are refused with their kind") {
  struct Row {
    const char* text;
    const char* reason;
  };

  const std::vector<Row> rows{
      {"0.0.0.0", "unspecified"},
      {"0.1.2.3", "unspecified"},
      {"127.0.0.1", "loopback"},
      {"127.255.255.254", "loopback"},
      {"169.254.0.1", "link-local"},
      {"169.254.169.254", "link-local"},
      {"169.254.170.2", "link-local"},
      {"100.100.100.200", "metadata"},
      {"168.63.129.16", "metadata"},
      {"192.0.0.192", "metadata"},
      {"224.0.0.1", "multicast"},
      {"239.255.255.255", "multicast"},
      {"255.255.255.255", "broadcast"},
      {"::", "unspecified"},
      {"::1", "loopback"},
      {"fe80::1", "link-local"},
      {"febf::1", "link-local"},
      {"fd00:ec2::254", "metadata"},
      {"fd20:ce::254", "metadata"},
      {"ff02::1", "multicast"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.text) {
      const auto verdict = AddressPolicy{}.judge(address(row.text));
      REQUIRE(!verdict);
      CHECK(verdict.error().code == ErrorCode::Forbidden);
      CHECK_MESSAGE(verdict.error().message.find(row.reason) != std::string::npos,
                    verdict.error().message);
    }
  }
}

TEST_CASE("an IPv4 address hidden in an IPv6 address is judged as itself") {
  const AddressPolicy policy{.denied = {address("10.96.0.1")}};

  struct Row {
    const char* name;
    const char* metadata;  // 169.254.169.254
    const char* denied;    // 10.96.0.1
    const char* harmless;  // 10.0.0.1
  };

  const std::vector<Row> rows{
      {"mapped", "::ffff:169.254.169.254", "::ffff:10.96.0.1", "::ffff:10.0.0.1"},
      {"compatible", "::169.254.169.254", "::10.96.0.1", "::10.0.0.1"},
      {"translated", "::ffff:0:169.254.169.254", "::ffff:0:10.96.0.1", "::ffff:0:10.0.0.1"},
      {"NAT64", "64:ff9b::169.254.169.254", "64:ff9b::10.96.0.1", "64:ff9b::10.0.0.1"},
      {"local NAT64 /48",
       "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:a60:0:100::", "64:ff9b:1:808:8:808:101:101"},
      {"6to4", "2002:a9fe:a9fe::1", "2002:a60:1::1", "2002:a00:1::1"},
      {"Teredo client", "2001:0:808:808::5601:5601", "2001:0:808:808::f59f:fffe",
       "2001:0:808:808::f5ff:fffe"},
      {"Teredo server", "2001:0:a9fe:a9fe::f5ff:fffe", "2001:0:a60:1::f5ff:fffe",
       "2001:0:808:808::f5ff:fffe"},
      {"ISATAP", "2001:db8::5efe:169.254.169.254", "2001:db8::200:5efe:10.96.0.1",
       "2001:db8::5efe:10.0.0.1"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CHECK(!allowed(policy, row.metadata));
      CHECK(!allowed(policy, row.denied));
      CHECK(allowed(policy, row.harmless));
    }
  }
  for (const char* text :
       {"64:ff9b:1:0:a9:fea9:fe00::", "64:ff9b:1:a9:fe:a9fe::", "64:ff9b:1::169.254.169.254"}) {
    CAPTURE(text);
    CHECK(!allowed(policy, text));
  }
}

TEST_CASE("the development flag opens loopback and nothing else") {
  const AddressPolicy policy{.allow_loopback = true};
  for (const char* text : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    CAPTURE(text);
    CHECK(allowed(policy, text));
  }
  for (const char* text : {"0.0.0.0", "::", "169.254.169.254", "fe80::1", "224.0.0.1"}) {
    CAPTURE(text);
    CHECK(!allowed(policy, text));
  }
}

TEST_CASE("the API server's addresses are refused in every form") {
  const AddressPolicy policy{
      .allow_loopback = true,
      .denied = {address("10.96.0.1"), address("2001:db8::6443"), address("127.0.0.9")}};
  CHECK(!allowed(policy, "10.96.0.1"));
  CHECK(!allowed(policy, "::ffff:10.96.0.1"));
  CHECK(!allowed(policy, "2001:db8::6443"));
  CHECK(!allowed(policy, "127.0.0.9"));
  CHECK(allowed(policy, "10.96.0.2"));
}

TEST_CASE("only whole canonical addresses are read") {
  for (const char* text : {"", "1", "127.1", "0177.0.0.1", "0x7f.0.0.1", "1.2.3.4.5", "1.2.3.256",
                           "1.2.3.4 ", "[::1]", "::1%eth0", "fe80", "vm.example",
                           "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb"}) {
    CAPTURE(text);
    CHECK(!parse_address(text));
  }
  CHECK(to_string(address("2001:DB8:0:0::1")) == "2001:db8::1");
  CHECK(to_string(address("192.0.2.1")) == "192.0.2.1");
}

TEST_CASE("a socket address gives its IP address, other families nothing") {
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  CHECK(address_of(reinterpret_cast<const sockaddr&>(v6)) == address("::1"));
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(address_of(reinterpret_cast<const sockaddr&>(v4)) == address("127.0.0.1"));
  sockaddr_un unix_socket{};
  unix_socket.sun_family = AF_UNIX;
  CHECK(!address_of(reinterpret_cast<const sockaddr&>(unix_socket)));
}

}  // namespace
}  // namespace scaledcache::http
