#include "k8s/base64.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("base64 is decoded, padded and with line ends between") {
  struct Row {
    const char* text;
    std::string want;
  };

  const std::vector<Row> rows{{"", ""},
                              {"Zg==", "f"},
                              {"Zm8=", "fo"},
                              {"Zm9v", "foo"},
                              {"Zm9vYg==", "foob"},
                              {"Zm9v\nYmFy\r\n", "foobar"},
                              {"AP+/", std::string("\0\xff\xbf", 3)}};
  for (const Row& row : rows) {
    SUBCASE(row.text) {
      REQUIRE(decode_base64(row.text));
      CHECK(*decode_base64(row.text) == row.want);
    }
  }
}

TEST_CASE("any bytes are encoded with padding, and read back") {
  struct Row {
    std::string bytes;
    const char* want;
  };

  const std::vector<Row> rows{{"", ""},
                              {"f", "Zg=="},
                              {"fo", "Zm8="},
                              {"foo", "Zm9v"},
                              {"foob", "Zm9vYg=="},
                              {"foobar", "Zm9vYmFy"},
                              {std::string("\0\xff\xbf", 3), "AP+/"}};
  for (const Row& row : rows) {
    SUBCASE(row.want) {
      CHECK(encode_base64(row.bytes) == row.want);
      CHECK(decode_base64(encode_base64(row.bytes)) == row.bytes);
    }
  }
}

TEST_CASE("what is no base64 is refused, not shortened") {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "Zm9v=", "====", "Z===", "Zg==Zg==", "Zm-_",
                           "Zm9v!", "-----BEGIN CERTIFICATE-----"}) {
    SUBCASE(text) {
      CHECK_FALSE(decode_base64(text));
    }
  }
}

}  // namespace
}  // namespace scaledcache::k8s
