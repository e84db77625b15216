#include "controller/gate_book.h"

#include <doctest/doctest.h>

namespace scaledcache::controller {
namespace {

constexpr WallTime kStart = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

struct Case {
  std::vector<std::string> woken;
  GateBook book{[this](const std::string& key) { woken.push_back(key); }};

  void add(const std::string& pod, core::WarmthState state = core::WarmthState::Warm) {
    (void)book.record("blog/" + pod, "uid-" + pod);
    book.edit("blog/" + pod, "uid-" + pod, [&](GateRecord& record) {
      record.cache = "blog/blog";
      record.state = state;
    });
  }
};

TEST_CASE("another pod of the same name starts anew") {
  Case one;
  one.add("a");
  CHECK(one.book.record("blog/a", "uid-a").state == core::WarmthState::Warm);
  CHECK(one.book.record("blog/a", "uid-2").state == core::WarmthState::Cold);
  one.book.edit("blog/a", "uid-a", [](GateRecord& record) { record.pod = "wrong"; });
  CHECK(one.book.record("blog/a", "uid-2").pod == "a");
}

TEST_CASE("of two that turn cold at once, one stays open") {
  Case one;
  CHECK(one.book.claim_closing("uid-a", {"uid-b"}));
  CHECK_FALSE(one.book.claim_closing("uid-b", {"uid-a"}));
  CHECK(one.book.count_open({"uid-a", "uid-b"}) == 1);
  one.book.release_closing("uid-a");
  CHECK(one.book.claim_closing("uid-b", {"uid-a"}));
}

TEST_CASE("of one that is drained and one that turns cold, one stays open") {
  Case one;
  SUBCASE("the drain comes first") {
    CHECK(one.book.claim_draining("uid-a", {"uid-b"}));
    CHECK_FALSE(one.book.claim_closing("uid-b", {"uid-a"}));
    CHECK(one.book.claim_draining("uid-a", {}));  // it is closed already
    one.book.release_closing("uid-a");            // a look that has not seen the mark yet
    CHECK_FALSE(one.book.claim_closing("uid-b", {"uid-a"}));
    CHECK(one.book.count_open({"uid-a", "uid-b"}) == 1);
    one.book.release_draining("uid-a");
    CHECK(one.book.claim_closing("uid-b", {"uid-a"}));
  }
  SUBCASE("the gate comes first") {
    CHECK(one.book.claim_closing("uid-b", {"uid-a"}));
    CHECK_FALSE(one.book.claim_draining("uid-a", {"uid-b"}));
  }
  SUBCASE("a pod that is gone holds no claim") {
    one.add("a");
    CHECK(one.book.claim_draining("uid-a", {"uid-b"}));
    one.book.forget("blog/a");
    CHECK(one.book.count_open({"uid-a"}) == 1);
  }
}

TEST_CASE("an overloaded fleet wakes its cold pods, and opens one for each look") {
  Case one;
  one.add("a");
  one.add("b", core::WarmthState::Cold);
  one.book.note_load("blog/blog", true);
  CHECK(one.woken == std::vector<std::string>{"blog/b"});
  CHECK(one.book.overloaded("blog/blog"));
  one.book.spend_panic("blog/blog");
  CHECK_FALSE(one.book.overloaded("blog/blog"));
  one.book.note_load("blog/blog", true);
  one.book.note_load("blog/blog", false);
  CHECK_FALSE(one.book.overloaded("blog/blog"));
}

TEST_CASE("a process that started anew asks for a look at its pod, once") {
  Case one;
  one.add("a");
  one.add("b");
  one.book.note_starts("blog/blog", {{"a", kStart}});
  CHECK(one.woken == std::vector<std::string>{"blog/a"});
  one.book.note_starts("blog/blog", {{"a", kStart + std::chrono::seconds{1}}});
  CHECK(one.woken.size() == 1);
  one.book.note_starts("blog/blog", {{"a", kStart + std::chrono::seconds{10}}});
  CHECK(one.woken.size() == 2);
  one.book.note_starts("blog/blog", {{"a", kStart}});
  CHECK(one.book.record("blog/a", "uid-a").cache_started == kStart + std::chrono::seconds{10});
}

}  // namespace
}  // namespace scaledcache::controller
