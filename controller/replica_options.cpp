#include "controller/replica_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include <boost/program_options.hpp>

#include "base/duration.h"

namespace scaledcache::controller {
namespace {

namespace po = boost::program_options;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMaxName = 253;

bool is_object_name(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= kMaxName && plain(name.front()) && plain(name.back()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return plain(c) || c == '-' || c == '.'; });
}

void check_name(const char* flag, const std::string& name, std::vector<std::string>& problems) {
  if (!is_object_name(name)) {
    problems.push_back(std::string(flag) + "=\"" + name +
                       "\": use the name of an object (lower-case letters, digits, - and .)");
  }
}

void read_time(const std::string& text,
               const char* flag,
               milliseconds& target,
               std::vector<std::string>& problems) {
  if (text.empty()) {
    return;
  }
  const auto duration = parse_duration(text);
  if (!duration || duration->count() <= 0) {
    problems.push_back(std::string(flag) + "=\"" + text + "\": use a time such as 15s");
    return;
  }
  target = *duration;
}

}  // namespace

bool is_host_and_port(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) {
    return false;
  }
  const std::string_view port = address.substr(colon + 1);
  int number = -1;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc{} && end == port.data() + port.size() && number >= 0 && number <= 65535;
}

void describe_replica_flags(po::options_description& flags,
                            LeaderOptions& leader,
                            WebhookOptions& webhook,
                            ReplicaTexts& texts) {
  const auto text = [](std::string* target, const char* what) {
    return po::value<std::string>(target)->value_name(what);
  };
  flags.add_options()("leader-elect", po::bool_switch(&leader.elect),
                      "of several replicas let one decide and write, by a Lease")(
      "lease-name", text(&leader.lease_name, "NAME"), "name of the Lease; default: scaledcache")(
      "lease-namespace", text(&leader.lease_namespace, "NAME"),
      "namespace of the Lease; default: the operator's own")(
      "lease-duration", text(&texts.duration, "TIME"),
      "how long others wait after the leader's last sign of life; default: 15s")(
      "lease-renew-deadline", text(&texts.renew_deadline, "TIME"),
      "how long the leader writes without a renewal; default: 10s")(
      "lease-retry-period", text(&texts.retry_period, "TIME"),
      "time between two attempts; default: 2s")(
      "webhook-address", text(&webhook.address, "HOST:PORT"),
      "where the webhook that adds the readiness gate is served; default: nowhere")(
      "webhook-secret", text(&webhook.secret, "NAME"),
      "Secret of the webhook's certificates; default: scaledcache-webhook")(
      "webhook-configuration", text(&webhook.configuration, "NAME"),
      "MutatingWebhookConfiguration to publish them in; default: scaledcache-webhook")(
      "webhook-service", text(&webhook.service, "NAME"),
      "Service by which the API server calls the webhook; default: scaledcache-webhook")(
      "webhook-cert-dir", text(&webhook.certificate_directory, "DIR"),
      "use tls.crt and tls.key of this directory instead; the operator then writes neither");
}

void read_replica_flags(const ReplicaTexts& texts,
                        LeaderOptions& leader,
                        std::vector<std::string>& problems) {
  milliseconds duration = leader.timing.duration;
  read_time(texts.duration, "--lease-duration", duration, problems);
  if (duration % seconds{1} != milliseconds{0}) {
    problems.push_back("--lease-duration=\"" + texts.duration + "\": use whole seconds");
  }
  leader.timing.duration = std::chrono::duration_cast<seconds>(duration);
  read_time(texts.renew_deadline, "--lease-renew-deadline", leader.timing.renew_deadline, problems);
  read_time(texts.retry_period, "--lease-retry-period", leader.timing.retry_period, problems);
}

void validate_replicas(const LeaderOptions& leader,
                       const WebhookOptions& webhook,
                       std::vector<std::string>& problems) {
  const k8s::LeaseTiming& timing = leader.timing;
  if (timing.duration <= timing.renew_deadline ||
      timing.renew_deadline * 5 <= timing.retry_period * 6) {
    problems.push_back(
        "--lease-duration must be longer than --lease-renew-deadline, and that longer than 1.2 "
        "times --lease-retry-period");
  }
  check_name("--lease-name", leader.lease_name, problems);
  if (!leader.lease_namespace.empty()) {
    check_name("--lease-namespace", leader.lease_namespace, problems);
  }
  if (webhook.enabled() && !is_host_and_port(webhook.address)) {
    problems.push_back("--webhook-address=\"" + webhook.address +
                       "\": use HOST:PORT, such as 0.0.0.0:9443");
  }
  check_name("--webhook-secret", webhook.secret, problems);
  check_name("--webhook-configuration", webhook.configuration, problems);
  check_name("--webhook-service", webhook.service, problems);
}

}  // namespace scaledcache::controller
