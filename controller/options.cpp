#include "controller/options.h"

#include <algorithm>
#include <charconv>

#include <unistd.h>

#include <boost/program_options.hpp>
#include <fmt/core.h>

#include "base/spelling.h"
#include "http/url.h"
#include "k8s/label_matcher.h"

namespace scaledcache::controller {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kPrefix = "SCALEDCACHE_";
constexpr int kMaxWorkers = 256;
constexpr int kMaxReplicasCeiling = 100'000;
constexpr int kMaxWarmupRate = 100'000;

// Everything arrives as text, so that each wrong value gets our sentence and not the library's.
struct Raw {
  std::vector<std::string> namespaces;
  std::vector<std::string> replica_labels;
  std::string max_replicas_limit;
  std::string workers;
  std::string warmup_rate;
  std::string log_format;
  std::string log_level;
  ReplicaTexts replica;
};

po::options_description describe_flags(Options& options, Raw& raw) {
  po::options_description flags("scaledcache controller");
  const auto text = [](std::string* target) {
    return po::value<std::string>(target)->value_name("TEXT");
  };
  const auto list = [](std::vector<std::string>* target) {
    return po::value<std::vector<std::string>>(target)->composing()->value_name("NAME");
  };
  flags.add_options()("help", "show this text")(
      "kubeconfig", text(&options.kubeconfig)->value_name("FILE"),
      "kubeconfig to use; default: the pod's service account, else $KUBECONFIG")(
      "context", text(&options.context)->value_name("NAME"),
      "context of the kubeconfig; default: its current-context")(
      "namespace", list(&raw.namespaces),
      "watch only this namespace (repeat for several); default: all")(
      "backend-url", text(&options.backend_url)->value_name("URL"),
      "Prometheus-compatible backend for resources that name none")(
      "backends-config", text(&options.backends_config)->value_name("FILE"),
      "named backends, for resources that say backend.name; read again when it changes")(
      "backend-matchers", text(&options.backend_matchers)->value_name("MATCHERS"),
      "matchers added to every counter query, such as cluster=\"prod-1\"")(
      "replica-labels", list(&raw.replica_labels),
      "labels that tell Prometheus replicas apart (repeat); default: prometheus_replica, replica, "
      "__replica__")("max-replicas-limit", text(&raw.max_replicas_limit)->value_name("N"),
                     "no target grows beyond this; default: 1000")(
      "workers", text(&raw.workers)->value_name("N"), "resources worked on at once; default: 16")(
      "warmup-requests-per-second", text(&raw.warmup_rate)->value_name("N"),
      "requests that all warm-ups together may send; default: 100")(
      "listen-address", text(&options.listen_address)->value_name("HOST:PORT"),
      "where /metrics, /healthz and /readyz are served; default: 0.0.0.0:8080")(
      "log-format", text(&raw.log_format)->value_name("json|text"), "default: json")(
      "log-level", text(&raw.log_level)->value_name("debug|info|warn|error"), "default: info")(
      "development", po::bool_switch(&options.development),
      "allow backends on loopback addresses; never use it in a cluster");
  describe_replica_flags(flags, options.leader, options.webhook, raw.replica);
  describe_page_flags(flags, options.page);
  return flags;
}

// SCALEDCACHE_BACKEND_URL is --backend-url, and so on; lists are comma separated.
std::string flag_of(std::string_view variable) {
  std::string flag(variable.substr(kPrefix.size()));
  std::transform(flag.begin(), flag.end(), flag.begin(), [](unsigned char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(c));
  });
  return flag;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) {
      parts.emplace_back(list.substr(0, comma));
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parts;
}

bool is_list(std::string_view flag) {
  return flag == "namespace" || flag == "replica-labels";
}

// Words that belong to no flag: the library's own error would not name them.
void take_out_words(po::parsed_options& parsed, std::vector<std::string>& problems) {
  std::erase_if(parsed.options, [&](const po::option& option) {
    const bool is_word = option.position_key >= 0;
    if (is_word) {
      problems.push_back("\"" + option.value.front() +
                         "\" is no flag; `scaledcache controller --help` lists the flags");
    }
    return is_word;
  });
}

void add_environment(const Environment& environment,
                     const po::options_description& flags,
                     po::variables_map& found,
                     std::vector<std::string>& problems) {
  po::parsed_options parsed(&flags);
  for (const auto& [variable, value] : environment) {
    if (!variable.starts_with(kPrefix)) {
      continue;
    }
    const std::string flag = flag_of(variable);
    const po::option_description* known = flags.find_nothrow(flag, false);
    if (known == nullptr || flag == "help") {
      continue;  // other tools of the project have variables with this prefix too
    }
    if (known->semantic()->max_tokens() == 0) {
      if (value != "true" && value != "false") {
        problems.push_back(fmt::format("{}=\"{}\": use true or false", variable, value));
      } else if (value == "true") {
        parsed.options.emplace_back(flag, std::vector<std::string>{"true"});
      }
      continue;
    }
    parsed.options.emplace_back(flag,
                                is_list(flag) ? split(value) : std::vector<std::string>{value});
  }
  po::store(parsed, found);
}

void read_number(const std::string& text,
                 const char* flag,
                 int max,
                 int& target,
                 std::vector<std::string>& problems) {
  if (text.empty()) {
    return;
  }
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 1 || number > max) {
    problems.push_back(std::string(flag) + "=\"" + text + "\": use a whole number from 1 to " +
                       std::to_string(max));
    return;
  }
  target = number;
}

