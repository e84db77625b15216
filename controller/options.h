// What the command line and the environment may set. One struct with its defaults; flag beats
// environment, environment beats default.
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "controller/page_options.h"
#include "controller/replica_options.h"

namespace scaledcache::controller {

enum class LogFormat { Json, Text };

enum class LogLevel { Debug, Info, Warn, Error };

struct Options {
  std::string kubeconfig;               // path; empty: in-cluster, or $KUBECONFIG
  std::string context;                  // of the kubeconfig; empty: its current-context
  std::vector<std::string> namespaces;  // watched namespaces; empty: all
  std::string backend_url;              // used where a ScaledCache names no backend
  std::string backends_config;          // path of the named backends; empty: there are none
  std::string backend_matchers;         // PromQL matchers added to every counter query
  std::vector<std::string> replica_labels{"prometheus_replica", "replica", "__replica__"};
  int max_replicas_limit = 1000;  // no ScaledCache may ask for more
  int workers = 16;
  int warmup_requests_per_second = 100;         // that all warm-ups together may send
  std::string listen_address = "0.0.0.0:8080";  // metrics and health
  LogFormat log_format = LogFormat::Json;
  LogLevel log_level = LogLevel::Info;
  LeaderOptions leader;
  WebhookOptions webhook;
  PageOptions page;
  bool development = false;  // lets backends live on loopback; never in a cluster
};

// Returns every problem at once, each a sentence naming flag, value and what is allowed.
[[nodiscard]] std::vector<std::string> validate(const Options& options);

using Environment = std::map<std::string, std::string, std::less<>>;

// The process environment, read once before any thread starts.
[[nodiscard]] Environment read_environment();

// `arguments` are those after the subcommand. The error's message lists every problem, one a line.
[[nodiscard]] Result<Options> parse_options(std::span<const std::string> arguments,
                                            const Environment& environment);

// A flag as help texts, completion and the manual page tell it.
struct FlagText {
  std::string name;   // without dashes
  std::string value;  // what stands for its value; empty: a switch
  std::string help;
};

// The flags of `scaledcache controller`, in the order of its help.
[[nodiscard]] std::vector<FlagText> controller_flags();

}  // namespace scaledcache::controller
