#include "k8s/store_sink.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

struct Rig {
  Store<int> store;
  std::vector<std::string> changes;
  StoreSink<int> sink{
      store,
      [](const Json& value) -> Result<int> {
        if (!value.is_number_integer()) {
          return Error{ErrorCode::Invalid, "no number"};
        }
        return value.get<int>();
      },
      [this](const Change<int>& change) {
        const char* sign = change.is_added() ? "+" : change.is_deleted() ? "-" : "~";
        changes.push_back(sign + change.key());
      },
      [](int value) { return value >= 0; }};
};

using Words = std::vector<std::string>;

TEST_CASE("nothing is seen of a list before it is whole, nor of one that was given up") {
  Rig rig;
  rig.sink.begin_list();
  rig.sink.stage({"s", "a", "ua", "1"}, 1);
  CHECK(rig.store.size() == 0);
  rig.sink.begin_list();
  rig.sink.stage({"s", "b", "ub", "1"}, 1);
  rig.sink.commit_list();
  CHECK(rig.changes == Words{"+s/b"});
}

TEST_CASE("an object of no interest is not kept, and leaves when it loses interest") {
  Rig rig;
  rig.sink.begin_list();
  rig.sink.stage({"s", "a", "ua", "1"}, 1);
  rig.sink.stage({"s", "b", "ub", "1"}, -1);
  rig.sink.commit_list();
  rig.sink.put({"s", "c", "uc", "2"}, -1);
  rig.sink.put({"s", "a", "ua", "3"}, -1);
  CHECK(rig.changes == Words{"+s/a", "-s/a"});
  CHECK(rig.store.size() == 0);
}

TEST_CASE("an object that cannot be decoded stays, marked") {
  Rig rig;
  rig.sink.put({"s", "a", "ua", "1"}, 1);
  rig.sink.put({"s", "a", "ua", "2"}, "x");
  REQUIRE(rig.store.find("s/a"));
  CHECK(rig.store.find("s/a")->object == nullptr);
  CHECK(rig.store.find("s/a")->fault->message == "no number");
  rig.sink.remove({"s", "a", "ua", "3"});
  CHECK(rig.changes == Words{"+s/a", "~s/a", "-s/a"});
}

}  // namespace
}  // namespace scaledcache::k8s
