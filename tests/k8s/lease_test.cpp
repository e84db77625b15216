#include "k8s/lease.h"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kWall{};
constexpr const char* kWallText = "1970-01-01T00:00:00.000000Z";

BootTime at(std::chrono::milliseconds since_boot) {
  return BootTime{since_boot};
}

LeaseTimes times(std::chrono::milliseconds since_boot) {
  return {at(since_boot), kWall};
}

StoredLease lease(const std::string& holder,
                  std::string version,
                  std::string renewed = "r",
                  std::chrono::seconds duration = 15s) {
  return {{holder, duration, "acquired", std::move(renewed), 3}, std::move(version)};
}

// "read", "create", "replace 7" or "-".
std::string kind_of(const LeaseStep& step) {
  if (!step) {
    return "-";
  }
  if (const auto* replace = std::get_if<ReplaceLease>(&*step)) {
    return "replace " + replace->resource_version;
  }
  return std::holds_alternative<ReadLease>(*step) ? "read" : "create";
}

Error error(ErrorCode code) {
  return Error{code, "test"};
}

// A candidate that took a free lease at 0 s, seen at version 8.
LeaseCandidate leader() {
  LeaseCandidate candidate("me", {});
  REQUIRE(kind_of(candidate.begin(times(0ms))) == "read");
  REQUIRE(kind_of(candidate.read(lease("", "7"), times(0ms))) == "replace 7");
  candidate.written(lease("me", "8"), at(0ms));
  return candidate;
}

TEST_CASE("the first round takes what is free, and nothing else") {
  struct Row {
    const char* name;
    Result<StoredLease> answer;
    const char* want;
  };

  for (const Row& row : {
           Row{"there is none", error(ErrorCode::NotFound), "create"},
           Row{"nobody holds it", lease("", "7"), "replace 7"},
           Row{"another holds it", lease("you", "7"), "-"},
           Row{"another holds it without a duration", lease("you", "7", "r", 0s), "replace 7"},
           Row{"it cannot be read", error(ErrorCode::Timeout), "-"},
           Row{"we may not read it", error(ErrorCode::Forbidden), "-"},
       }) {
    SUBCASE(row.name) {
      LeaseCandidate candidate("me", {});
      CHECK(kind_of(candidate.begin(times(0ms))) == "read");
      CHECK(kind_of(candidate.read(row.answer, times(0ms))) == row.want);
      CHECK_FALSE(candidate.window_end());
    }
  }
}

