// The small parts of an answer: numbers, times and warnings as backends write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/samples.h"

namespace scaledcache::prom {

// The whole of `text` as a number, whatever the locale; "NaN", "+Inf", "-Inf" and "Inf" are
// numbers here. Nothing if it is none, or none that a double can hold.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

// Nothing outside the years that a date can name.
[[nodiscard]] std::optional<std::int64_t> to_milliseconds(double seconds);

// Whether a warning of the backend means that series or samples may be missing.
[[nodiscard]] bool tells_of_missing_data(std::string_view warning);

// Ascending times, each once.
void put_in_order(std::vector<core::Sample>& samples);

}  // namespace scaledcache::prom
