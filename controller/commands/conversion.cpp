// From foreign objects to manifests, and what is to be said about them.
#include "controller/commands/convert.h"
#include "controller/commands/hpa_source.h"
#include "controller/commands/keda.h"
#include "controller/commands/keda_auth.h"
#include "k8s/spec.h"

namespace scaledcache::controller {
namespace {

Conversion begin(const Document& source) {
  Conversion conversion;
  conversion.file = source.file;
  conversion.line = source.line;
  conversion.title = source.title();
  return conversion;
}

void settle(const Ledger& ledger, const Document& source, Conversion& conversion) {
  Ledger::Settled settled = ledger.settle(source.value);
  conversion.carried = std::move(settled.carried);
  conversion.dropped = std::move(settled.dropped);
}

void judge(Conversion& conversion) {
  const Json spec = conversion.manifest->at("spec");
  const k8s::Spec read = k8s::spec_from_json(spec, "spec", conversion.problems);
  if (conversion.problems.empty()) {
    conversion.problems = k8s::validate(read);
  }
}

Conversion finish(Draft draft, const Document& source, const ConvertOptions& options) {
  Conversion conversion = begin(source);
  settle(draft.ledger, source, conversion);
  if (!draft.spec.contains("signals")) {
    conversion.obstacle = "nothing in it counts requests";
    return conversion;
  }
  if (options.dry_run) {
    draft.spec["dryRun"] = true;
    draft.comment("spec.dryRun", "decides and reports beside what is still in charge");
  }
  conversion.manifest = draft.manifest();
  conversion.comments = std::move(draft.comments);
  conversion.chores = std::move(draft.chores);
  judge(conversion);
  return conversion;
}

// KEDA makes HPAs of its own, and makes them anew when they are gone.
std::string owner_of(const Document& source) {
  const Json* owners = member_at(source.value, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) {
    return {};
  }
  for (const Json& owner : *owners) {
    if (string_member(owner, "kind") == kScaledObject) {
      return string_member(owner, "name");
    }
  }
  return {};
}

Conversion convert_hpa(const Document& source, const ConvertOptions& options) {
  if (const std::string owner = owner_of(source); !owner.empty()) {
    Conversion conversion = begin(source);
    conversion.obstacle = "belongs to ScaledObject " + owner + ": convert that";
    return conversion;
  }
  return finish(draft_of_hpa(source), source, options);
}

Conversion convert_authentication(const Document& source) {
  Conversion conversion = begin(source);
  settle(ledger_of_authentication(source), source, conversion);
  return conversion;
}

}  // namespace

double Conversion::share() const {
  const std::size_t all = carried.size() + dropped.size();
  return all == 0 ? 1 : static_cast<double>(carried.size()) / static_cast<double>(all);
}

std::vector<Conversion> convert_documents(std::span<const Document> documents,
                                          const ConvertOptions& options) {
  std::vector<Conversion> conversions;
  for (const Document& document : documents) {
    const std::string kind = document.text("kind");
    if (kind == kScaledObject) {
      conversions.push_back(finish(draft_of_scaled_object(document, documents), document, options));
    } else if (kind == kHpa) {
      conversions.push_back(convert_hpa(document, options));
    } else if (kind == kTriggerAuthentication || kind == kClusterTriggerAuthentication) {
      conversions.push_back(convert_authentication(document));
    }
  }
  return conversions;
}

}  // namespace scaledcache::controller