TEST_CASE("another's lease is waited for from when its record last changed, on our clock") {
  LeaseCandidate candidate("me", {});
  CHECK(kind_of(candidate.read(lease("you", "7", "a"), times(0s))) == "-");
  CHECK(kind_of(candidate.read(lease("you", "8", "b"), times(14s))) == "-");
  CHECK(kind_of(candidate.read(lease("you", "9", "b"), times(28'900ms))) == "-");
  CHECK(kind_of(candidate.read(lease("you", "9", "b"), times(29s))) == "replace 9");
}

TEST_CASE("a claim says who, since when and how often it changed hands") {
  LeaseCandidate candidate("me", {});
  const LeaseStep taken = candidate.read(lease("", "7"), times(0ms));
  CHECK(std::get<ReplaceLease>(*taken).record == LeaseRecord{"me", 15s, kWallText, kWallText, 4});
  candidate.written(lease("me", "8"), at(0ms));
  const LeaseStep renewed = candidate.begin(times(2s));
  CHECK(std::get<ReplaceLease>(*renewed).record ==
        LeaseRecord{"me", 15s, "acquired", kWallText, 3});
  LeaseCandidate first("me", {});
  const LeaseStep created = first.read(error(ErrorCode::NotFound), times(0ms));
  CHECK(std::get<CreateLease>(*created).record == LeaseRecord{"me", 15s, kWallText, kWallText, 0});
}

TEST_CASE("the holder renews without a read as long as its view is the last one") {
  LeaseCandidate candidate = leader();
  CHECK(kind_of(candidate.begin(times(2s))) == "replace 8");
  candidate.written(lease("me", "9"), at(2s));
  CHECK(kind_of(candidate.begin(times(4s))) == "replace 9");

  struct Row {
    const char* name;
    ErrorCode code;
  };

  for (const Row& row :
       {Row{"somebody wrote it", ErrorCode::Conflict}, Row{"no answer", ErrorCode::Timeout},
        Row{"cut", ErrorCode::Unavailable}, Row{"overload", ErrorCode::RateLimited},
        Row{"it is gone", ErrorCode::NotFound}}) {
    SUBCASE(row.name) {
      candidate.written(error(row.code), at(4s));
      CHECK(kind_of(candidate.begin(times(6s))) == "read");
    }
  }
}

TEST_CASE("a write whose answer was lost is found by the next read, and leading goes on") {
  LeaseCandidate candidate = leader();
  candidate.written(error(ErrorCode::Timeout), at(2s));
  CHECK(kind_of(candidate.read(lease("me", "9"), times(4s))) == "replace 9");
  CHECK(candidate.window_end() == at(10s));  // an answer that was not seen renews nothing
  candidate.written(lease("me", "10"), at(4s));
  CHECK(candidate.window_end() == at(14s));
  CHECK_FALSE(candidate.lost(at(13'999ms)));
}

TEST_CASE("the window for writes starts when the renewal was asked for, and then it is lost") {
  const LeaseCandidate candidate = leader();
  CHECK(candidate.window_end() == at(10s));
  CHECK_FALSE(candidate.lost(at(9'999ms)));
  CHECK(candidate.lost(at(10s)));
}

TEST_CASE("a standby has lost nothing") {
  LeaseCandidate candidate("me", {});
  (void)candidate.read(lease("you", "7"), times(0s));
  CHECK_FALSE(candidate.lost(at(1h)));
  CHECK(candidate.holder() == "you");
}

TEST_CASE("a lease that another took is lost at once, and stays lost") {
  LeaseCandidate candidate = leader();
  candidate.written(error(ErrorCode::Conflict), at(2s));
  CHECK(kind_of(candidate.read(lease("you", "9"), times(4s))) == "-");
  CHECK(candidate.lost(at(4s)));
  CHECK_FALSE(candidate.window_end());
  (void)candidate.read(lease("me", "10"), times(5s));
  CHECK(candidate.lost(at(5s)));
}

TEST_CASE("a lease that somebody deleted is made again") {
  LeaseCandidate candidate = leader();
  candidate.written(error(ErrorCode::NotFound), at(2s));
  CHECK(kind_of(candidate.read(error(ErrorCode::NotFound), times(4s))) == "create");
  candidate.written(lease("me", "20"), at(4s));
  CHECK(candidate.window_end() == at(14s));
}

TEST_CASE("the next round comes after the period, or just behind the end of another's lease") {
  LeaseCandidate standby("me", {});
  CHECK(standby.next_round(at(0s)) == at(2s));
  (void)standby.read(lease("you", "7"), times(0s));
  CHECK(standby.next_round(at(0s)) == at(2s));
  CHECK(standby.next_round(at(14s)) == at(15'100ms));
  CHECK(standby.next_round(at(15'100ms)) == at(17'100ms));  // it ended, yet we did not get it
  CHECK(leader().next_round(at(1s)) == at(3s));
}

TEST_CASE("after a crash another takes over within 20 s, whatever the phase of its looks") {
  constexpr std::chrono::milliseconds kCrash = 10s;  // just after a renewal, of one each 2 s
  for (std::chrono::milliseconds phase = 0ms; phase <= 2s; phase += 50ms) {
    CAPTURE(phase.count());
    LeaseCandidate standby("me", {});
    BootTime now = at(phase);
    const auto look = [&] {
      const auto renewal = std::min(now.time_since_epoch(), std::chrono::nanoseconds(kCrash)) / 2s;
      const std::string number = std::to_string(renewal);
      return standby.read(lease("you", number, number), {now, kWall});
    };
    while (!look()) {
      now = standby.next_round(now);
    }
    CHECK(now >= at(kCrash + 15s));
    CHECK(now <= at(kCrash + 20s));
  }
}

TEST_CASE("the lease is given back by its holder only") {
  const LeaseCandidate mine = leader();
  const LeaseStep step = mine.release(times(5s));
  REQUIRE(step);
  const auto& replace = std::get<ReplaceLease>(*step);
  CHECK(replace.resource_version == "8");
  CHECK(replace.record == LeaseRecord{"", 1s, "acquired", kWallText, 3});

  LeaseCandidate standby("me", {});
  (void)standby.read(lease("you", "7"), times(0s));
  CHECK_FALSE(standby.release(times(1s)));

  LeaseCandidate robbed = leader();
  (void)robbed.read(lease("you", "9"), times(4s));
  CHECK_FALSE(robbed.release(times(5s)));
}

TEST_CASE("a lease is read as far as it can be") {
  struct Row {
    const char* name;
    const char* json;
    LeaseRecord want;
  };

  for (const Row& row : {
           Row{"whole",
               R"({"metadata":{"resourceVersion":"5"},"spec":{"holderIdentity":"you",
                   "leaseDurationSeconds":15,"acquireTime":"a","renewTime":"b",
                   "leaseTransitions":2}})",
               {"you", 15s, "a", "b", 2}},
           Row{"no spec", R"({"metadata":{"resourceVersion":"5"}})", {"", 0s, "", "", 0}},
           Row{"wrong types",
               R"({"metadata":{"resourceVersion":"5"},"spec":{"holderIdentity":1,
                   "leaseDurationSeconds":"x","leaseTransitions":[]}})",
               {"", 0s, "", "", 0}},
           Row{"numbers out of range",
               R"({"metadata":{"resourceVersion":"5"},"spec":{"holderIdentity":"you",
                   "leaseDurationSeconds":9999999999,"leaseTransitions":-4}})",
               {"you", 86'400s, "", "", 0}},
       }) {
    SUBCASE(row.name) {
      const auto decoded = decode_lease(Json::parse(row.json));
      REQUIRE(decoded);
      CHECK(decoded->record == row.want);
      CHECK(decoded->resource_version == "5");
    }
  }
  CHECK(decode_lease(Json::parse(R"({"spec":{}})")).error().code == ErrorCode::Protocol);
  CHECK(decode_lease(Json::parse("[]")).error().code == ErrorCode::Protocol);
}

TEST_CASE("what is written is read back") {
  const LeaseRecord record{"me", 15s, "2026-01-02T03:04:05.000000Z", "b", 7};
  Json body = Json::parse(encode_lease({"ns", "name"}, record, "12"));
  CHECK(body["metadata"] == Json{{"namespace", "ns"}, {"name", "name"}, {"resourceVersion", "12"}});
  CHECK(decode_lease(body)->record == record);
  CHECK_FALSE(Json::parse(encode_lease({"ns", "name"}, record, ""))["metadata"].contains(
      "resourceVersion"));
}

// Candidates around one lease, each with a clock of its own rate, requests that are slow, lost or
// lost after they were applied, and processes that stop for a while.
class Election {
 public:
  explicit Election(unsigned seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) {
      members_.push_back({LeaseCandidate("m" + std::to_string(i), {}), rate(), 0ms});
    }
  }

  // Half an hour; returns how often two could write at once, and counts the changes of hands.
  int run() {
    int overlaps = 0;
    for (now_ = 0ms; now_ < 30min; now_ += 100ms) {
      int writers = 0;
      for (Member& member : members_) {
        step(member);
        const auto end = member.candidate.window_end();
        writers += end && local(member) < *end ? 1 : 0;
      }
      overlaps += writers > 1 ? 1 : 0;
    }
    return overlaps;
  }

  [[nodiscard]] int handovers() const { return handovers_; }

 private:
  struct Member {
    LeaseCandidate candidate;
    double rate;
    std::chrono::milliseconds due;  // on the world's clock
    std::optional<LeaseRequest> sent{};
    BootTime sent_at{};
  };

  // No two clocks differ by more than the 1.5 that the timing allows.
  double rate() { return std::uniform_real_distribution<double>(1.0, 1.49)(random_); }

  int roll(int sides) { return std::uniform_int_distribution<int>(1, sides)(random_); }

  [[nodiscard]] BootTime local(const Member& member) const {
    return BootTime{std::chrono::milliseconds{
        static_cast<std::int64_t>(static_cast<double>(now_.count()) * member.rate)}};
  }

  void send(Member& member, const LeaseStep& step) {
    member.sent = step;
    member.sent_at = local(member);
    if (!step) {
      rest(member);
      return;
    }
    member.due = now_ + std::chrono::milliseconds{roll(20) == 1 ? roll(6'000) : roll(300)};
  }

  void rest(Member& member) {
    const auto wait = member.candidate.next_round(local(member)) - local(member);
    const double world = static_cast<double>(wait.count()) / member.rate;
    member.due = now_ + std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::nanoseconds{static_cast<std::int64_t>(world)});
    if (roll(60) == 1) {
      member.due += std::chrono::seconds{roll(40)};  // stopped, or starved
    }
  }

  Result<StoredLease> serve(const LeaseRequest& request) {
    const int luck = roll(12);
    if (luck == 1) {
      return error(ErrorCode::Unavailable);
    }
    Result<StoredLease> answer = apply(request);
    return luck == 2 ? error(ErrorCode::Timeout) : answer;
  }

  Result<StoredLease> apply(const LeaseRequest& request) {
    if (std::holds_alternative<ReadLease>(request)) {
      return stored_ ? Result<StoredLease>(*stored_) : error(ErrorCode::NotFound);
    }
    const auto* replace = std::get_if<ReplaceLease>(&request);
    if (replace != nullptr ? !stored_ || stored_->resource_version != replace->resource_version
                           : stored_.has_value()) {
      return error(ErrorCode::Conflict);
    }
    const LeaseRecord& record =
        replace != nullptr ? replace->record : std::get<CreateLease>(request).record;
    handovers_ += stored_ && stored_->record.holder != record.holder ? 1 : 0;
    stored_ = StoredLease{record, std::to_string(++version_)};
    // Times of the wire differ at each write; here the version stands for them.
    stored_->record.renew_time = stored_->resource_version;
    return *stored_;
  }

  void step(Member& member) {
    if (now_ < member.due) {
      return;
    }
    if (member.candidate.lost(local(member))) {  // the process ends, and another one starts
      member.candidate = LeaseCandidate("n" + std::to_string(++members_made_), {});
      member.sent.reset();
    }
    const LeaseTimes here{local(member), kWall};
    if (!member.sent) {
      send(member, member.candidate.begin(here));
      return;
    }
    const LeaseRequest request = *member.sent;
    const Result<StoredLease> answer = serve(request);
    if (std::holds_alternative<ReadLease>(request)) {
      send(member, member.candidate.read(answer, here));
    } else {
      member.candidate.written(answer, member.sent_at);
      send(member, std::nullopt);
    }
  }

  std::mt19937 random_;
  std::vector<Member> members_;
  std::optional<StoredLease> stored_;
  std::chrono::milliseconds now_{0};
  int version_ = 0;
  int members_made_ = 0;
  int handovers_ = 0;
};

TEST_CASE("whatever happens, never may two write at once, and the lease changes hands") {
  int handovers = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Election election(seed);
    CHECK(election.run() == 0);
    handovers += election.handovers();
  }
  CHECK(handovers > 100);
}

}  // namespace
}  // namespace scaledcache::k8s
