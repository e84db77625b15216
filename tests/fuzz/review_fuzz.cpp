// Any bytes at all as an AdmissionReview: the answer is one that an API server understands, the
// patch applies to the pod that was shown, and a pod that has been patched is left alone.
#include <string>
#include <vector>

#include "base/json.h"
#include "controller/webhook.h"
#include "k8s/base64.h"

#include "fuzz/require.h"

namespace scaledcache::controller {
namespace {

using fuzz::require;

class Everywhere final : public GatedTargets {
 public:
  [[nodiscard]] std::vector<k8s::LabelSelector> selectors(const std::string&) const override {
    return {selector_};
  }

 private:
  const k8s::LabelSelector selector_ = *k8s::LabelSelector::parse("app");
};

void require_gate(const Json& pod) {
  bool gated = false;
  for (const Json& gate : pod.at("spec").at("readinessGates")) {
    gated = gated || string_member(gate, "conditionType") == "scaledcache.io/cache-warm";
  }
  require(gated);
}

void read(std::string_view text) {
  const Everywhere targets;
  const Admission admission = admit(text, targets);
  const Result<Json> answer = parse_json(admission.body, 10);
  require(answer.has_value());
  const Json& response = answer->at("response");
  require(response.at("uid").is_string());
  require(response.at("allowed") == (admission.outcome != AdmissionOutcome::Malformed));
  require(response.contains("patch") == (admission.outcome == AdmissionOutcome::Injected));
  if (admission.outcome != AdmissionOutcome::Injected) {
    return;
  }
  const auto patch = k8s::decode_base64(response.at("patch").get<std::string>());
  require(patch.has_value());
  Json review = *parse_json(text, 100);
  Json& pod = review.at("request").at("object");
  pod = pod.patch(Json::parse(*patch));
  require_gate(pod);
  require(admit(dump_json(review), targets).outcome == AdmissionOutcome::Unchanged);
}

}  // namespace
}  // namespace scaledcache::controller

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scaledcache::controller::read(scaledcache::fuzz::text_of(data, size));
  return 0;
}
