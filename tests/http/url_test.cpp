#include "http/url.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::http {
namespace {

TEST_CASE("a URL is brought into one form") {
  struct Row {
    const char* text;
    const char* origin;
    const char* path;
    const char* query;
  };

  const std::vector<Row> rows{
      {"http://vm", "http://vm:80", "/", ""},
      {"HTTPS://VM.Example:8427", "https://vm.example:8427", "/", ""},
      {"https://vm.example/", "https://vm.example:443", "/", ""},
      {"http://a_b-c.d/x/../y?q=%7Bup%7D", "http://a_b-c.d:80", "/x/../y", "q=%7Bup%7D"},
      {"http://vm?q=1?2", "http://vm:80", "/", "q=1?2"},
      {"http://10.0.0.1:9090/@x", "http://10.0.0.1:9090", "/@x", ""},
      {"http://[2001:DB8:0:0::1]:9090", "http://[2001:db8::1]:9090", "/", ""},
      {"http://[::ffff:10.0.0.1]/", "http://[::ffff:10.0.0.1]:80", "/", ""},
      {"http://1.2.3.4.example/", "http://1.2.3.4.example:80", "/", ""},
      {"http://vm:65535/", "http://vm:65535", "/", ""},
      {"http://vm/?", "http://vm:80", "/", ""},
  };
  for (const Row& row : rows) {
    SUBCASE(row.text) {
      const auto url = parse_url(row.text);
      REQUIRE_MESSAGE(url, url.error().message);
      CHECK(url->origin() == row.origin);
      CHECK(url->path == row.path);
      CHECK(url->query == row.query);
      CHECK(parse_url(url->text()).value() == *url);
    }
  }
}

TEST_CASE("what could be read in two ways is refused") {
  struct Row {
    const char* name;
    const char* text;
    const char* reason;
  };

  const std::vector<Row> rows{
      {"nothing", "", "http://"},
      {"no scheme", "vm.example/", "http://"},
      {"scheme without slashes", "http:vm", "http://"},
      {"other scheme", "ftp://vm/", "http://"},
      {"file", "file:///etc/passwd", "http://"},
      {"user name", "http://user:pass@vm/", "user name"},
      {"user name with an escape", "http://a%40b@vm/", "user name"},
      {"fragment", "http://vm/#x", "fragment"},
      {"fragment in the host", "http://vm#@other/", "fragment"},
      {"space", "http://vm/a b", "space"},
      {"line end", "http://vm/a\r\nX: y", "control"},
      {"tab in the host", "http://v\tm/", "control"},
      {"no ASCII", "http://v\xc3\xbcm/", "ASCII"},
      {"no host", "http:///x", "no host"},
      {"no host but a port", "http://:80/", "no host"},
      {"backslash", "http://vm\\@other/", "user name"},
      {"backslash in the path", "http://vm/\\x", "percent-encoded"},
      {"escape in the host", "http://v%6d/", "neither"},
      {"empty label", "http://vm..example/", "neither"},
      {"dot at the end", "http://vm.example./", "ends in a dot"},
      {"label with a dash at its end", "http://vm-/", "neither"},
      {"decimal address", "http://2130706433/", "four decimal"},
      {"octal address", "http://0177.0.0.1/", "four decimal"},
      {"hexadecimal address", "http://0x7f.0.0.1/", "four decimal"},
      {"hexadecimal number", "http://0x7f000001/", "four decimal"},
      {"hexadecimal last part", "http://127.0.0.0x1/", "four decimal"},
      {"short address", "http://127.1/", "four decimal"},
      {"long address", "http://127.0.0.1.1/", "four decimal"},
      {"part above 255", "http://127.0.0.256/", "four decimal"},
      {"IPv6 without brackets", "http://::1/", "no host"},
      {"IPv6 zone", "http://[fe80::1%25eth0]/", "IPv6"},
      {"name in brackets", "http://[vm]/", "IPv6"},
      {"IPv4 in brackets", "http://[127.0.0.1]/", "IPv6"},
      {"open bracket", "http://[::1/", "partner"},
      {"text behind the bracket", "http://[2001:db8::1]x/", "other than a port"},
      {"empty port", "http://vm:/", "port"},
      {"port 0", "http://vm:0/", "port"},
      {"port 65536", "http://vm:65536/", "port"},
      {"port with a sign", "http://vm:+80/", "port"},
      {"port in hexadecimal", "http://vm:0x50/", "port"},
      {"two ports", "http://vm:80:81/", "port"},
      {"cut escape", "http://vm/%4", "percent-encoded"},
      {"false escape", "http://vm/?q=%zz", "percent-encoded"},
      {"brace in the query", "http://vm/?q={up}", "percent-encoded"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto url = parse_url(row.text);
      REQUIRE(!url);
      CHECK(url.error().code == ErrorCode::Invalid);
      CHECK_MESSAGE(url.error().message.find(row.reason) != std::string::npos, url.error().message);
    }
  }
}

TEST_CASE("lengths are bounded") {
  CHECK(parse_url("http://" + std::string(63, 'a') + "/"));
  CHECK(!parse_url("http://" + std::string(64, 'a') + "/"));
  std::string name;
  for (int i = 0; i < 127; ++i) {
    name += "a.";
  }
  CHECK(parse_url("http://" + name.substr(0, 253)));
  CHECK(!parse_url("http://" + name + "aa"));
  CHECK(parse_url("http://vm/" + std::string(32758, 'x')));
  CHECK(!parse_url("http://vm/" + std::string(32759, 'x')));
}

TEST_CASE("neither a refusal nor the redacted form tells a secret") {
  for (const char* text : {"http://user:secret@vm/", "ftp://secret", "http://vm/?q=secret#"}) {
    CHECK(parse_url(text).error().message.find("secret") == std::string::npos);
  }
  CHECK(parse_url("http://vm/p?token=secret").value().redacted() == "http://vm:80/p");
}

TEST_CASE("a path joins a base with or without a slash at its end") {
  struct Row {
    const char* base;
    const char* path;
    const char* query;
    const char* want;
  };

  const std::vector<Row> rows{
      {"http://vm", "/api/v1/query", "q=1", "http://vm:80/api/v1/query?q=1"},
      {"http://vm/", "/api/v1/query", "", "http://vm:80/api/v1/query"},
      {"http://vm/prom", "/api", "", "http://vm:80/prom/api"},
      {"http://vm/prom/", "/api", "", "http://vm:80/prom/api"},
      {"http://vm/prom?tenant=1", "/api", "q=2", "http://vm:80/prom/api?tenant=1&q=2"},
      {"http://vm/prom?tenant=1", "/api", "", "http://vm:80/prom/api?tenant=1"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.base) {
      CHECK(join_url(parse_url(row.base).value(), row.path, row.query).text() == row.want);
    }
  }
}

}  // namespace
}  // namespace scaledcache::http
