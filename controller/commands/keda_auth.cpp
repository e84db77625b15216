#include "controller/commands/keda_auth.h"

#include <algorithm>
#include <array>
#include <map>

namespace scaledcache::controller {
namespace {

struct SecretKey {
  std::string name;
  std::string key;
};

using Parameters = std::map<std::string, SecretKey>;

// The parameters that a ScaledCache has a place for.
constexpr std::array<std::string_view, 8> kUsable{
    "bearerToken",     "username", "password", "customAuthHeader",
    "customAuthValue", "ca",       "cert",     "key"};

Parameters parameters_of(const Document& authentication) {
  Parameters parameters;
  const Json* refs = member_at(authentication.value, {"spec", "secretTargetRef"});
  if (refs != nullptr && refs->is_array()) {
    for (const Json& ref : *refs) {
      parameters[string_member(ref, "parameter")] = {string_member(ref, "name"),
                                                     string_member(ref, "key")};
    }
  }
  return parameters;
}

const Document* find_authentication(std::span<const Document> all,
                                    const std::string& kind,
                                    const std::string& name_space,
                                    const std::string& name) {
  for (const Document& document : all) {
    const bool same_space =
        kind == kClusterTriggerAuthentication || document.name_space() == name_space;
    if (document.text("kind") == kind && document.name() == name && same_space) {
      return &document;
    }
  }
  return nullptr;
}

OrderedJson ref_of(const SecretKey& secret) {
  return {{"name", secret.name}, {"key", secret.key}};
}

std::vector<std::string> modes_of(const Json& trigger) {
  const Json* metadata = find_member(trigger, "metadata");
  std::string text = metadata == nullptr ? "" : string_member(*metadata, "authModes");
  std::vector<std::string> modes;
  std::erase(text, ' ');
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    modes.push_back(text.substr(0, comma));
    text.erase(0, comma + 1);
  }
  return modes;
}

// Puts one way to authenticate after the other in.
class Carrier {
 public:
  Carrier(const Parameters& parameters, OrderedJson& backend, Draft& draft)
      : parameters_(parameters), backend_(backend), draft_(draft) {}

  // What is in the way; empty where the mode was carried.
  std::string carry(const std::string& mode) {
    if (mode == "bearer") {
      return carry_bearer();
    }
    if (mode == "basic") {
      return carry_basic();
    }
    if (mode == "custom") {
      return carry_custom();
    }
    if (mode == "tls") {
      return carry_certificate();
    }
    return "authentication by " + mode + " has no counterpart: put a proxy in front";
  }

  // KEDA takes the authority whatever the modes say.
  void carry_authority() {
    if (const SecretKey* secret = find("ca")) {
      backend_["tls"]["caRef"] = {{"kind", "Secret"}, {"name", secret->name}, {"key", secret->key}};
      note(secret->name);
    }
  }

 private:
  const SecretKey* find(const std::string& parameter) const {
    const auto found = parameters_.find(parameter);
    return found == parameters_.end() ? nullptr : &found->second;
  }

  // A Secret goes nowhere before its own annotation says where it may.
  void note(const std::string& secret) {
    const std::string address = backend_.value("address", std::string("https://…"));
    const std::size_t authority = address.find("://");
    const std::size_t path =
        authority == std::string::npos ? address.size() : address.find('/', authority + 3);
    const std::string chore = "kubectl annotate secret " + secret +
                              " scaledcache.io/allowed-origins=" + address.substr(0, path);
    if (std::find(draft_.chores.begin(), draft_.chores.end(), chore) == draft_.chores.end()) {
      draft_.chores.push_back(chore);
    }
  }

  // KEDA reads the name from a Secret, a ScaledCache has it in plain sight.
  std::string named(const SecretKey& secret, const std::string& field) {
    draft_.comment("spec.backend." + field,
                   "write here what key " + secret.key + " of Secret " + secret.name + " holds");
    draft_.chores.push_back("put the text under key " + secret.key + " of Secret " + secret.name +
                            " into spec.backend." + field);
    return "CHANGE-ME";
  }

  std::string carry_bearer() {
    const SecretKey* token = find("bearerToken");
    if (token == nullptr) {
      return "its TriggerAuthentication takes no bearerToken from a Secret";
    }
    backend_["auth"]["bearer"]["secretRef"] = ref_of(*token);
    note(token->name);
    return {};
  }

