#include "sim/check.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "base/duration.h"
#include "sim/figures.h"

namespace scaledcache::sim {
namespace {

std::string at(std::int64_t second) {
  return format_duration(std::chrono::seconds{second});
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

// The decision that holds at a second; nothing before the first.
const Step* step_at(const Run& run, std::int64_t second) {
  const auto after =
      std::upper_bound(run.steps.begin(), run.steps.end(), second,
                       [](std::int64_t wanted, const Step& step) { return wanted < step.second; });
  return after == run.steps.begin() ? nullptr : &*(after - 1);
}

const core::Condition* condition_of(const Step& step, const std::string& type) {
  const auto found = std::find_if(step.conditions.begin(), step.conditions.end(),
                                  [&](const auto& one) { return one.type == type; });
  return found == step.conditions.end() ? nullptr : &*found;
}

const char* status_name(core::Status status) {
  constexpr std::array<const char*, 3> kNames{"False", "True", "Unknown"};
  return kNames.at(static_cast<std::size_t>(status));
}

class Checker {
 public:
  Checker(const Scenario& scenario, const Run& run, const Expectation& expectation)
      : scenario_(scenario),
        run_(run),
        expectation_(expectation),
        from_(expectation.from.count() / 1000),
        to_(expectation.to.count() / 1000) {}

  std::optional<Broken> check() {
    check_replicas();
    check_reason();
    check_condition();
    check_figures();
    return broken_;
  }

 private:
  void report(std::int64_t second, std::string seen) {
    if (!broken_) {
      broken_ = Broken{expectation_.line, expectation_.text, std::move(seen), second};
    }
  }

  void check_replicas() {
    if (!expectation_.replicas) {
      return;
    }
    const auto last = std::min(to_, static_cast<std::int64_t>(run_.moments.size()) - 1);
    for (std::int64_t second = from_; second <= last; ++second) {
      const int seen = run_.moments[static_cast<std::size_t>(second)].replicas;
      if (!expectation_.replicas->holds(seen)) {
        report(second, std::to_string(seen) + " replicas at " + at(second));
        return;
      }
    }
  }

  void check_reason() {
    if (!expectation_.reason) {
      return;
    }
    const Step* step = step_at(run_, from_);
    if (step == nullptr) {
      report(from_, "no decision at " + at(from_));
      return;
    }
    for (; step != run_.steps.data() + run_.steps.size() && step->second <= to_; ++step) {
      if (core::name_of(step->reason) != *expectation_.reason) {
        report(std::max(from_, step->second), "reason " + std::string(core::name_of(step->reason)) +
                                                  " at " + at(std::max(from_, step->second)));
        return;
      }
    }
  }

  void check_condition() {
    if (!expectation_.condition) {
      return;
    }
    for (const Step* step = step_at(run_, from_); step != nullptr; ++step) {
      if (step == run_.steps.data() + run_.steps.size() || step->second > to_) {
        return;
      }
      const core::Condition* seen = condition_of(*step, *expectation_.condition);
      if (seen == nullptr || status_name(seen->status) != expectation_.status) {
        report(step->second, *expectation_.condition + " is " +
                                 (seen == nullptr ? "absent" : status_name(seen->status)) + " at " +
                                 at(step->second));
        return;
      }
    }
  }

  void check_figure(const std::optional<Range>& wanted, double value, const char* name) {
    if (wanted && !wanted->holds(value)) {
      report(to_, std::string(name) + " " + number(value));
    }
  }

  void check_figures() {
    const Expectation& e = expectation_;
    if (!e.changes && !e.reversals && !e.unserved && !e.under && !e.over && !e.cost) {
      return;
    }
    const Figures figures = figures_of(run_, carries(scenario_), from_, to_);
    check_figure(e.changes, figures.changes, "changes");
    check_figure(e.reversals, figures.reversals, "reversals");
    check_figure(e.unserved, figures.unserved, "unserved");
    check_figure(e.under, figures.under, "under");
    check_figure(e.over, figures.over, "over");
    check_figure(e.cost, figures.cost, "cost");
  }

  const Scenario& scenario_;
  const Run& run_;
  const Expectation& expectation_;
  std::int64_t from_;
  std::int64_t to_;
  std::optional<Broken> broken_{};
};

}  // namespace

std::vector<Broken> check(const Scenario& scenario, const Run& run) {
  std::vector<Broken> broken;
  for (const Expectation& expectation : scenario.expectations) {
    if (auto one = Checker(scenario, run, expectation).check()) {
      broken.push_back(std::move(*one));
    }
  }
  return broken;
}

}  // namespace scaledcache::sim
