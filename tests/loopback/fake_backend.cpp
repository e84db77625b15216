#include "loopback/fake_backend.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/clock.h"
#include "base/duration.h"
#include "base/json.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kChunkedHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string success(const char* type, Json result) {
  return dump_json(
      {{"status", "success"}, {"data", {{"resultType", type}, {"result", std::move(result)}}}});
}

std::string backend_error(const char* type, const char* message) {
  return dump_json({{"status", "error"}, {"errorType", type}, {"error", message}});
}

// Every value of a matrix becomes `text`.
Json with_values(Json answer, const char* text) {
  for (Json& series : answer["data"]["result"]) {
    for (Json& sample : series["values"]) {
      sample[1] = text;
    }
  }
  return answer;
}

// "metric" of "metric{…}[45s]", of "sum(rate(metric{…}[5s]))" too.
std::string metric_of(const std::string& query) {
  const std::size_t end = std::min(query.find_first_of("{["), query.size());
  const std::size_t open = query.rfind('(', end);
  const std::size_t start = open == std::string::npos ? 0 : open + 1;
  return query.substr(start, end - start);
}

std::int64_t window_of(const std::string& query) {
  const std::size_t open = query.rfind('[');
  const std::size_t close = query.rfind(']');
  if (open == std::string::npos || close == std::string::npos) {
    return 0;
  }
  const auto window = parse_duration(query.substr(open + 1, close - open - 1));
  return window ? window->count() : 0;
}

std::int64_t time_of(const std::string& text) {
  return std::llround(std::strtod(text.c_str(), nullptr) * 1000);
}

// Writes `bytes` one at a time, again and again, until the client leaves.
void drip(HttpExchange& exchange, std::string_view bytes) {
  for (std::size_t i = 0;; i = (i + 1) % bytes.size()) {
    if (!exchange.write(bytes.substr(i, 1)) ||
        exchange.client_gone(std::chrono::milliseconds{100})) {
      return exchange.close();
    }
  }
}

void pour(HttpExchange& exchange) {
  const std::string block(std::size_t{1} << 16, ' ');
  while (exchange.write_chunk(block)) {
  }
  exchange.close();
}

}  // namespace

FakeBackend::FakeBackend(Pulse& pulse)
    : pulse_(pulse), peer_([this](HttpExchange& exchange) { handle(exchange); }) {}

FakeFleet& FakeBackend::fleet(const std::string& metric) {
  std::lock_guard lock(mutex_);
  auto& fleet = fleets_[metric];
  if (!fleet) {
    fleet = std::make_unique<FakeFleet>(metric);
  }
  return *fleet;
}

std::vector<std::string> FakeBackend::texts() const {
  std::lock_guard lock(mutex_);
  return texts_;
}

bool FakeBackend::was_shown(const std::string& header_value) const {
  std::lock_guard lock(mutex_);
  return header_values_.contains(header_value);
}

void FakeBackend::handle(HttpExchange& exchange) {
  HttpRequest request = exchange.request();
  request.query.merge(parse_form(request.body));
  {
    std::lock_guard lock(mutex_);
    texts_.push_back(request.parameter("query"));
    for (const auto& [name, value] : request.headers) {
      header_values_.insert(value);
    }
  }
  ++queries_;
  const BackendFault fault = fault_;
  Json answer = result_of(request.path, request);
  if (fault == BackendFault::None) {
    exchange.answer(200, dump_json(answer));
  } else if (fault == BackendFault::PartialWarning) {
    answer["warnings"] = Json::array({"store 10.0.0.7 did not answer: partial response"});
    exchange.answer(200, dump_json(answer));
  } else if (fault == BackendFault::NotANumber || fault == BackendFault::Infinite) {
    const char* text = fault == BackendFault::NotANumber ? "NaN" : "+Inf";
    exchange.answer(200, dump_json(with_values(std::move(answer), text)));
  } else {
    misbehave(exchange, fault);
  }
  pulse_.beat();
}

void FakeBackend::set_number(const std::string& part, double number) {
  std::lock_guard lock(mutex_);
  numbers_[part] = number;
}

std::optional<double> FakeBackend::number_for(const std::string& query) const {
  std::lock_guard lock(mutex_);
  for (const auto& [part, number] : numbers_) {
    if (query.find(part) != std::string::npos) {
      return number;
    }
  }
  return std::nullopt;
}

