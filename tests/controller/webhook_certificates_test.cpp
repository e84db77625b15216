#include "controller/webhook_certificates.h"

#include <map>

#include <doctest/doctest.h>

#include "k8s/base64.h"
#include "k8s/credentials.h"
#include "support/fake_clock.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSecretPath = "/api/v1/namespaces/ns/secrets/hook";
constexpr const char* kConfigurationPath =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/hook";

// An API server with one Secret and one webhook configuration, each with a version that every
// change raises and every write must name.
class SecretApi final : public http::HttpTransport {
 public:
  Json secret;  // null: none
  Json configuration = {
      {"metadata", {{"resourceVersion", "1"}}},
      {"webhooks",
       {{{"name", "other"}, {"clientConfig", {{"service", {{"name", "x"}, {"namespace", "ns"}}}}}},
        {{"name", "ours"},
         {"clientConfig", {{"service", {{"name", "svc"}, {"namespace", "ns"}}}}}}}}};
  int writes = 0;
  int writes_allowed = 1'000'000;  // later ones fail, as if the process had died before
  std::function<void()> before_write;
  std::function<void()> after_write;

  Result<http::Response> send(const http::Request& request, std::stop_token /*stop*/) override {
    const std::string path = request.url.substr(std::string("https://api").size());
    const std::string plain = path.substr(0, path.find('?'));
    if (request.method == http::Method::Get) {
      return answer(plain == kSecretPath ? secret : configuration);
    }
    if (writes >= writes_allowed) {
      return Error{ErrorCode::Unavailable, "the process died"};
    }
    if (before_write) {
      before_write();
    }
    const Result<http::Response> done = write(request, plain);
    ++writes;
    if (after_write) {
      after_write();
    }
    return done;
  }

  [[nodiscard]] std::string bundle() const {
    return k8s::decode_base64(
               string_member(configuration["webhooks"][1]["clientConfig"], "caBundle"))
        .value_or("");
  }

  [[nodiscard]] std::string leaf() const {
    return secret.is_null() ? "" : decode_webhook_secret(secret)->material.leaf.certificate_pem;
  }

  void annotate(const char* key, const Json& value) {
    secret.merge_patch({{"metadata", {{"annotations", {{key, value}}}}}});
    touch(secret);
  }

  void touch(Json& object) { object["metadata"]["resourceVersion"] = std::to_string(++version_); }

 private:
  static http::Response respond(int status, const Json& body) {
    return {status, {{"Content-Type", "application/json"}}, body.dump()};
  }

  static http::Response answer(const Json& object) {
    return object.is_null() ? respond(404, Json{{"kind", "Status"}, {"code", 404}})
                            : respond(200, object);
  }

  static http::Response refuse(int code) {
    return respond(code, Json{{"kind", "Status"}, {"code", code}});
  }

  http::Response write(const http::Request& request, const std::string& path) {
    const Json body = Json::parse(request.body);
    if (request.method == http::Method::Post) {
      CHECK(path == "/api/v1/namespaces/ns/secrets");
      if (!secret.is_null()) {
        return refuse(409);
      }
      secret = body;
      secret["metadata"]["uid"] = "u1";
      touch(secret);
      return respond(201, secret);
    }
    if (path == kSecretPath) {
      CHECK(http::find_header(request.headers, "Content-Type") == k8s::kMergePatch);
      if (body["metadata"]["resourceVersion"] != secret["metadata"]["resourceVersion"] ||
          body["metadata"]["uid"] != "u1") {
        return refuse(409);
      }
      secret.merge_patch(body);
      touch(secret);
      return respond(200, secret);
    }
    CHECK(path == kConfigurationPath);
    try {
      configuration = configuration.patch(body);
    } catch (const Json::exception&) {
      return refuse(422);
    }
    touch(configuration);
    return respond(200, configuration);
  }

  int version_ = 10;
};

struct Rig {
  SecretApi api;
  support::FakeClock clock;
  Log log{clock, LogFormat::Json, LogLevel::Error};
  k8s::Credentials credentials{{}, clock};
  k8s::ApiServer server{"https://api", credentials, "test"};
  k8s::KubeClient client{api, server, clock, {.requests_per_second = 1e6, .burst = 1e6}};
  bool leads = true;

  WebhookCertificates certificates() {
    return {{client, clock, log, [this] { return leads; }}, {"hook", "hook", {"ns", "svc"}}};
  }

  Result<std::optional<http::PemIdentity>> refresh() { return certificates().refresh({}); }

  // Refreshes and waits until a leaf is there and nothing is left to do.
  void settle() {
    for (int i = 0; i < 4; ++i) {
      REQUIRE(refresh());
      clock.advance(61s);
    }
  }
};

TEST_CASE("the leader makes, publishes and shows a certificate for the Service's name") {
  Rig rig;
  const auto shown = rig.refresh();
  REQUIRE(shown);
  REQUIRE(*shown);
  CHECK(http::is_for((*shown)->certificate_pem, "svc.ns.svc"));
  CHECK(http::is_signed_by((*shown)->certificate_pem, rig.api.bundle()));
  CHECK(rig.api.configuration["webhooks"][0]["clientConfig"].count("caBundle") == 0);
  CHECK(rig.api.writes == 3);
  CHECK(**rig.refresh() == **shown);
  CHECK(rig.api.writes == 3);  // nothing to do, nothing written
}

