// A backend may answer garbage, nothing, endlessly, or never: the count stays, a condition names
// the fault, the process lives, and everybody else is served.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

struct Row {
  std::string name;
  BackendFault fault;
  const char* metrics_ready;  // after half a minute of it
};

// Each has a backend and a fleet of its own in one operator.
const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"empty", BackendFault::Empty, "False NoData"},
      {"status-error", BackendFault::StatusError, "False QueryError"},
      {"unprocessable", BackendFault::Unprocessable, "False QueryError"},
      {"unavailable", BackendFault::Unavailable, "False BackendUnreachable"},
      {"unauthorized", BackendFault::Unauthorized, "False Unauthorized"},
      {"html", BackendFault::Html, "False Invalid"},
      {"not-a-number", BackendFault::NotANumber, "False NoData"},
      {"infinite", BackendFault::Infinite, "False Invalid"},
      {"wrong-type", BackendFault::WrongType, "False Invalid"},
      {"garbage", BackendFault::Garbage, "False Invalid"},
      {"deep-json", BackendFault::DeepJson, "False Invalid"},
      {"partial-warning", BackendFault::PartialWarning, "False Partial"},
      {"hang", BackendFault::Hang, "False BackendUnreachable"},
      {"close-at-once", BackendFault::CloseAtOnce, "False BackendUnreachable"},
      {"bad-chunk-size", BackendFault::BadChunkSize, "False Invalid"},
      {"no-final-chunk", BackendFault::MissingFinalChunk, "False BackendUnreachable"},
      {"header-drip", BackendFault::HeaderDrip, "False BackendUnreachable"},
      {"body-drip", BackendFault::BodyDrip, "False BackendUnreachable"},
      {"endless-body", BackendFault::EndlessBody, "False Invalid"},
      {"huge-header", BackendFault::HugeHeader, "False Invalid"},
      {"metadata-redirect", BackendFault::MetadataRedirect, "False Invalid"},
      {"compressed", BackendFault::Compressed, "False Invalid"},
  };
  return all;
}

constexpr int kReplicas = 6;
constexpr std::size_t kMostMemory = std::size_t{128} << 20;  // S8: one endless answer is 16 MiB

std::string metric_of(const Row& row) {
  std::string metric = row.name;
  std::replace(metric.begin(), metric.end(), '-', '_');
  return metric + "_requests_total";
}

}  // namespace

TEST_CASE("F1 F2 F4 F5 F6 F12: each way a backend can fail holds the count and is named") {
  World world;
  std::vector<std::unique_ptr<FakeBackend>> backends;
  for (const Row& row : rows()) {
    auto& backend = *backends.emplace_back(std::make_unique<FakeBackend>(world.pulse));
    world.deploy(row.name, kReplicas, 0);
    FakeFleet& fleet = backend.fleet(metric_of(row));
    fleet.set_load(kReplicas * 200 - 50);
    std::vector<std::string> pods;
    for (const Json& pod : world.api.objects().all("pods")) {
      if (pod["metadata"]["labels"]["app"] == row.name) {
        pods.push_back(pod["metadata"]["name"]);
      }
    }
    fleet.set_pods(pods);
    world.create_cache(row.name,
                       {{"backend", {{"address", backend.url()}}},
                        {"signals", Json::array({{{"name", "requests"},
                                                  {"counter", {{"metric", metric_of(row)}}},
                                                  {"requestsPerReplica", 200}}})}});
  }
  world.run("bystander", 2, 300);
  for (const Row& row : rows()) {
    world.wait_until_ready(row.name);
  }

  for (std::size_t i = 0; i < rows().size(); ++i) {
    backends[i]->set_fault(rows()[i].fault);
  }
  // Were it believed, an answer without load would shrink them all within a few looks.
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    world.eventually(row.name + " is named", [&] {
      return world.condition(row.name, "MetricsReady").starts_with("False");
    });
    CHECK(world.condition(row.name, "MetricsReady") == row.metrics_ready);
    CHECK(world.message(row.name, "MetricsReady") != "");
    CHECK(world.replicas(row.name) == kReplicas);
    CHECK(world.scale_writes(row.name).empty());
  }
  CHECK(world.process().alive());
  CHECK(world.process().resident_bytes() < kMostMemory);
  CHECK(world.process().status_of("/healthz") == 200);
  for (const std::string& line : world.process().output()) {
    CHECK(line.find("169.254") == std::string::npos);  // text of a peer goes nowhere
  }

  world.fleet("bystander").set_load(900);
  world.wait_for_replicas("bystander", 5);

  for (auto& backend : backends) {
    backend->set_fault(BackendFault::None);
  }
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    world.eventually(row.name + " has recovered",
                     [&] { return world.condition(row.name, "MetricsReady") == "True Fresh"; });
    CHECK(world.replicas(row.name) == kReplicas);
  }
}

TEST_CASE("a backend that was broken from the start is no reason to write, and heals") {
  World world;
  world.backend.set_fault(BackendFault::Unavailable);
  world.deploy("web", 6, 1150);
  world.create_cache("web");
  world.start();
  world.eventually("the first decision says so", [&] { return world.reason("web") == "NoData"; });
  world.wait_for_looks(3);
  CHECK(world.scale_writes("web").empty());
  world.backend.set_fault(BackendFault::None);
  world.wait_until_ready("web");
}

TEST_CASE("S10: without --development a backend on loopback is not dialled") {
  World world;
  world.deploy("web", 2, 900);
  world.create_cache("web");
  world.start_without_development();
  world.eventually("a decision without data", [&] { return world.reason("web") == "NoData"; });
  world.eventually("the address is named", [&] {
    return world.status("web")["signals"][0].value("health", "") == "Missing";
  });
  CHECK(world.backend.queries() == 0);
  CHECK(world.replicas("web") == 2);
}

}  // namespace scaledcache::loopback
