// Whether growth helped: one row per answer.
#include "core/scaling_effect.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/builders.h"

namespace scaledcache::core::test {
namespace {

// Four pods became eight, all of them warm after 20 s, and serve twice as much.
Dip growth() {
  Dip dip = begin_dip(4, 8, {0.95, 50, 8e8}, kStart);
  dip.warm_after = Milliseconds{20'000};
  dip.after = {0.95, 100, 9e8};
  dip.load_before = {1000, 4, true};
  dip.load_after = {2000, 8, false};
  return dip;
}

template <class Change>
Dip growth_with(Change change) {
  Dip dip = growth();
  change(dip);
  return dip;
}

// As many are refused and no more served than before.
Dip useless_growth() {
  return growth_with([](Dip& dip) {
    dip.load_after = {1050, 8, true};
    dip.after.origin_rate = 50;
  });
}

struct Row {
  const char* name;
  Dip dip;
  std::vector<PodShare> pods;
  Effect want;
};

std::vector<Row> rows() {
  return {
      {"twice the pods serve twice as much", growth(), {}, Effect::Effective},
      {"no more is served, and nothing is refused any longer",
       growth_with([](Dip& dip) { dip.load_after.served = 1000; }),
       {},
       Effect::Effective},
      {"more is served, though some are still refused",
       growth_with([](Dip& dip) {
         dip.load_after = {1300, 8, true};
       }),
       {},
       Effect::Effective},
      {"no more is served, and requests are still refused",
       useless_growth(),
       {},
       Effect::BottleneckUpstream},
      {"likewise, and the origin is asked for more",
       growth_with([](Dip& dip) {
         dip.load_after = {1050, 8, true};
         dip.after.origin_rate = 80;
       }),
       {},
       Effect::OriginBound},
      {"likewise, and the road is full",
       growth_with([](Dip& dip) {
         dip.load_after = {1050, 8, true};
         dip.after.egress = 9.6e8;
       }),
       {},
       Effect::AtEgressLimit},
      {"warm caches hit six points less than before",
       growth_with([](Dip& dip) { dip.after.hit_ratio = 0.89; }),
       {},
       Effect::OriginBound},
      {"four points are not enough",
       growth_with([](Dip& dip) { dip.after.hit_ratio = 0.91; }),
       {},
       Effect::Effective},
      {"the new pods get a tenth of what the old ones do",
       growth(),
       {{"n1", 200, false}, {"n1", 200, false}, {"n1", 20, true}, {"n2", 20, true}},
       Effect::NoTrafficToNewPods},
      {"a fifth is a share", growth(), {{"n1", 200, false}, {"n2", 40, true}}, Effect::Effective},
      {"all requests come in on a node without a new pod",
       growth(),
       {{"n1", 500, false}, {"n1", 500, false}, {"n2", 1, true}, {"n3", 1, true}},
       Effect::SingleNodeFunnel},
      {"on one node alone nothing is a funnel",
       growth(),
       {{"n1", 500, false}, {"n1", 1, true}},
       Effect::NoTrafficToNewPods},
      {"a fleet that nobody asks tells nothing of shares",
       growth(),
       {{"n1", 0.5, false}, {"n2", 0, true}},
       Effect::Effective},
      {"pods that were never all warm tell nothing",
       growth_with([](Dip& dip) {
         dip.load_after = {1000, 8, true};
         dip.warm_after.reset();
       }),
       {},
       Effect::NoEvidence},
      {"pods that never came tell nothing",
       growth_with([](Dip& dip) {
         dip.load_after = {1000, 4, true};
       }),
       {},
       Effect::NoEvidence},
      {"what is served is not known",
       growth_with([](Dip& dip) { dip.load_after.served.reset(); }),
       {},
       Effect::NoEvidence},
      {"a shrink is no growth", growth_with([](Dip& dip) { dip.to = 2; }), {}, Effect::NoEvidence},
  };
}

TEST_CASE("what a growth came to") {
  const GuardLimits limits{{}, {}, 1e9};
  for (const Row& row : rows()) {
    SUBCASE(row.name) {
      CHECK(name_of(judge_effect(row.dip, limits, row.pods)) == name_of(row.want));
    }
  }
}

TEST_CASE("two failed steps make growth ineffective, one that helps clears it") {
  EffectRecord record;
  note_effect(record, useless_growth(), Effect::BottleneckUpstream);
  CHECK_FALSE(record.ineffective());
  note_effect(record, useless_growth(), Effect::NoEvidence);
  CHECK(record.newest == Effect::BottleneckUpstream);
  SUBCASE("a second growth fails") {
    note_effect(record, useless_growth(), Effect::OriginBound);
    CHECK(record.ineffective());
    CHECK(record.newest == Effect::OriginBound);
    note_effect(record, growth(), Effect::Effective);
    CHECK_FALSE(record.ineffective());
  }
  SUBCASE("one growth of two steps counts as two") {
    record = EffectRecord{};
    Dip dip = useless_growth();
    dip.steps = 2;
    note_effect(record, dip, Effect::BottleneckUpstream);
    CHECK(record.ineffective());
  }
  SUBCASE("a shrink forgets failures") {
    note_shrink(record);
    CHECK(record == EffectRecord{});
  }
}

TEST_CASE("ineffective growth is held for half an hour, then tried again") {
  EffectRecord record;
  record.newest = Effect::OriginBound;
  CHECK_FALSE(effect_veto(record, kStart, kStart + 1min));
  record.failed_steps = kFailedSteps;
  CHECK(effect_veto(record, kStart, kStart + 1min) == Reason::ScalingIneffective);
  CHECK(effect_veto(record, kStart, kStart + kEffectHold - 1ms) == Reason::ScalingIneffective);
  CHECK_FALSE(effect_veto(record, kStart, kStart + kEffectHold));
  CHECK_FALSE(effect_veto(record, std::nullopt, kStart));
}

TEST_CASE("a shrink leaves a growth that helped as it is") {
  EffectRecord record;
  note_effect(record, growth(), Effect::Effective);
  note_shrink(record);
  CHECK(record.newest == Effect::Effective);
}

TEST_CASE("an effect is found by its name, and named with its numbers") {
  for (const Effect effect : kAllEffects) {
    CHECK(effect_named(name_of(effect)) == effect);
  }
  CHECK(effect_named("Pending") == Effect::NoEvidence);
  CHECK(describe_effect(useless_growth(), Effect::BottleneckUpstream) ==
        "4 → 8 replicas: requests are still refused and no more are served: something beside the "
        "caches is the limit (served 1000.0 req/s before, 1050.0 req/s after; hit ratio 95.0 %, "
        "95.0 %; to the origin 50.0 req/s, 50.0 req/s)");
}

}  // namespace
}  // namespace scaledcache::core::test
