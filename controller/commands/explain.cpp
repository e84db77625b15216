#include "controller/commands/explain.h"

#include <filesystem>
#include <fstream>
#include <istream>
#include <ostream>

#include "base/json.h"
#include "controller/commands/arguments.h"
#include "controller/commands/explanation.h"
#include "controller/commands/help.h"
#include "controller/decision_record.h"
#include "core/decide.h"
#include "core/describe.h"

namespace scaledcache::controller {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kUnreadable = 2;

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

int explain_log(const std::string& name, const Console& console) {
  if (name == "-") {
    return explain_stream(console.in, console.out);
  }
  std::ifstream file(name);
  if (!file || std::filesystem::is_directory(name)) {
    console.err << "--log=\"" << name << "\": the file cannot be read\n";
    return kUnreadable;
  }
  return explain_stream(file, console.out);
}

// "blog" or "shop/blog".
struct Name {
  std::string name_space;
  std::string name;
};

Name name_of(const Arguments& arguments, const std::string& name_space) {
  const std::string& word = arguments.words().front();
  const std::size_t slash = word.find('/');
  if (slash != std::string::npos) {
    return {word.substr(0, slash), word.substr(slash + 1)};
  }
  return {arguments.value("namespace", name_space), word};
}

int explain_from_cluster(const Arguments& arguments,
                         const Console& console,
                         const EnvironmentMap& environment) {
  auto cluster = Cluster::open(
      config_request(arguments.value("kubeconfig"), arguments.value("context"), environment));
  if (!cluster) {
    console.err << "explain: " << cluster.error().message << "\n";
    return kUnreadable;
  }
  const Name name = name_of(arguments, (*cluster)->name_space());
  auto seen = fetch_cache((*cluster)->client(), name.name_space, name.name);
  if (!seen) {
    console.err << "explain: ScaledCache " << name.name_space << "/" << name.name << ": "
                << seen.error().message << "\n";
    return kUnreadable;
  }
  std::vector<PastEvent> events = past_of(seen->events, seen->cache);
  const Explanation explanation =
      explain_cache(std::move(seen->cache), std::move(events), system_clock().wall());
  const std::string format = arguments.value("output", "text");
  console.out << (format == "text" ? to_text(explanation, console.paint)
                                   : document_text(to_json(explanation), format));
  return 0;
}

}  // namespace

const CommandSpec& explain_spec() {
  static const CommandSpec spec{
      .name = "explain",
      .summary = "tell why a count is what it is, and what would change it",
      .synopses = {"explain [flags] NAME", "explain --log FILE"},
      .description =
          {"Reads one ScaledCache and its events and tells the last decision with its sentence, "
           "the "
           "signals with their windows, each rule in its order and whether it spoke, the rate at "
           "which the fleet grows, when it may shrink, and the last ten events. Rates and times "
           "come "
           "from the decision code itself, asked on the numbers that the status keeps.",
           "With --log, makes each decision of a controller's JSON log again, from the inputs in "
           "its "
           "line, and reports those that come out differently."},
      .flags = {{.name = "namespace",
                 .value = "NAME",
                 .help = "of the ScaledCache; default: that of the context",
                 .letter = 'n'},
                kubeconfig_flag(),
                context_flag(),
                output_flag({"text", "json", "yaml"}),
                {.name = "log",
                 .value = "FILE",
                 .help = "replay the decisions of a log; - is standard input",
                 .kind = Word::File}},
      .examples =
          {{"explain blog -n blog", "Why does it not grow?"},
           {"explain blog/blog --output json", "For a script"},
           {"explain --log -",
            "What would this version decide: kubectl logs … | scaledcache explain --log -"}},
      .exits = {{0, "explained; every decision of the log comes out the same"},
                {1, "a decision comes out differently, or the log holds none"},
                {2, "wrong arguments, a file, a cluster or a ScaledCache that cannot be read"}},
      .words = Word::Text};
  return spec;
}

int explain(std::span<const std::string> args,
            const Console& console,
            const EnvironmentMap& environment) {
  const auto parsed = parse_arguments(explain_spec(), args);
  if (!parsed) {
    console.err << "explain: " << parsed.error().message << "\n";
    return kUnreadable;
  }
  const std::size_t words = parsed->has("log") ? 0 : 1;
  if (parsed->words().size() != words) {
    console.err << (words == 0 ? "explain: --log stands alone\n"
                               : "explain: name one ScaledCache, or give --log FILE\n")
                << usage_of(console.program, explain_spec());
    return kUnreadable;
  }
  return parsed->has("log") ? explain_log(parsed->value("log"), console)
                            : explain_from_cluster(*parsed, console, environment);
}

}  // namespace scaledcache::controller