void read_raw(const Raw& raw, Options& options, std::vector<std::string>& problems) {
  read_number(raw.max_replicas_limit, "--max-replicas-limit", kMaxReplicasCeiling,
              options.max_replicas_limit, problems);
  read_number(raw.workers, "--workers", kMaxWorkers, options.workers, problems);
  read_number(raw.warmup_rate, "--warmup-requests-per-second", kMaxWarmupRate,
              options.warmup_requests_per_second, problems);
  read_replica_flags(raw.replica, options.leader, problems);
  options.namespaces = raw.namespaces;
  if (!raw.replica_labels.empty()) {
    options.replica_labels = raw.replica_labels;
  }
  if (raw.log_format == "text") {
    options.log_format = LogFormat::Text;
  } else if (!raw.log_format.empty() && raw.log_format != "json") {
    problems.push_back("--log-format=\"" + raw.log_format + "\": use json or text");
  }
  constexpr std::string_view kLevels[] = {"debug", "info", "warn", "error"};
  const auto* level = std::find(std::begin(kLevels), std::end(kLevels), raw.log_level);
  if (level != std::end(kLevels)) {
    options.log_level = static_cast<LogLevel>(level - std::begin(kLevels));
  } else if (!raw.log_level.empty()) {
    problems.push_back("--log-level=\"" + raw.log_level + "\": use debug, info, warn or error");
  }
}

bool is_dns_label(std::string_view name) {
  const auto plain = [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0; };
  return !name.empty() && name.size() <= 63 && plain(static_cast<unsigned char>(name.front())) &&
         plain(static_cast<unsigned char>(name.back())) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return plain(static_cast<unsigned char>(c)) || c == '-'; });
}

Error unknown_flag(const std::string& argument, const po::options_description& flags) {
  const std::string typed = argument.substr(0, argument.find('='));
  std::vector<std::string_view> names;
  for (const auto& option : flags.options()) {
    names.emplace_back(option->long_name());
  }
  const std::size_t dashes = std::min(typed.find_first_not_of('-'), typed.size());
  const std::string near = nearest(typed.substr(dashes), names);
  return Error{ErrorCode::Invalid, typed + " is no flag of controller" +
                                       (near.empty() ? "" : "; did you mean --" + near + "?") +
                                       "; `scaledcache controller --help` lists the flags"};
}

Error all_of_them(const std::vector<std::string>& problems) {
  std::string message;
  for (const std::string& problem : problems) {
    message += (message.empty() ? "" : "\n") + problem;
  }
  return Error{ErrorCode::Invalid, std::move(message)};
}

}  // namespace

std::vector<std::string> validate(const Options& options) {
  std::vector<std::string> problems;
  if (!options.backend_url.empty()) {
    if (const auto url = http::parse_url(options.backend_url); !url) {
      problems.push_back("--backend-url: " + url.error().message);
    }
  }
  if (const auto matchers = k8s::parse_label_matchers(options.backend_matchers); !matchers) {
    problems.push_back("--backend-matchers: " + matchers.error().message);
  }
  for (const std::string& name : options.namespaces) {
    if (!is_dns_label(name)) {
      problems.push_back("--namespace=\"" + name +
                         "\": use the name of a namespace (lower-case letters, digits and -)");
    }
  }
  if (!is_host_and_port(options.listen_address)) {
    problems.push_back("--listen-address=\"" + options.listen_address +
                       "\": use HOST:PORT, such as 0.0.0.0:8080");
  }
  validate_replicas(options.leader, options.webhook, problems);
  validate_page(options.page, problems);
  return problems;
}

Environment read_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view pair(*entry);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos) {
      environment.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    }
  }
  return environment;
}

Result<Options> parse_options(std::span<const std::string> arguments,
                              const Environment& environment) {
  Options options;
  Raw raw;
  std::vector<std::string> problems;
  const po::options_description flags = describe_flags(options, raw);
  try {
    po::variables_map found;
    po::parsed_options parsed =
        po::command_line_parser(std::vector<std::string>(arguments.begin(), arguments.end()))
            .options(flags)
            .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing)
            .run();
    take_out_words(parsed, problems);
    po::store(parsed, found);
    add_environment(environment, flags, found, problems);
    po::notify(found);
  } catch (const po::unknown_option& error) {
    return unknown_flag(error.get_option_name(), flags);
  } catch (const po::error& error) {
    return Error{ErrorCode::Invalid,
                 std::string(error.what()) + "; `scaledcache controller --help` lists the flags"};
  }
  read_raw(raw, options, problems);
  const std::vector<std::string> senseless = validate(options);
  problems.insert(problems.end(), senseless.begin(), senseless.end());
  if (!problems.empty()) {
    return all_of_them(problems);
  }
  return options;
}

std::vector<FlagText> controller_flags() {
  Options options;
  Raw raw;
  const po::options_description description = describe_flags(options, raw);
  std::vector<FlagText> flags;
  for (const auto& option : description.options()) {
    const bool is_switch = option->semantic()->max_tokens() == 0;
    flags.push_back(
        {option->long_name(), is_switch ? "" : option->semantic()->name(), option->description()});
  }
  return flags;
}

}  // namespace scaledcache::controller
