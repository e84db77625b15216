#include "prom/selector.h"

#include <regex>

#include <doctest/doctest.h>

namespace scaledcache::prom {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST_CASE("a selector carries the metric, every matcher and the window") {
  const Matchers matchers{{"host", "=", "*"}, {"code", "!~", "5.."}};
  CHECK(instant_selector("nginx_requests", {}).value() == "nginx_requests{}");
  CHECK(range_selector("nginx_requests", matchers, seconds(70)).value() ==
        R"(nginx_requests{host="*",code!~"5.."}[70s])");
  CHECK(rate_query("job:requests:sum", {}, Milliseconds(2500)).value() ==
        "sum(rate(job:requests:sum{}[2500ms]))");
}

TEST_CASE("a value cannot leave its quotes, whatever it holds") {
  struct Row {
    const char* name;
    std::string value;
    std::string want;
  };

  const Row rows[] = {
      {"a quote and a brace", R"("} or up{x=")", R"("\"} or up{x=\"")"},
      {"a backslash at the end", R"(\)", R"("\\")"},
      {"a regular expression", R"(a\.b)", R"("a\\.b")"},
      {"line ends and a zero byte", std::string("a\r\n\0b", 5), R"("a\x0d\x0a\x00b")"},
      {"text beyond ASCII stays", "\xc3\xa4", "\"\xc3\xa4\""},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CHECK(instant_selector("m", {{"l", "=", row.value}}).value() == "m{l=" + row.want + "}");
    }
  }
}

TEST_CASE("names and operators that are none are refused with a sentence") {
  struct Row {
    const char* name;
    std::string metric;
    Matcher matcher;
    std::string says;
  };

  const Row rows[] = {
      {"no metric", "", {"l", "=", ""}, "metric"},
      {"a metric that starts with a digit", "5xx", {"l", "=", ""}, "metric"},
      {"a metric with a brace", "m{}", {"l", "=", ""}, "metric"},
      {"a metric with a blank", "m or up", {"l", "=", ""}, "metric"},
      {"no label", "m", {"", "=", ""}, "label"},
      {"a label with a colon", "m", {"a:b", "=", ""}, "label"},
      {"a label that closes the selector", "m", {"a=\"\"} or up{b", "=", ""}, "label"},
      {"the metric's name as a label", "m", {"__name__", "=", "up"}, "__name__"},
      {"no operator", "m", {"l", "", ""}, "operator"},
      {"another operator", "m", {"l", "==", ""}, "operator"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto selector = instant_selector(row.metric, {row.matcher});
      REQUIRE_FALSE(selector.has_value());
      CHECK(selector.error().code == ErrorCode::Invalid);
      CHECK(selector.error().message.find(row.says) != std::string::npos);
    }
  }
}

TEST_CASE("the pattern of a workload matches the names Kubernetes gives its pods, and no others") {
  const std::string long_name(50, 'n');
  const std::string longest_name(63, 'n');

  struct Row {
    const char* name;
    std::string kind;
    std::string workload;
    std::string pod;
    bool matches;
  };

  const Row rows[] = {
      {"a Deployment's pod", "Deployment", "varnish-burst", "varnish-burst-6c5d8f7b9c-x2x4v", true},
      {"another Deployment's pod", "Deployment", "varnish", "varnish-burst-6c5d8f7b9c-x2x4v",
       false},
      {"a dot is a dot", "Deployment", "a.b", "axb-6c5d8f7b9c-x2x4v", false},
      {"a name with a dot", "Deployment", "a.b", "a.b-6c5d8f7b9c-x2x4v", true},
      {"a name whose hash is cut", "Deployment", long_name, long_name + "-6c5d8f7x2x4v", true},
      {"a name that is cut itself", "Deployment", longest_name, std::string(58, 'n') + "x2x4v",
       true},
      {"a StatefulSet's pod", "StatefulSet", "cache", "cache-10", true},
      {"a StatefulSet has numbers", "StatefulSet", "cache", "cache-x2x4v", false},
      {"a DaemonSet's pod", "DaemonSet", "varnish", "varnish-x2x4v", true},
      {"a DaemonSet has five letters", "DaemonSet", "varnish", "varnish-x2x4vv", false},
      {"a long DaemonSet name", "DaemonSet", longest_name, std::string(58, 'n') + "x2x4v", true},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      // PromQL anchors its patterns, as regex_match does.
      const std::regex pattern(pod_name_pattern(row.kind, row.workload));
      CHECK(std::regex_match(row.pod, pattern) == row.matches);
    }
  }
  CHECK(pod_name_pattern("Deployment", "varnish-burst") == "varnish-burst-[a-z0-9]+-[a-z0-9]{5}");
  CHECK(pod_name_pattern("CloneSet", "varnish").empty());
}

TEST_CASE("the scope is what the operator says, the namespace and the pods") {
  Scope scope{.operator_matchers = {{"cluster", "=", "prod-1"}},
              .namespace_name = "blog",
              .pod_pattern = "varnish-[0-9]+"};
  CHECK(scope_matchers(scope) == Matchers{{"cluster", "=", "prod-1"},
                                          {"namespace", "=", "blog"},
                                          {"pod", "=~", "varnish-[0-9]+"}});
  scope.pod_label = "";
  scope.namespace_label = "kubernetes_namespace";
  CHECK(scope_matchers(scope) ==
        Matchers{{"cluster", "=", "prod-1"}, {"kubernetes_namespace", "=", "blog"}});
  scope.namespace_label = "";
  scope.pod_label = "exported_pod";
  scope.pod_pattern = "";
  CHECK(scope_matchers(scope) == Matchers{{"cluster", "=", "prod-1"}});
}

TEST_CASE("a user's matcher replaces the preset's for its label, and never the scope's") {
  const Matchers preset{{"host", "=", "*"}, {"command", "=", "get"}};
  const Matchers scope{{"namespace", "=", "blog"}};
  CHECK(merge_matchers(preset, {}, scope) ==
        Matchers{{"host", "=", "*"}, {"command", "=", "get"}, {"namespace", "=", "blog"}});
  CHECK(merge_matchers(preset, {{"host", "!=", "a"}, {"host", "!=", "b"}}, scope) ==
        Matchers{{"command", "=", "get"},
                 {"host", "!=", "a"},
                 {"host", "!=", "b"},
                 {"namespace", "=", "blog"}});
  CHECK(merge_matchers({}, {{"namespace", "=~", ".*"}}, scope) ==
        Matchers{{"namespace", "=~", ".*"}, {"namespace", "=", "blog"}});
  CHECK(merge_matchers({}, {{"namespace", "=", "blog"}}, scope) == scope);
}

TEST_CASE("$window becomes the window wherever it stands as a word") {
  CHECK(substitute_window("sum(rate(m[$window])) / $window_of + rate(n[$window]", seconds(30)) ==
        "sum(rate(m[30s])) / $window_of + rate(n[30s]");
  CHECK(substitute_window("up", seconds(30)) == "up");
  CHECK(substitute_window("$window", minutes(5)) == "300s");
}

TEST_CASE("durations are whole, since PromQL knows no fractions") {
  CHECK(promql_duration(seconds(90)) == "90s");
  CHECK(promql_duration(Milliseconds(2500)) == "2500ms");
  CHECK(promql_duration(Milliseconds(0)) == "1ms");
  CHECK(promql_duration(Milliseconds(-5)) == "1ms");
}

}  // namespace
}  // namespace scaledcache::prom
