#include "controller/certificate_plan.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;
using Step = CertificateStep;

constexpr std::chrono::hours kDay{24};
constexpr const char* kName = "hook.ns.svc";
const WallTime kStart{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30}};

// The Secret and the caBundle of one webhook, and somebody who does what the plan says.
struct Cluster {
  WebhookMaterial material;
  std::vector<std::string> bundles{""};
  WallTime now = kStart;

  [[nodiscard]] CertificateView view() const { return {material, bundles, kName, now}; }

  Step take() {
    const Step step = next_step(view());
    switch (step) {
      case Step::MakeAuthority:
        material = with_authority(view(), *http::make_authority("CA", {now, kAuthorityLife}));
        break;
      case Step::Publish:
        std::fill(bundles.begin(), bundles.end(), wanted_bundle(material));
        break;
      case Step::NotePublished:
        material.published = now;
        break;
      case Step::IssueLeaf:
        material =
            with_leaf(material, *http::make_leaf(material.authority, {kName}, {now, kLeafLife}));
        break;
      case Step::DropRetired:
        material = without_retired(material);
        break;
      case Step::None:
      case Step::Wait:
        break;
    }
    return step;
  }

  // Every step until there is none to take now.
  std::vector<Step> settle() {
    std::vector<Step> steps;
    do {
      steps.push_back(take());
      REQUIRE(steps.size() < 20);
    } while (steps.back() != Step::None && steps.back() != Step::Wait);
    return steps;
  }

  // What the Secret's leaf is worth to an API server that knows this bundle.
  [[nodiscard]] bool trusted_by(const std::string& bundle) const {
    return http::is_signed_by(material.leaf.certificate_pem, bundle);
  }
};

Cluster settled() {
  Cluster cluster;
  (void)cluster.settle();
  return cluster;
}

TEST_CASE("from nothing: an authority, its publication, a leaf") {
  Cluster cluster;
  CHECK(cluster.settle() ==
        std::vector<Step>{Step::MakeAuthority, Step::Publish, Step::IssueLeaf, Step::None});
  CHECK(leaf_is_good(cluster.view()));
  CHECK(cluster.trusted_by(cluster.bundles.front()));
  CHECK(cluster.material.retiring_pem.empty());
}

TEST_CASE("a leaf is renewed by the same authority after two thirds of its life") {
  Cluster cluster = settled();
  const WebhookMaterial before = cluster.material;
  cluster.now = kStart + 59 * kDay;
  CHECK(cluster.settle() == std::vector<Step>{Step::None});
  cluster.now = kStart + 60 * kDay;
  CHECK(cluster.settle() == std::vector<Step>{Step::IssueLeaf, Step::None});
  CHECK(cluster.material.authority == before.authority);
  CHECK(cluster.material.leaf != before.leaf);
  CHECK(cluster.trusted_by(cluster.bundles.front()));
}

TEST_CASE("a new authority is published beside the old one, and signs a minute later") {
  Cluster cluster = settled();
  const std::string old_bundle = cluster.bundles.front();
  cluster.material.rotate = "ca";
  CHECK(cluster.settle() ==
        std::vector<Step>{Step::MakeAuthority, Step::Publish, Step::NotePublished, Step::Wait});
  CHECK(cluster.material.rotate.empty());
  CHECK(cluster.trusted_by(old_bundle));
  const std::string both = cluster.bundles.front();
  CHECK(http::split_certificates(both).size() == 2);
  cluster.now += 59s;
  CHECK(cluster.settle() == std::vector<Step>{Step::Wait});
  cluster.now += 1s;
  CHECK(cluster.settle() == std::vector<Step>{Step::IssueLeaf, Step::None});
  CHECK(cluster.trusted_by(both));
  CHECK_FALSE(cluster.trusted_by(old_bundle));
  CHECK(cluster.bundles.front() == both);

  cluster.now = kStart + 89 * kDay;  // a replica may still show the old leaf
  (void)cluster.settle();            // renews the leaf
  CHECK(cluster.bundles.front() == both);
  cluster.now = kStart + 90 * kDay;
  CHECK(cluster.settle() == std::vector<Step>{Step::DropRetired, Step::Publish, Step::None});
  CHECK(http::split_certificates(cluster.bundles.front()).size() == 1);
  CHECK(cluster.trusted_by(cluster.bundles.front()));
}

TEST_CASE("an authority is renewed by itself after two thirds of its life") {
  Cluster cluster = settled();
  cluster.now = kStart + kAuthorityLife * 2 / 3 - kDay;
  (void)cluster.settle();
  const http::PemIdentity before = cluster.material.authority;
  cluster.now += kDay;
  CHECK(cluster.take() == Step::MakeAuthority);
  CHECK(cluster.material.authority != before);
  CHECK(leaf_is_good(cluster.view()));
}

