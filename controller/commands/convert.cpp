#include "controller/commands/convert.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>

#include "controller/commands/arguments.h"
#include "controller/commands/help.h"

namespace scaledcache::controller {
namespace {

constexpr int kGood = 0;
constexpr int kIncomplete = 1;
constexpr int kUnreadable = 2;

std::string counts_of(const Conversion& conversion) {
  return std::to_string(conversion.carried.size()) + " of " +
         std::to_string(conversion.carried.size() + conversion.dropped.size()) +
         " fields carried over";
}

// The head of a manifest, as comments.
void print_head(const Conversion& conversion, std::ostream& out) {
  out << "# From " << conversion.title << " (" << conversion.file << ":" << conversion.line
      << "): " << counts_of(conversion) << ".\n";
  if (!conversion.dropped.empty()) {
    out << "# Not carried over:\n";
  }
  for (const Ledger::Dropped& dropped : conversion.dropped) {
    out << "#   " << dropped.path << ": " << dropped.reason << "\n";
  }
  if (!conversion.chores.empty()) {
    out << "# Left to do by hand:\n";
  }
  for (const std::string& chore : conversion.chores) {
    out << "#   " << chore << "\n";
  }
}

void print_text(const std::vector<Conversion>& conversions, const Console& console) {
  bool first = true;
  for (const Conversion& conversion : conversions) {
    if (conversion.manifest) {
      console.out << (first ? "" : "---\n");
      print_head(conversion, console.out);
      console.out << yaml_text(*conversion.manifest, conversion.comments);
      first = false;
    }
  }
}

// One line per object, and what keeps it from being used as it is.
void report(const std::vector<Conversion>& conversions, const Console& console) {
  const Paint& paint = console.paint_err;
  for (const Conversion& conversion : conversions) {
    const std::string where = conversion.file + ":" + std::to_string(conversion.line);
    console.err << paint.strong(where) << ": " << conversion.title << ": ";
    if (!conversion.obstacle.empty()) {
      console.err << paint.bad("not converted: " + conversion.obstacle) << "\n";
    } else {
      console.err << counts_of(conversion) << "\n";
    }
    for (const Ledger::Dropped& dropped : conversion.dropped) {
      console.err << "  " << paint.odd("dropped: ") << dropped.path << ": " << dropped.reason
                  << "\n";
    }
    for (const k8s::Problem& problem : conversion.problems) {
      console.err << "  " << paint.bad("problem: ") << problem.sentence() << "\n";
    }
  }
}

OrderedJson to_json(const Conversion& conversion) {
  OrderedJson dropped = OrderedJson::array();
  for (const Ledger::Dropped& one : conversion.dropped) {
    dropped.push_back({{"path", one.path}, {"reason", one.reason}});
  }
  OrderedJson problems = OrderedJson::array();
  for (const k8s::Problem& problem : conversion.problems) {
    problems.push_back({{"path", problem.path}, {"message", problem.message}});
  }
  OrderedJson object = {
      {"source", conversion.title},    {"file", conversion.file},
      {"line", conversion.line},       {"share", std::round(conversion.share() * 1000) / 1000},
      {"carried", conversion.carried}, {"dropped", dropped},
      {"chores", conversion.chores},   {"problems", problems}};
  if (!conversion.obstacle.empty()) {
    object["obstacle"] = conversion.obstacle;
  }
  if (conversion.manifest) {
    object["manifest"] = *conversion.manifest;
  }
  return object;
}

bool is_complete(const Conversion& conversion, bool strict) {
  return conversion.obstacle.empty() && conversion.problems.empty() &&
         (!strict || conversion.dropped.empty());
}

void print(const std::vector<Conversion>& conversions,
           const std::string& format,
           const Console& console) {
  if (format == "json") {
    OrderedJson objects = OrderedJson::array();
    for (const Conversion& conversion : conversions) {
      objects.push_back(to_json(conversion));
    }
    console.out << OrderedJson{{"objects", objects}}.dump(2, ' ', false,
                                                          OrderedJson::error_handler_t::replace)
                << "\n";
    return;
  }
  print_text(conversions, console);
  report(conversions, console);
}

}  // namespace

const CommandSpec& convert_spec() {
  static const CommandSpec spec{
      .name = "convert",
      .summary = "turn KEDA ScaledObjects and HorizontalPodAutoscalers into ScaledCaches",
      .synopses = {"convert [flags] FILE|FOLDER..."},
      .description =
          {"Reads ScaledObjects (prometheus and cron triggers, fallback, behavior, "
           "scalingModifiers), the TriggerAuthentications they name, and HorizontalPodAutoscalers "
           "(External, Object and Pods metrics, behavior), and prints ScaledCaches. Comments in "
           "them and lines on standard error tell which fields were not carried over, and why.",
           "Secrets are named, never read. A HorizontalPodAutoscaler does not hold the query of "
           "its "
           "metric: compare the one that is printed with the rules of your metrics adapter.",
           "Try the result beside what is still in charge with --dry-run, and hand over when the "
           "decisions please you."},
      .flags = {{.name = "dry-run",
                 .value = "",
                 .help = "write dryRun: true, so that the target is left alone at first"},
                output_flag({"yaml", "json"}),
                {.name = "strict",
                 .value = "",
                 .help = "a field that is not carried over makes the exit status 1 as well"}},
      .examples = {{"convert --dry-run keda/ > scaledcaches.yaml", "All of a folder"},
                   {"convert -",
                    "What runs now: kubectl get so,ta -A -o yaml | scaledcache convert -"}},
      .exits = {{0, "every object became a manifest that would be obeyed"},
                {1, "one did not, or a field was dropped and --strict"},
                {2, "wrong arguments, a file that cannot be read or holds nothing to convert"}},
      .words = Word::File};
  return spec;
}

int convert(std::span<const std::string> args, const Console& console) {
  const auto parsed = parse_arguments(convert_spec(), args);
  if (!parsed) {
    console.err << "convert: " << parsed.error().message << "\n";
    return kUnreadable;
  }
  if (parsed->words().empty()) {
    console.err << "convert: name at least one file or folder\n"
                << usage_of(console.program, convert_spec());
    return kUnreadable;
  }
  std::vector<Document> documents;
  const bool readable = read_all(parsed->words(), console, documents);
  const std::vector<Conversion> conversions =
      convert_documents(documents, {.dry_run = parsed->has("dry-run")});
  print(conversions, parsed->value("output", "yaml"), console);
  if (readable && conversions.empty()) {
    console.err << "convert: no ScaledObject and no HorizontalPodAutoscaler in the files\n";
  }
  if (!readable || conversions.empty()) {
    return kUnreadable;
  }
  const bool strict = parsed->has("strict");
  const bool complete =
      std::all_of(conversions.begin(), conversions.end(),
                  [&](const Conversion& one) { return is_complete(one, strict); });
  return complete ? kGood : kIncomplete;
}

}  // namespace scaledcache::controller
