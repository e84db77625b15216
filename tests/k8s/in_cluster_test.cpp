#include <string>

#include <doctest/doctest.h>

#include "k8s/kubeconfig.h"
#include "k8s/memory_files.h"

namespace scaledcache::k8s {
namespace {

const std::string kCa = "-----BEGIN CERTIFICATE-----\nca\n";

MemoryFiles mounted() {
  return {{"/sa/token", "t\n"}, {"/sa/ca.crt", kCa}, {"/sa/namespace", "operators\n"}};
}

ConfigRequest in_pod(const std::string& host = "10.96.0.1") {
  return {.service_host_env = host, .service_port_env = "443", .mount = "/sa"};
}

TEST_CASE("a pod finds server, token, CA and namespace where every pod does") {
  const MemoryFiles files = mounted();
  const auto config = load_in_cluster(in_pod(), reader_of(files));
  REQUIRE(config);
  CHECK(config->origin == "https://10.96.0.1:443");
  CHECK(config->source == "in-cluster");
  CHECK(config->name_space == "operators");
  CHECK(config->token.reveal() == "t");
  CHECK(config->token_file == "/sa/token");
  CHECK(config->tls.ca_pem == kCa);
  CHECK(config->ca_file == "/sa/ca.crt");
}

TEST_CASE("an IPv6 service address is replaced by the service's name") {
  const MemoryFiles files = mounted();
  const auto config = load_in_cluster(in_pod("fd00::1"), reader_of(files));
  REQUIRE(config);
  CHECK(config->origin == "https://kubernetes.default.svc:443");
}

TEST_CASE("the namespace is POD_NAMESPACE, then the file, then default") {
  MemoryFiles files = mounted();
  ConfigRequest request = in_pod();
  request.pod_namespace_env = "mine";
  CHECK(load_in_cluster(request, reader_of(files)).value().name_space == "mine");
  request.pod_namespace_env.clear();
  files["/sa/namespace"] = " \n";
  CHECK(load_in_cluster(request, reader_of(files)).value().name_space == "default");
  files.erase("/sa/namespace");
  CHECK(load_in_cluster(request, reader_of(files)).value().name_space == "default");
}

TEST_CASE("what is missing is named") {
  for (const char* path : {"/sa/token", "/sa/ca.crt"}) {
    MemoryFiles files = mounted();
    files.erase(path);
    const auto config = load_in_cluster(in_pod(), reader_of(files));
    REQUIRE_FALSE(config);
    CHECK(config.error().code == ErrorCode::Invalid);
    CHECK(config.error().message.find(path) != std::string::npos);
  }
  const MemoryFiles files = mounted();
  for (const char* host : {"", "a b", "h/x", "me@h"}) {
    const auto config = load_in_cluster(in_pod(host), reader_of(files));
    REQUIRE_FALSE(config);
    CHECK(config.error().message.find("KUBERNETES_SERVICE_HOST is ") == 0);
  }
}

}  // namespace
}  // namespace scaledcache::k8s
