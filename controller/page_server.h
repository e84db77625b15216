// The status page: the files it consists of, and the snapshot behind it as JSON and as a stream of
// events. Reads only; nothing can be changed through it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/secret.h"
#include "controller/log.h"
#include "controller/page_book.h"
#include "controller/page_json.h"
#include "controller/page_options.h"
#include "http/server.h"
#include "k8s/files.h"

namespace scaledcache::controller {

// All references outlive the server.
struct PageParts {
  PageBook& book;
  Clock& clock;
  const Log& log;
  std::string version;
  std::string instance;
  std::function<bool()> leads;
  k8s::FileReader read = k8s::read_file;
};

inline constexpr std::size_t kMinPageToken = 16;

// The token of a file: its first line, at least kMinPageToken printable characters, else Invalid.
[[nodiscard]] Result<Secret<std::string>> read_page_token(const std::string& path,
                                                          const k8s::FileReader& read);

// Whether an Authorization header carries the token. Takes as long for a token that is wrong at its
// first character as for one that is wrong at its last.
[[nodiscard]] bool carries_token(std::string_view authorization, const Secret<std::string>& token);

// Whether a Host header names this machine's own loopback: a page that is open to whoever is on
// this machine must not be open to a web site whose name was pointed at it.
[[nodiscard]] bool names_loopback(std::string_view host);

// Serves from construction to destruction. Thread safe.
class PageServer {
 public:
  // Listens when it returns. Errors are those of HttpServer::start and of read_page_token.
  [[nodiscard]] static Result<std::unique_ptr<PageServer>> start(PageParts parts,
                                                                 const PageOptions& options);

  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer() = default;

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }

 private:
  PageServer(PageParts parts, const PageOptions& options);

  [[nodiscard]] std::vector<http::Route> routes();
  [[nodiscard]] http::Handler guarded(http::Handler handler);
  [[nodiscard]] std::optional<http::Response> refuse(const http::ServerRequest& request) const;
  [[nodiscard]] http::Response answer_cache(const http::ServerRequest& request) const;
  [[nodiscard]] http::Response answer_events() const;
  [[nodiscard]] PageHead head() const;
  Result<void> reload_token() EXCLUDES(mutex_);
  void note_reload(const Result<void>& reloaded);
  void tell_readers(const std::stop_token& stop);

  const PageParts parts_;
  const std::string token_file_;
  std::string failure_;  // the thread's
  mutable Mutex mutex_;
  Secret<std::string> token_ GUARDED_BY(mutex_);
  std::unique_ptr<http::HttpServer> server_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace scaledcache::controller
