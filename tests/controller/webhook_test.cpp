#include "controller/webhook.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "k8s/base64.h"

namespace scaledcache::controller {
namespace {

// The pods with the label app=web in the namespace "shop".
class WebOfShop final : public GatedTargets {
 public:
  [[nodiscard]] std::vector<k8s::LabelSelector> selectors(
      const std::string& name_space) const override {
    if (name_space != "shop") {
      return {};
    }
    return {*k8s::LabelSelector::parse("app=cron"), *k8s::LabelSelector::parse("app=web,!canary")};
  }
};

Json pod() {
  return Json::parse(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"generateName":"web-","labels":{"app":"web"}},
      "spec":{"containers":[{"name":"varnish"}]}})");
}

// A review as the API server sends it, with `changes` merged over its request.
Json review(const Json& object, const Json& changes = Json::object()) {
  Json request{{"uid", "u-1"},
               {"kind", {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}}},
               {"resource", {{"group", ""}, {"version", "v1"}, {"resource", "pods"}}},
               {"namespace", "shop"},
               {"operation", "CREATE"},
               {"dryRun", false},
               {"object", object}};
  request.merge_patch(changes);
  return {{"kind", "AdmissionReview"}, {"apiVersion", "admission.k8s.io/v1"}, {"request", request}};
}

struct Answer {
  AdmissionOutcome outcome;
  Json response;

  // What the pod becomes.
  [[nodiscard]] Json applied_to(const Json& object) const {
    if (!response.contains("patch")) {
      return object;
    }
    CHECK(response["patchType"] == "JSONPatch");
    const auto patch = k8s::decode_base64(response["patch"].get<std::string>());
    REQUIRE(patch);
    return object.patch(Json::parse(*patch));
  }
};

Answer ask(const std::string& bytes) {
  const Admission admission = admit(bytes, WebOfShop());
  const Json body = Json::parse(admission.body);
  CHECK(body["apiVersion"] == "admission.k8s.io/v1");
  CHECK(body["kind"] == "AdmissionReview");
  return {admission.outcome, body["response"]};
}

Json merged(Json object, const Json& changes) {
  object.merge_patch(changes);
  return object;
}

const Json kOurGate = Json::parse(R"([{"conditionType":"scaledcache.io/cache-warm"}])");

TEST_CASE("a pod of a gated target gets the gate and its label, and nothing else") {
  struct Row {
    const char* name;
    Json pod;
    Json want;
  };

  const Json labelled{{"metadata", {{"labels", {{"scaledcache.io/gated", "true"}}}}}};
  const Json gated = merged(labelled, {{"spec", {{"readinessGates", kOurGate}}}});
  const Json other = Json::parse(R"([{"conditionType":"elb/x"}])");
  const Json both =
      Json::parse(R"([{"conditionType":"elb/x"},{"conditionType":"scaledcache.io/cache-warm"}])");
  const auto with_gates = [](const Json& gates) {
    return merged(pod(), {{"spec", {{"readinessGates", gates}}}});
  };
  for (const Row& row : {
           Row{"as a ReplicaSet makes it", pod(), merged(pod(), gated)},
           Row{"with an empty list of gates", with_gates(Json::array()), merged(pod(), gated)},
           Row{"with another's gate", with_gates(other), merged(with_gates(both), labelled)},
           Row{"with the gate, without the label", with_gates(kOurGate), merged(pod(), gated)},
           Row{"with the label, without the gate", merged(pod(), labelled), merged(pod(), gated)},
           Row{"with another value of the label",
               merged(pod(), {{"metadata", {{"labels", {{"scaledcache.io/gated", "no"}}}}}}),
               merged(pod(), gated)},
       }) {
    SUBCASE(row.name) {
      const Answer answer = ask(review(row.pod).dump());
      CHECK(answer.outcome == AdmissionOutcome::Injected);
      CHECK(answer.response["allowed"] == true);
      CHECK(answer.response["uid"] == "u-1");
      CHECK(answer.applied_to(row.pod) == row.want);
      // Webhooks are called again when another one changed the pod.
      const Answer again = ask(review(row.want).dump());
      CHECK(again.outcome == AdmissionOutcome::Unchanged);
      CHECK_FALSE(again.response.contains("patch"));
      CHECK_FALSE(again.response.contains("patchType"));
    }
  }
}

