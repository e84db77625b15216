#include "k8s/store.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

struct Thing {
  int value = 0;
};

Entry<Thing> entry(const std::string& name,
                   const std::string& uid,
                   const std::string& version,
                   int value = 0) {
  return {{"shop", name, uid, version}, std::make_shared<const Thing>(Thing{value}), {}};
}

// "+shop/a ~shop/b -shop/c": what was added, changed and deleted, in order.
std::string words(const Store<Thing>::Changes& changes) {
  std::string text;
  for (const Change<Thing>& change : changes) {
    text += text.empty() ? "" : " ";
    text += change.is_added() ? "+" : change.is_deleted() ? "-" : "~";
    text += change.key() + "@" + change.envelope().uid;
  }
  return text;
}

TEST_CASE("put adds, then changes, and is silent about what it knows") {
  Store<Thing> store;
  CHECK(words(store.put(entry("a", "u1", "1", 10))) == "+shop/a@u1");
  CHECK(words(store.put(entry("a", "u1", "1", 10))).empty());
  const auto changes = store.put(entry("a", "u1", "2", 20));
  REQUIRE(words(changes) == "~shop/a@u1");
  CHECK(changes[0].before->object->value == 10);
  CHECK(changes[0].after->object->value == 20);
  REQUIRE(store.find("shop/a"));
  CHECK(store.find("shop/a")->object->value == 20);
}

TEST_CASE("the same name with another UID is a deletion and an addition") {
  Store<Thing> store;
  static_cast<void>(store.put(entry("a", "u1", "1", 10)));
  const auto changes = store.put(entry("a", "u2", "2", 20));
  REQUIRE(words(changes) == "-shop/a@u1 +shop/a@u2");
  CHECK(changes[0].before->object->value == 10);
  CHECK(store.size() == 1);
}

TEST_CASE("a deletion takes only the object with its UID") {
  Store<Thing> store;
  static_cast<void>(store.put(entry("a", "u2", "2")));
  CHECK(words(store.remove({"shop", "a", "u1", "9"})).empty());
  CHECK(words(store.remove({"shop", "b", "u1", "9"})).empty());
  CHECK(words(store.remove({"shop", "a", "u2", "9"})) == "-shop/a@u2");
  CHECK_FALSE(store.find("shop/a"));
}

TEST_CASE("C2: a replace names what was added, changed and has vanished") {
  Store<Thing> store;
  CHECK_FALSE(store.synced());
  CHECK(words(store.replace({entry("a", "u1", "1"), entry("b", "u2", "2"),
                             entry("c", "u3", "3")})) == "+shop/a@u1 +shop/b@u2 +shop/c@u3");
  CHECK(store.synced());
  const auto changes =
      store.replace({entry("b", "u2", "9"), entry("c", "u3", "3"), entry("d", "u4", "4")});
  CHECK(words(changes) == "~shop/b@u2 +shop/d@u4 -shop/a@u1");
  CHECK(changes.back().before->envelope.resource_version == "1");
}

TEST_CASE("B6: a replace sees through a re-creation between two lists") {
  Store<Thing> store;
  static_cast<void>(store.replace({entry("a", "u1", "1")}));
  CHECK(words(store.replace({entry("a", "u2", "5")})) == "-shop/a@u1 +shop/a@u2");
}

TEST_CASE("an empty list empties the store and counts as synced") {
  Store<Thing> store;
  static_cast<void>(store.put(entry("a", "u1", "1")));
  CHECK(words(store.replace({})) == "-shop/a@u1");
  CHECK(store.synced());
  CHECK(store.size() == 0);
}

TEST_CASE("a namespace is read without its neighbours") {
  Store<Thing> store;
  for (const char* name_space : {"sho", "shop", "shop-2", "shoq"}) {
    Entry<Thing> one = entry("a", std::string("u-") + name_space, "1");
    one.envelope.name_space = name_space;
    static_cast<void>(store.put(std::move(one)));
  }
  static_cast<void>(store.put(entry("b", "u-b", "2")));
  const auto found = store.in_namespace("shop");
  REQUIRE(found.size() == 2);
  CHECK(found[0].envelope.key() == "shop/a");
  CHECK(found[1].envelope.key() == "shop/b");
  CHECK(store.all().size() == 5);
  CHECK(store.in_namespace("none").empty());
}

TEST_CASE("what a reader holds outlives its removal") {
  Store<Thing> store;
  static_cast<void>(store.put(entry("a", "u1", "1", 10)));
  const auto held = store.find("shop/a");
  static_cast<void>(store.replace({}));
  REQUIRE(held);
  CHECK(held->object->value == 10);
}

}  // namespace
}  // namespace scaledcache::k8s
