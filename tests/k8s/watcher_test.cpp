#include "k8s/watcher.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "k8s/credentials.h"
#include "k8s/frame_splitter.h"
#include "k8s/store_sink.h"
#include "k8s/watch_script.h"

namespace scaledcache::k8s {
namespace {

const std::string kList = "https://api:6443/apis/x/v1/things?labelSelector=a%3Db&limit=500";

std::string watch_url(const std::string& version) {
  return "https://api:6443/apis/x/v1/things?watch=true&labelSelector=a%3Db&resourceVersion=" +
         version + "&allowWatchBookmarks=true&timeoutSeconds=240";
}

std::string object(const std::string& name,
                   const std::string& version,
                   const std::string& value = "1") {
  return R"({"metadata":{"namespace":"shop","name":")" + name + R"(","uid":"u-)" + name +
         R"(","resourceVersion":")" + version + R"("},"value":)" + value + "}";
}

std::string event(const std::string& type, const std::string& body) {
  return R"({"type":")" + type + R"(","object":)" + body + "}\n";
}

std::string bookmark(const std::string& version) {
  return event("BOOKMARK", R"({"metadata":{"resourceVersion":")" + version + R"("}})");
}

std::string error(int code, const std::string& reason) {
  return event("ERROR", R"({"kind":"Status","code":)" + std::to_string(code) + R"(,"reason":")" +
                            reason + R"("})");
}

http::Response list(const std::string& version,
                    const std::string& items,
                    const std::string& token = "") {
  return {200,
          {},
          R"({"metadata":{"resourceVersion":")" + version + R"(","continue":")" + token +
              R"("},"items":[)" + items + "]}"};
}

http::Response refused(int code, http::Headers headers = {}) {
  return {code, std::move(headers), ""};
}

// A watcher over a script, with a store of numbers behind it.
struct Rig {
  JumpingClock clock;
  WatchScript script{clock};
  std::vector<std::string> token_reads;
  Credentials credentials{config(), clock, [this](const std::string& path) {
                            token_reads.push_back(path);
                            return Result<std::string>("t" + std::to_string(token_reads.size()));
                          }};
  ApiServer server{"https://api:6443", credentials, "test/1"};
  Store<int> store;
  std::vector<std::string> changes;
  std::vector<ErrorCode> faults;
  StoreSink<int> sink{store, decode, [this](const Change<int>& change) { note(change); }};
  Watcher watcher{{.name = "things", .path = "/apis/x/v1/things", .label_selector = "a=b"},
                  {.transport = script,
                   .server = server,
                   .clock = clock,
                   .sink = sink,
                   .random = [] { return 0.0; },
                   .on_fault = [this](const Error& fault) { faults.push_back(fault.code); }}};

  static ClusterConfig config() {
    ClusterConfig config;
    config.token_file = "/token";
    return config;
  }

  static Result<int> decode(const Json& thing) {
    const Json* value = find_member(thing, "value");
    if (value == nullptr || !value->is_number_integer()) {
      return Error{ErrorCode::Invalid, "value must be a number"};
    }
    return value->get<int>();
  }

  void note(const Change<int>& change) {
    const char* sign = change.is_added() ? "+" : change.is_deleted() ? "-" : "~";
    changes.push_back(sign + change.key());
  }

  void play(std::vector<Scene> scenes) {
    for (Scene& scene : scenes) {
      script.add(std::move(scene));
    }
    watcher.run(script.stop_token());
  }

  [[nodiscard]] std::uint64_t errors(ErrorCode code) const {
    for (std::size_t i = 0; i < kAllErrorCodes.size(); ++i) {
      if (kAllErrorCodes[i] == code) {
        return watcher.progress().errors[i];
      }
    }
    return 0;
  }
};

using Words = std::vector<std::string>;
using Waits = std::vector<Milliseconds>;