TEST_CASE("everything else is allowed as it is") {
  struct Row {
    const char* name;
    Json review;
  };

  const Json canary{{"metadata", {{"labels", {{"canary", "1"}}}}}};
  for (const Row& row : {
           Row{"another app", review(merged(pod(), {{"metadata", {{"labels", {{"app", "x"}}}}}}))},
           Row{"a label that the selector forbids", review(merged(pod(), canary))},
           Row{"no labels", review(merged(pod(), {{"metadata", {{"labels", nullptr}}}}))},
           Row{"another namespace", review(pod(), {{"namespace", "blog"}})},
           Row{"no namespace", review(pod(), {{"namespace", nullptr}})},
           Row{"the host's network", review(merged(pod(), {{"spec", {{"hostNetwork", true}}}}))},
           Row{"an update", review(pod(), {{"operation", "UPDATE"}})},
           Row{"a deletion",
               review(pod(), {{"operation", "DELETE"}, {"object", nullptr}, {"oldObject", pod()}})},
           Row{"a subresource", review(pod(), {{"subResource", "ephemeralcontainers"}})},
           Row{"another kind", review(pod(), {{"kind", {{"kind", "Deployment"}}}})},
           Row{"another group", review(pod(), {{"kind", {{"group", "x.io"}}}})},
           Row{"no object", review(pod(), {{"object", nullptr}})},
           Row{"an object that is none", review(pod(), {{"object", 7}})},
           Row{"labels that are none", review(merged(pod(), {{"metadata", {{"labels", "x"}}}}))},
           Row{"a label that is no text",
               review(merged(pod(), {{"metadata", {{"labels", {{"n", 1}}}}}}))},
           Row{"gates that are none", review(merged(pod(), {{"spec", {{"readinessGates", 1}}}}))},
           Row{"no spec", review(merged(pod(), {{"spec", nullptr}}))},
       }) {
    SUBCASE(row.name) {
      const Answer answer = ask(row.review.dump());
      CHECK(answer.outcome == AdmissionOutcome::Unchanged);
      CHECK(answer.response == Json{{"uid", "u-1"}, {"allowed", true}});
    }
  }
}

TEST_CASE("commas in a string are no values") {
  const Json changes{{"metadata", {{"annotations", {{"a", std::string(100'000, ',') + "\""}}}}}};
  CHECK(ask(review(merged(pod(), changes)).dump()).outcome == AdmissionOutcome::Injected);
}

TEST_CASE("a dry run gets the same patch: there are no effects to leave out") {
  const Answer answer = ask(review(pod(), {{"dryRun", true}}).dump());
  CHECK(answer.outcome == AdmissionOutcome::Injected);
}

TEST_CASE("what is no review is refused with code 400") {
  Json old = review(pod());
  old["apiVersion"] = "admission.k8s.io/v1beta1";
  Json nameless = review(pod());
  nameless["request"].erase("uid");

  struct Row {
    const char* name;
    std::string bytes;
    const char* uid;
  };

  for (const Row& row : {
           Row{"nothing", "", ""},
           Row{"a page", "<html></html>", ""},
           Row{"half of one", review(pod()).dump().substr(0, 200), ""},
           Row{"deep brackets", std::string(100'000, '['), ""},
           Row{"deep objects", review(pod()).dump() + std::string(5'000, '{'), ""},
           Row{"too many values",
               review(
                   merged(pod(), {{"metadata", {{"finalizers", Json(Json::array_t(60'000, 1))}}}}))
                   .dump(),
               ""},
           Row{"a list", "[]", ""},
           Row{"a number", "1", ""},
           Row{"no request", R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})",
               ""},
           Row{"a request that is none",
               R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":[1]})",
               ""},
           Row{"no uid", nameless.dump(), ""},
           Row{"an older version", old.dump(), "u-1"},
           Row{"another kind", R"({"kind":"Pod","apiVersion":"admission.k8s.io/v1"})", ""},
       }) {
    SUBCASE(row.name) {
      const Answer answer = ask(row.bytes);
      CHECK(answer.outcome == AdmissionOutcome::Malformed);
      CHECK(answer.response["uid"] == row.uid);
      CHECK(answer.response["allowed"] == false);
      CHECK(answer.response["status"]["code"] == 400);
      CHECK_FALSE(answer.response["status"]["message"].get<std::string>().empty());
    }
  }
}

TEST_CASE("bytes that are no UTF-8 are answered, whatever they are in") {
  const std::string good = review(pod()).dump();
  for (std::size_t at = 0; at < good.size(); at += 7) {
    std::string broken = good;
    broken[at] = '\xff';
    CHECK_FALSE(admit(broken, WebOfShop()).body.empty());
  }
}

}  // namespace
}  // namespace scaledcache::controller
