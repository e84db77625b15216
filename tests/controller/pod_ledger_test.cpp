#include "controller/pod_ledger.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

k8s::Pod ready_pod(const std::string& name, WallTime since) {
  k8s::Pod pod;
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.phase = k8s::PodPhase::Running;
  pod.ready = true;
  pod.ready_since = since;
  pod.container_started = since - 2s;
  return pod;
}

TEST_CASE(
    "a pod that is gone is remembered with the time it was last ready, until its samples are "
    "gone") {
  PodLedger ledger;
  const k8s::Pod stays = ready_pod("a", kStart);
  const k8s::Pod leaves = ready_pod("b", kStart);
  CHECK(ledger.update({stays, leaves}, kStart + 5s, 60s).size() == 2);

  const auto after = ledger.update({stays}, kStart + 10s, 60s);
  REQUIRE(after.size() == 2);
  CHECK(after[0].ready);
  CHECK_FALSE(after[1].ready);
  CHECK(after[1].terminating);
  CHECK(after[1].ready_since == kStart);
  CHECK(after[1].ready_until == kStart + 5s);

  CHECK(ledger.update({stays}, kStart + 66s, 60s).size() == 1);
}

TEST_CASE("a pod that turns un-ready keeps when it was ready") {
  PodLedger ledger;
  k8s::Pod pod = ready_pod("a", kStart);
  (void)ledger.update({pod}, kStart + 5s, 60s);
  pod.ready = false;
  pod.ready_since.reset();
  const auto unready = ledger.update({pod}, kStart + 10s, 60s);
  CHECK_FALSE(unready[0].ready);
  CHECK(unready[0].ready_since == kStart);
  CHECK(unready[0].ready_until == kStart + 10s);

  pod.ready = true;
  pod.ready_since = kStart + 12s;
  const auto again = ledger.update({pod}, kStart + 15s, 60s);
  CHECK(again[0].ready);
  CHECK(again[0].ready_since == kStart + 12s);
  CHECK_FALSE(again[0].ready_until);
}

TEST_CASE("another pod of the same name is another pod") {
  PodLedger ledger;
  (void)ledger.update({ready_pod("web-0", kStart)}, kStart, 60s);
  k8s::Pod replaced = ready_pod("web-0", kStart + 20s);
  replaced.uid = "uid-of-the-new-one";
  CHECK(ledger.update({replaced}, kStart + 25s, 60s).size() == 2);
}

TEST_CASE("a Terminating pod is not ready although it still says so") {
  PodLedger ledger;
  k8s::Pod pod = ready_pod("a", kStart);
  pod.deleted = kStart + 30s;
  const auto facts = ledger.update({pod}, kStart + 5s, 60s);
  CHECK(facts[0].terminating);
  CHECK_FALSE(facts[0].ready);
}

}  // namespace
}  // namespace scaledcache::controller