TEST_CASE("a list of several pages fills the store in one step, then the watch goes on") {
  Rig rig;
  rig.play({{kList, list("7", object("a", "1"), "p2")},
            {kList + "&continue=p2", list("7", object("b", "2"))},
            {watch_url("7"),
             http::Response{200, {}, ""},
             {event("ADDED", object("c", "8")) + event("MODIFIED", object("a", "9", "5")),
              event("DELETED", object("b", "10"))}},
            {watch_url("10")}});
  CHECK(rig.changes == Words{"+shop/a", "+shop/b", "+shop/c", "~shop/a", "-shop/b"});
  CHECK(*rig.store.find("shop/a")->object == 5);
  CHECK(rig.store.size() == 2);
  CHECK(rig.clock.waits().empty());
  const WatchProgress progress = rig.watcher.progress();
  CHECK(progress.synced);
  CHECK(progress.relists == 0);
  CHECK_FALSE(progress.last_error);
}

TEST_CASE("requests carry token and agent, and never ask for compression") {
  Rig rig;
  rig.play({{kList, list("7", "")}, {watch_url("7")}});
  for (const http::Request& request : rig.script.requests()) {
    CHECK(http::find_header(request.headers, "Authorization") == "Bearer t1");
    CHECK(http::find_header(request.headers, "User-Agent") == "test/1");
    CHECK(http::find_header(request.headers, "Accept-Encoding").empty());
  }
}

TEST_CASE("D13: events that arrive byte by byte are the same events") {
  Rig rig;
  Scene watch{watch_url("7")};
  for (const char byte : event("ADDED", object("a", "8")) + "\r\n" + bookmark("9")) {
    watch.chunks.emplace_back(1, byte);
  }
  rig.play({{kList, list("7", "")}, std::move(watch), {watch_url("9")}});
  CHECK(rig.changes == Words{"+shop/a"});
}

TEST_CASE("D1: a 410 in the stream lists again, and the store stands meanwhile") {
  Rig rig;
  rig.play({{kList, list("7", object("a", "1") + "," + object("b", "2"))},
            {watch_url("7"), http::Response{200, {}, ""}, {error(410, "Expired")}},
            {kList, list("20", object("b", "15"))},
            {watch_url("20")}});
  CHECK(rig.changes == Words{"+shop/a", "+shop/b", "~shop/b", "-shop/a"});
  CHECK(rig.watcher.progress().relists == 1);
  CHECK(rig.errors(ErrorCode::Gone) == 1);
  CHECK(rig.clock.waits().empty());
}

TEST_CASE("D2: a 410 on opening lists again; one on a later page asks for everything") {
  Rig rig;
  const std::string whole = "https://api:6443/apis/x/v1/things?labelSelector=a%3Db";
  rig.play({{kList, list("7", object("a", "1"))},
            {watch_url("7"), refused(410)},
            {kList, list("20", object("gone", "9"), "p2")},
            {kList + "&continue=p2", refused(410)},
            {whole, list("21", object("a", "1"))},
            {watch_url("21")}});
  CHECK(rig.changes == Words{"+shop/a"});
}

