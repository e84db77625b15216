#include "k8s/label_selector.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("a selector selects what the API server would select") {
  struct Row {
    const char* name;
    const char* selector;
    Labels labels;
    bool want;
  };

  const Labels web{{"app", "web"}, {"tier", "a"}, {"empty", ""}};
  for (const Row& row : {
           Row{"an empty one selects everything", "", {}, true},
           Row{"equal", "app=web", web, true},
           Row{"equal with two signs", "app == web", web, true},
           Row{"another value", "app=shop", web, false},
           Row{"a label that is absent is equal to nothing", "x=web", web, false},
           Row{"equal to an empty value", "empty=", web, true},
           Row{"an absent label is not an empty one", "x=", web, false},
           Row{"unequal", "app!=shop", web, true},
           Row{"unequal to its own value", "app != web", web, false},
           Row{"an absent label is unequal to anything", "x!=z", web, true},
           Row{"in", "tier in (a,b)", web, true},
           Row{"in, with spaces", " tier  in ( b , a ) ", web, true},
           Row{"in, without spaces", "tier in(b)", web, false},
           Row{"in, absent", "x in (a)", web, false},
           Row{"in nothing is in the empty value", "empty in ()", web, true},
           Row{"notin", "tier notin (b,c)", web, true},
           Row{"notin its own value", "tier notin (a)", web, false},
           Row{"notin, absent", "x notin (a)", web, true},
           Row{"present", "tier", web, true},
           Row{"present although empty", "empty", web, true},
           Row{"present, absent", "x", web, false},
           Row{"absent", "!x", web, true},
           Row{"absent, present", "! tier", web, false},
           Row{"every part must hold", "app=web,tier in (a,b),!x,y!=z,empty", web, true},
           Row{"one part that does not is enough", "app=web,tier in (b),!x", web, false},
           Row{"a key with a prefix",
               "app.kubernetes.io/name=web",
               {{"app.kubernetes.io/name", "web"}},
               true},
           Row{"a key named like an operator",
               "in in (in),notin=x",
               {{"in", "in"}, {"notin", "x"}},
               true},
       }) {
    SUBCASE(row.name) {
      const auto selector = LabelSelector::parse(row.selector);
      REQUIRE(selector);
      CHECK(selector->matches(row.labels) == row.want);
    }
  }
}

TEST_CASE("what is no selector is refused with a sentence") {
  struct Row {
    const char* name;
    std::string selector;
    const char* sentence;
  };

  for (const Row& row : {
           Row{"a comma at the end", "app=web,", "a label name is missing"},
           Row{"a comma at the start", ",app=web", "a label name is missing"},
           Row{"no label", "=web", "a label name is missing"},
           Row{"no label behind !", "!", "a label name is missing"},
           Row{"two words", "app web", "\"web\" behind label app is no operator"},
           Row{"a comparison", "cores>3", "a comma is missing behind label cores"},
           Row{"no parentheses", "app in web", "the values of label app need parentheses"},
           Row{"an open parenthesis", "app in (web", "a parenthesis behind label app"},
           Row{"two prefixes", "a/b/c=d", "\"a/b/c\" is no label name"},
           Row{"an empty prefix", "/b=d", "\"/b\" is no label name"},
           Row{"an empty name", "a/=d", "\"a/\" is no label name"},
           Row{"a name that ends in a dash", "a-=d", "\"a-\" is no label name"},
           Row{"a value with a slash", "a=b/c", "\"b/c\" is no label value"},
           Row{"a value that starts with a dot", "a in (.b)", "\".b\" is no label value"},
           Row{"a long value", "a=" + std::string(64, 'x'), "is no label value"},
           Row{"a long name", std::string(64, 'x'), "is no label name"},
           Row{"two of them without a comma", "a=b c=d", "a comma is missing behind label a"},
           Row{"quotes", "a=\"b\"", "a comma is missing behind label a"},
       }) {
    SUBCASE(row.name) {
      const auto selector = LabelSelector::parse(row.selector);
      REQUIRE_FALSE(selector);
      CHECK(selector.error().code == ErrorCode::Invalid);
      CHECK_MESSAGE(selector.error().message.find(row.sentence) != std::string::npos,
                    selector.error().message);
    }
  }
}

TEST_CASE("the requirements can be looked at") {
  using Operator = LabelSelector::Operator;
  const auto selector = LabelSelector::parse("a=b,c notin (d,e),!f,g");
  REQUIRE(selector);
  CHECK(selector->requirements() ==
        std::vector<LabelSelector::Requirement>{{"a", Operator::In, {"b"}},
                                                {"c", Operator::NotIn, {"d", "e"}},
                                                {"f", Operator::DoesNotExist, {}},
                                                {"g", Operator::Exists, {}}});
}

}  // namespace
}  // namespace scaledcache::k8s
