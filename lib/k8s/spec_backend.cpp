// Reads where the signals are asked for, and how the operator proves who asks.
#include "k8s/spec_reader.h"

namespace scaledcache::k8s {
namespace {

AuthSpec::ServiceAccount read_service_account(const Json& object,
                                              const std::string& path,
                                              Problems& problems) {
  AuthSpec::ServiceAccount account;
  ObjectReader reader(object, path, problems);
  account.name = read_required(reader, "name");
  account.audience = read_required(reader, "audience");
  reader.refuse_unknown();
  return account;
}

// Both members of `bearer`; exactly one is set, which validate() checks.
AuthSpec read_bearer(const Json& object, const std::string& path, Problems& problems) {
  AuthSpec auth;
  ObjectReader reader(object, path, problems);
  read_nested(reader, "secretRef", read_key_ref, auth.bearer_secret, problems);
  read_nested(reader, "serviceAccount", read_service_account, auth.bearer_service_account,
              problems);
  reader.refuse_unknown();
  const bool both = reader.find("secretRef") != nullptr && reader.find("serviceAccount") != nullptr;
  const bool none = reader.find("secretRef") == nullptr && reader.find("serviceAccount") == nullptr;
  if (object.is_object() && (both || none)) {
    problems.push_back({path, std::string("has ") + (none ? "none" : "both") +
                                  " of secretRef and serviceAccount, must have exactly one"});
  }
  return auth;
}

AuthSpec::Basic read_basic(const Json& object, const std::string& path, Problems& problems) {
  AuthSpec::Basic basic;
  ObjectReader reader(object, path, problems);
  basic.username = read_required(reader, "username");
  reader.require("passwordSecretRef");
  read_nested(reader, "passwordSecretRef", read_key_ref, basic.password, problems);
  reader.refuse_unknown();
  return basic;
}

AuthSpec::HeaderValue read_header(const Json& object, const std::string& path, Problems& problems) {
  AuthSpec::HeaderValue header;
  ObjectReader reader(object, path, problems);
  header.name = read_required(reader, "name");
  reader.require("secretRef");
  read_nested(reader, "secretRef", read_key_ref, header.secret, problems);
  reader.refuse_unknown();
  return header;
}

AuthSpec read_auth(const Json& object, const std::string& path, Problems& problems) {
  AuthSpec auth;
  ObjectReader reader(object, path, problems);
  read_nested(reader, "bearer", read_bearer, auth, problems);
  read_nested(reader, "basic", read_basic, auth.basic, problems);
  read_nested(reader, "header", read_header, auth.header, problems);
  reader.read("allowInsecure", auth.allow_insecure);
  reader.refuse_unknown();
  int ways = 0;
  for (const char* way : {"bearer", "basic", "header"}) {
    ways += reader.find(way) == nullptr ? 0 : 1;
  }
  if (object.is_object() && ways != 1) {
    problems.push_back({path, std::string("has ") + (ways == 0 ? "none" : "more than one") +
                                  " of bearer, basic and header, must have exactly one"});
  }
  return auth;
}

constexpr std::array kCaKinds{
    std::pair{std::string_view("ConfigMap"), true},
    std::pair{std::string_view("Secret"), false},
};

TlsSpec::CaRef read_ca(const Json& object, const std::string& path, Problems& problems) {
  TlsSpec::CaRef ca;
  ca.config_map = true;
  ca.ref.key = "ca.crt";
  ObjectReader reader(object, path, problems);
  read_choice(reader, "kind", kCaKinds, ca.config_map);
  ca.ref.name = read_required(reader, "name");
  reader.read("key", ca.ref.key);
  reader.refuse_unknown();
  return ca;
}

std::string read_secret_name(const Json& object, const std::string& path, Problems& problems) {
  ObjectReader reader(object, path, problems);
  std::string name = read_required(reader, "name");
  reader.refuse_unknown();
  return name;
}

TlsSpec read_tls(const Json& object, const std::string& path, Problems& problems) {
  TlsSpec tls;
  ObjectReader reader(object, path, problems);
  read_nested(reader, "caRef", read_ca, tls.ca, problems);
  reader.read("serverName", tls.server_name);
  read_nested(reader, "clientCertificateSecretRef", read_secret_name, tls.client_certificate,
              problems);
  reader.refuse_unknown();
  return tls;
}

}  // namespace

BackendSpec read_backend(const Json& object, const std::string& path, Problems& problems) {
  BackendSpec backend;
  ObjectReader reader(object, path, problems);
  reader.read("address", backend.address);
  reader.read("name", backend.name);
  read_nested(reader, "auth", read_auth, backend.auth, problems);
  read_nested(reader, "tls", read_tls, backend.tls, problems);
  read_texts(reader, "headers", backend.headers, problems);
  read_texts(reader, "queryParameters", backend.query_parameters, problems);
  reader.read("timeout", backend.timeout);
  reader.refuse_unknown();
  return backend;
}

}  // namespace scaledcache::k8s