TEST_CASE("rotation after rotation, at every step an API server that lags trusts the leaf") {
  Cluster cluster = settled();
  std::string minute_old = cluster.bundles.front();
  for (int i = 0; i < 20; ++i) {
    cluster.material.rotate = "ca";
    for (Step step = Step::MakeAuthority; step != Step::None;) {
      step = cluster.take();
      CHECK(cluster.trusted_by(minute_old));
      CHECK(cluster.trusted_by(cluster.bundles.front()));
      if (step == Step::Wait) {
        cluster.now += kPublishTime;
        minute_old = cluster.bundles.front();
      }
    }
  }
}

TEST_CASE("a bundle that somebody emptied or garbled is published again") {
  for (const char* text : {"", "nonsense", "-----BEGIN CERTIFICATE-----\nAA\n"}) {
    Cluster cluster = settled();
    cluster.bundles.front() = text;
    CHECK(cluster.settle() == std::vector<Step>{Step::Publish, Step::None});
  }
}

TEST_CASE("every webhook of the configuration gets the bundle") {
  Cluster cluster = settled();
  cluster.bundles.emplace_back();
  CHECK(cluster.settle() == std::vector<Step>{Step::Publish, Step::None});
  CHECK(cluster.bundles[0] == cluster.bundles[1]);
}

TEST_CASE("a leaf that cannot be shown is replaced at once") {
  struct Row {
    const char* name;
    void (*spoil)(Cluster&);
  };

  for (const Row& row : {
           Row{"expired", [](Cluster& cluster) { cluster.now += 91 * kDay; }},
           Row{"of another key",
               [](Cluster& cluster) {
                 cluster.material.leaf.key_pem = cluster.material.authority.key_pem;
               }},
           Row{"for another name",
               [](Cluster& cluster) {
                 cluster.material.leaf =
                     *http::make_leaf(cluster.material.authority, {"x"}, {kStart, kLeafLife});
               }},
           Row{"of a stranger",
               [](Cluster& cluster) {
                 const auto stranger = *http::make_authority("CA", {kStart, kAuthorityLife});
                 cluster.material.leaf = *http::make_leaf(stranger, {kName}, {kStart, kLeafLife});
               }},
           Row{"no text", [](Cluster& cluster) { cluster.material.leaf = {}; }},
           Row{"asked for", [](Cluster& cluster) { cluster.material.rotate = "leaf"; }},
       }) {
    SUBCASE(row.name) {
      Cluster cluster = settled();
      row.spoil(cluster);
      CHECK(cluster.settle() == std::vector<Step>{Step::IssueLeaf, Step::None});
      CHECK(leaf_is_good(cluster.view()));
    }
  }
}

TEST_CASE("when the Secret is lost, what was published stays trusted, and running replicas too") {
  Cluster cluster = settled();
  const http::PemIdentity still_shown = cluster.material.leaf;
  cluster.material = {};
  CHECK(cluster.settle() ==
        std::vector<Step>{Step::MakeAuthority, Step::Publish, Step::NotePublished, Step::Wait});
  CHECK(http::is_signed_by(still_shown.certificate_pem, cluster.bundles.front()));
  cluster.now += kPublishTime;
  CHECK(cluster.settle() == std::vector<Step>{Step::IssueLeaf, Step::None});
  CHECK(cluster.material.retire_at == kStart + kLeafLife);
}

TEST_CASE("an authority whose key is lost or that has expired is replaced") {
  Cluster cluster = settled();
  cluster.material.authority.key_pem = Secret<std::string>();
  CHECK(cluster.take() == Step::MakeAuthority);
  CHECK(leaf_is_good(cluster.view()));  // its certificate is trusted on

  Cluster asleep = settled();
  asleep.now += kAuthorityLife + kDay;
  CHECK(asleep.settle() ==
        std::vector<Step>{Step::MakeAuthority, Step::Publish, Step::IssueLeaf, Step::None});
  CHECK(asleep.material.retiring_pem.empty());
}

TEST_CASE("without a webhook configuration there is a leaf all the same, and nobody to wait for") {
  Cluster cluster;
  cluster.bundles.clear();
  CHECK(cluster.settle() == std::vector<Step>{Step::MakeAuthority, Step::IssueLeaf, Step::None});
  cluster.material.rotate = "ca";
  CHECK(cluster.settle() == std::vector<Step>{Step::MakeAuthority, Step::IssueLeaf, Step::None});
}

}  // namespace
}  // namespace scaledcache::controller
