// Answers that Prometheus and VictoriaMetrics gave to the queries of the operator, byte for byte.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace scaledcache::prom {

inline std::string recorded(const std::string& name) {
  const std::string path = std::string(SCALEDCACHE_SOURCE_DIR) + "/tests/prom/answers/" + name;
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace scaledcache::prom
