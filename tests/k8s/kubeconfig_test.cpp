#include "k8s/kubeconfig.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "k8s/memory_files.h"

namespace scaledcache::k8s {
namespace {

const std::string kCa = "-----BEGIN CERTIFICATE-----\nca\n";
const std::string kCertificate = "-----BEGIN CERTIFICATE-----\nme\n";
const std::string kKey = "-----BEGIN EC PRIVATE KEY-----\nme\n";
// base64 of kCa.
const std::string kCaData = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmNhCg==";

std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: dev\n"
         "contexts:\n- name: dev\n  context: {cluster: c, user: u, namespace: shop}\n"
         "clusters:\n- name: c\n  cluster: " +
         cluster + "\nusers:\n- name: u\n  user: " + user + "\n";
}

MemoryFiles files_with(const std::string& text) {
  return {{"/k/config", text},     {"/k/ca.pem", kCa},          {"/k/pki/me.crt", kCertificate},
          {"/k/pki/me.key", kKey}, {"/k/token", "from-file\n"}, {"/k/empty", ""}};
}

Result<ClusterConfig> load(const std::string& text, const std::string& context = "") {
  const MemoryFiles files = files_with(text);
  return load_kubeconfig({.kubeconfig_flag = "/k/config", .context_flag = context},
                         reader_of(files));
}

const std::string kCluster = "{server: 'https://api:6443', certificate-authority: ca.pem}";

TEST_CASE("files are found from the directory of the kubeconfig") {
  const auto config =
      load(kubeconfig(kCluster, "{client-certificate: pki/me.crt, client-key: ./pki/me.key}"));
  REQUIRE(config);
  CHECK(config->origin == "https://api:6443");
  CHECK(config->path_prefix.empty());
  CHECK(config->source == "context dev of /k/config");
  CHECK(config->name_space == "shop");
  CHECK(config->tls.ca_pem == kCa);
  CHECK(config->ca_file == "/k/ca.pem");
  CHECK(config->tls.certificate_pem == kCertificate);
  CHECK(config->certificate_file == "/k/pki/me.crt");
  CHECK(config->tls.key_pem.reveal() == kKey);
  CHECK(config->key_file == "/k/pki/me.key");
  CHECK(config->token.reveal().empty());
}

TEST_CASE("inline data wins over a file, which is then not read") {
  const auto config = load(kubeconfig(
      "{server: 'https://api', certificate-authority: nowhere, certificate-authority-data: " +
          kCaData + "}",
      "{token: t}"));
  REQUIRE(config);
  CHECK(config->origin == "https://api:443");
  CHECK(config->tls.ca_pem == kCa);
  CHECK(config->ca_file.empty());
  CHECK(config->token.reveal() == "t");
}

TEST_CASE("a token file wins over a token while it can be read") {
  const auto good = load(kubeconfig(kCluster, "{token: fixed, tokenFile: token}"));
  REQUIRE(good);
  CHECK(good->token.reveal() == "from-file");
  CHECK(good->token_file == "/k/token");
  for (const char* broken : {"missing", "empty"}) {
    const auto config =
        load(kubeconfig(kCluster, std::string("{token: fixed, tokenFile: ") + broken + "}"));
    REQUIRE(config);
    CHECK(config->token.reveal() == "fixed");
    CHECK_FALSE(load(kubeconfig(kCluster, std::string("{tokenFile: ") + broken + "}")));
  }
}

TEST_CASE("a server behind a path keeps the path apart from the origin") {
  const auto config = load(kubeconfig(
      "{server: 'https://rancher/k8s/clusters/c-1/', certificate-authority: ca.pem}", "{}"));
  REQUIRE(config);
  CHECK(config->origin == "https://rancher:443");
  CHECK(config->path_prefix == "/k8s/clusters/c-1");
}

TEST_CASE("plain http is taken without credentials, and with them only on this machine") {
  CHECK(load(kubeconfig("{server: 'http://api:8001'}", "{}")));
  CHECK(load(kubeconfig("{server: 'http://127.0.0.1:8001'}", "{token: t}")));
  CHECK_FALSE(load(kubeconfig("{server: 'http://api:8001'}", "{token: t}")));
  CHECK_FALSE(load(kubeconfig("{server: 'http://127.evil.example:8001'}", "{token: t}")));
}

TEST_CASE("skipping verification is taken at its word, and never beside a CA") {
  const auto config =
      load(kubeconfig("{server: 'https://api', insecure-skip-tls-verify: true}", "{token: t}"));
  REQUIRE(config);
  CHECK(config->tls.insecure_skip_verify);
  CHECK_FALSE(load(kubeconfig(
      "{server: 'https://api', insecure-skip-tls-verify: true, certificate-authority: ca.pem}",
      "{}")));
}

TEST_CASE("what cannot be used is refused with file, field and what is allowed") {
  struct Row {
    const char* name;
    std::string cluster;
    std::string user;
    const char* want;  // in the message
  };

  const std::vector<Row> rows{
      {"exec", kCluster, "{exec: {command: aws}}",
       "/k/config: users[u].exec is set, but only token"},
      {"auth-provider", kCluster, "{auth-provider: {name: gcp}}", "users[u].auth-provider is set"},
      {"basic", kCluster, "{username: a, password: sesame}", "users[u].username is set"},
      {"impersonation", kCluster, "{token: t, as: root}", "users[u].as is set"},
      {"a proxy", "{server: 'https://api', proxy-url: 'http://p'}", "{}",
       "clusters[c].proxy-url is set"},
      {"another server name", "{server: 'https://api', tls-server-name: x}", "{}",
       "clusters[c].tls-server-name is set"},
      {"a server without scheme", "{server: 'api:6443', certificate-authority: ca.pem}", "{}",
       "clusters[c].server is \"api:6443\", must be https://host"},
      {"no server", "{certificate-authority: ca.pem}", "{}", "clusters[c].server is \"\""},
      {"a password in the server",
       "{server: 'https://me:sesame@api', certificate-authority: ca.pem}", "{}",
       "clusters[c].server is an address with a user name"},
      {"an IPv6 literal", "{server: 'https://[::1]:6443', certificate-authority: ca.pem}", "{}",
       "not IPv6"},
      {"no CA", "{server: 'https://api'}", "{}", "clusters[c].certificate-authority is missing"},
      {"a CA file that is not there", "{server: 'https://api', certificate-authority: nowhere}",
       "{}",
       "clusters[c].certificate-authority names a file that must be readable: cannot open "
       "/k/nowhere"},
      {"CA data that is no base64", "{server: 'https://api', certificate-authority-data: '!!'}",
       "{}", "clusters[c].certificate-authority-data must be base64"},
      {"CA data that is no PEM", "{server: 'https://api', certificate-authority-data: Zm9v}", "{}",
       "clusters[c].certificate-authority-data must hold certificates in PEM form"},
      {"insecure that is no bool", "{server: 'https://api', insecure-skip-tls-verify: maybe}", "{}",
       "insecure-skip-tls-verify is \"maybe\", must be true or false"},
      {"a certificate without key", kCluster, "{client-certificate: pki/me.crt}",
       "users[u].client-key is missing"},
      {"a key without certificate", kCluster, "{client-key: pki/me.key}",
       "users[u].client-certificate is missing"},
      {"a token with a line end inside", kCluster, "{token: \"a\\nb\"}",
       "users[u].token must hold"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto config = load(kubeconfig(row.cluster, row.user));
      REQUIRE_FALSE(config);
      CHECK(config.error().code == ErrorCode::Invalid);
      CHECK_MESSAGE(config.error().message.find(row.want) != std::string::npos,
                    config.error().message);
      CHECK(config.error().message.find("sesame") == std::string::npos);
    }
  }
}

TEST_CASE("a context that is not there is refused with those that are") {
  const std::string text = kubeconfig(kCluster, "{token: t}");
  const auto by_flag = load(text, "prod");
  REQUIRE_FALSE(by_flag);
  CHECK(by_flag.error().message == "--context is \"prod\", must be one of contexts: dev");
  const auto none = load("clusters: []\n");
  REQUIRE_FALSE(none);
  CHECK(none.error().message ==
        "kubeconfig: current-context is \"\", must be one of contexts: there are none");
  const auto no_user = load(
      "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: "
      "gone}}]\nclusters: [{name: c, cluster: {server: 'http://a'}}]\n");
  REQUIRE_FALSE(no_user);
  CHECK(no_user.error().message.find("contexts[x].user is \"gone\"") != std::string::npos);
}

TEST_CASE("KUBECONFIG is a list: the first file wins per entry, missing files are skipped") {
  const MemoryFiles files{
      {"/a/config", "current-context: x\nusers: [{name: u, user: {token: from-a}}]\n"},
      {"/b/config",
       "current-context: y\nusers: [{name: u, user: {token: from-b}}]\n"
       "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
       "clusters: [{name: c, cluster: {server: 'https://api', certificate-authority: ca}}]\n"},
      {"/b/ca", kCa}};
  const auto config =
      load_kubeconfig({.kubeconfig_env = "/missing::/a/config:/b/config"}, reader_of(files));
  REQUIRE(config);
  CHECK(config->token.reveal() == "from-a");
  CHECK(config->ca_file == "/b/ca");
  CHECK(config->name_space == "default");
  const auto none = load_kubeconfig({.kubeconfig_env = "/missing:/too"}, reader_of(files));
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("KUBECONFIG is \"/missing:/too\"") == 0);
}

