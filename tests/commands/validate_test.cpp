#include "controller/commands/validate.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "sim/files.h"

#include "commands/run.h"

namespace scaledcache::controller::test {
namespace {

const std::string kGood =
    "apiVersion: scaledcache.io/v1alpha1\n"
    "kind: ScaledCache\n"
    "metadata: {name: blog, namespace: blog}\n"
    "spec:\n"
    "  scaleTargetRef: {name: varnish}\n"
    "  minReplicas: 2\n"
    "  maxReplicas: 10\n"
    "  signals:\n"
    "    - {preset: Varnish, requestsPerReplica: 200}\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  return text;
}

Outcome judged(const std::string& yaml, std::vector<std::string> args = {}) {
  args.emplace_back("-");
  return run(validate, args, yaml);
}

TEST_CASE("a sound manifest is praised in one line") {
  const Outcome outcome = judged(kGood);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "1 ScaledCache: 0 problems, 0 pieces of advice\n");
}

TEST_CASE("each problem has file, line and field") {
  const Outcome outcome = judged(with("minReplicas: 2", "minReplicas: 12"));
  CHECK(outcome.status == 1);
  CHECK(has(outcome.out,
            "standard input:6: problem: spec.minReplicas is 12, must not be above "
            "spec.maxReplicas (10)"));
}

TEST_CASE("what would be refused is found") {
  struct Row {
    const char* from;
    const char* to;
    const char* want;
  };

  for (const Row& row :
       {Row{"preset: Varnish", "preset: Vranish", ":9: problem: spec.signals[0].preset"},
        Row{"  maxReplicas: 10\n", "", ":4: problem: spec.maxReplicas is required"},
        Row{"minReplicas: 2", "minReplicas: 2\n  minReplica: 3",
            ":7: problem: spec.minReplica is a field"},
        Row{"maxReplicas: 10", "maxReplicas: 10\n  maxReplicas: 11",
            ":8: problem: spec.maxReplicas is given twice"},
        Row{"v1alpha1", "v1", ":1: problem: apiVersion is \"scaledcache.io/v1\""},
        Row{"kind: ScaledCache", "kind: ScaledCahce", ":2: problem: kind is \"ScaledCahce\""},
        Row{"name: blog,", "name: Blog,", ":3: problem: metadata.name is \"Blog\""},
        Row{"name: blog, ", "", ":3: problem: metadata.name is required"},
        Row{"namespace: blog}", "annotations: {scaledcache.io/paused: true}}",
            "must be a string: put quotes around it"},
        Row{"namespace: blog}", "annotations: {scaledcache.io/paused: maybe}}",
            ":3: problem: metadata.annotations[scaledcache.io/paused] is \"maybe\""},
        Row{"spec:\n", "spec:\nextra: 1\nspecs:\n", ":5: problem: extra is a field"}}) {
    CAPTURE(row.want);
    const Outcome outcome = judged(with(row.from, row.to));
    CHECK(outcome.status == 1);
    CHECK_MESSAGE(has(outcome.out, row.want), outcome.out);
  }
}

TEST_CASE("what works and could be better is advice") {
  struct Row {
    const char* from;
    const char* to;
    const char* want;
  };

  for (const Row& row :
       {Row{"minReplicas: 2", "minReplicas: 1", ":6: advice: spec.minReplicas is 1: when"},
        Row{"maxReplicas: 10", "maxReplicas: 2", "spec.maxReplicas is the same as minReplicas"},
        Row{"preset: Varnish", "counter: {metric: hits_total}",
            "spec.signals[0].counter.matchers is not set"},
        Row{"preset: Varnish", "query: 'sum(rate(hits[1m]))'",
            "spec.signals[0].query has a range of its own"},
        Row{"preset: Varnish", "query: 'sum(rate(hits[$window]))'",
            "spec.signals[0].query has no matchers"},
        Row{"preset: Varnish", "query: 'sum(rate(hits{a=\"b\"}[$window]))'",
            "spec.signals[0].ageQuery is not set"},
        Row{"preset: Varnish", "preset: Varnish, podLabel: ''",
            "spec.signals[0].podLabel is empty"},
        Row{"minReplicas: 2", "minReplicas: 2\n  longWindow: 40s",
            ":7: advice: spec.longWindow is 40s"},
        Row{"minReplicas: 2", "minReplicas: 2\n  cooldown: 10s",
            "spec.cooldown is 10s, shorter than"},
        Row{"minReplicas: 2", "minReplicas: 2\n  pollInterval: 1m", "spec.pollInterval is 1m"},
        Row{"minReplicas: 2", "minReplicas: 2\n  scaleUp: {cooldown: 1m}",
            "spec.scaleUp.cooldown is 1m"},
        Row{"minReplicas: 2", "minReplicas: 2\n  scaleDown: {stepPercent: 100}",
            "the whole surplus goes"},
        Row{"minReplicas: 2", "minReplicas: 2\n  fallback: {behavior: Static, replicas: 20}",
            "outside 2 to 10"}}) {
    CAPTURE(row.want);
    const Outcome outcome = judged(with(row.from, row.to));
    CHECK(outcome.status == 0);
    CHECK_MESSAGE(has(outcome.out, row.want), outcome.out);
    CHECK(judged(with(row.from, row.to), {"--strict"}).status == 1);
  }
}

