// Invariant S9: no secret leaves the process but towards the one it is for. Marked secrets lie
// wherever the operator takes some, and everything that it tells anybody is searched for them.
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "http/raw_client.h"
#include "k8s/base64.h"

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kBearer = "mark-of-the-bearer-token";
constexpr const char* kPassword = "mark-of-the-password";
constexpr const char* kHeader = "mark-of-the-header";
constexpr const char* kBroken = "mark-of-two\r\nX-Lines: mark-of-two";
constexpr const char* kAstray = "mark-of-a-secret-of-others";
constexpr const char* kInUrl = "mark-in-a-url";
constexpr const char* kPageToken = "mark-of-the-page-token";
constexpr const char* kKubeToken = "mark-of-the-operators-token";

// Where somebody could read it → what was told there.
using Told = std::map<std::string, std::string>;

Json bearer_of(const std::string& secret) {
  return {{"bearer", {{"secretRef", {{"name", secret}, {"key", "value"}}}}},
          {"allowInsecure", true}};
}

// The lines of a PEM text that only its owner knows.
std::vector<std::string> lines_of(const std::string& pem) {
  std::vector<std::string> lines;
  std::istringstream text(pem);
  for (std::string line; std::getline(text, line);) {
    if (line.size() > 40 && !line.starts_with("---")) {
      lines.push_back(line);
    }
  }
  return lines;
}

// All that was written for others to read; a Secret itself is where its content belongs.
std::string written(const World& world) {
  std::string text;
  for (const ApiWrite& write : world.api.writes()) {
    if (write.path.find("/secrets") == std::string::npos) {
      text += write.method + " " + write.path + " " + dump_json(write.body) + "\n";
    }
  }
  return text;
}

// The real binary with secrets of every kind, behind TLS, because no token goes over plain http.
struct Vault {
  support::Identity authority = support::make_authority();
  support::Identity server =
      support::make_identity({.alternative_names = "IP:127.0.0.1"}, &authority);
  support::Identity client = support::make_identity({.common_name = "operator"}, &authority);
  World world{server, support::certificate_pem(authority)};
  std::string persons_kubeconfig = world.folder.path() + "/persons-kubeconfig";
  std::map<std::string, std::string> marks;  // what it is → the text

  Vault() {
    std::filesystem::copy_file(world.write_kubeconfig({{"token", kPersonsToken}}),
                               persons_kubeconfig);
    marks = {{"bearer token", kBearer},
             {"password", kPassword},
             {"password as it is sent", k8s::encode_base64(std::string("prom:") + kPassword)},
             {"secret header", kHeader},
             {"secret of two lines", "mark-of-two"},
             {"secret of others", kAstray},
             {"part of a URL", kInUrl},
             {"token of the page", kPageToken},
             {"token of the operator", kKubeToken},
             {"token of the person who asks", kPersonsToken},
             {"token of a ServiceAccount", service_token("metrics")}};
    plant_all();
  }

  void plant(const std::string& secret, const std::string& value, const std::string& origin) {
    const std::string text = k8s::encode_base64(value);
    marks["content of Secret " + secret] = text;
    world.api.apply("secrets", {{"metadata",
                                 {{"namespace", kNamespace},
                                  {"name", secret},
                                  {"annotations", {{"scaledcache.io/allowed-origins", origin}}}}},
                                {"data", {{"value", text}}}});
  }

  void use(const std::string& name, const Json& backend) {
    world.deploy(name, 2, 300);
    world.create_cache(name, {{"backend", backend}});
  }

  void plant_all() {
    const std::string here = world.backend.url();
    plant("metrics", kBearer, here);
    plant("basic", kPassword, here);
    plant("header", kHeader, here);
    plant("broken", kBroken, here);
    plant("astray", kAstray, "https://elsewhere.example");
    world.api.apply("serviceaccounts",
                    {{"metadata",
                      {{"namespace", kNamespace},
                       {"name", "metrics"},
                       {"annotations", {{"scaledcache.io/allowed-origins", here}}}}}});
    use("bearer", {{"auth", bearer_of("metrics")}});
    use("basic",
        {{"auth",
          {{"basic",
            {{"username", "prom"}, {"passwordSecretRef", {{"name", "basic"}, {"key", "value"}}}}},
           {"allowInsecure", true}}}});
    use("header",
        {{"auth",
          {{"header",
            {{"name", "X-Api-Key"}, {"secretRef", {{"name", "header"}, {"key", "value"}}}}},
           {"allowInsecure", true}}}});
    use("account", {{"auth",
                     {{"bearer", {{"serviceAccount", {{"name", "metrics"}, {"audience", "m"}}}}},
                      {"allowInsecure", true}}}});
    use("broken", {{"auth", bearer_of("broken")}});
    use("astray", {{"auth", bearer_of("astray")}});
    const std::string place = here.substr(here.find("//") + 2);
    use("user", {{"address", std::string("http://prom:") + kInUrl + "@" + place}});
    use("query", {{"address", here + "/?token=" + kInUrl}});
  }

