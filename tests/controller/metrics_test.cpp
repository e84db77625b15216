#include "controller/metrics.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("a counter of every reason and every error code is there from the start, at zero") {
  Metrics metrics("0.1.0");
  const std::string text = metrics.scrape();
  for (const core::Reason reason : core::kAllReasons) {
    const std::string name(core::name_of(reason));
    CHECK_MESSAGE(has_line(text, "scaledcache_decisions_total{reason=\"" + name + "\"} 0"), name);
  }
  for (const ErrorCode code : kAllErrorCodes) {
    const std::string name(scaledcache::name_of(code));
    CHECK_MESSAGE(has_line(text, "scaledcache_errors_total{code=\"" + name + "\"} 0"), name);
  }
  CHECK(has_line(text, "scaledcache_build_info{version=\"0.1.0\"} 1"));
}

TEST_CASE("the gauges of a ScaledCache come with it and go with it") {
  Metrics metrics("0.1.0");
  metrics.set_replicas("blog/web", 2, 8);
  metrics.set_rate("blog/web", 1150);
  std::string text = metrics.scrape();
  CHECK(has_line(text, "scaledcache_current_replicas{name=\"web\",namespace=\"blog\"} 2"));
  CHECK(has_line(text, "scaledcache_desired_replicas{name=\"web\",namespace=\"blog\"} 8"));
  metrics.forget("blog/web");
  CHECK(metrics.scrape().find("namespace=\"blog\"") == std::string::npos);
}

TEST_CASE("gauges that somebody else keeps are read at each scrape") {
  Metrics metrics("0.1.0");
  double depth = 3;
  metrics.add_gauge("scaledcache_queue_depth", "help", "", "", [&] { return depth; });
  CHECK(has_line(metrics.scrape(), "scaledcache_queue_depth 3"));
  depth = 4;
  CHECK(has_line(metrics.scrape(), "scaledcache_queue_depth 4"));
}

TEST_CASE("what is counted shows") {
  Metrics metrics("0.1.0");
  metrics.count_decision(core::Reason::Grow);
  metrics.count_error(ErrorCode::Timeout);
  metrics.count_write("scale");
  metrics.observe_query(std::chrono::milliseconds{12});
  const std::string text = metrics.scrape();
  CHECK(has_line(text, "scaledcache_decisions_total{reason=\"Grow\"} 1"));
  CHECK(has_line(text, "scaledcache_errors_total{code=\"Timeout\"} 1"));
  CHECK(has_line(text, "scaledcache_api_writes_total{kind=\"scale\"} 1"));
  CHECK(has_line(text, "scaledcache_backend_query_duration_seconds_count 1"));
}

}  // namespace
}  // namespace scaledcache::controller