Json FakeBackend::result_of(const std::string& path, const HttpRequest& request) {
  const std::string query = request.parameter("query");
  Json data{{"resultType", "matrix"}, {"result", Json::array()}};
  FakeFleet* fleet = nullptr;
  {
    std::lock_guard lock(mutex_);
    const auto found = fleets_.find(metric_of(query));
    fleet = found == fleets_.end() ? nullptr : found->second.get();
  }
  if (query == "time()") {
    const double now = static_cast<double>(system_clock().wall().time_since_epoch().count()) / 1000;
    data = {{"resultType", "scalar"}, {"result", Json::array({now, std::to_string(now)})}};
  } else if (const auto number = number_for(query)) {
    data = {{"resultType", "scalar"}, {"result", Json::array({0, std::to_string(*number)})}};
  } else if (fleet != nullptr && path.ends_with("/query_range")) {
    data["result"] =
        fleet->rates(time_of(request.parameter("start")), time_of(request.parameter("end")),
                     std::max<std::int64_t>(time_of(request.parameter("step")), kScrapeMs));
  } else if (fleet != nullptr && query.starts_with("sum(")) {
    const WallTime now = system_clock().wall();
    const double seconds = static_cast<double>(now.time_since_epoch().count()) / 1000;
    data = {{"resultType", "vector"},
            {"result", Json::array({{{"metric", Json::object()},
                                     {"value", {seconds, std::to_string(fleet->load(now))}}}})}};
  } else if (fleet != nullptr) {
    data["result"] = fleet->matrix(system_clock().wall(), window_of(query));
  }
  return {{"status", "success"}, {"data", std::move(data)}};
}

void FakeBackend::misbehave(HttpExchange& exchange, BackendFault fault) {
  const HeaderList html{{"Content-Type", "text/html"}};
  switch (fault) {
    case BackendFault::None:
    case BackendFault::PartialWarning:
    case BackendFault::NotANumber:
    case BackendFault::Infinite:
      return;
    case BackendFault::Empty:
      return exchange.answer(200, success("matrix", Json::array()));
    case BackendFault::StatusError:
      return exchange.answer(200, backend_error("execution", "too many samples"));
    case BackendFault::Unprocessable:
      return exchange.answer(422, backend_error("execution", "expanding series: out of order"));
    case BackendFault::Unavailable:
      return exchange.answer(503, "Service Unavailable", html);
    case BackendFault::Unauthorized:
      return exchange.answer(401, "Unauthorized", html);
    case BackendFault::Html:
      return exchange.answer(200, "<html><body>Please log in</body></html>", html);
    case BackendFault::WrongType:
      return exchange.answer(200, success("string", Json::array({1, "many"})));
    case BackendFault::Garbage:
      return exchange.answer(200, "\xff\xfe{]}\x80 garbage");
    case BackendFault::DeepJson:
      return exchange.answer(200, std::string(100'000, '[') + std::string(100'000, ']'));
    case BackendFault::Hang:
      return exchange.stall();
    case BackendFault::CloseAtOnce:
      return exchange.close();
    case BackendFault::BadChunkSize:
      exchange.write(std::string(kChunkedHead) + "-1\r\n{}\r\n0\r\n\r\n");
      return exchange.close();
    case BackendFault::MissingFinalChunk:
      exchange.write(std::string(kChunkedHead) + "10\r\n{\"status\":\"succe\r\n");
      return exchange.close();
    case BackendFault::HeaderDrip:
      return drip(exchange, "HTTP/1.1 200 OK\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    case BackendFault::BodyDrip:
      exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
      return drip(exchange, "{\"status\":");
    case BackendFault::EndlessBody:
      exchange.write(kChunkedHead);
      return pour(exchange);
    case BackendFault::HugeHeader:
      return exchange.answer(200, "{}", {{"X-Huge", std::string(std::size_t{1} << 20, 'x')}});
    case BackendFault::MetadataRedirect:
      return exchange.answer(302, "", {{"Location", kMetadataUrl}});
    case BackendFault::Compressed:
      return exchange.answer(200, "\x1f\x8b\x08", {{"Content-Encoding", "gzip"}});
  }
}

}  // namespace scaledcache::loopback
