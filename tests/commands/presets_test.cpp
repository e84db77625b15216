// What `simulate` knows about the exporters, against the table that the operator asks by.
#include "prom/presets.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "sim/policy_reader.h"

namespace scaledcache::controller::commands::test {
namespace {

TEST_CASE("simulated exporters show an uptime where the real ones do") {
  const auto& simulated = sim::presets_with_uptime();
  for (const prom::Preset& preset : prom::presets()) {
    CAPTURE(preset.name);
    const bool shown =
        std::find(simulated.begin(), simulated.end(), preset.name) != simulated.end();
    CHECK(shown == !preset.uptime.empty());
  }
}

}  // namespace
}  // namespace scaledcache::controller::commands::test
