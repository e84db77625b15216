#include "controller/backend_access.h"

#include <algorithm>

#include "http/ascii.h"
#include "http/url.h"
#include "k8s/base64.h"
#include "k8s/object_meta.h"
#include "k8s/paths.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kKeptFor{60'000};
constexpr std::chrono::seconds kTokenLife{3'600};
constexpr std::size_t kMostKept = 1'000;  // beyond it all are read again
constexpr const char* kAccessManager = "scaledcache-operator";

const k8s::ResourceType& secret_type() {
  static const k8s::ResourceType type{"", "v1", "secrets"};
  return type;
}

const k8s::ResourceType& account_type() {
  static const k8s::ResourceType type{"", "v1", "serviceaccounts"};
  return type;
}

std::string annotation(const Json& object, std::string_view key) {
  const Json* metadata = find_member(object, "metadata");
  const Json* annotations = metadata == nullptr ? nullptr : find_member(*metadata, "annotations");
  return annotations == nullptr ? std::string() : string_member(*annotations, key);
}

prom::SecretHeader authorization(const std::string& scheme, const std::string& value) {
  return {"Authorization", Secret<std::string>(scheme + " " + value)};
}

// Files and `kubectl create secret --from-file` leave a line end behind the value.
std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return text;
}

}  // namespace

bool origin_is_allowed(const std::string& list, const std::string& url) {
  const auto wanted = http::parse_url(url);
  if (!wanted) {
    return false;
  }
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto allowed = http::parse_url(std::string(http::trim_blanks(rest.substr(0, end))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (allowed && allowed->origin() == wanted->origin()) {
      return true;
    }
  }
  return false;
}

Result<std::vector<prom::SecretHeader>> BackendAccess::headers(const AccessQuestion& question,
                                                               const std::stop_token& stop) {
  const k8s::AuthSpec& auth = question.auth;
  const auto url = http::parse_url(question.url);
  if (!url || (url->scheme != "https" && !auth.allow_insecure)) {
    return Error{ErrorCode::Invalid,
                 "spec.backend.auth: credentials are sent over https only, unless allowInsecure is "
                 "true"};
  }
  using Headers = std::vector<prom::SecretHeader>;
  if (auth.bearer_service_account) {
    auto token = service_token(question, stop);
    return token ? Result<Headers>(Headers{authorization("Bearer", token->reveal())})
                 : token.error();
  }
  const k8s::KeyRef* ref = auth.bearer_secret ? &*auth.bearer_secret
                           : auth.basic       ? &auth.basic->password
                           : auth.header      ? &auth.header->secret
                                              : nullptr;
  if (ref == nullptr) {
    return Headers{};
  }
  const auto value = key_of_secret(question, *ref, stop);
  if (!value) {
    return value.error();
  }
  if (auth.bearer_secret) {
    return Headers{authorization("Bearer", value->reveal())};
  }
  if (auth.basic) {
    return Headers{
        authorization("Basic", k8s::encode_base64(auth.basic->username + ":" + value->reveal()))};
  }
  return Headers{{auth.header->name, *value}};
}

Result<Json> BackendAccess::object(const std::string& path, const std::stop_token& stop) {
  const SteadyTime now = clock_.steady();
  {
    MutexLock lock(mutex_);
    const auto found = kept_.find(path);
    if (found != kept_.end() && now - found->second.read < kKeptFor) {
      return found->second.object;
    }
  }
  auto read = client_.get(path, stop);
  MutexLock lock(mutex_);
  std::erase_if(kept_, [&](const auto& entry) { return now - entry.second.read >= kKeptFor; });
  kept_.erase(path);
  if (read) {
    kept_[path] = {*read, now};
  }
  return read;
}

Result<void> BackendAccess::check_origin(const Json& object,
                                         const std::string& what,
                                         const std::string& url) const {
  if (origin_is_allowed(annotation(object, kAllowedOrigins), url)) {
    return {};
  }
  return Error{ErrorCode::Forbidden, what + " does not allow to be sent to the backend: its " +
                                         "annotation " + kAllowedOrigins +
                                         " must list the backend's scheme, host and port"};
}

Result<Secret<std::string>> BackendAccess::key_of_secret(const AccessQuestion& question,
                                                         const k8s::KeyRef& ref,
                                                         const std::stop_token& stop) {
  const std::string what = "Secret " + question.name_space + "/" + ref.name;
  const auto secret = object(k8s::object_path(secret_type(), question.name_space, ref.name), stop);
  if (!secret) {
    Error error = secret.error();
    error.message = what + ": " + error.message;
    return error;
  }
  if (const auto allowed = check_origin(*secret, what, question.url); !allowed) {
    return allowed.error();
  }
  const Json* data = find_member(*secret, "data");
  const auto value =
      data == nullptr ? std::nullopt : k8s::decode_base64(string_member(*data, ref.key));
  if (!value || value->empty()) {
    return Error{ErrorCode::NotFound, what + " has nothing under the key " + ref.key};
  }
  return Secret<std::string>(without_line_end(*value));
}

Result<Secret<std::string>> BackendAccess::service_token(const AccessQuestion& question,
                                                         const std::stop_token& stop) {
  const auto& account = *question.auth.bearer_service_account;
  const std::string what = "ServiceAccount " + question.name_space + "/" + account.name;
  const std::string path = k8s::object_path(account_type(), question.name_space, account.name);
  const auto found = object(path, stop);
  if (!found) {
    return found.error();
  }
  if (const auto allowed = check_origin(*found, what, question.url); !allowed) {
    return allowed.error();
  }
  const std::string key = question.name_space + "/" + account.name + "/" + account.audience;
  const SteadyTime now = clock_.steady();
  {
    MutexLock lock(mutex_);
    const auto kept = tokens_.find(key);
    if (kept != tokens_.end() && now < kept->second.renew) {
      return kept->second.value;
    }
  }
  Json spec{{"expirationSeconds", kTokenLife.count()}};
  if (!account.audience.empty()) {
    spec["audiences"] = Json::array({account.audience});
  }
  const auto made = client_.post({path + "/token",
                                  dump_json({{"apiVersion", "authentication.k8s.io/v1"},
                                             {"kind", "TokenRequest"},
                                             {"spec", std::move(spec)}}),
                                  kAccessManager},
                                 stop);
  if (!made) {
    return made.error();
  }
  const Json* status = find_member(*made, "status");
  Secret<std::string> token(status == nullptr ? "" : string_member(*status, "token"));
  if (token.reveal().empty()) {
    return Error{ErrorCode::Protocol, what + ": the API server gave no token"};
  }
  MutexLock lock(mutex_);
  if (tokens_.size() >= kMostKept) {
    tokens_.clear();
  }
  tokens_[key] = {token, now + kTokenLife * 4 / 5};
  return token;
}

}  // namespace scaledcache::controller
