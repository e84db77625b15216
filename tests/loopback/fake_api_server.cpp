#include "loopback/fake_api_server.h"

#include <algorithm>

#include "loopback/api_call.h"
#include "loopback/kube_patch.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kUnknownPath = "404 page not found\n";

// What a real server asks of an event of events.k8s.io/v1.
KubeAnswer check_event(const Json& event, const std::string& name_space) {
  for (const char* field :
       {"eventTime", "reportingController", "reportingInstance", "action", "reason", "type"}) {
    if (!event.contains(field) || event[field].get<std::string>().empty()) {
      return refusal(422, "Event is invalid: " + std::string(field) + ": Required value");
    }
  }
  if (event.value("/metadata/namespace"_json_pointer, name_space) != name_space) {
    return refusal(400, "the namespace of the object does not match the namespace on the request");
  }
  if (event.value("note", "").size() > 1024 || event["action"].get<std::string>().size() > 128) {
    return refusal(422, "Event is invalid: note: can have at most 1024 bytes");
  }
  return {201, event};
}

}  // namespace

FakeApiServer::FakeApiServer(Pulse& pulse,
                             OnPods on_pods,
                             const std::optional<support::Identity>& tls)
    : pulse_(pulse),
      objects_([this] { pulse_.beat(); }),
      workloads_(objects_, std::move(on_pods)),
      peer_([this](HttpExchange& exchange) { handle(exchange); }, tls) {}

Json FakeApiServer::apply(std::string_view plural, const Json& object) {
  const Json applied = objects_.apply(plural, object);
  if (kind_of(plural).has_scale) {
    workloads_.reconcile(plural, key_of(applied));
  }
  return applied;
}

void FakeApiServer::scale_by_hand(std::string_view plural, const std::string& key, int replicas) {
  objects_.update(plural, key, [&](Json object) {
    return KubeAnswer{200, with_replicas(std::move(object), replicas, "kubectl")};
  });
  workloads_.reconcile(plural, key);
}

void FakeApiServer::fail(ApiFault fault) {
  std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}

void FakeApiServer::clear_faults() {
  std::lock_guard lock(mutex_);
  faults_.clear();
}

void FakeApiServer::set_habits(const WatchHabits& habits) {
  std::lock_guard lock(mutex_);
  habits_ = habits;
}

void FakeApiServer::require_token(const std::string& token) {
  std::lock_guard lock(mutex_);
  token_ = token;
}

void FakeApiServer::set_served(const std::string& plural, bool served) {
  std::lock_guard lock(mutex_);
  std::erase(unserved_, plural);
  if (!served) {
    unserved_.push_back(plural);
  }
}

bool FakeApiServer::is_authorised(const HttpRequest& request) const {
  std::lock_guard lock(mutex_);
  return token_.empty() || request.header("authorization") == "Bearer " + token_;
}

std::optional<ApiFault> FakeApiServer::take_fault(const HttpRequest& request) {
  std::lock_guard lock(mutex_);
  for (ApiFault& fault : faults_) {
    const bool matches = (fault.method.empty() || fault.method == request.method) &&
                         request.target.find(fault.target_contains) != std::string::npos &&
                         request.target.find(fault.and_contains) != std::string::npos;
    if (!matches || fault.times == 0) {
      continue;
    }
    if (fault.after > 0) {
      --fault.after;
    } else {
      fault.times -= fault.times > 0 ? 1 : 0;
      return fault;
    }
  }
  return std::nullopt;
}

std::optional<FakeApiServer::Route> FakeApiServer::route_of(const std::string& path) const {
  std::vector<std::string> parts = segments_of(path);
  const std::size_t prefix = !parts.empty() && parts[0] == "api" ? 2 : 3;
  if (parts.size() < prefix || (parts[0] != "api" && parts[0] != "apis")) {
    return std::nullopt;
  }
  const std::string group = prefix == 2 ? "" : parts[1];
  const std::string version = parts[prefix - 1];
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix));
  Route route;
  if (parts.size() >= 3 && parts[0] == "namespaces") {
    route.name_space = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  if (parts.empty()) {
    return std::nullopt;
  }
  parts.resize(3);
  route.name = parts[1];
  route.subresource = parts[2];
  for (const ServedKind& kind : served_kinds()) {
    if (kind.group == group && kind.version == version && kind.plural == parts[0]) {
      route.kind = &kind;
    }
  }
  std::lock_guard lock(mutex_);
  const bool served = std::find(unserved_.begin(), unserved_.end(), parts[0]) == unserved_.end();
  return route.kind != nullptr && served ? std::optional<Route>(route) : std::nullopt;
}

