// Any bytes at all as the answer of a backend: the decoders must give a value or an error, within
// their limits.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "prom/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The library's texts are chars, the fuzzer's bytes are not.
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto series = scaledcache::prom::decode_series(body);
  if (series) {
    for (const auto& one : series->series) {
      if (one.samples.empty()) {
        std::abort();  // promised: no series is without samples
      }
    }
  }
  const auto value = scaledcache::prom::decode_value(body);
  if (value && value->fault == scaledcache::core::Fault::None && !std::isfinite(value->value)) {
    std::abort();  // promised: what is no number has a fault
  }
  return 0;
}
