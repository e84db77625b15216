#include "cache/pod_door.h"

#include <doctest/doctest.h>

namespace scaledcache::cache {
namespace {

const http::Address kPod = http::parse_address("10.0.0.5").value();

TEST_CASE("a pod is asked under the name of its site, at its own port") {
  struct Row {
    PodDoor door;
    const char* url;
  };

  for (const Row& row : {
           Row{{"http", 8080, "www.test"}, "http://www.test:8080/a?b=c"},
           Row{{"https", 443, "WWW.test"}, "https://WWW.test:443/a?b=c"},
           Row{{"http", 8080, "www.test:80"}, "http://www.test:8080/a?b=c"},
           Row{{"http", 8080, "[2001:db8::1]:80"}, "http://[2001:db8::1]:8080/a?b=c"},
           Row{{"http", 8080, "[2001:db8::1]"}, "http://[2001:db8::1]:8080/a?b=c"},
       }) {
    CAPTURE(row.url);
    const auto request = pod_request(row.door, kPod, "/a?b=c");
    REQUIRE(request);
    CHECK(request->url == row.url);
    REQUIRE(request->pod);
    CHECK(request->pod->host == row.door.host);
    CHECK(request->pod->address == kPod);
    CHECK(request->pod->keep_body_bytes == 0);
    CHECK(request->method == http::Method::Get);
  }
}

TEST_CASE("what can be no URL is invalid") {
  const PodDoor good{"http", 80, "www.test"};
  for (const char* host : {"", "a/b", "user@a", "a b", "a?b", "a\r\nb", ":80", "a:b:80"}) {
    CAPTURE(host);
    CHECK(!pod_request({"http", 80, host}, kPod, "/"));
  }
  CHECK(!pod_request({"ftp", 80, "www.test"}, kPod, "/"));
  CHECK(!pod_request({"http", 0, "www.test"}, kPod, "/"));
  for (const char* path : {"", "a", "@evil.test/", "/a b", "/a\r\nX: y", "/a#b", "/caf\xc3\xa9"}) {
    CAPTURE(path);
    CHECK(!pod_request(good, kPod, path));
  }
  CHECK(pod_request(good, kPod, "/"));
}

TEST_CASE("the host's name is without port and case") {
  CHECK(host_name("WWW.Test:8080") == "www.test");
  CHECK(host_name("www.test") == "www.test");
  CHECK(host_name("[2001:DB8::1]:80") == "[2001:db8::1]");
  CHECK(host_name("[::1]") == "[::1]");
}

}  // namespace
}  // namespace scaledcache::cache
