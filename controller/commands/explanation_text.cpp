// An explanation in words.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/duration.h"
#include "base/rfc3339.h"
#include "controller/commands/explanation.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kHeartbeat{600'000};  // two of what the operator promises

// "2,001", "45.7", "0.25".
std::string number(double value) {
  std::array<char, 40> text{};
  const bool whole = std::abs(value) >= 100 || value == std::floor(value);
  const int digits = whole ? 0 : value < 10 ? 2 : 1;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  std::string shown(text.data(), end.ptr);
  for (std::size_t i = shown.find('.') == std::string::npos ? shown.size() : shown.find('.');
       i > 3;) {
    i -= 3;
    if (shown[i - 1] != '-') {
      shown.insert(i, ",");
    }
  }
  return shown;
}

// A threshold as the first whole rate beyond it, where rates are large enough for that.
std::string beyond(double rate) {
  return number(rate >= 10 ? std::floor(rate + 1e-3) + 1 : rate);
}

std::string clock_of(WallTime time) {
  return format_time(time).substr(11, 8);
}

std::string ago(WallTime then, WallTime now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - then);
  return seconds.count() < 0 ? "just now" : format_duration(seconds) + " ago";
}

std::string in(WallTime then, WallTime now) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(then - now);
  return seconds.count() <= 0 ? "now"
                              : clock_of(then) + " UTC (in " + format_duration(seconds) + ")";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

// Columns as wide as their widest cell; every row has as many cells as the first.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += " " + padded(row[i], widths[i]) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

class Text {
 public:
  Text(const Explanation& told, const Paint& paint)
      : told_(told), cache_(told.cache), status_(told.cache.status), paint_(paint) {}

  std::string write() {
    head();
    decision();
    if (!cache_.valid()) {
      problems();
    }
    // What somebody in a hurry asks stands before how it came about.
    outlook();
    signals();
    conditions();
    events();
    rules();
    return std::move(text_);
  }

 private:
  void title(const std::string& name) { text_ += "\n" + paint_.strong(name) + "\n"; }

  void head() {
    const k8s::Spec& spec = cache_.spec;
    text_ += paint_.strong(cache_.meta.name_space + "/" + cache_.meta.name) + " scales " +
             spec.target.kind + " " + spec.target.name;
    if (status_.replicas) {
      text_ += ": " + std::to_string(*status_.replicas) + " replicas, " +
               std::to_string(spec.min_replicas) + " to " + std::to_string(spec.max_replicas);
    }
    if (status_.ready_replicas) {
      text_ += ", " + std::to_string(*status_.ready_replicas) + " ready";
    }
    if (status_.warm_replicas && cache_.spec.gates()) {
      text_ += ", " + std::to_string(*status_.warm_replicas) + " warm";
    }
    text_ += std::string(spec.dry_run ? " (dry run: nothing is written)" : "") + "\n";
    if (status_.last_decision && cache_.meta.generation > status_.observed_generation) {
      text_ += paint_.odd("the spec has changed since the last decision") + "\n";
    }
    if (status_.measured_time && told_.now - *status_.measured_time > kHeartbeat) {
      text_ += paint_.bad("the operator last wrote " + ago(*status_.measured_time, told_.now) +
                          ": it may not be running") +
               "\n";
    }
  }

  void decision() {
    const auto& last = status_.last_decision;
    if (!last) {
      text_ += "\nNothing was decided yet.\n";
      return;
    }
    title("Last decision");
    text_ += "  " + clock_of(last->time) + " UTC, " + ago(last->time, told_.now) + ": " +
             std::to_string(last->from) + " -> " + std::to_string(last->to) + ", " +
             paint_.good(last->reason) + "\n  " + last->message + "\n";
  }

  void problems() {
    title("The spec cannot be obeyed");
    for (const k8s::Problem& problem : cache_.problems) {
      text_ += "  " + paint_.bad(problem.sentence()) + "\n";
    }
  }