TEST_CASE("who does not lead writes nothing, and shows what the leader made") {
  Rig rig;
  rig.leads = false;
  REQUIRE(rig.refresh());
  CHECK_FALSE(*rig.refresh());
  CHECK(rig.api.writes == 0);
  rig.leads = true;
  const auto made = rig.refresh();
  rig.leads = false;
  CHECK(**rig.refresh() == **made);
}

TEST_CASE("a person asks for a rotation by an annotation, and it is taken off") {
  Rig rig;
  rig.settle();
  const std::string before = rig.api.leaf();
  rig.api.annotate(kRotateAnnotation, "leaf");
  rig.settle();
  CHECK(rig.api.leaf() != before);
  CHECK(http::split_certificates(rig.api.bundle()).size() == 1);
  CHECK_FALSE(rig.api.secret["metadata"]["annotations"].contains(kRotateAnnotation));
  rig.api.annotate(kRotateAnnotation, "ca");
  rig.settle();
  CHECK(http::split_certificates(rig.api.bundle()).size() == 2);
  CHECK_FALSE(rig.api.secret["metadata"]["annotations"].contains(kRotateAnnotation));
}

TEST_CASE("A8, A9: a crash after any write is gone on from, and the leaf is always trusted") {
  for (int crash_after = 1; crash_after <= 4; ++crash_after) {
    CAPTURE(crash_after);
    Rig rig;
    rig.api.writes_allowed = crash_after < 3 ? crash_after : 1'000'000;
    (void)rig.refresh();
    rig.api.writes_allowed = 1'000'000;
    rig.settle();
    REQUIRE_FALSE(rig.api.leaf().empty());
    rig.api.after_write = [&] { CHECK(http::is_signed_by(rig.api.leaf(), rig.api.bundle())); };
    rig.api.annotate(kRotateAnnotation, "ca");
    const std::string before = rig.api.leaf();
    rig.api.writes_allowed = rig.api.writes + crash_after;
    for (int i = 0; i < 4; ++i) {
      (void)rig.refresh();
      rig.clock.advance(61s);
    }
    rig.api.writes_allowed = 1'000'000;
    rig.settle();
    CHECK(rig.api.leaf() != before);
    CHECK(http::split_certificates(rig.api.bundle()).size() == 2);
  }
}

TEST_CASE("another writer in between is a conflict, and settled by reading again") {
  Rig rig;
  int meddled = 0;
  rig.api.before_write = [&] {
    if (!rig.api.secret.is_null() && ++meddled <= 2) {
      rig.api.touch(rig.api.secret);
      rig.api.touch(rig.api.configuration);
    }
  };
  const auto shown = rig.refresh();
  REQUIRE(shown);
  REQUIRE(*shown);
  CHECK(meddled > 2);
  CHECK(http::is_signed_by((*shown)->certificate_pem, rig.api.bundle()));
}

TEST_CASE("a Secret that is deleted under running replicas is made anew without a gap") {
  Rig rig;
  const auto shown = rig.refresh();
  REQUIRE(*shown);
  rig.api.secret = Json();
  rig.api.after_write = [&] {
    CHECK(http::is_signed_by((*shown)->certificate_pem, rig.api.bundle()));
  };
  CHECK_FALSE(*rig.refresh());
  rig.settle();
  CHECK(http::is_signed_by(rig.api.leaf(), rig.api.bundle()));
}

TEST_CASE("without a webhook configuration the Secret is made all the same") {
  Rig rig;
  rig.api.configuration = Json();
  REQUIRE(*rig.refresh());
}

TEST_CASE("the API server's errors are told") {
  Rig rig;
  rig.api.writes_allowed = 0;
  CHECK(rig.refresh().error().code == ErrorCode::Unavailable);
}

TEST_CASE("certificates of files are used when they belong together") {
  const auto authority = *http::make_authority("CA", {WallTime{}, kAuthorityLife});
  const auto one = *http::make_leaf(authority, {"a"}, {WallTime{}, kLeafLife});
  const auto two = *http::make_leaf(authority, {"a"}, {WallTime{}, kLeafLife});
  std::map<std::string, std::string> files{{"/certs/tls.crt", one.certificate_pem},
                                           {"/certs/tls.key", one.key_pem.reveal()}};
  const IdentitySource source = certificate_files("/certs", [&](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? Result<std::string>(Error{ErrorCode::NotFound, "no " + path})
                                : Result<std::string>(found->second);
  });
  CHECK(**source({}) == one);
  files["/certs/tls.crt"] = two.certificate_pem;
  CHECK(source({}).error().code == ErrorCode::Invalid);
  files["/certs/tls.key"] = two.key_pem.reveal();
  CHECK(**source({}) == two);
  files.erase("/certs/tls.key");
  CHECK(source({}).error().code == ErrorCode::NotFound);
}

}  // namespace
}  // namespace scaledcache::controller
