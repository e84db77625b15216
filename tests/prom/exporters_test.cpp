// Each preset against what its exporter writes, in the text exposition format: the requests are
// found once, and neither totals nor the exporter's own pages are counted with them.
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "prom/presets.h"

namespace scaledcache::prom {
namespace {

struct ExposedSeries {
  std::string metric;
  std::map<std::string, std::string> labels;
  double value = 0;
};

// `name{label="value",…} 1.5e+06`, without time stamps and escapes.
std::vector<ExposedSeries> exposed(const std::string& file) {
  const std::string path = std::string(SCALEDCACHE_SOURCE_DIR) + "/tests/prom/exporters/" + file;
  std::ifstream text(path);
  REQUIRE_MESSAGE(text.good(), path);
  const std::regex shape(R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\S+))re");
  const std::regex label(R"re(([a-zA-Z_][a-zA-Z0-9_]*)="([^"]*)",?)re");
  std::vector<ExposedSeries> all;
  for (std::string line; std::getline(text, line);) {
    std::smatch parts;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    REQUIRE_MESSAGE(std::regex_match(line, parts, shape), line);
    ExposedSeries series{parts[1], {}, std::stod(parts[4])};
    const std::string labels = parts[3];
    for (std::sregex_iterator at(labels.begin(), labels.end(), label), end; at != end; ++at) {
      series.labels[(*at)[1]] = (*at)[2];
    }
    all.push_back(std::move(series));
  }
  return all;
}

// As PromQL has it: an absent label is an empty one, and expressions are anchored.
bool matches(const ExposedSeries& series, const Matcher& matcher) {
  const auto found = series.labels.find(matcher.label);
  const std::string value = found == series.labels.end() ? "" : found->second;
  const bool equal = matcher.op.find('~') == std::string::npos
                         ? value == matcher.value
                         : std::regex_match(value, std::regex(matcher.value));
  return equal == (matcher.op == "=" || matcher.op == "=~");
}

struct Found {
  int series = 0;
  double sum = 0;

  bool operator==(const Found&) const = default;
};

Found find(const std::vector<ExposedSeries>& all, const std::string& metric, const Matchers& by) {
  Found found;
  for (const ExposedSeries& series : all) {
    bool wanted = series.metric == metric;
    for (const Matcher& matcher : by) {
      wanted = wanted && matches(series, matcher);
    }
    found.series += wanted ? 1 : 0;
    found.sum += wanted ? series.value : 0;
  }
  return found;
}

Found find_all(const std::vector<ExposedSeries>& all, const std::vector<SaturationTerm>& wanted) {
  Found found;
  for (const SaturationTerm& one : wanted) {
    const Found part = find(all, one.metric, one.matchers);
    CHECK_MESSAGE(part.series > 0, one.metric);
    found.series += part.series;
    found.sum += part.sum;
  }
  return found;
}

struct Row {
  const char* preset;
  const char* file;
  Found requests;
  double hits;
  double lookups;
  double origin;
  double saturation;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"Varnish", "varnish.txt", {1, 1'300'007}, 1'234'500, 1'300'000, 120, 15},
      {"Nginx", "nginx.txt", {1, 98'765}, 0, 0, 0, 10},
      {"NginxPlus", "nginxplus.txt", {1, 11'000}, 10'020, 10'570, 0, 13},
      {"NginxVTS", "nginxvts.txt", {5, 10'000}, 8'009, 8'739, 0, 0},
      {"NginxVTS", "nginxvts-total.txt", {5, 10'000}, 8'009, 8'739, 0, 0},
      {"Envoy", "envoy.txt", {2, 8'505}, 7'000, 8'200, 0, 11},
      {"HAProxy", "haproxy.txt", {2, 10'000}, 8'000, 9'000, 0, 4},
      {"Traefik", "traefik.txt", {4, 8'050}, 0, 0, 0, 0},
      {"Squid", "squid.txt", {1, 10'000}, 7'500, 10'000, 2'400, 0},
      {"TrafficServer", "trafficserver.txt", {1, 10'000}, 7'110, 9'000, 1'890, 0},
      {"Redis", "redis.txt", {1, 10'000}, 8'000, 9'000, 0, 6},
      {"Memcached", "memcached.txt", {2, 10'000}, 8'000, 10'000, 0, 8},
  };
  return all;
}

TEST_CASE("a preset finds the requests of its cache once, with what was hit, fetched, refused") {
  for (const Row& row : rows()) {
    SUBCASE(row.file) {
      const std::vector<ExposedSeries> all = exposed(row.file);
      const Preset& preset = *find_preset(row.preset);
      CHECK(find(all, preset.metric, preset.matchers) == row.requests);
      CHECK(find_all(all, preset.hits).sum == row.hits);
      CHECK(find_all(all, preset.lookups).sum == row.lookups);
      CHECK(find_all(all, preset.origin).sum == row.origin);
      double refused = 0;
      for (const SaturationTerm& term : preset.saturation) {
        const Found found = find(all, term.metric, term.matchers);
        CHECK_MESSAGE(found.series > 0, term.metric);
        refused += term.subtracted ? -found.sum : found.sum;
      }
      CHECK(refused == row.saturation);
    }
  }
}

TEST_CASE("every preset is held against an exporter") {
  for (const Preset& preset : presets()) {
    CAPTURE(preset.name);
    int seen = 0;
    for (const Row& row : rows()) {
      seen += row.preset == preset.name ? 1 : 0;
    }
    CHECK(seen > 0);
  }
}

TEST_CASE("series of two terms of one preset never have equal labels, so that a union keeps both") {
  for (const Row& row : rows()) {
    CAPTURE(row.file);
    const std::vector<ExposedSeries> all = exposed(row.file);
    std::map<std::map<std::string, std::string>, std::string> seen;
    for (const SaturationTerm& term : find_preset(row.preset)->saturation) {
      for (const ExposedSeries& series : all) {
        if (!term.subtracted && series.metric == term.metric) {
          const auto [at, is_new] = seen.emplace(series.labels, term.metric);
          CHECK((is_new || at->second == term.metric));
        }
      }
    }
  }
}

TEST_CASE("a preset's uptime is one number of each exporter") {
  for (const Row& row : rows()) {
    const Preset& preset = *find_preset(row.preset);
    if (preset.uptime.empty()) {
      continue;
    }
    CAPTURE(row.file);
    CHECK(find(exposed(row.file), preset.uptime, {}) == Found{1, 3600});
  }
}

}  // namespace
}  // namespace scaledcache::prom
