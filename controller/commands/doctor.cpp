#include "controller/commands/doctor.h"

#include <algorithm>
#include <ostream>

#include "base/clock.h"
#include "controller/commands/arguments.h"
#include "controller/commands/yaml_text.h"

namespace scaledcache::controller {
namespace {

constexpr int kGood = 0;
constexpr int kBad = 1;
constexpr int kUnreachable = 2;

std::string_view name_of(Health health) {
  return health == Health::Good ? "good" : health == Health::Odd ? "odd" : "bad";
}

std::string mark(Health health, const Paint& paint) {
  switch (health) {
    case Health::Good:
      return paint.good("good");
    case Health::Odd:
      return paint.odd("odd ");
    case Health::Bad:
      break;
  }
  return paint.bad("bad ");
}

int count(const std::vector<Check>& checks, Health health) {
  return static_cast<int>(std::count_if(
      checks.begin(), checks.end(), [&](const Check& check) { return check.health == health; }));
}

void print_text(const std::vector<Check>& checks, const Console& console) {
  for (const Check& check : checks) {
    console.out << mark(check.health, console.paint) << "  " << check.what << ": " << check.told
                << "\n";
    if (check.health != Health::Good && !check.remedy.empty()) {
      console.out << "      " << console.paint.quiet(check.remedy) << "\n";
    }
  }
  console.out << count(checks, Health::Good) << " good, " << count(checks, Health::Odd) << " odd, "
              << count(checks, Health::Bad) << " bad\n";
}

OrderedJson to_json(const std::vector<Check>& checks) {
  OrderedJson list = OrderedJson::array();
  for (const Check& check : checks) {
    list.push_back({{"health", name_of(check.health)},
                    {"what", check.what},
                    {"told", check.told},
                    {"remedy", check.remedy}});
  }
  return {{"checks", std::move(list)}};
}

}  // namespace

const CommandSpec& doctor_spec() {
  static const CommandSpec spec{
      .name = "doctor",
      .summary = "look at a cluster for what keeps ScaledCaches from doing their work",
      .synopses = {"doctor [flags]"},
      .description =
          {"Looks at the API server, the resource definition, the operator, and every ScaledCache: "
           "problems of its spec, conditions that tell of trouble, an operator that went silent, "
           "and others that scale the same target. Changes nothing, and needs no rights but to "
           "read."},
      .flags = {{.name = "namespace",
                 .value = "NAME",
                 .help = "only the ScaledCaches of this namespace; default: all",
                 .letter = 'n'},
                kubeconfig_flag(),
                context_flag(),
                output_flag({"text", "json", "yaml"})},
      .examples = {{"doctor", "Is all well?"}, {"doctor -n blog --output json", "For a script"}},
      .exits = {{0, "nothing is bad"},
                {1, "something is"},
                {2, "wrong arguments, or a cluster that cannot be reached"}}};
  return spec;
}

int doctor(std::span<const std::string> args,
           const Console& console,
           const EnvironmentMap& environment) {
  const auto parsed = parse_arguments(doctor_spec(), args);
  if (!parsed || !parsed->words().empty()) {
    console.err << "doctor: "
                << (parsed ? "\"" + parsed->words().front() + "\" is no flag of doctor"
                           : parsed.error().message)
                << "\n";
    return kUnreachable;
  }
  auto cluster = Cluster::open(
      config_request(parsed->value("kubeconfig"), parsed->value("context"), environment));
  const auto checks =
      cluster ? examine((*cluster)->client(), parsed->value("namespace"), system_clock().wall())
              : Result<std::vector<Check>>(cluster.error());
  if (!checks) {
    console.err << "doctor: " << checks.error().message << "\n";
    return kUnreachable;
  }
  const std::string format = parsed->value("output", "text");
  if (format == "text") {
    print_text(*checks, console);
  } else {
    console.out << document_text(to_json(*checks), format);
  }
  return count(*checks, Health::Bad) == 0 ? kGood : kBad;
}

}  // namespace scaledcache::controller