TEST_CASE("windows are held against the scrape interval where it is known") {
  const std::string yaml = with("minReplicas: 2", "minReplicas: 2\n  shortWindow: 20s");
  CHECK_FALSE(has(judged(yaml).out, "two samples"));
  CHECK(
      has(judged(yaml, {"--scrape-interval=15s"}).out,
          ":7: advice: spec.shortWindow is 20s, must hold two samples: with scrapes every 15s that "
          "takes 30s"));
  CHECK_FALSE(has(judged(yaml, {"--scrape-interval=10s"}).out, "two samples"));
}

TEST_CASE("two caches on one target, and two of one name, are told with the place of the other") {
  const std::string other = with("name: blog,", "name: shop,");
  CHECK(has(judged(kGood + "---\n" + other).out,
            "standard input:15: advice: spec.scaleTargetRef is that of the ScaledCache at standard "
            "input:1 as well"));
  CHECK(has(judged(kGood + "---\n" + kGood).out, "metadata.name is that of the ScaledCache at"));
  const std::string elsewhere = with("namespace: blog", "namespace: shop");
  CHECK_FALSE(has(judged(kGood + "---\n" + elsewhere).out, "is that of"));
}

TEST_CASE("objects of other kinds are counted and not looked at") {
  const Outcome outcome = judged("kind: Service\n---\n" + kGood + "---\nreplicas: 3\n");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out, "2 objects of other kinds not looked at"));
}

TEST_CASE("scripts get JSON or YAML") {
  const std::string yaml = with("minReplicas: 2", "minReplicas: 12");
  const Json told = Json::parse(judged(yaml, {"--output", "json"}).out);
  CHECK(told["problems"] == 1);
  CHECK(told["findings"][0]["line"] == 6);
  CHECK(told["findings"][0]["path"] == "spec.minReplicas");
  CHECK(told["findings"][0]["object"] == "ScaledCache blog/blog");
  CHECK(documents(judged(yaml, {"-o", "yaml"}).out).at(0).value == told);
}

TEST_CASE("what cannot be read is exit status 2, and the rest is judged all the same") {
  const sim::test::Folder folder;
  const std::string good = folder.write("good.yaml", kGood);
  const std::string broken = folder.write("broken.yaml", "a: [1\n");
  const Outcome outcome = run(validate, {good, broken, folder.path("none.yaml")});
  CHECK(outcome.status == 2);
  CHECK(has(outcome.err, "broken.yaml:"));
  CHECK(has(outcome.err, "none.yaml: cannot be read"));
  CHECK(has(outcome.out, "1 ScaledCache: 0 problems"));
  CHECK(run(validate, {}).status == 2);
  CHECK(run(validate, {"--scrape-interval=soon", good}).status == 2);
}

TEST_CASE("the examples of the tree have no problem") {
  const std::string root = std::string(SCALEDCACHE_SOURCE_DIR) + "/examples";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path().string());
    }
  }
  REQUIRE(files.size() >= 4);
  const Outcome outcome = run(validate, files);
  CHECK_MESSAGE(outcome.status == 0, outcome.out);
}

}  // namespace
}  // namespace scaledcache::controller::test