  std::string carry_basic() {
    const SecretKey* user = find("username");
    const SecretKey* password = find("password");
    if (user == nullptr || password == nullptr) {
      return "its TriggerAuthentication takes no username and password from a Secret";
    }
    backend_["auth"]["basic"] = {{"username", named(*user, "auth.basic.username")},
                                 {"passwordSecretRef", ref_of(*password)}};
    note(password->name);
    return {};
  }

  std::string carry_custom() {
    const SecretKey* header = find("customAuthHeader");
    const SecretKey* value = find("customAuthValue");
    if (header == nullptr || value == nullptr) {
      return "its TriggerAuthentication takes no customAuthHeader and customAuthValue from a "
             "Secret";
    }
    backend_["auth"]["header"] = {{"name", named(*header, "auth.header.name")},
                                  {"secretRef", ref_of(*value)}};
    note(value->name);
    return {};
  }

  std::string carry_certificate() {
    const SecretKey* certificate = find("cert");
    const SecretKey* key = find("key");
    if (certificate == nullptr || key == nullptr || certificate->name != key->name) {
      return "a client certificate and its key must be in one Secret, as tls.crt and tls.key";
    }
    backend_["tls"]["clientCertificateSecretRef"] = {{"name", certificate->name}};
    note(certificate->name);
    if (certificate->key != "tls.crt" || key->key != "tls.key") {
      draft_.chores.push_back("rename the keys " + certificate->key + " and " + key->key +
                              " of Secret " + certificate->name + " to tls.crt and tls.key");
    }
    return {};
  }

  const Parameters& parameters_;
  OrderedJson& backend_;
  Draft& draft_;
};

}  // namespace

void carry_trigger_auth(const Json& trigger,
                        const std::string& path,
                        std::span<const Document> all,
                        OrderedJson& backend,
                        Draft& draft) {
  const Json* reference = find_member(trigger, "authenticationRef");
  const std::vector<std::string> modes = modes_of(trigger);
  if (reference == nullptr || !reference->is_object()) {
    if (!modes.empty()) {
      draft.ledger.drop(path + ".metadata.authModes", "no authenticationRef stands beside it");
    }
    return;
  }
  std::string kind = string_member(*reference, "kind");
  kind = kind.empty() ? kTriggerAuthentication : kind;
  const std::string name = string_member(*reference, "name");
  const Document* authentication =
      find_authentication(all, kind, draft.metadata.value("namespace", std::string()), name);
  if (authentication == nullptr) {
    const std::string reason = kind + " " + name + " is in none of the files";
    draft.ledger.drop(path + ".authenticationRef", reason);
    draft.ledger.drop(path + ".metadata.authModes", reason);
    return;
  }
  draft.ledger.carry(path + ".authenticationRef");
  draft.ledger.carry(path + ".metadata.authModes");
  if (kind == kClusterTriggerAuthentication) {
    draft.chores.push_back("copy the Secrets of " + kind + " " + name +
                           " into the namespace of the ScaledCache");
  }
  const Parameters parameters = parameters_of(*authentication);
  Carrier carrier(parameters, backend, draft);
  carrier.carry_authority();
  for (const std::string& mode : modes) {
    if (const std::string obstacle = carrier.carry(mode); !obstacle.empty()) {
      draft.ledger.drop(path + ".metadata.authModes", obstacle);
    }
  }
}

Ledger ledger_of_authentication(const Document& authentication) {
  Ledger ledger;
  ledger.carry("metadata");
  ledger.drop("spec", "only Secrets are read (spec.secretTargetRef): put the value into one");
  ledger.drop("spec.podIdentity",
              "an identity of the cloud: put a proxy that knows it in front of the backend");
  const Json* refs = member_at(authentication.value, {"spec", "secretTargetRef"});
  for (std::size_t i = 0; refs != nullptr && refs->is_array() && i < refs->size(); ++i) {
    const std::string parameter = string_member((*refs)[i], "parameter");
    const std::string path = "spec.secretTargetRef[" + std::to_string(i) + "]";
    if (std::find(kUsable.begin(), kUsable.end(), parameter) != kUsable.end()) {
      ledger.carry(path);
    } else {
      ledger.drop(path, "the parameter " + parameter + " has no counterpart");
    }
  }
  return ledger;
}

}  // namespace scaledcache::controller
