#include "controller/page_server.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "controller/page_files.h"
#include "http/ascii.h"
#include "runtime/thread_name.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kEventsPath = "/api/events";
constexpr Milliseconds kTick{1'000};
constexpr int kTicksOfSilence = 10;       // then readers get an event without rows
constexpr int kTicksBetweenReloads = 10;  // of the token
constexpr std::size_t kMaxConnections = 48;
constexpr std::size_t kMaxStreams = 16;

// Scripts and styles from here and nowhere else, none inline; and nothing may frame the page.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

http::Response answer(int status, std::string_view type, std::string body) {
  return {status,
          {{"Content-Type", std::string(type)},
           {"Cache-Control", "no-store"},
           {"Content-Security-Policy", kPolicy},
           {"X-Content-Type-Options", "nosniff"},
           {"Referrer-Policy", "no-referrer"},
           {"Cross-Origin-Opener-Policy", "same-origin"},
           {"Cross-Origin-Resource-Policy", "same-origin"}},
          std::move(body)};
}

http::Response answer_text(int status, std::string text) {
  return answer(status, "text/plain; charset=utf-8", std::move(text) + "\n");
}

// The value of one parameter, as it came: names of Kubernetes need no encoding.
std::string_view parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
      return pair.substr(name.size() + 1);
    }
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
  }
  return {};
}

http::ServerOptions server_options(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  http::ServerOptions options;
  options.address = address.substr(0, colon);
  if (options.address.starts_with('[') && options.address.ends_with(']')) {
    options.address = options.address.substr(1, options.address.size() - 2);
  }
  (void)std::from_chars(address.data() + colon + 1, address.data() + address.size(), options.port);
  options.max_connections = kMaxConnections;
  options.max_streams = kMaxStreams;
  return options;
}

}  // namespace

Result<Secret<std::string>> read_page_token(const std::string& path, const k8s::FileReader& read) {
  auto text = read(path);
  if (!text) {
    return text.error();
  }
  std::string token = text->substr(0, text->find_first_of("\r\n"));
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (token.size() < kMinPageToken || !printable) {
    return Error{ErrorCode::Invalid,
                 "--page-token-file=\"" + path + "\": its first line must be a token of at least " +
                     std::to_string(kMinPageToken) + " printable characters without spaces"};
  }
  return Secret<std::string>(std::move(token));
}

bool carries_token(std::string_view authorization, const Secret<std::string>& token) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!http::equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) {
    return false;
  }
  const std::string_view given = authorization.substr(kScheme.size());
  const std::string& wanted = token.reveal();
  unsigned difference = given.size() == wanted.size() && !wanted.empty() ? 0 : 1;
  for (std::size_t i = 0; i < given.size() && !wanted.empty(); ++i) {
    difference |= static_cast<unsigned>(given[i] ^ wanted[i % wanted.size()]);
  }
  return difference == 0;
}

bool names_loopback(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    host = host.substr(0, colon);
  }
  return http::equal_ignoring_case(host, "localhost") || is_loopback(host);
}

PageServer::PageServer(PageParts parts, const PageOptions& options)
    : parts_(std::move(parts)), token_file_(options.token_file) {}

Result<std::unique_ptr<PageServer>> PageServer::start(PageParts parts, const PageOptions& options) {
  std::unique_ptr<PageServer> page(new PageServer(std::move(parts), options));
  PageServer& self = *page;
  if (auto token = self.reload_token(); !token) {
    return token.error();
  }
  auto server = http::HttpServer::start(server_options(options.address), self.routes());
  if (!server) {
    return server.error();
  }
  self.server_ = std::move(*server);
  self.thread_ = std::jthread([&self](const std::stop_token& stop) {
    set_thread_name("sc-page");
    self.tell_readers(stop);
  });
  return page;
}

std::vector<http::Route> PageServer::routes() {
  std::vector<http::Route> routes;
  for (const PageFile& file : page_files()) {
    routes.push_back({std::string(file.path), http::Method::Get,
                      [this, &file](const http::ServerRequest& request) {
                        // The files tell nothing, and ask for the token themselves.
                        auto refusal = token_file_.empty() ? refuse(request) : std::nullopt;
                        return refusal ? *std::move(refusal)
                                       : answer(200, file.type, std::string(file.text));
                      }});
  }
  routes.push_back({"/api/cache", http::Method::Get,
                    guarded([this](const auto& request) { return answer_cache(request); })});
  routes.push_back({kEventsPath, http::Method::Get,
                    guarded([this](const auto& /*request*/) { return answer_events(); }),
                    /*streams=*/true});
  return routes;
}

http::Handler PageServer::guarded(http::Handler handler) {
  return [this, handler = std::move(handler)](const http::ServerRequest& request) {
    auto refusal = refuse(request);
    return refusal ? *std::move(refusal) : handler(request);
  };
}

std::optional<http::Response> PageServer::refuse(const http::ServerRequest& request) const {
  if (token_file_.empty()) {
    if (names_loopback(http::find_header(request.headers, "Host"))) {
      return std::nullopt;
    }
    return answer_text(403, "this page is served without a token, to localhost only");
  }
  MutexLock lock(mutex_);
  if (carries_token(http::find_header(request.headers, "Authorization"), token_)) {
    return std::nullopt;
  }
  http::Response response = answer_text(401, "the token of --page-token-file is needed");
  response.headers.push_back({"WWW-Authenticate", "Bearer"});
  return response;
}

http::Response PageServer::answer_cache(const http::ServerRequest& request) const {
  const auto detail = parts_.book.find(std::string(parameter(request.query, "namespace")) + "/" +
                                       std::string(parameter(request.query, "name")));
  return detail ? answer(200, "application/json", dump_json(page_detail(*detail)))
                : answer_text(404, "no such ScaledCache");
}

http::Response PageServer::answer_events() const {
  return answer(200, "text/event-stream", page_event("all", head(), {parts_.book.all(), {}}));
}

PageHead PageServer::head() const {
  return {parts_.version, parts_.instance, parts_.leads(), parts_.clock.wall()};
}

Result<void> PageServer::reload_token() {
  if (token_file_.empty()) {
    return {};
  }
  auto token = read_page_token(token_file_, parts_.read);
  if (!token) {
    return token.error();
  }
  MutexLock lock(mutex_);
  token_ = *std::move(token);
  return {};
}

// A failure that lasts is told once.
void PageServer::note_reload(const Result<void>& reloaded) {
  const std::string failure = reloaded ? "" : reloaded.error().message;
  if (std::exchange(failure_, failure) != failure && !reloaded) {
    Fields fields;
    fields["error"] = failure;
    parts_.log.warn("page: the token cannot be read again, the old one stays in force", fields);
  }
}

void PageServer::tell_readers(const std::stop_token& stop) {
  int silent = 0;
  int kept = 0;
  while (parts_.clock.wait_for(kTick, stop)) {
    if (++kept >= kTicksBetweenReloads) {
      kept = 0;
      note_reload(reload_token());
    }
    const PageChanges changes = parts_.book.take_changes();
    const bool news = !changes.caches.empty() || !changes.gone.empty();
    if (server_->streams() > 0 && (news || ++silent >= kTicksOfSilence)) {
      silent = 0;
      server_->publish(kEventsPath, page_event("some", head(), changes));
    }
  }
}

}  // namespace scaledcache::controller
