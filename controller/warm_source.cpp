#include "controller/warm_source.h"

#include <algorithm>
#include <utility>

#include "cache/paths.h"
#include "k8s/paths.h"

namespace scaledcache::controller {
namespace {

const k8s::ResourceType kConfigMaps{"", "v1", "configmaps"};

std::vector<http::Headers> to_variants(
    const std::vector<std::map<std::string, std::string>>& specs) {
  std::vector<http::Headers> variants;
  for (const auto& spec : specs) {
    http::Headers headers;
    for (const auto& [name, value] : spec) {
      headers.push_back({name, value});
    }
    variants.push_back(std::move(headers));
  }
  return variants;
}

}  // namespace

cache::PodDoor door_of(const k8s::WarmupSpec& spec) {
  return {spec.scheme, static_cast<std::uint16_t>(spec.port), spec.host_header};
}

Result<std::string> WarmSource::read_list(const k8s::ScaledCache& cache,
                                          const std::stop_token& stop) {
  const k8s::KeyRef& ref = *cache.spec.warmup.paths_from;
  const auto object =
      client_.get(k8s::object_path(kConfigMaps, cache.meta.name_space, ref.name), stop);
  if (!object) {
    return Error{object.error().code,
                 "ConfigMap " + ref.name + " cannot be read: " + object.error().message};
  }
  const Json* data = find_member(*object, "data");
  const Json* text = data == nullptr ? nullptr : find_member(*data, ref.key);
  if (text == nullptr || !text->is_string()) {
    return Error{ErrorCode::NotFound, "ConfigMap " + ref.name + " has no text under " + ref.key};
  }
  return text->get<std::string>();
}

Result<cache::WarmupPlan> WarmSource::plan(const k8s::ScaledCache& cache,
                                           const std::stop_token& stop) {
  const k8s::WarmupSpec& spec = cache.spec.warmup;
  cache::WarmupPlan plan;
  plan.door = door_of(spec);
  plan.paths = cache::clean_paths(spec.paths, plan.limits.urls).paths;
  if (spec.paths_from) {
    const auto list = read_list(cache, stop);
    if (!list) {
      return list.error();
    }
    auto more = cache::clean_path_text(*list, plan.limits.urls).paths;
    plan.paths.insert(plan.paths.end(), std::make_move_iterator(more.begin()),
                      std::make_move_iterator(more.end()));
  }
  plan.sitemap = spec.sitemap;
  plan.discover_assets = spec.discover_assets;
  plan.variants = to_variants(spec.variants);
  plan.hit_header = spec.hit_header;
  plan.concurrency = spec.concurrency;
  plan.timeout = spec.timeout;
  if (plan.paths.empty() && plan.sitemap.empty()) {
    return Error{ErrorCode::Invalid, "warmup names no path, no list and no sitemap"};
  }
  return plan;
}

}  // namespace scaledcache::controller