TEST_CASE("D3: 410 on every watch backs off to half a minute and serves the store") {
  Rig rig;
  std::vector<Scene> scenes;
  for (int i = 0; i < 9; ++i) {
    scenes.push_back({kList, list("7", object("a", "1"))});
    scenes.push_back({watch_url("7"), http::Response{200, {}, ""}, {error(410, "Expired")}});
  }
  rig.play(std::move(scenes));
  REQUIRE(rig.clock.waits().size() == 8);
  CHECK(rig.clock.waits().back() == Milliseconds{30'000});
  CHECK(rig.changes == Words{"+shop/a"});
}

TEST_CASE("D4: a version ahead of the server lists again from scratch") {
  Rig rig;
  const std::string too_large =
      R"({"kind":"Status","code":504,"reason":"Timeout","details":{"retryAfterSeconds":3,)"
      R"("causes":[{"reason":"ResourceVersionTooLarge"}]}})";
  rig.play({{kList, list("7", "")},
            {watch_url("7"), http::Response{504, {}, too_large}},
            {kList, list("8", "")},
            {watch_url("8"), http::Response{200, {}, ""}, {event("ERROR", too_large)}},
            {kList, list("9", "")},
            {watch_url("9")}});
  CHECK(rig.clock.waits() == Waits{Milliseconds{3000}, Milliseconds{3000}});
}

TEST_CASE("D5: the server's Retry-After is kept, nonsense is backed off, a century is capped") {
  struct Row {
    const char* name;
    http::Headers headers;
    Milliseconds want;
  };

  for (const Row& row :
       {Row{"7", {{"Retry-After", "7"}}, Milliseconds{7000}}, Row{"none", {}, Milliseconds{800}},
        Row{"abc", {{"Retry-After", "abc"}}, Milliseconds{800}},
        Row{"1e9", {{"Retry-After", "1000000000"}}, Milliseconds{30'000}}}) {
    SUBCASE(row.name) {
      Rig rig;
      rig.play({{kList, refused(429, row.headers)}, {kList, list("7", "")}, {watch_url("7")}});
      CHECK(rig.clock.waits() == Waits{row.want});
      CHECK(rig.faults == std::vector{ErrorCode::RateLimited});
    }
  }
}

TEST_CASE("D7: a 401 is answered at once with the token of now") {
  Rig rig;
  rig.play({{kList, refused(401)},
            {kList, list("7", "")},
            {watch_url("7"), refused(401)},
            {watch_url("7")}});
  const auto& requests = rig.script.requests();
  CHECK(http::find_header(requests[0].headers, "Authorization") == "Bearer t1");
  CHECK(http::find_header(requests[1].headers, "Authorization") == "Bearer t2");
  CHECK(http::find_header(requests[3].headers, "Authorization") == "Bearer t3");
  CHECK(rig.clock.waits().empty());
}

TEST_CASE("D8, D9: a missing right or kind is asked for again, slower and slower") {
  for (const int code : {403, 404}) {
    Rig rig;
    std::vector<Scene> scenes(12, Scene{kList, refused(code)});
    scenes.push_back({kList, list("7", object("a", "1"))});
    scenes.push_back({watch_url("7")});
    rig.play(std::move(scenes));
    CHECK(rig.clock.waits().back() == Milliseconds{300'000});
    CHECK(rig.changes == Words{"+shop/a"});
    CHECK_FALSE(rig.watcher.progress().last_error);
  }
}

TEST_CASE("an event cut off at the end of the stream is not applied; the version stays") {
  Rig rig;
  const std::string whole = event("ADDED", object("a", "8"));
  rig.play({{kList, list("7", "")},
            {watch_url("7"), http::Response{200, {}, ""}, {whole.substr(0, whole.size() - 1)}},
            {watch_url("7"), http::Response{200, {}, ""}, {whole}},
            {watch_url("8")}});
  CHECK(rig.changes == Words{"+shop/a"});
  CHECK(rig.clock.waits() == Waits{kFirstBackoff});
  CHECK(rig.faults == std::vector{ErrorCode::Unavailable});
}

TEST_CASE("E1: silence ends the watch, which goes on where it was") {
  Rig rig;
  rig.play(
      {{kList, list("7", "")},
       {watch_url("7"), Error{ErrorCode::Timeout, "idle"}, {bookmark("9")}, Milliseconds{95'000}},
       {watch_url("9"), Error{ErrorCode::Timeout, "idle"}, {}, Milliseconds{90'000}},
       {watch_url("9")}});
  CHECK(rig.clock.waits() == Waits{kFirstBackoff, kFirstBackoff});
  CHECK(rig.watcher.progress().relists == 0);
}

TEST_CASE("D15: an object that cannot be decoded is kept by its envelope, without a new list") {
  Rig rig;
  rig.play({{kList, list("7", object("a", "1") + "," + object("bad", "2", R"("x")"))},
            {watch_url("7"),
             http::Response{200, {}, ""},
             {event("ADDED", object("worse", "8", "{}")) + event("ADDED", object("b", "9"))}},
            {watch_url("9")}});
  CHECK(rig.changes == Words{"+shop/a", "+shop/bad", "+shop/worse", "+shop/b"});
  const auto bad = rig.store.find("shop/worse");
  REQUIRE(bad);
  CHECK(bad->object == nullptr);
  CHECK(bad->fault->code == ErrorCode::Invalid);
  CHECK(rig.watcher.progress().relists == 0);
  CHECK(rig.faults.empty());
}

TEST_CASE("a frame that cannot be trusted closes the watch and lists again") {
  struct Row {
    const char* name;
    std::string frame;
  };

  const std::vector<Row> rows{
      {"no JSON", "<html>\n"},
      {"an unknown type", event("SYNC", object("a", "8"))},
      {"no UID", event("ADDED", R"({"metadata":{"name":"a","resourceVersion":"8"}})")},
      {"a bookmark without a version", event("BOOKMARK", R"({"metadata":{}})")},
      {"D16: longer than 16 MiB", std::string(kMaxFrameBytes + 1, ' ')},
      {"D16: nested too deep", R"({"type":"ADDED","object":)" + std::string(100'000, '[') + "\n"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      Rig rig;
      rig.play({{kList, list("7", object("a", "1"))},
                {watch_url("7"),
                 http::Response{200, {}, ""},
                 {row.frame, event("DELETED", object("a", "9"))}},
                {kList, list("9", object("a", "1"))},
                {watch_url("9")}});
      CHECK(rig.changes == Words{"+shop/a"});
      CHECK(rig.watcher.progress().bad_frames == 1);
      CHECK(rig.faults == std::vector{ErrorCode::Protocol});
      CHECK(rig.clock.waits() == Waits{kFirstBackoff});
    }
  }
}

TEST_CASE("D21: a page of a proxy, or a list cut off, changes nothing in the store") {
  const std::string whole = list("9", object("b", "8") + "," + object("c", "8")).body;
  for (const std::string& body : {std::string("<html>"), whole.substr(0, whole.size() - 5)}) {
    Rig rig;
    rig.play({{kList, list("7", object("a", "1"))},
              {watch_url("7"), refused(410)},
              {kList, http::Response{200, {}, body}},
              {kList, list("10", object("a", "1"))},
              {watch_url("10")}});
    CHECK(rig.changes == Words{"+shop/a"});
    CHECK(rig.errors(ErrorCode::Protocol) == 1);
  }
}

TEST_CASE("B2: what is older than the store is counted and not taken") {
  Rig rig;
  rig.play({{kList, list("7", object("a", "5"))},
            {watch_url("7"), http::Response{200, {}, ""}, {event("DELETED", object("a", "6"))}},
            {kList, list("6", "")},
            {kList, list("8", object("a", "5"))},
            {watch_url("8")}});
  CHECK(rig.changes == Words{"+shop/a"});
  CHECK(rig.watcher.progress().rv_regressed == 2);
  CHECK(rig.errors(ErrorCode::Protocol) == 2);
}

TEST_CASE("D20: a watch that closes at once, always, is not opened in a loop") {
  Rig rig;
  std::vector<Scene> scenes{{kList, list("7", "")}};
  for (int i = 0; i < 4; ++i) {
    scenes.push_back({watch_url("7"), http::Response{200, {}, ""}, {}, Milliseconds{1}});
  }
  scenes.push_back({kList, list("7", "")});
  rig.play(std::move(scenes));
  CHECK(rig.clock.waits() ==
        Waits{Milliseconds{800}, Milliseconds{1600}, Milliseconds{3200}, Milliseconds{6400}});
}

TEST_CASE("two quiet minutes end the backoff") {
  Rig rig;
  const Error reset{ErrorCode::Unavailable, "reset"};
  rig.play({{kList, list("7", "")},
            {watch_url("7"), reset},
            {watch_url("7"), reset, {bookmark("8")}, Milliseconds{119'000}},
            {watch_url("8"), reset, {bookmark("9")}, Milliseconds{121'000}},
            {watch_url("9")}});
  CHECK(rig.clock.waits() == Waits{Milliseconds{800}, Milliseconds{1600}, Milliseconds{800}});
}

TEST_CASE("an outage counts as attempts of the loop, not as news of the data") {
  Rig rig;
  rig.play({{kList, list("7", ""), {}, Milliseconds{1000}},
            {watch_url("7"), Error{ErrorCode::Unavailable, "refused"}, {}, Milliseconds{60'000}}});
  const WatchProgress progress = rig.watcher.progress();
  CHECK(progress.last_data == SteadyTime{} + Milliseconds{1000});
  CHECK(progress.last_attempt == SteadyTime{} + Milliseconds{61'000});
  REQUIRE(progress.last_error);
  CHECK(progress.last_error->message == "refused");
}

TEST_CASE("a stop before the start asks for nothing") {
  Rig rig;
  std::stop_source stop;
  stop.request_stop();
  rig.watcher.run(stop.get_token());
  CHECK(rig.script.requests().empty());
  CHECK_FALSE(rig.watcher.progress().synced);
}

}  // namespace
}  // namespace scaledcache::k8s
