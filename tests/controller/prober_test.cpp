#include "controller/prober.h"

#include <set>
#include <utility>

#include <doctest/doctest.h>

#include "http/url.h"
#include "support/fake_clock.h"

namespace scaledcache::controller {
namespace {

const http::Address kPod = http::parse_address("10.0.0.5").value();
const http::Address kPeer = http::parse_address("10.0.0.6").value();

// Two pods as nginx: each says whether the page was in its cache, and has it from then on.
class TwoPods final : public http::HttpTransport {
 public:
  std::set<std::pair<std::string, std::string>> kept;  // address and path
  bool keeps = true;
  bool fails = false;
  int asked = 0;

  Result<http::Response> send(const http::Request& request, std::stop_token) override {
    ++asked;
    if (fails) {
      return Error{ErrorCode::Unavailable, "refused"};
    }
    const std::pair page{http::to_string(request.pod->address), http::parse_url(request.url)->path};
    const bool hit = kept.contains(page);
    if (keeps) {
      kept.insert(page);
    }
    return http::Response{200, {{"X-Cache-Status", hit ? "HIT" : "MISS"}}, ""};
  }
};

struct Case {
  Case() {
    for (const char* path : {"/a", "/b", "/c", "/d"}) {
      record.proved.push_back({path, {}, false});
      pods.kept.emplace("10.0.0.5", path);
      pods.kept.emplace("10.0.0.6", path);
    }
  }

  void probe(std::optional<http::Address> peer = kPeer) {
    Prober(pods, clock, metrics).probe({{"http", 80, "shop.example"}, "", kPod, peer}, record, {});
  }

  void forget(const std::string& address) {
    std::erase_if(pods.kept, [&](const auto& page) { return page.first == address; });
  }

  support::FakeClock clock;
  Metrics metrics{"test"};
  TwoPods pods;
  GateRecord record;
};

TEST_CASE("a pod that still has its pages is asked one question at a time, in turn") {
  Case one;
  for (int i = 0; i < 5; ++i) {
    one.probe();
  }
  CHECK(one.pods.asked == 5);
  CHECK(one.record.next_probe == 5);
  CHECK(one.record.misses_in_a_row == 0);
}

TEST_CASE("a cache that lost everything is found in one look") {
  Case one;
  one.forget("10.0.0.5");
  one.probe();
  CHECK(one.record.misses_in_a_row == 3);
  CHECK(one.pods.asked == 6);  // each page at the pod and at its peer
}

TEST_CASE("one page that went is made good by the next") {
  Case one;
  one.pods.kept.erase({"10.0.0.5", "/a"});
  one.probe();
  CHECK(one.record.misses_in_a_row == 0);
}

TEST_CASE("what misses everywhere, or cannot be compared, counts for nothing") {
  Case everywhere;
  everywhere.forget("10.0.0.5");
  everywhere.forget("10.0.0.6");
  everywhere.probe();
  CHECK(everywhere.record.misses_in_a_row == 0);

  Case alone;
  alone.forget("10.0.0.5");
  alone.probe(std::nullopt);
  CHECK(alone.record.misses_in_a_row == 0);
}

TEST_CASE("no answer says nothing, be it good or bad") {
  Case one;
  one.record.misses_in_a_row = 2;
  one.pods.fails = true;
  one.probe();
  CHECK(one.record.misses_in_a_row == 2);
}

constexpr Milliseconds operator""_s(unsigned long long seconds) {
  return std::chrono::seconds{seconds};
}

cache::ProbeAnswer hit(std::optional<Milliseconds> age, std::optional<Milliseconds> fresh = {}) {
  return {cache::ProbeResult::Hit, age, fresh};
}

cache::ProbeAnswer miss(std::optional<Milliseconds> fresh = {}) {
  return {cache::ProbeResult::Miss, 0_s, fresh};
}

TEST_CASE("what one page tells") {
  struct Row {
    const char* name;
    Testimony testimony;
    Evidence want;
  };

  for (const Row& row : {
           Row{"an old copy is kept", {hit(50_s), {}, 50_s, 2_s}, Evidence::Kept},
           Row{"no age: a hit is a hit", {hit({}), {}, {}, 2_s}, Evidence::Kept},
           Row{"nobody looked before", {hit(0_s), hit(90_s), 50_s, {}}, Evidence::Kept},
           Row{"fetched anew though younger than the peer's",
               {hit(0_s), hit(90_s), 50_s, 2_s},
               Evidence::Lost},
           Row{"fetched anew though fresh", {hit(1_s, 600_s), hit(3_s), 50_s, 2_s}, Evidence::Lost},
           Row{"fetched anew, and it may have expired",
               {hit(1_s, 60_s), hit(30_s), 60_s, 2_s},
               Evidence::Kept},
           Row{"fetched before the last look", {hit(2_s), hit(90_s), 50_s, 2_s}, Evidence::Kept},
           Row{"missed though fresh", {miss(600_s), hit(3_s), 50_s, 2_s}, Evidence::Lost},
           Row{"missed though younger than the peer's",
               {miss(), hit(90_s), 50_s, 2_s},
               Evidence::Lost},
           Row{"missed, and it may have expired", {miss(), hit(30_s), 120_s, 2_s}, Evidence::None},
           Row{"missed, no ages known", {miss(), hit({}), {}, 2_s}, Evidence::Lost},
           Row{"missed everywhere", {miss(), miss(), 50_s, 2_s}, Evidence::None},
           Row{"no answer", {{}, hit(9_s), 50_s, 2_s}, Evidence::None},
       }) {
    SUBCASE(row.name) {
      CHECK(weigh(row.testimony) == row.want);
    }
  }
}

TEST_CASE("many warm pods share the probes") {
  CHECK(Prober::interval(1) == Milliseconds{2'000});
  CHECK(Prober::interval(100) == Milliseconds{2'000});
  CHECK(Prober::interval(500) == Milliseconds{10'000});
}

}  // namespace
}  // namespace scaledcache::controller
