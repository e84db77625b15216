#include "controller/webhook_server.h"

#include <doctest/doctest.h>

#include "base/json.h"

namespace scaledcache::controller {
namespace {

class NothingGated final : public GatedTargets {
 public:
  [[nodiscard]] std::vector<k8s::LabelSelector> selectors(
      const std::string& /*name_space*/) const override {
    return {};
  }
};

TEST_CASE("a review is answered with 200 whatever it is, and counted") {
  struct Row {
    const char* name;
    http::Headers headers;
    std::string body;
    AdmissionOutcome want;
  };

  const std::string review =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u"}})";
  for (const Row& row : {
           Row{"a review",
               {{"Content-Type", "application/json"}},
               review,
               AdmissionOutcome::Unchanged},
           Row{"with a character set",
               {{"content-type", "Application/JSON; charset=utf-8"}},
               review,
               AdmissionOutcome::Unchanged},
           Row{"another content type",
               {{"Content-Type", "application/yaml"}},
               review,
               AdmissionOutcome::Malformed},
           Row{"no content type", {}, review, AdmissionOutcome::Malformed},
           Row{"nonsense",
               {{"Content-Type", "application/json"}},
               "{",
               AdmissionOutcome::Malformed},
       }) {
    SUBCASE(row.name) {
      const NothingGated targets;
      std::optional<AdmissionOutcome> counted;
      const Log log(system_clock(), LogFormat::Json, LogLevel::Error);
      const WebhookParts parts{targets, system_clock(), log,
                               [&](AdmissionOutcome outcome) { counted = outcome; }};
      const http::Response response = answer_review(
          parts, {http::Method::Post, "/inject", "timeout=3s", row.headers, row.body});
      CHECK(response.status == 200);
      CHECK(http::find_header(response.headers, "Content-Type") == "application/json");
      CHECK(counted == row.want);
      CHECK(Json::parse(response.body)["response"]["allowed"] ==
            (row.want != AdmissionOutcome::Malformed));
    }
  }
}

}  // namespace
}  // namespace scaledcache::controller
