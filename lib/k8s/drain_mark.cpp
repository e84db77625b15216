#include "k8s/drain_mark.h"

#include "base/json.h"

namespace scaledcache::k8s {
namespace {

Patch merge_annotations(const Pod& pod, Json annotations) {
  return {kMergePatch,
          dump_json({{"metadata", {{"uid", pod.uid}, {"annotations", std::move(annotations)}}}})};
}

}  // namespace

std::string to_text(const DrainMark& mark) {
  return mark.cache + "/" + mark.reason;
}

DrainMark parse_drain_mark(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return {std::string(text), ""};
  }
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

bool has_foreign_cost(const Pod& pod) {
  return !pod.deletion_cost.empty() && pod.deletion_cost != kDrainDeletionCost;
}

Patch encode_drain_mark(const Pod& pod, const DrainMark& mark, bool with_cost) {
  Json annotations{{std::string(kDrainAnnotation), to_text(mark)}};
  if (with_cost) {
    annotations[std::string(kDeletionCostAnnotation)] = kDrainDeletionCost;
  }
  return merge_annotations(pod, std::move(annotations));
}

Patch encode_drain_unmark(const Pod& pod) {
  Json annotations{{std::string(kDrainAnnotation), nullptr}};
  if (!has_foreign_cost(pod)) {
    annotations[std::string(kDeletionCostAnnotation)] = nullptr;
  }
  return merge_annotations(pod, std::move(annotations));
}

}  // namespace scaledcache::k8s
