#include "k8s/label_selector_text.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("a LabelSelector becomes the text of a list request") {
  struct Row {
    const char* selector;
    const char* text;
  };

  for (const Row& row : std::vector<Row>{
           {R"({"matchLabels": {"app": "web"}})", "app=web"},
           {R"({"matchLabels": {"b": "2", "a.example/x": ""}})", "a.example/x=,b=2"},
           {R"({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["a", "b"]}]})",
            "tier in (a,b)"},
           {R"({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["a"]}]})",
            "tier notin (a)"},
           {R"({"matchLabels": {"app": "web"}, "matchExpressions": [
                {"key": "a", "operator": "Exists"}, {"key": "b", "operator": "DoesNotExist"}]})",
            "app=web,a,!b"}}) {
    CAPTURE(row.selector);
    Problems problems;
    CHECK(read_label_selector(Json::parse(row.selector), "s", problems) == row.text);
    CHECK(join(problems) == "");
  }
}

TEST_CASE("a LabelSelector that selects nothing in particular is refused with a sentence") {
  struct Row {
    const char* selector;
    const char* sentence;
  };

  for (const Row& row : std::vector<Row>{
           {"{}", "s is empty, must select pods by matchLabels or matchExpressions"},
           {R"({"matchLabels": {}})",
            "s is empty, must select pods by matchLabels or matchExpressions"},
           {R"("app=web")", "s is \"app=web\", must be an object"},
           {R"({"app": "web"})", "s.app is a field that this version does not know"},
           {R"({"matchLabels": {"a,b": "c"}})",
            "s.matchLabels[\"a,b\"] is \"c\", must be a label and its value"},
           {R"({"matchLabels": {"a": "b,c=d"}})",
            "s.matchLabels[\"a\"] is \"b,c=d\", must be a label and its value"},
           {R"({"matchLabels": {"a": 1}})", "s.matchLabels[\"a\"] must be a string"},
           {R"({"matchExpressions": [{"key": "a", "operator": "Is", "values": ["b"]}]})",
            "s.matchExpressions[0].operator is \"Is\", must be In, NotIn, Exists or DoesNotExist"},
           {R"({"matchExpressions": [{"key": "a", "operator": "In"}]})",
            "s.matchExpressions[0].values is required with operator In"},
           {R"({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]})",
            "s.matchExpressions[0].values must not stand beside operator Exists"},
           {R"({"matchExpressions": [{"key": "a b", "operator": "Exists"}]})",
            "s.matchExpressions[0].key is \"a b\", must be the key of a label"},
           {R"j({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b)"]}]})j",
            "s.matchExpressions[0].values holds \"b)\", which is no label value"}}) {
    CAPTURE(row.selector);
    Problems problems;
    static_cast<void>(read_label_selector(Json::parse(row.selector), "s", problems));
    CHECK(join(problems) == row.sentence);
  }
}

}  // namespace
}  // namespace scaledcache::k8s
