// A Kubernetes API server in this process, as faithful as the operator's tests need: list, watch,
// scale, status, events and discovery, with faults on command and a log of every write.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

#include "loopback/fake_workloads.h"
#include "loopback/http_peer.h"
#include "loopback/kube_objects.h"
#include "loopback/pulse.h"

namespace scaledcache::loopback {

// What happens to requests that match. Empty members match all.
struct ApiFault {
  enum class Kind {
    Answer,           // `status` and `body` instead of doing it
    ApplyThenCut,     // done, and the connection ends without an answer
    ApplyThenAnswer,  // done, and answered with `status` and `body` all the same
    ApplyThenStall,   // done, and never answered
    Stall,            // never answered
  };

  Kind kind = Kind::Answer;
  std::string method{};
  std::string target_contains{};  // path and query, as on the wire
  std::string and_contains{};
  int status = 503;
  std::string body{};  // empty: the usual Status of that code
  HeaderList headers{};
  int times = -1;  // how often; negative: until the faults are cleared
  int after = 0;   // how many that match pass first
};

struct ApiRequest {
  std::string method;
  std::string target;
  std::string authorization;
  std::string user_agent;
};

struct ApiWrite {
  std::string method;
  std::string path;
  std::string media_type;
  std::string field_manager;
  Json body;
  int status = 0;  // of the answer, had it been sent
};

// The token that whoever asks for one of this ServiceAccount gets.
[[nodiscard]] std::string service_token(const std::string& account);

// How watch streams are written.
struct WatchHabits {
  enum class Framing { Plain, ByteWise, Crlf };

  Framing framing = Framing::Plain;
  bool close_at_once = false;
  bool always_gone = false;  // each watch starts with an ERROR 410
  bool bookmarks = true;
};

// Who calls with it is a person and not the operator: such calls are not noted as the operator's.
inline constexpr const char* kPersonsToken = "token-of-a-person";

// Thread safe. Serves from construction to destruction. Each kind of call that the operator makes
// is appended to the file that SCALEDCACHE_CALLS_FILE names, for the test that compares all of them
// with the rights that the chart grants.
class FakeApiServer {
 public:
  FakeApiServer(Pulse& pulse,
                OnPods on_pods,
                const std::optional<support::Identity>& tls = std::nullopt);

  [[nodiscard]] std::string origin() const { return peer_.origin(); }

  KubeObjects& objects() { return objects_; }

  [[nodiscard]] const KubeObjects& objects() const { return objects_; }

  FakeWorkloads& workloads() { return workloads_; }

  HttpPeer& peer() { return peer_; }

  // What `kubectl apply` and `kubectl scale` do. The pods of a workload follow.
  Json apply(std::string_view plural, const Json& object);
  void scale_by_hand(std::string_view plural, const std::string& key, int replicas);

  void fail(ApiFault fault);
  void clear_faults();

  void set_habits(const WatchHabits& habits);

  // At most so many items a page, whatever the client allows.
  void set_page_size(std::size_t items) { page_size_ = items; }

  // Requests without "Bearer <token>" get 401; empty: anybody may.
  void require_token(const std::string& token);

  // A kind that is not served gives 404, as when its CRD is missing.
  void set_served(const std::string& plural, bool served);

  [[nodiscard]] std::vector<ApiWrite> writes() const;
  [[nodiscard]] std::vector<ApiRequest> requests() const;

  // How many lists (first pages) and watches of a kind were asked for.
  [[nodiscard]] std::size_t lists(const std::string& plural) const;
  [[nodiscard]] std::size_t watches(const std::string& plural) const;

  // How many requests had this method and `part` in their target.
  [[nodiscard]] std::size_t count(std::string_view method, std::string_view part) const;

 private:
  // One request, taken apart.
  struct Route {
    const ServedKind* kind = nullptr;
    std::string name_space;
    std::string name;
    std::string subresource;

    [[nodiscard]] std::string key() const { return name_space + "/" + name; }
  };

  void handle(HttpExchange& exchange);
  std::optional<ApiFault> take_fault(const HttpRequest& request);
  void record(const HttpRequest& request);
  void note_call(const HttpRequest& request);
  [[nodiscard]] std::optional<Route> route_of(const std::string& path) const;
  [[nodiscard]] bool is_authorised(const HttpRequest& request) const;

  [[nodiscard]] static Json discover(std::string_view group, std::string_view version);
  KubeAnswer perform(const HttpRequest& request, const Route& route);
  KubeAnswer read(const HttpRequest& request, const Route& route);
  // Nothing where the kind is none of those, or the method none that it has.
  std::optional<KubeAnswer> write_plain(const HttpRequest& request, const Route& route);
  KubeAnswer create_event(const HttpRequest& request, const Route& route);
  void log_write(const HttpRequest& request, int status);
  KubeAnswer patch(const HttpRequest& request, const Route& route);
  KubeAnswer list(const HttpRequest& request, const Route& route);
  KubeAnswer page(const HttpRequest& request, const Route& route, ListView view);
  void watch(HttpExchange& exchange, const Route& route);
  void stream(HttpExchange& exchange, const Route& route, std::uint64_t version, ListView initial);
  bool send_frame(HttpExchange& exchange, std::string_view frame) const;

  Pulse& pulse_;
  KubeObjects objects_;
  FakeWorkloads workloads_;
  std::atomic<std::size_t> page_size_{500};
  mutable std::mutex mutex_;
  std::vector<ApiFault> faults_;
  WatchHabits habits_;
  std::string token_;
  std::vector<std::string> unserved_;
  std::map<std::string, ListView> pages_;  // what a continue token stands for
  std::vector<ApiWrite> writes_;
  std::vector<ApiRequest> requests_;
  std::set<std::string> calls_;  // noted already
  HttpPeer peer_;                // last: it is the first to end
};

}  // namespace scaledcache::loopback
