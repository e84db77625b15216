// Reads how pods join and leave: warm-up, drain and guards.
#include "k8s/spec_reader.h"

namespace scaledcache::k8s {
namespace {

constexpr std::array kWarmupModes{
    std::pair{std::string_view("Off"), WarmupMode::Off},
    std::pair{std::string_view("Gate"), WarmupMode::Gate},
};

constexpr std::array kTimeoutActions{
    std::pair{std::string_view("Open"), OnWarmupTimeout::Open},
    std::pair{std::string_view("Hold"), OnWarmupTimeout::Hold},
};

constexpr std::array kSchemes{
    std::pair{std::string_view("http"), std::string_view("http")},
    std::pair{std::string_view("https"), std::string_view("https")},
};

constexpr std::array kDrainModes{
    std::pair{std::string_view("Off"), DrainMode::Off},
    std::pair{std::string_view("Gate"), DrainMode::Gate},
};

constexpr std::array kEffectGuards{
    std::pair{std::string_view("Observe"), EffectGuard::Observe},
    std::pair{std::string_view("Enforce"), EffectGuard::Enforce},
};

void read_paths(ObjectReader& reader, std::vector<std::string>& paths) {
  read_list(reader, "paths", {0, kMaxWarmupPaths}, paths,
            [&](const Json& entry, const std::string&) {
              if (!entry.is_string()) {
                reader.add_problem("paths", "holds " + shown(entry) + ", which is no string");
              }
              return entry.is_string() ? entry.get<std::string>() : std::string("/");
            });
}

}  // namespace

WarmupSpec read_warmup(const Json& object, const std::string& path, Problems& problems) {
  WarmupSpec warmup;
  ObjectReader reader(object, path, problems);
  read_choice(reader, "mode", kWarmupModes, warmup.mode);
  reader.read("port", warmup.port);
  read_choice(reader, "scheme", kSchemes, warmup.scheme);
  reader.read("hostHeader", warmup.host_header);
  read_paths(reader, warmup.paths);
  read_nested(reader, "pathsFrom", read_key_ref, warmup.paths_from, problems);
  reader.read("sitemap", warmup.sitemap);
  reader.read("discoverAssets", warmup.discover_assets);
  read_list(
      reader, "variants", {0, kMaxVariants}, warmup.variants,
      [&](const Json& entry, const std::string& at) { return texts_of(entry, at, problems); });
  reader.read("minHitPercent", warmup.min_hit_percent);
  reader.read("hitHeader", warmup.hit_header);
  reader.read("concurrency", warmup.concurrency);
  reader.read("maxWarmingPods", warmup.max_warming_pods);
  reader.read_quantity("maxOriginRequestsPerSecond", warmup.max_origin_requests_per_second);
  reader.read("probe", warmup.probe);
  reader.read("timeout", warmup.timeout);
  read_choice(reader, "onTimeout", kTimeoutActions, warmup.on_timeout);
  reader.read("allowHostNetwork", warmup.allow_host_network);
  reader.refuse_unknown();
  return warmup;
}

DrainSpec read_drain(const Json& object, const std::string& path, Problems& problems) {
  DrainSpec drain;
  ObjectReader reader(object, path, problems);
  read_choice(reader, "mode", kDrainModes, drain.mode);
  reader.read("period", drain.period);
  reader.read("maxConcurrent", drain.max_concurrent);
  reader.refuse_unknown();
  return drain;
}

GuardsSpec read_guards(const Json& object, const std::string& path, Problems& problems) {
  GuardsSpec guards;
  ObjectReader reader(object, path, problems);
  reader.read("minHitPercent", guards.min_hit_percent);
  reader.read_quantity("maxFleetOriginRequestsPerSecond",
                       guards.max_fleet_origin_requests_per_second);
  reader.read_quantity("maxEgressBitsPerSecond", guards.max_egress_bits_per_second);
  read_choice(reader, "scalingEffect", kEffectGuards, guards.scaling_effect);
  reader.refuse_unknown();
  return guards;
}

}  // namespace scaledcache::k8s
