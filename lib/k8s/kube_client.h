// The verbs of the Kubernetes API for single objects, over any transport. Knows no kind; what the
// bodies mean belongs to the callers.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "http/transport.h"
#include "k8s/api_error.h"
#include "k8s/api_server.h"
#include "k8s/patch.h"
#include "k8s/token_bucket.h"

namespace scaledcache::k8s {

struct PatchRequest {
  std::string path;
  Patch patch;
  std::string field_manager;
  // What a 422 means: Conflict for a JSON patch that carries a `test`.
  Unprocessable unprocessable = Unprocessable::Invalid;
};

// A whole object to create (POST to its collection) or to replace (PUT to itself).
struct WriteRequest {
  std::string path;
  std::string body;
  std::string field_manager;
};

struct ObjectList {
  std::string resource_version;
  std::vector<Json> items;
};

// Thread safe. Each request waits for a token of the client's own budget, and is sent once more
// with fresh credentials after a 401; nothing else is retried here. Errors are those of
// api_error.h, those of the transport, Protocol for an answer that is no JSON, and Cancelled, also
// for a write outside the write window.
// After Timeout or Unavailable a write may have been applied.
class KubeClient {
 public:
  struct Options {
    std::chrono::milliseconds timeout{10'000};  // each request, from resolve to last byte
    double requests_per_second = 20;
    double burst = 50;
    std::function<void(std::string_view text)> on_warning{};  // each Warning header; any thread
    // How long writes may last; 0 or less: none may start. Asked right before each POST, PUT and
    // PATCH is sent, and bounds its timeout. Absent: always. Any thread.
    std::function<std::chrono::milliseconds()> write_window{};
  };

  KubeClient(http::HttpTransport& transport,
             const ApiServer& server,
             Clock& clock,
             Options options);

  Result<Json> get(std::string_view path, const std::stop_token& stop = {});

  // All pages. A token that expired on the way starts once more, without pages.
  Result<ObjectList> list(std::string_view path, const std::stop_token& stop = {});

  Result<Json> patch(const PatchRequest& request, const std::stop_token& stop = {});

  Result<Json> post(const WriteRequest& write, const std::stop_token& stop = {});

  Result<Json> put(const WriteRequest& write, const std::stop_token& stop = {});

 private:
  struct Call {
    http::Method method = http::Method::Get;
    std::string path;
    std::string_view media_type{};  // of the body; empty: none
    std::string body{};
    Unprocessable unprocessable = Unprocessable::Invalid;
  };

  Result<Json> send(const Call& call, const std::stop_token& stop);
  Result<http::Response> send_raw(const Call& call, const std::stop_token& stop);
  Result<http::Response> send_once(const Call& call, const std::stop_token& stop);
  Result<ObjectList> list_pages(std::string_view path, int limit, const std::stop_token& stop);
  void report_warnings(const http::Response& response) const;

  http::HttpTransport& transport_;
  const ApiServer& server_;
  const Options options_;
  TokenBucket bucket_;
};

}  // namespace scaledcache::k8s
