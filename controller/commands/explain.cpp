#include "controller/commands/explain.h"

#include <fstream>
#include <istream>
#include <ostream>

#include "base/json.h"
#include "controller/decision_record.h"
#include "core/decide.h"
#include "core/describe.h"

namespace scaledcache::controller {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kUsage =
    "Usage: scaledcache explain --log FILE\n\n"
    "Makes each decision of a controller's JSON log again, from the inputs in its line, and "
    "reports\n"
    "those that come out differently. FILE may be - for standard input.\n";

// What a line says was decided, and what its inputs give now.
struct Outcome {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::string reason;
  std::string sentence;

  bool operator==(const Outcome&) const = default;

  [[nodiscard]] std::string text() const {
    return std::to_string(from) + " -> " + std::to_string(to) + " " + reason + " (" + sentence +
           ")";
  }
};

Outcome outcome_of(const Json& line) {
  return {integer_member(line, "from", -1), integer_member(line, "to", -1),
          string_member(line, "reason"), string_member(line, "sentence")};
}

Outcome outcome_of(const DecisionInputs& inputs) {
  const core::Decision decision =
      core::decide(inputs.policy, inputs.observation, inputs.history, inputs.now);
  return {decision.from, decision.replicas, std::string(core::name_of(decision.reason)),
          core::describe(inputs.policy, inputs.observation, decision, inputs.now)};
}

struct Tally {
  int same = 0;
  int different = 0;
  int unreadable = 0;
};

void explain_line(const std::string& text, int number, Tally& tally, std::ostream& out) {
  const auto line = parse_json(text, kMaxDepth);
  if (!line || string_member(*line, "msg") != "decision") {
    return;  // other lines of the log, and what a terminal put between them
  }
  const Json* record = find_member(*line, "inputs");
  const auto inputs = record == nullptr
                          ? Result<DecisionInputs>(Error{ErrorCode::Protocol, "it has no inputs"})
                          : read_inputs(*record);
  if (!inputs) {
    ++tally.unreadable;
    out << "line " << number << ": cannot be replayed: " << inputs.error().message << "\n";
    return;
  }
  const Outcome logged = outcome_of(*line);
  const Outcome again = outcome_of(*inputs);
  if (logged == again) {
    ++tally.same;
    return;
  }
  ++tally.different;
  out << "line " << number << ": was " << logged.text() << "\n  would be " << again.text() << "\n";
}

int explain_stream(std::istream& in, std::ostream& out) {
  Tally tally;
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    explain_line(text, ++number, tally, out);
  }
  const int all = tally.same + tally.different + tally.unreadable;
  if (all == 0) {
    out << "no decision in " << number << " lines; the controller's log must be in JSON\n";
    return 1;
  }
  out << all << " decisions: " << tally.same << " come out the same, " << tally.different
      << " differently, " << tally.unreadable << " cannot be replayed\n";
  return tally.same == all ? 0 : 1;
}

}  // namespace

int explain(std::span<const std::string> args,
            std::istream& in,
            std::ostream& out,
            std::ostream& err) {
  if (args.size() == 1 && (args[0] == "--help" || args[0] == "-h")) {
    out << kUsage;
    return 0;
  }
  const bool two = args.size() == 2 && args[0] == "--log";
  const bool joined = args.size() == 1 && args[0].starts_with("--log=");
  if (!two && !joined) {
    err << kUsage;
    return 2;
  }
  const std::string name = two ? args[1] : args[0].substr(std::string_view("--log=").size());
  if (name == "-") {
    return explain_stream(in, out);
  }
  std::ifstream file(name);
  if (!file) {
    err << "--log=\"" << name << "\": the file cannot be opened\n";
    return 2;
  }
  return explain_stream(file, out);
}

}  // namespace scaledcache::controller