TEST_CASE("the first way to a cluster that applies is taken") {
  MemoryFiles files = files_with(kubeconfig(kCluster, "{token: t}"));
  files["/home/.kube/config"] = kubeconfig("{server: 'http://home'}", "{}");
  files["/sa/token"] = "sa";
  files["/sa/ca.crt"] = kCa;
  const FileReader read = reader_of(files);
  ConfigRequest request{.kubeconfig_flag = "/k/config",
                        .kubeconfig_env = "/home/.kube/config",
                        .home_env = "/home",
                        .service_host_env = "10.0.0.1",
                        .service_port_env = "443",
                        .mount = "/sa"};
  const auto origin = [&] {
    const auto config = load_cluster_config(request, read);
    return config ? config->origin : config.error().message;
  };
  CHECK(origin() == "https://api:6443");
  request.kubeconfig_flag = "/not/there";
  CHECK(origin().find("--kubeconfig must name a readable file: cannot open /not/there") == 0);
  request.kubeconfig_flag.clear();
  CHECK(origin() == "http://home:80");
  request.kubeconfig_env.clear();
  CHECK(origin() == "https://10.0.0.1:443");
  request.service_host_env.clear();
  CHECK(origin() == "http://home:80");
  request.home_env.clear();
  CHECK(origin().find("no API server: give --kubeconfig") == 0);
}

}  // namespace
}  // namespace scaledcache::k8s
