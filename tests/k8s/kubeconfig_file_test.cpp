#include "k8s/kubeconfig_file.h"

#include <string>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("scalars are read as text, lists and maps are known to be there") {
  const auto config = parse_kubeconfig(
      "f",
      "current-context: x\nusers: [{name: u, user: {token: 7, exec: {a: b}, as: null, e: ''}}]\n");
  REQUIRE(config);
  CHECK(config->current_context == "x");
  const KubeconfigEntry& user = config->users.at("u");
  CHECK(user.file == "f");
  CHECK(user.field("token") == "7");
  CHECK_FALSE(user.field("exec").empty());
  CHECK(user.fields.size() == 2);
}

TEST_CASE("an empty file, a missing or a null list are no fault") {
  for (const char* text : {"", "---\n", "users:\n", "users: null\n", "kind: Config\n",
                           "users: [{name: u}]\n", "users: [{name: u, user: null}]\n"}) {
    SUBCASE(text) {
      CHECK(parse_kubeconfig("f", text));
    }
  }
}

TEST_CASE("JSON is YAML too") {
  CHECK(parse_kubeconfig("f", R"({"users":[{"name":"u","user":{"token":"t"}}]})"));
}

TEST_CASE("what is no kubeconfig is refused without repeating it") {
  const std::string deep = std::string(100'000, '[');
  for (const std::string& text :
       {std::string("sesame"), std::string("- sesame"), std::string("users: sesame"),
        std::string("users: [sesame]"), std::string("users: [{user: {token: sesame}}]"),
        std::string("users: [{name: u, user: [sesame]}]"), std::string("a: b\nusers: {sesame"),
        std::string("\tsesame: ["), deep}) {
    const auto config = parse_kubeconfig("/k/config", text);
    REQUIRE_FALSE(config);
    CHECK(config.error().code == ErrorCode::Invalid);
    CHECK(config.error().message.find("kubeconfig /k/config: ") == 0);
    CHECK(config.error().message.find("sesame") == std::string::npos);
  }
}

}  // namespace
}  // namespace scaledcache::k8s