void FakeApiServer::handle(HttpExchange& exchange) {
  const HttpRequest& request = exchange.request();
  record(request);
  if (!is_authorised(request)) {
    return exchange.answer(401, dump_json(failure(401, "Unauthorized")));
  }
  const auto fault = take_fault(request);
  if (fault && fault->kind == ApiFault::Kind::Stall) {
    return exchange.stall();
  }
  const std::string fault_body = !fault ? ""
                                 : fault->body.empty()
                                     ? dump_json(failure(fault->status, "injected by the test"))
                                     : fault->body;
  if (fault && fault->kind == ApiFault::Kind::Answer) {
    return exchange.answer(fault->status, fault_body, fault->headers);
  }
  const std::vector<std::string> parts = segments_of(request.path);
  if (request.method == "GET" && parts.size() == 3 && parts[0] == "apis") {
    return exchange.answer(200, dump_json(discover(parts[1], parts[2])));
  }
  const auto route = route_of(request.path);
  if (!route) {
    return exchange.answer(404, kUnknownPath, {{"Content-Type", "text/plain"}});
  }
  if (request.method == "GET" && !request.parameter("watch").empty()) {
    return watch(exchange, *route);
  }
  const KubeAnswer answer = perform(request, *route);
  if (fault && fault->kind == ApiFault::Kind::ApplyThenCut) {
    return exchange.close();
  }
  if (fault && fault->kind == ApiFault::Kind::ApplyThenStall) {
    return exchange.stall();
  }
  if (fault) {
    return exchange.answer(fault->status, fault_body, fault->headers);
  }
  exchange.answer(answer.status, dump_json(answer.body), answer.headers);
}

KubeAnswer FakeApiServer::perform(const HttpRequest& request, const Route& route) {
  if (request.method == "GET") {
    return read(request, route);
  }
  if (auto written = write_plain(request, route)) {
    log_write(request, written->status);
    return *std::move(written);
  }
  if (request.method == "PATCH") {
    return patch(request, route);
  }
  KubeAnswer answer = request.method == "POST" && route.kind->plural == "events"
                          ? create_event(request, route)
                          : refusal(405, "the server does not allow this method");
  log_write(request, answer.status);
  return answer;
}

KubeAnswer FakeApiServer::read(const HttpRequest& request, const Route& route) {
  if (route.name.empty()) {
    return list(request, route);
  }
  const auto object = objects_.find(route.kind->plural, route.key());
  if (!object) {
    return refusal(404, route.kind->plural + " \"" + route.name + "\" not found");
  }
  if (route.subresource == "scale" && route.kind->has_scale) {
    return {200, scale_of(*object)};
  }
  return {200, *object};
}

KubeAnswer FakeApiServer::create_event(const HttpRequest& request, const Route& route) {
  Json event = Json::parse(request.body, nullptr, false);
  if (event.is_discarded()) {
    return refusal(400, "the body is no JSON");
  }
  KubeAnswer checked = check_event(event, route.name_space);
  if (checked.refused()) {
    return checked;
  }
  Json& meta = event["metadata"];
  meta["namespace"] = route.name_space;
  if (!meta.contains("name")) {
    meta["name"] = meta.value("generateName", "event-") + std::to_string(objects_.version());
  }
  return objects_.create("events", std::move(event));
}

KubeAnswer FakeApiServer::patch(const HttpRequest& request, const Route& route) {
  const bool is_scale = route.subresource == "scale" && route.kind->has_scale;
  const bool is_status = route.subresource == "status" && route.kind->custom;
  const bool is_pod = route.kind->plural == "pods" && !route.name.empty() &&
                      (route.subresource.empty() || route.subresource == "status");
  if (!is_scale && !is_status && !is_pod) {
    return refusal(405, "the server does not allow this method on the requested resource");
  }
  const std::string type = request.header("content-type");
  const PatchCall call{type.substr(0, type.find(';')), request.body,
                       request.parameter("fieldManager")};
  bool logged = false;  // before anybody can see what it did
  KubeAnswer answer = objects_.update(route.kind->plural, route.key(), [&](const Json& object) {
    KubeAnswer patched = is_scale                    ? patch_scale(object, call)
                         : !is_pod                   ? patch_status(object, call)
                         : route.subresource.empty() ? patch_pod(object, call)
                                                     : patch_pod_status(object, call);
    log_write(request, patched.status);
    logged = true;
    return patched;
  });
  if (!logged) {
    log_write(request, answer.status);
  }
  if (is_pod && !answer.refused()) {
    workloads_.judge_readiness(route.key());
  }
  if (is_scale && !answer.refused()) {
    answer.body = scale_of(answer.body);
    workloads_.reconcile(route.kind->plural, route.key());
  }
  return answer;
}

}  // namespace scaledcache::loopback