  void start() {
    world.api.apply(
        "mutatingwebhookconfigurations",
        {{"metadata", {{"namespace", ""}, {"name", "scaledcache-webhook"}}},
         {"webhooks",
          Json::array({{{"name", "inject.scaledcache.io"}, {"clientConfig", Json::object()}}})}});
    const std::string certificate =
        world.folder.write("client.crt", support::certificate_pem(client));
    const std::string key = world.folder.write("client.key", support::key_pem(client));
    (void)world.write_kubeconfig(
        {{"token", kKubeToken}, {"client-certificate", certificate}, {"client-key", key}});
    for (const std::string& line : lines_of(support::key_pem(client))) {
      marks["key of the operator: " + line.substr(0, 4)] = line;
    }
    world.start({"--log-level=debug", "--webhook-address=127.0.0.1:0", "--page-address=127.0.0.1:0",
                 "--page-token-file=" + world.folder.write("page-token", kPageToken)});
  }

  // Marks the keys that the operator made by itself.
  void mark_own_keys() {
    world.eventually("the webhook has a certificate", [&] {
      return !world.process().logged("webhook: shows a new certificate").empty();
    });
    const auto secret = world.api.objects().find("secrets", "default/scaledcache-webhook");
    REQUIRE(secret);
    std::size_t keys = 0;
    for (const auto& [name, value] : (*secret)["data"].items()) {
      if (!name.ends_with(".key")) {
        continue;
      }
      ++keys;
      marks["webhook's " + name] = value.get<std::string>().substr(0, 100);
      for (const std::string& line : lines_of(*k8s::decode_base64(value.get<std::string>()))) {
        marks["webhook's " + name + ": " + line.substr(0, 4)] = line;
      }
    }
    CHECK(keys == 2);
  }

  [[nodiscard]] std::string page(const std::string& path) const {
    const auto port = world.process().logged("the status page is served").front()["port"];
    http::RawClient reader(port.get<std::uint16_t>());
    reader.say("GET " + path + " HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer " +
               kPageToken + "\r\n\r\n");
    return reader.read_answer();
  }

  std::string command(std::vector<std::string> words) {
    words.push_back("--kubeconfig=" + persons_kubeconfig);
    OperatorProcess process(world.pulse, words);
    world.eventually(words.front() + " ends", [&] { return !process.alive(); });
    std::string text = process.errors();
    for (const std::string& line : process.output()) {
      text += line + "\n";
    }
    return text;
  }

  // `when` goes into the names of the places.
  Told told(const std::string& when) {
    Told told;
    told[when + "writes to the API server"] = written(world);
    told[when + "metrics"] = world.process().get("/metrics");
    told[when + "page, all"] = page("/");
    for (const char* name :
         {"bearer", "basic", "header", "account", "broken", "astray", "user", "query"}) {
      told[when + "status of " + name] = dump_json(world.status(name));
      told[when + "page of " + name] = page(std::string("/api/cache?namespace=shop&name=") + name);
      told[when + "explain " + name] = command({"explain", name, "--namespace=shop"});
    }
    told[when + "explain as JSON"] =
        command({"explain", "bearer", "--namespace=shop", "--output=json"});
    told[when + "doctor"] = command({"doctor"});
    std::string& log = told[when + "log"];
    for (const std::string& line : world.process().output()) {
      log += line + "\n";
    }
    log += world.process().errors();
    return told;
  }

  void search(const Told& told) const {
    for (const auto& [where, text] : told) {
      CHECK_MESSAGE(!text.empty(), where, " tells nothing");
      for (const auto& [what, mark] : marks) {
        CHECK_MESSAGE(text.find(mark) == std::string::npos, where, " tells the ", what);
      }
    }
  }
};

}  // namespace

TEST_CASE("S9: no secret is in logs, events, status, metrics, page, explain or doctor") {
  Vault vault;
  World& world = vault.world;
  vault.start();
  for (const char* name : {"bearer", "basic", "header", "account"}) {
    world.wait_until_ready(name);
  }
  for (const char* name : {"broken", "astray"}) {
    world.eventually(std::string(name) + " is not sent",
                     [&] { return world.condition(name, "MetricsReady").starts_with("False"); });
  }
  for (const char* name : {"user", "query"}) {
    world.eventually(std::string(name) + " was judged",
                     [&] { return !world.condition(name, "Ready").empty(); });
  }
  vault.mark_own_keys();

  // The marks are those that were used, and a secret for others went nowhere.
  CHECK(world.backend.was_shown(std::string("Bearer ") + kBearer));
  CHECK(world.backend.was_shown("Basic " + k8s::encode_base64(std::string("prom:") + kPassword)));
  CHECK(world.backend.was_shown(kHeader));
  CHECK(world.backend.was_shown("Bearer " + service_token("metrics")));
  CHECK_FALSE(world.backend.was_shown(std::string("Bearer ") + kAstray));
  CHECK_FALSE(world.backend.was_shown("mark-of-two"));
  CHECK(world.api.requests().back().authorization.starts_with("Bearer "));
  vault.search(vault.told(""));

  world.backend.set_fault(BackendFault::Unauthorized);
  world.eventually("the backend's refusal is told",
                   [&] { return world.condition("bearer", "MetricsReady").starts_with("False"); });
  world.api.fail({.target_contains = "/secrets/", .status = 403});
  vault.search(vault.told("after refusals: "));
}

}  // namespace scaledcache::loopback
