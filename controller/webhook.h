// The mutating webhook as a pure function: the bytes of an AdmissionReview give the bytes of the
// answer. It puts our readiness gate on new pods of gated targets, and changes nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/label_selector.h"

namespace scaledcache::controller {

enum class AdmissionOutcome {
  Injected,   // the patch adds the gate, its label, or both
  Unchanged,  // allowed as it is: no target's pod, has all of it already, or uses the host network
  Malformed,  // no AdmissionReview that could be answered; refused, since no API server sends it
};

inline constexpr AdmissionOutcome kAllAdmissionOutcomes[] = {
    AdmissionOutcome::Injected, AdmissionOutcome::Unchanged, AdmissionOutcome::Malformed};

[[nodiscard]] std::string_view name_of(AdmissionOutcome outcome);

struct Admission {
  AdmissionOutcome outcome = AdmissionOutcome::Malformed;
  std::string body;  // an AdmissionReview, to be sent with status 200
};

// Where the pods are whose cache is warmed before they take traffic.
class GatedTargets {
 public:
  GatedTargets() = default;
  GatedTargets(const GatedTargets&) = delete;
  GatedTargets& operator=(const GatedTargets&) = delete;
  virtual ~GatedTargets() = default;

  // The pod selectors of the targets in a namespace whose ScaledCache has warmup.mode Gate. From
  // memory; any thread. One that selects everything is not among them.
  [[nodiscard]] virtual std::vector<k8s::LabelSelector> selectors(
      const std::string& name_space) const = 0;
};

// Deterministic, without effects, and the same for a repeated call, whose patch is empty. Anything
// may be in `review`: a pod that cannot be understood is let through untouched, and what is no
// review of admission.k8s.io/v1 gets allowed: false with code 400.
[[nodiscard]] Admission admit(std::string_view review, const GatedTargets& targets);

// The answer to a request that is not even read, such as one of another content type.
[[nodiscard]] Admission refuse_review(const std::string& message);

}  // namespace scaledcache::controller
