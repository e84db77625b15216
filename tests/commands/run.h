// A command run on texts instead of files and terminals.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "controller/commands/console.h"
#include "controller/commands/documents.h"

namespace scaledcache::controller::test {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

template <class Command>
Outcome run(Command command, const std::vector<std::string>& args, const std::string& input = {}) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const int status = command(args, Console{.in = in, .out = out, .err = err});
  return {status, out.str(), err.str()};
}

inline std::vector<Document> documents(const std::string& yaml) {
  std::istringstream in(yaml);
  return read_documents("test.yaml", in).value();
}

}  // namespace scaledcache::controller::test
