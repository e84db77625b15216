#include "prom/sample_text.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

namespace scaledcache::prom {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("numbers are read whole or not at all") {
  CHECK(parse_number("0") == 0);
  CHECK(parse_number("+1.5e3") == 1500);
  CHECK(parse_number("-0.25") == -0.25);
  CHECK(parse_number("+Inf") == kInfinity);
  CHECK(parse_number("-Inf") == -kInfinity);
  CHECK(std::isnan(parse_number("NaN").value_or(0)));
  for (const char* text : {"", "+", "-", "++1", "+-1", " 1", "1 ", "1,5", "0x1", "1e999", "one"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_number(text).has_value());
  }
}

TEST_CASE("times are rounded to milliseconds, and have a year") {
  CHECK(to_milliseconds(1'796'062'521.623) == 1'796'062'521'623);
  CHECK(to_milliseconds(0.0006) == 1);
  CHECK(to_milliseconds(-1) == -1000);
  for (const double seconds : {253'402'300'800.0, -1e300, kInfinity, -kInfinity, kNan}) {
    CAPTURE(seconds);
    CHECK_FALSE(to_milliseconds(seconds).has_value());
  }
}

TEST_CASE("of two samples of one instant a value is kept rather than a staleness marker") {
  std::vector<core::Sample> samples{{3, 1}, {2, kNan}, {2, 7}, {2, 8}, {1, kNan}};
  put_in_order(samples);
  REQUIRE(samples.size() == 3);
  CHECK(std::isnan(samples[0].value));
  CHECK(samples[1] == core::Sample{2, 7});
  CHECK(samples[2] == core::Sample{3, 1});
}

}  // namespace
}  // namespace scaledcache::prom
