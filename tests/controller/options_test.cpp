#include "controller/options.h"

#include <set>

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

Result<Options> parse(std::vector<std::string> arguments, const Environment& environment = {}) {
  return parse_options(arguments, environment);
}

TEST_CASE("without flags everything has its default") {
  const auto options = parse({});
  REQUIRE(options);
  CHECK(options->workers == 16);
  CHECK(options->warmup_requests_per_second == 100);
  CHECK(options->listen_address == "0.0.0.0:8080");
  CHECK(options->log_format == LogFormat::Json);
  CHECK_FALSE(options->development);
}

TEST_CASE("a flag beats the environment, the environment beats the default") {
  const Environment environment{{"SCALEDCACHE_BACKEND_URL", "http://from-environment:8428"},
                                {"SCALEDCACHE_WORKERS", "3"},
                                {"SCALEDCACHE_NAMESPACE", "a,b"}};
  const auto options = parse({"--backend-url=http://from-flag:9090"}, environment);
  REQUIRE(options);
  CHECK(options->backend_url == "http://from-flag:9090");
  CHECK(options->workers == 3);
  CHECK(options->namespaces == std::vector<std::string>{"a", "b"});
}

TEST_CASE("lists may be repeated") {
  const auto options = parse({"--namespace", "blog", "--namespace", "shop"});
  REQUIRE(options);
  CHECK(options->namespaces == std::vector<std::string>{"blog", "shop"});
}

TEST_CASE("a wrong value is named with its flag and what is allowed") {
  struct Row {
    const char* name;
    std::vector<std::string> arguments;
    const char* sentence;
  };

  for (const Row& row :
       {Row{"no such flag", {"--backend"}, "--backend"}, Row{"a stray word", {"blog"}, "blog"},
        Row{"workers 0", {"--workers=0"}, "--workers=\"0\": use a whole number from 1 to 256"},
        Row{"workers text", {"--workers=many"}, "--workers=\"many\""},
        Row{"no warm-up requests at all",
            {"--warmup-requests-per-second=0"},
            "--warmup-requests-per-second=\"0\": use a whole number from 1"},
        Row{"log format", {"--log-format=xml"}, "--log-format=\"xml\": use json or text"},
        Row{"log level", {"--log-level=loud"}, "use debug, info, warn or error"},
        Row{"a backend that is no URL", {"--backend-url=ftp://x"}, "--backend-url"},
        Row{"a namespace in capitals", {"--namespace=Blog"}, "--namespace=\"Blog\""},
        Row{"no port", {"--listen-address=0.0.0.0"}, "--listen-address=\"0.0.0.0\": use HOST:PORT"},
        Row{"a lease of half a second", {"--lease-duration=10500ms"}, "use whole seconds"},
        Row{"a time that is none", {"--lease-retry-period=soon"}, "use a time such as 15s"},
        Row{"a deadline behind the end", {"--lease-renew-deadline=15s"}, "must be longer than"},
        Row{"a period too long", {"--lease-retry-period=9s"}, "must be longer than"},
        Row{"a lease's name in capitals", {"--lease-name=Mine"}, "--lease-name=\"Mine\""},
        Row{"no port of the webhook", {"--webhook-address=x"}, "--webhook-address=\"x\""},
        Row{"no name of a Secret", {"--webhook-secret=a/b"}, "--webhook-secret=\"a/b\""},
        Row{"a port that is none", {"--listen-address=:99999"}, "--listen-address"}}) {
    SUBCASE(row.name) {
      const auto options = parse(row.arguments);
      REQUIRE_FALSE(options);
      CHECK(options.error().code == ErrorCode::Invalid);
      CHECK_MESSAGE(options.error().message.find(row.sentence) != std::string::npos,
                    options.error().message);
    }
  }
}

