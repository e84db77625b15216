#include "sim/expect_reader.h"

#include <array>

#include "core/reason.h"

namespace scaledcache::sim {
namespace {

Range read_range(const Value& value) {
  if (!value.is_map()) {
    const double exact = value.number();
    return {exact, exact};
  }
  constexpr std::array kFields{
      FieldOf<Range>{"min", [](const Value& v, Range& r) { r.least = v.number(); }},
      FieldOf<Range>{"max", [](const Value& v, Range& r) { r.most = v.number(); }},
  };
  Range range;
  read_map(value, kFields, range);
  return range;
}

void read_reason(const Value& value, Expectation& expectation) {
  std::vector<std::string_view> names;
  names.reserve(core::kAllReasons.size());
  for (const core::Reason reason : core::kAllReasons) {
    names.push_back(core::name_of(reason));
  }
  expectation.reason = std::string(names[value.one_of(names)]);
}

void read_condition(const Value& value, Expectation& expectation) {
  constexpr std::array<std::string_view, 6> kNames{"MetricsReady", "Active", "ScalingLimited",
                                                   "Fallback",     "Paused", "Contested"};
  expectation.condition = std::string(kNames.at(value.one_of(kNames)));
}

void read_status(const Value& value, Expectation& expectation) {
  constexpr std::array<std::string_view, 3> kNames{"False", "True", "Unknown"};
  expectation.status = std::string(kNames.at(value.one_of(kNames)));
}

constexpr std::array kExpectFields{
    FieldOf<Expectation>{"at", [](const Value& v, Expectation& e) { e.from = e.to = v.span(); }},
    FieldOf<Expectation>{"from", [](const Value& v, Expectation& e) { e.from = v.span(); }},
    FieldOf<Expectation>{"to", [](const Value& v, Expectation& e) { e.to = v.span(); }},
    FieldOf<Expectation>{"replicas",
                         [](const Value& v, Expectation& e) { e.replicas = read_range(v); }},
    FieldOf<Expectation>{"reason", read_reason},
    FieldOf<Expectation>{"condition", read_condition},
    FieldOf<Expectation>{"status", read_status},
    FieldOf<Expectation>{"changes",
                         [](const Value& v, Expectation& e) { e.changes = read_range(v); }},
    FieldOf<Expectation>{"reversals",
                         [](const Value& v, Expectation& e) { e.reversals = read_range(v); }},
    FieldOf<Expectation>{"unserved",
                         [](const Value& v, Expectation& e) { e.unserved = read_range(v); }},
    FieldOf<Expectation>{"under", [](const Value& v, Expectation& e) { e.under = read_range(v); }},
    FieldOf<Expectation>{"over", [](const Value& v, Expectation& e) { e.over = read_range(v); }},
    FieldOf<Expectation>{"cost", [](const Value& v, Expectation& e) { e.cost = read_range(v); }},
};

}  // namespace

void read_expectations(const Value& value, Scenario& scenario) {
  for (const Value& item : value.items()) {
    Expectation expectation;
    expectation.to = kOpenEnd;
    expectation.line = item.line();
    expectation.text = item.flow();
    read_map(item, kExpectFields, expectation);
    if (item.has("at") && (item.has("from") || item.has("to"))) {
      item.fail("has both an instant (at) and a time (from, to)");
    }
    if (item.has("from") != item.has("to")) {
      item.fail("needs from and to together");
    }
    if (item.has("condition") != item.has("status")) {
      item.fail("needs condition and status together");
    }
    if (expectation.to != kOpenEnd && expectation.to < expectation.from) {
      item.fail("ends before it begins");
    }
    scenario.expectations.push_back(std::move(expectation));
  }
}

}  // namespace scaledcache::sim