  void signals() {
    if (status_.signals.empty()) {
      return;
    }
    title("Signals");
    std::vector<std::vector<std::string>> rows{
        {"NAME", "HEALTH", "SHORT (" + format_duration(cache_.spec.short_window) + ")",
         "PEAK (" + format_duration(cache_.spec.long_window) + ")", "PER REPLICA", "PLANNED",
         "WISH", "AGE", "PODS SEEN"}};
    const auto shown = [](const auto& value, const auto& print) {
      return value ? print(*value) : std::string("-");
    };
    for (const k8s::SignalStatus& signal : status_.signals) {
      double planned = 0;
      for (const k8s::SignalSpec& spec : cache_.spec.signals) {
        planned = spec.name == signal.name ? spec.planned_per_replica() : planned;
      }
      rows.push_back(
          {signal.name, signal.health, shown(signal.short_rate, number), shown(signal.peak, number),
           shown(signal.per_replica, number), number(planned),
           shown(signal.wish, [](int wish) { return std::to_string(wish); }),
           shown(signal.sample_age, [](Milliseconds age) { return format_duration(age); }),
           shown(signal.coverage, [](double share) { return number(share * 100) + " %"; })});
    }
    text_ += table(rows);
  }

  void rules() {
    if (told_.rules.empty()) {
      return;
    }
    title("Rules, in their order; the first that speaks decides");
    const ToldRule* before = nullptr;
    for (const ToldRule& rule : told_.rules) {
      // One reason may stand for several rules in a row.
      const bool again =
          before != nullptr && before->rule == rule.rule && before->state == rule.state;
      before = &rule;
      if (again) {
        continue;
      }
      const bool spoke = rule.state == RuleState::Spoke;
      const std::string line = std::string(spoke ? "> " : "  ") +
                               padded(std::string(core::name_of(rule.rule)), 20) +
                               std::string(core::meaning_of(rule.rule));
      text_ += spoke                             ? paint_.good(line) + "\n"
               : rule.state == RuleState::Silent ? line + "\n"
                                                 : paint_.quiet(line + " (not asked)") + "\n";
    }
  }

  void grows(const Growth& growth) {
    const std::string signal = told_.growth.size() > 1 ? " of " + growth.signal : "";
    if (growth.at) {
      text_ += "  grows at " + beyond(*growth.at) + " req/s" + signal + ", to " +
               std::to_string(growth.to) + "\n";
    } else {
      text_ += "  no rate" + signal + " makes it grow now (" +
               std::string(core::name_of(growth.held_by)) + ": " +
               std::string(core::meaning_of(growth.held_by)) + ")\n";
    }
  }

  // "1,520 req/s" with one signal, "76 % of today's rates" with several.
  std::string below(double share) const {
    if (status_.signals.size() == 1 && status_.signals.front().short_rate) {
      return "the rate stays below " + number(*status_.signals.front().short_rate * share) +
             " req/s";
    }
    return "all rates stay below " + number(share * 100) + " % of what they are";
  }

  void shrinks(const Shrinking& shrinking) {
    if (shrinking.due) {
      text_ += "  shrinks to " + std::to_string(shrinking.to) + " at " +
               in(*shrinking.due, told_.now) + " while the rate stays what it is\n";
    } else if (shrinking.below && shrinking.earliest) {
      text_ += "  shrinks once " + below(*shrinking.below) + "; next shrink not before " +
               in(*shrinking.earliest, told_.now) + "\n";
    } else {
      text_ += "  does not shrink, whatever the rate";
    }
    const std::string held = std::string(core::name_of(shrinking.held_by)) + ": " +
                             std::string(core::meaning_of(shrinking.held_by));
    text_ += shrinking.due || shrinking.below ? "" : " (" + held + ")\n";
  }

  void outlook() {
    if (!told_.shrinking) {
      return;
    }
    title("What would change it");
    for (const Growth& growth : told_.growth) {
      grows(growth);
    }
    shrinks(*told_.shrinking);
  }

  void conditions() {
    if (status_.conditions.empty()) {
      return;
    }
    title("Conditions");
    for (const k8s::Condition& condition : status_.conditions) {
      text_ += "  " + padded(condition.type, 17) +
               padded(std::string(k8s::name_of(condition.status)), 9) +
               padded(condition.reason, 20) + condition.message;
      text_.erase(text_.find_last_not_of(' ') + 1);
      text_ += "\n";
    }
  }

  void events() {
    if (told_.events.empty()) {
      return;
    }
    title("Last events");
    for (const PastEvent& event : told_.events) {
      const std::string reason = padded(event.reason, 18);
      text_ += "  " + padded(ago(event.time, told_.now), 12) + " " +
               (event.warning ? paint_.odd(reason) : reason) + " " + event.note + "\n";
    }
  }

  const Explanation& told_;
  const k8s::ScaledCache& cache_;
  const k8s::Status& status_;
  const Paint& paint_;
  std::string text_;
};

}  // namespace

std::string to_text(const Explanation& explanation, const Paint& paint) {
  return Text(explanation, paint).write();
}

}  // namespace scaledcache::controller