TEST_CASE("several replicas and the webhook have flags of their own") {
  const auto options = parse({"--leader-elect", "--lease-duration=9s", "--lease-renew-deadline=6s",
                              "--lease-retry-period=1500ms", "--lease-namespace=ops",
                              "--webhook-address=0.0.0.0:9443", "--webhook-cert-dir=/certs"});
  REQUIRE(options);
  CHECK(options->leader.elect);
  CHECK(options->leader.timing.duration == std::chrono::seconds{9});
  CHECK(options->leader.timing.renew_deadline == std::chrono::seconds{6});
  CHECK(options->leader.timing.retry_period == std::chrono::milliseconds{1500});
  CHECK(options->leader.lease_namespace == "ops");
  CHECK(options->leader.lease_name == "scaledcache");
  CHECK(options->webhook.enabled());
  CHECK(options->webhook.certificate_directory == "/certs");
  CHECK_FALSE(parse({})->webhook.enabled());
  CHECK_FALSE(parse({})->leader.elect);
  CHECK(parse({}, {{"SCALEDCACHE_LEADER_ELECT", "true"}})->leader.elect);
}

TEST_CASE("all problems are told at once") {
  const auto options = parse({"--workers=0", "--log-level=loud"});
  REQUIRE_FALSE(options);
  CHECK(options.error().message.find("--workers") != std::string::npos);
  CHECK(options.error().message.find("--log-level") != std::string::npos);
}

TEST_CASE("a wrong value in the environment is named by its variable or flag") {
  const auto options = parse({}, {{"SCALEDCACHE_DEVELOPMENT", "maybe"}});
  REQUIRE_FALSE(options);
  CHECK(options.error().message.find("SCALEDCACHE_DEVELOPMENT=\"maybe\": use true or false") !=
        std::string::npos);
}

TEST_CASE("a mistyped flag is led back to the one that was meant") {
  const auto options = parse({"--backend-ulr=http://prometheus:9090"});
  REQUIRE_FALSE(options);
  CHECK(options.error().message.find("did you mean --backend-url?") != std::string::npos);
}

TEST_CASE("every flag is told with its value and a sentence") {
  std::set<std::string> names;
  for (const FlagText& flag : controller_flags()) {
    CAPTURE(flag.name);
    CHECK(!flag.help.empty());
    names.insert(flag.name);
  }
  for (const char* flag : {"kubeconfig", "context", "namespace", "backend-url", "backend-matchers",
                           "max-replicas-limit", "workers", "listen-address", "log-format",
                           "log-level", "development"}) {
    CHECK_MESSAGE(names.contains(flag), flag);
  }
}

TEST_CASE("the page is off, open to loopback alone, or asks for a token") {
  CHECK_FALSE(parse({})->page.enabled());

  struct Row {
    const char* name;
    std::vector<std::string> flags;
    const char* problem;  // "": none
  };

  for (const Row& row : {
           Row{"loopback", {"--page-address=127.0.0.1:8081"}, ""},
           Row{"another address of loopback", {"--page-address=127.9.0.1:8081"}, ""},
           Row{"loopback by IPv6", {"--page-address=[::1]:8081"}, ""},
           Row{"anywhere with a token",
               {"--page-address=0.0.0.0:8081", "--page-token-file=/token"},
               ""},
           Row{"anywhere without one",
               {"--page-address=0.0.0.0:8081"},
               "without --page-token-file only a loopback address is allowed"},
           Row{"every address", {"--page-address=:8081"}, "without --page-token-file only"},
           Row{"an IPv4 address inside IPv6",
               {"--page-address=[::ffff:127.0.0.1]:8081"},
               "without --page-token-file only"},
           Row{"no port", {"--page-address=127.0.0.1"}, "use HOST:PORT, such as 127.0.0.1:8081"},
           Row{"a token for nothing", {"--page-token-file=/token"}, "needs --page-address"},
       }) {
    SUBCASE(row.name) {
      const auto options = parse(row.flags);
      CHECK(static_cast<bool>(options) == std::string_view(row.problem).empty());
      if (!options) {
        CHECK(options.error().message.find(row.problem) != std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace scaledcache::controller
