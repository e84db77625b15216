#include "k8s/kube_client.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "k8s/paths.h"
#include "k8s/watch_codec.h"
#include "k8s/watch_state.h"

namespace scaledcache::k8s {
namespace {

constexpr std::size_t kMaxAnswerBytes = std::size_t{32} << 20;

bool is_warning(const std::string& header_name) {
  constexpr std::string_view kWanted = "warning";
  if (header_name.size() != kWanted.size()) {
    return false;
  }
  for (std::size_t i = 0; i < kWanted.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(header_name[i])) != kWanted[i]) {
      return false;
    }
  }
  return true;
}

// The quoted text of `299 - "text"`; the whole value when it has another form.
std::string warning_text(std::string_view value) {
  const std::size_t open = value.find('"');
  if (open == std::string_view::npos) {
    return printable(value);
  }
  std::string text;
  for (std::size_t i = open + 1; i < value.size() && value[i] != '"'; ++i) {
    if (value[i] == '\\' && i + 1 < value.size()) {
      ++i;
    }
    text += value[i];
  }
  return printable(text);
}

std::string with_field_manager(const std::string& path, const std::string& field_manager) {
  return with_query(path, {{"fieldManager", field_manager}});
}

}  // namespace

KubeClient::KubeClient(http::HttpTransport& transport,
                       const ApiServer& server,
                       Clock& clock,
                       Options options)
    : transport_(transport),
      server_(server),
      options_(std::move(options)),
      bucket_(clock, options_.requests_per_second, options_.burst) {}

Result<Json> KubeClient::get(std::string_view path, const std::stop_token& stop) {
  return send({.path = std::string(path)}, stop);
}

Result<Json> KubeClient::patch(const PatchRequest& request, const std::stop_token& stop) {
  return send({.method = http::Method::Patch,
               .path = with_field_manager(request.path, request.field_manager),
               .media_type = request.patch.media_type,
               .body = request.patch.body,
               .unprocessable = request.unprocessable},
              stop);
}

Result<Json> KubeClient::post(const WriteRequest& write, const std::stop_token& stop) {
  return send({.method = http::Method::Post,
               .path = with_field_manager(write.path, write.field_manager),
               .media_type = "application/json",
               .body = write.body},
              stop);
}

Result<Json> KubeClient::put(const WriteRequest& write, const std::stop_token& stop) {
  return send({.method = http::Method::Put,
               .path = with_field_manager(write.path, write.field_manager),
               .media_type = "application/json",
               .body = write.body},
              stop);
}

Result<ObjectList> KubeClient::list(std::string_view path, const std::stop_token& stop) {
  auto paged = list_pages(path, kListPageSize, stop);
  if (!paged && paged.error().code == ErrorCode::Gone) {
    return list_pages(path, 0, stop);
  }
  return paged;
}

Result<ObjectList> KubeClient::list_pages(std::string_view path,
                                          int limit,
                                          const std::stop_token& stop) {
  ObjectList list;
  std::string token;
  do {
    const Query page{{"limit", limit > 0 ? std::to_string(limit) : ""}, {"continue", token}};
    const auto answer = send_raw({.path = with_query(std::string(path), page)}, stop);
    if (!answer) {
      return answer.error();
    }
    auto head = decode_list(answer->body, [&](const Json& item) {
      list.items.push_back(item);
      return Result<void>();
    });
    if (!head) {
      return head.error();
    }
    if (!head->continue_token.empty() && head->continue_token == token) {
      return Error{ErrorCode::Protocol, "a list whose pages do not end"};
    }
    token = std::move(head->continue_token);
    list.resource_version = std::move(head->resource_version);
  } while (!token.empty());
  return list;
}

Result<Json> KubeClient::send(const Call& call, const std::stop_token& stop) {
  const auto answer = send_raw(call, stop);
  if (!answer) {
    return answer.error();
  }
  return parse_json(answer->body, kMaxJsonDepth);
}

Result<http::Response> KubeClient::send_raw(const Call& call, const std::stop_token& stop) {
  auto answer = send_once(call, stop);
  if (answer && answer->status == 401) {
    server_.drop_token();
    answer = send_once(call, stop);
  }
  if (!answer) {
    return answer;
  }
  report_warnings(*answer);
  if (answer->status < 200 || answer->status > 299) {
    return to_error(decode_status(*answer), call.unprocessable);
  }
  return answer;
}

Result<http::Response> KubeClient::send_once(const Call& call, const std::stop_token& stop) {
  if (!bucket_.take(stop)) {
    return Error{ErrorCode::Cancelled, "stopping"};
  }
  http::Request request = server_.request(call.method, call.path);
  if (!call.media_type.empty()) {
    request.headers.push_back({"Content-Type", std::string(call.media_type)});
  }
  request.body = call.body;
  request.timeout = options_.timeout;
  if (call.method != http::Method::Get && options_.write_window) {
    const std::chrono::milliseconds window = options_.write_window();
    if (window <= std::chrono::milliseconds{0}) {
      return Error{ErrorCode::Cancelled, "this replica does not lead, so it writes nothing"};
    }
    request.timeout = std::min(request.timeout, window);
  }
  request.max_body_bytes = kMaxAnswerBytes;
  return transport_.send(request, stop);
}

void KubeClient::report_warnings(const http::Response& response) const {
  if (!options_.on_warning) {
    return;
  }
  for (const http::Header& header : response.headers) {
    if (is_warning(header.name)) {
      options_.on_warning(warning_text(header.value));
    }
  }
}

}  // namespace scaledcache::k8s
