#include "controller/commands/validate.h"

#include <istream>
#include <ostream>

#include "base/duration.h"
#include "controller/commands/arguments.h"
#include "controller/commands/help.h"
#include "controller/commands/yaml_text.h"

namespace scaledcache::controller {
namespace {

constexpr int kGood = 0;
constexpr int kRefused = 1;
constexpr int kUnreadable = 2;

std::string counted(int count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void print_text(const Judged& judged, const Console& console) {
  for (const Finding& finding : judged.findings) {
    const std::string kind =
        finding.advice ? console.paint.odd("advice: ") : console.paint.bad("problem: ");
    console.out << console.paint.strong(finding.file + ":" + std::to_string(finding.line)) << ": "
                << kind << finding.path << " " << finding.message << "\n";
  }
  const std::string verdict = counted(judged.manifests, "ScaledCache", "ScaledCaches") + ": " +
                              counted(judged.problems(), "problem", "problems") + ", " +
                              counted(judged.advice(), "piece of advice", "pieces of advice");
  console.out << (judged.problems() == 0 ? console.paint.good(verdict)
                                         : console.paint.bad(verdict));
  if (judged.ignored > 0) {
    console.out << "; " << counted(judged.ignored, "object", "objects")
                << " of other kinds not looked at";
  }
  console.out << "\n";
}

OrderedJson to_json(const Judged& judged) {
  OrderedJson list = OrderedJson::array();
  for (const Finding& finding : judged.findings) {
    list.push_back({{"file", finding.file},
                    {"line", finding.line},
                    {"object", finding.object},
                    {"path", finding.path},
                    {"message", finding.message},
                    {"kind", finding.advice ? "advice" : "problem"}});
  }
  return {{"manifests", judged.manifests},
          {"ignored", judged.ignored},
          {"problems", judged.problems()},
          {"advice", judged.advice()},
          {"findings", list}};
}

void print(const Judged& judged, const std::string& format, const Console& console) {
  if (format == "text") {
    print_text(judged, console);
  } else {
    console.out << document_text(to_json(judged), format);
  }
}

}  // namespace

const CommandSpec& validate_spec() {
  static const CommandSpec spec{
      .name = "validate",
      .summary = "judge manifests offline, as the API server and the operator would",
      .synopses = {"validate [flags] FILE|FOLDER..."},
      .description =
          {"Reads YAML and JSON files (of a folder, all in and under it; - is standard input), "
           "looks "
           "at each ScaledCache in them and names every problem with file, line and field. Objects "
           "of other kinds are not looked at.",
           "A problem is what the API server would refuse or the operator not obey. Advice is "
           "about "
           "what works and could be better: windows that hold too few samples, counters without "
           "matchers, a single replica, two ScaledCaches on one target."},
      .flags = {output_flag({"text", "json", "yaml"}),
                {.name = "scrape-interval",
                 .value = "TIME",
                 .help = "how often the caches are scraped, such as 15s; windows are then held "
                         "against it"},
                {.name = "strict", .value = "", .help = "advice makes the exit status 1 as well"}},
      .examples = {{"validate examples/", "Every manifest of a folder"},
                   {"validate --scrape-interval 15s --output json blog.yaml", "For a pipeline"},
                   {"validate -",
                    "What a template gives: helm template . | scaledcache validate -"}},
      .exits = {{0, "every manifest would be obeyed"},
                {1, "one has a problem, or there is advice and --strict"},
                {2, "wrong arguments, a file that cannot be read or is no YAML"}},
      .words = Word::File};
  return spec;
}

int validate(std::span<const std::string> args, const Console& console) {
  const auto parsed = parse_arguments(validate_spec(), args);
  if (!parsed) {
    console.err << "validate: " << parsed.error().message << "\n";
    return kUnreadable;
  }
  if (parsed->words().empty()) {
    console.err << "validate: name at least one file or folder\n"
                << usage_of(console.program, validate_spec());
    return kUnreadable;
  }
  std::optional<Milliseconds> scrape_interval;
  if (parsed->has("scrape-interval")) {
    const auto time = parse_duration(parsed->value("scrape-interval"));
    if (!time || time->count() == 0) {
      console.err << "validate: --scrape-interval=\"" << parsed->value("scrape-interval")
                  << "\": use a time such as 15s\n";
      return kUnreadable;
    }
    scrape_interval = *time;
  }
  std::vector<Document> documents;
  const bool readable = read_all(parsed->words(), console, documents);
  const Judged judged = judge(documents, scrape_interval);
  print(judged, parsed->value("output", "text"), console);
  if (!readable) {
    return kUnreadable;
  }
  const bool refused = judged.problems() > 0 || (parsed->has("strict") && judged.advice() > 0);
  return refused ? kRefused : kGood;
}

}  // namespace scaledcache::controller
