// docs/decision.md says what the code does: every table of numbers in it is read and compared.
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/duration.h"
#include "core/builders.h"
#include "core/constants.h"

namespace scaledcache::core::test {
namespace {

using Row = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" `");
  const std::size_t last = text.find_last_not_of(" `");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Row cells(const std::string& line) {
  Row row;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    row.push_back(trimmed(cell));
  }
  return row;
}

std::vector<std::string> lines() {
  std::ifstream file(std::string(SCALEDCACHE_SOURCE_DIR) + "/docs/decision.md");
  REQUIRE(file);
  std::vector<std::string> result;
  for (std::string line; std::getline(file, line);) {
    result.push_back(line);
  }
  return result;
}

// The rows below the header that begins with `first` and `second`.
std::vector<Row> table(const std::string& first, const std::string& second) {
  std::vector<Row> rows;
  bool inside = false;
  for (const std::string& line : lines()) {
    if (!line.starts_with('|')) {
      inside = false;
      continue;
    }
    const Row row = cells(line);
    if (inside && !row[0].starts_with("---")) {
      rows.push_back(row);
    }
    inside = inside || (row.size() > 1 && row[0] == first && row[1] == second);
  }
  REQUIRE_FALSE(rows.empty());
  return rows;
}

std::string plain(double value) {
  std::ostringstream out;
  out.setf(std::ios::fixed);
  out.precision(6);
  out << value;
  std::string text = out.str();
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string text_of(Milliseconds value) {
  return format_duration(value);
}

using Values = std::map<std::string, std::string>;

// Each row is known and right, and nothing that is known is left out.
void compare(const std::vector<Row>& rows, const Values& known) {
  for (const Row& row : rows) {
    CAPTURE(row[0]);
    const auto found = known.find(row[0]);
    REQUIRE(found != known.end());
    CHECK(row[1] == found->second);
  }
  CHECK(rows.size() == known.size());
}

TEST_CASE("the defaults of the document are those of the policy") {
  const Policy p;
  const SignalPolicy s;
  compare(table("field", "default"),
          {{"minReplicas", plain(p.min_replicas)},
           {"pollInterval", text_of(p.poll_interval)},
           {"shortWindow", text_of(p.short_window)},
           {"longWindow", text_of(p.long_window)},
           {"cooldown", text_of(p.cooldown)},
           {"targetUtilizationPercent", plain(s.target_utilization_percent)},
           {"activationRate", plain(s.activation_rate)},
           {"scaleUp.tolerancePercent", plain(p.scale_up.tolerance_percent)},
           {"scaleUp.maxFactor", plain(p.scale_up.max_factor)},
           {"scaleUp.maxPods", plain(p.scale_up.max_pods)},
           {"scaleUp.lookAheadPercent", plain(p.scale_up.look_ahead_percent)},
           {"scaleUp.cooldown", text_of(p.scale_up.cooldown)},
           {"scaleDown.tolerancePercent", plain(p.scale_down.tolerance_percent)},
           {"scaleDown.stepPercent", plain(p.scale_down.step_percent)},
           {"scaleDown.interval", text_of(p.scale_down.interval)},
           {"scaleDown.patiencePercent", plain(p.scale_down.patience_percent)},
           {"scaleDown.outageHold", plain(p.scale_down.outage_hold)},
           {"failureGrace", text_of(p.failure_grace)},
           {"maxSampleAge (scrapes every 5 s)", text_of(max_sample_age_of(p, 5s))},
           {"maxSampleAge (scrapes every 30 s)", text_of(max_sample_age_of(p, 30s))}});
}

TEST_CASE("the constants of the document are those of the code") {
  compare(table("constant", "value"), {{"shortestInterval", text_of(kShortestInterval)},
                                       {"currentScrapes", plain(kCurrentScrapes)},
                                       {"judgedScrapes", plain(kJudgedScrapes)},
                                       {"standstillScrapes", plain(kStandstillScrapes)},
                                       {"serving", plain(kServing)},
                                       {"freshCoverage", plain(kFreshCoverage)},
                                       {"usableCoverage", plain(kUsableCoverage)},
                                       {"fallen", plain(kFallen)},
                                       {"partialGrowth", plain(kPartialGrowth)},
                                       {"freshShare", plain(kFreshShare)},
                                       {"gateArrivals", plain(kGateArrivals)},
                                       {"gateNoise", plain(kGateNoise)},
                                       {"noiseClip", plain(kNoiseClip)},
                                       {"noiseMemory", text_of(kNoiseMemory)},
                                       {"rampLevel", plain(kRampLevel)},
                                       {"leadWeight", plain(kLeadWeight)},
                                       {"firstLead", text_of(kFirstLead)},
                                       {"longestLead", text_of(kLongestLead)},
                                       {"saturationFactor", plain(kSaturationFactor)},
                                       {"saturatedShare", plain(kSaturatedShare)},
                                       {"saturatedTicks", plain(kSaturatedTicks)},
                                       {"surpriseCap", plain(kSurpriseCap)},
                                       {"headroomFactor", plain(kHeadroomFactor)},
                                       {"headroomCap", plain(kHeadroomCap)},
                                       {"riskMemory", text_of(kRiskMemory)},
                                       {"rolloutHold", text_of(kRolloutHold)},
                                       {"warmingLeads", plain(kWarmingLeads)},
                                       {"fightMemory", text_of(kFightMemory)},
                                       {"fightWrites", plain(static_cast<double>(kFightWrites))},
                                       {"fightGrowth", text_of(kFightGrowth)},
                                       {"epsilon", plain(kEpsilon)}});
}

TEST_CASE("the worked numbers of the document come out") {
  for (const Row& row : table("S", "req/s")) {
    REQUIRE(row.size() == 5);
    CAPTURE(row[0]);
    CAPTURE(row[1]);
    const int replicas = std::stoi(row[0]);
    const double rate = std::stod(row[1]);
    Play play(policy(), replicas);
    play.settle(replicas * 199.0);
    SignalReading reading = fresh(rate);
    if (rate == 0) {
      reading.delta = {0, replicas * 199.0, replicas * 199.0, replicas * 199.0};
    }
    const Decision decision = play.tick(reading);
    CHECK(decision.replicas == std::stoi(row[2]));
    CHECK(name_of(decision.reason) == row[3]);
    CHECK(play.tick(fresh(rate)).replicas == std::stoi(row[4]));
  }
}

TEST_CASE("the steps down of the document come out") {
  Play play(policy(), 10);
  play.settle(1950);
  int replicas = 10;
  const std::vector<Row> rows = table("S", "next");
  play.pass(295s, fresh(0));
  for (const Row& row : rows) {
    CHECK(std::stoi(row[0]) == replicas);
    replicas = play.pass(60s, fresh(0)).replicas;
    CHECK(std::stoi(row[1]) == replicas);
  }
  CHECK(play.pass(30min, fresh(0)).replicas == replicas);
}

TEST_CASE("numbers stand in tables only, where a test reads them") {
  bool code = false;
  for (const std::string& line : lines()) {
    if (line.starts_with("```")) {
      code = !code;
    }
    if (code || line.starts_with('|')) {
      continue;
    }
    CAPTURE(line);
    bool digit = false;
    for (const char c : line) {
      digit = digit || std::isdigit(static_cast<unsigned char>(c)) != 0;
    }
    CHECK_FALSE(digit);
  }
}

TEST_CASE("the document names every reason") {
  std::string whole;
  for (const std::string& line : lines()) {
    whole += line + '\n';
  }
  for (const Reason reason : kAllReasons) {
    const std::string name = "`" + std::string(name_of(reason)) + "`";
    CAPTURE(name);
    CHECK(whole.find(name) != std::string::npos);
  }
}

}  // namespace
}  // namespace scaledcache::core::test
