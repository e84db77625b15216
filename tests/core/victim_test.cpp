// Which pods leave: one row per rule.
#include "core/victim.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::core::test {
namespace {

// A warm pod of a node and zone that has two of them.
Candidate pod(const std::string& name) {
  Candidate pod;
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.node = "node-1";
  pod.ready = true;
  pod.gated = true;
  pod.warm = true;
  pod.hit_ratio = 0.9;
  pod.rate = 100;
  return pod;
}

template <class Change>
Candidate with(const std::string& name, Change change) {
  Candidate changed = pod(name);
  change(changed);
  return changed;
}

struct Row {
  const char* name;
  std::vector<Candidate> pods;
  int how_many;
  VictimRules rules;
  Victims want;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> rows{
      {"a cold pod goes before a warm one",
       {pod("a"), with("b", [](Candidate& p) { p.warm = false; })},
       1,
       {},
       {{}, {"uid-b"}, 0, 0}},
      {"a pod that is not ready goes before a cold one",
       {with("a", [](Candidate& p) { p.warm = false; }),
        with("b", [](Candidate& p) { p.ready = false; })},
       1,
       {},
       {{}, {"uid-b"}, 0, 0}},
      {"of warm ones the lowest hit ratio",
       {pod("a"), with("b", [](Candidate& p) { p.hit_ratio = 0.8; }), pod("c")},
       1,
       {},
       {{}, {"uid-b"}, 0, 0}},
      {"then the least traffic, then the name",
       {pod("c"), with("b", [](Candidate& p) { p.rate = 99; }), pod("a")},
       3,
       {},
       {{}, {"uid-b", "uid-a", "uid-c"}, 0, 0}},
      {"what is unknown counts as the least",
       {pod("a"), with("b", [](Candidate& p) { p.hit_ratio.reset(); })},
       1,
       {},
       {{}, {"uid-b"}, 0, 0}},
      {"unassigned and Pending pods go first, and need no drain",
       {with("a", [](Candidate& p) { p.node.clear(); }),
        with("b", [](Candidate& p) { p.phase = PodPhase::Pending; }), pod("c")},
       3,
       {},
       {{"uid-a", "uid-b"}, {"uid-c"}, 0, 0}},
      {"a pod without our gate cannot be drained",
       {with("a", [](Candidate& p) { p.gated = false; }), pod("b")},
       2,
       {},
       {{}, {"uid-b"}, 1, 0}},
      {"the last ready pod of a node stays under a local policy",
       {with("a", [](Candidate& p) { p.rate = 1; }),
        with("b", [](Candidate& p) { p.node = "node-2"; }),
        with("c", [](Candidate& p) { p.node = "node-2"; })},
       3,
       {.node_local = true},
       {{}, {"uid-b"}, 0, 2}},
      {"one that is not ready is no endpoint",
       {with("a", [](Candidate& p) { p.ready = false; }), pod("b")},
       1,
       {.node_local = true},
       {{}, {"uid-a"}, 0, 0}},
      {"a zone's only pod stays",
       {with("a",
             [](Candidate& p) {
               p.zone = "z1";
               p.rate = 1;
             }),
        with("b", [](Candidate& p) { p.zone = "z2"; }),
        with("c", [](Candidate& p) { p.zone = "z2"; })},
       2,
       {},
       {{}, {"uid-b"}, 0, 2}},
      {"one that is not ready does not stand in for a zone's last endpoint",
       {with("a",
             [](Candidate& p) {
               p.zone = "z1";
               p.rate = 1;
             }),
        with("b",
             [](Candidate& p) {
               p.zone = "z1";
               p.ready = false;
               p.gated = false;
             }),
        with("c", [](Candidate& p) { p.zone = "z2"; }),
        with("d", [](Candidate& p) { p.zone = "z2"; })},
       1,
       {},
       {{}, {"uid-c"}, 1, 1}},
      {"where there is one zone only, the rule says nothing",
       {with("a", [](Candidate& p) { p.zone = "z1"; })},
       1,
       {},
       {{}, {"uid-a"}, 0, 0}},
      {"a hard bound is above both",
       {with("a", [](Candidate& p) { p.zone = "z1"; }),
        with("b", [](Candidate& p) { p.zone = "z2"; })},
       1,
       {.node_local = true, .must = true},
       {{}, {"uid-a"}, 0, 0}},
      {"of a StatefulSet the highest ordinal goes, however warm it is",
       {with("s-10", [](Candidate& p) { p.ordinal = 10; }), with("s-9",
                                                                 [](Candidate& p) {
                                                                   p.ordinal = 9;
                                                                   p.warm = false;
                                                                 })},
       1,
       {.stateful_set = true},
       {{}, {"uid-s-10"}, 0, 0}},
      {"down to the first ordinal without a gate",
       {with("s-2", [](Candidate& p) { p.ordinal = 2; }),
        with("s-1",
             [](Candidate& p) {
               p.ordinal = 1;
               p.gated = false;
             }),
        with("s-0", [](Candidate& p) { p.ordinal = 0; })},
       3,
       {.stateful_set = true},
       {{}, {"uid-s-2"}, 2, 0}},
      {"a Pending highest ordinal needs no drain",
       {with("s-1",
             [](Candidate& p) {
               p.ordinal = 1;
               p.phase = PodPhase::Pending;
             }),
        with("s-0", [](Candidate& p) { p.ordinal = 0; })},
       1,
       {.stateful_set = true},
       {{"uid-s-1"}, {}, 0, 0}},
      {"none is asked for", {pod("a")}, 0, {}, {}},
  };
  return rows;
}

TEST_CASE("victims") {
  for (const Row& row : rows()) {
    SUBCASE(row.name) {
      const Victims got = choose_victims(row.pods, row.how_many, row.rules);
      CHECK(got.unborn == row.want.unborn);
      CHECK(got.drain == row.want.drain);
      CHECK(got.ungated == row.want.ungated);
      CHECK(got.kept == row.want.kept);
    }
  }
}

}  // namespace
}  // namespace scaledcache::core::test
