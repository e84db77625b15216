#include "k8s/backends_file.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("a file of named backends is read with all that proves who asks") {
  const auto backends = parse_backends(R"(
central:
  url: https://vm.monitoring:8427/select/0/prometheus
  headers: {X-Scope-OrgID: 12}
  queryParameters: {partial_response: "false"}
  auth: {basic: {username: me, passwordSecretRef: {name: vm, key: password}}}
  tls:
    caRef: {name: vm-ca}
    serverName: vm.internal
    clientCertificateSecretRef: {name: vm-client}
plain: {url: "http://prometheus.monitoring:9090", auth: {bearer: {secretRef: {name: a, key: b}}, allowInsecure: true}}
)");
  REQUIRE_MESSAGE(backends, backends.error().message);
  REQUIRE(backends->size() == 2);
  const BackendSpec& central = backends->at("central");
  CHECK(central.address == "https://vm.monitoring:8427/select/0/prometheus");
  CHECK(central.headers.at("X-Scope-OrgID") == "12");
  CHECK(central.query_parameters.at("partial_response") == "false");
  CHECK(central.auth->basic == AuthSpec::Basic{"me", {"vm", "password"}});
  CHECK(central.tls ==
        TlsSpec{TlsSpec::CaRef{true, {"vm-ca", "ca.crt"}}, "vm.internal", "vm-client"});
  CHECK(backends->at("plain").auth->allow_insecure);
}

TEST_CASE("a file without backends names none") {
  CHECK(parse_backends("")->empty());
  CHECK(parse_backends("# none yet\n{}\n")->empty());
}

TEST_CASE("what is wrong with a file of named backends is told by its path") {
  struct Row {
    const char* name;
    const char* text;
    const char* want;
  };

  for (const Row& row : std::vector<Row>{
           {"no YAML", "a: [", "is no YAML (line 1)"},
           {"a list", "[a]", "must be a map from names to backends"},
           {"no map", "a: https://vm", "a must be a map with url"},
           {"no url", "a: {}", "a.url is missing"},
           {"a url without scheme", "a: {url: vm}",
            "a.url cannot be used: URL must start with http:// or https://"},
           {"a bad name", "A_b: {url: 'https://vm'}",
            "A_b is no name of a backend: use 1 to 63 of a-z, 0-9 and -"},
           {"a name within", "a: {url: 'https://vm', name: b}",
            "a.name is no field of a named backend"},
           {"a time limit", "a: {url: 'https://vm', timeout: 5s}",
            "a.timeout is no field of a named backend"},
           {"a secret over http",
            "a: {url: 'http://vm', auth: {bearer: {secretRef: {name: x, key: y}}}}",
            "a.auth would be sent unencrypted, since the address is http: use https, or set "
            "allowInsecure"},
           {"tls over http", "a: {url: 'http://vm', tls: {serverName: b}}",
            "a.tls has no use, since the address is http"},
       }) {
    CAPTURE(row.name);
    const auto backends = parse_backends(row.text);
    REQUIRE_FALSE(backends);
    CHECK(backends.error() == Error{ErrorCode::Invalid, row.want});
  }
  CHECK_FALSE(parse_backends("a: {url: 'https://vm', tls: {insecureSkipVerify: true}}"));
}

TEST_CASE("aliases of aliases end") {
  std::string text = "a0: &a0 {x: y}\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {b: " + before +
            ", c: " + before + ", d: " + before + ", e: " + before + ", f: " + before + "}\n";
  }
  CHECK(parse_backends(text).error() == Error{ErrorCode::Invalid, "is no YAML that can be read"});
}

}  // namespace
}  // namespace scaledcache::k8s
