// A metrics backend on loopback that answers as Prometheus does, or breaks in one of many ways.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loopback/fake_fleet.h"
#include "loopback/http_peer.h"
#include "loopback/pulse.h"

namespace scaledcache::loopback {

enum class BackendFault {
  None,
  Empty,              // an answer without series
  StatusError,        // HTTP 200 with status "error"
  Unprocessable,      // 422 with Prometheus' own error body
  Unavailable,        // 503
  Unauthorized,       // 401
  Html,               // a proxy's page with HTTP 200
  NotANumber,         // series of NaN only
  Infinite,           // series of +Inf only
  WrongType,          // a vector of strings where a matrix was asked for
  Garbage,            // bytes that are neither JSON nor UTF-8
  DeepJson,           // 100,000 arrays in each other
  PartialWarning,     // good numbers, and a warning that a store did not answer
  Hang,               // takes the request and never answers
  CloseAtOnce,        // closes without an answer
  BadChunkSize,       // "-1"
  MissingFinalChunk,  // closes where more chunks should come
  HeaderDrip,         // one byte of the head a moment, without end
  BodyDrip,           // one byte of the body a moment, without end
  EndlessBody,        // as fast as the client reads
  HugeHeader,         // a header of 1 MiB
  MetadataRedirect,   // to the metadata address of a cloud
  Compressed,         // says that it is gzip
};

inline constexpr const char* kMetadataUrl = "http://169.254.169.254/latest/meta-data/";

// Thread safe. One fleet for each metric that was asked for by name.
class FakeBackend {
 public:
  explicit FakeBackend(Pulse& pulse);

  [[nodiscard]] std::string url() const { return peer_.origin(); }

  // The fleet whose counter is `metric`; made on first use.
  FakeFleet& fleet(const std::string& metric);

  // What a query gives whose text contains `part`.
  void set_number(const std::string& part, double number);

  void set_fault(BackendFault fault) { fault_ = fault; }

  // How many queries came so far, whatever became of them.
  [[nodiscard]] std::size_t queries() const { return queries_; }

  // The PromQL texts that came so far.
  [[nodiscard]] std::vector<std::string> texts() const;

  // Whether a query came with this value in one of its headers.
  [[nodiscard]] bool was_shown(const std::string& header_value) const;

 private:
  void handle(HttpExchange& exchange);
  void misbehave(HttpExchange& exchange, BackendFault fault);
  [[nodiscard]] std::optional<double> number_for(const std::string& query) const;
  [[nodiscard]] Json result_of(const std::string& path, const HttpRequest& request);

  Pulse& pulse_;
  std::atomic<BackendFault> fault_{BackendFault::None};
  std::atomic<std::size_t> queries_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<FakeFleet>> fleets_;
  std::map<std::string, double> numbers_;
  std::vector<std::string> texts_;
  std::set<std::string> header_values_;
  HttpPeer peer_;  // last: it is the first to end
};

}  // namespace scaledcache::loopback
