#include "controller/commands/console.h"

#include <unistd.h>

namespace scaledcache::controller {
namespace {

std::string painted(bool on, std::string_view code, std::string_view text) {
  return on ? "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m" : std::string(text);
}

}  // namespace

std::string Paint::strong(std::string_view text) const {
  return painted(on, "1", text);
}

std::string Paint::bad(std::string_view text) const {
  return painted(on, "31", text);
}

std::string Paint::odd(std::string_view text) const {
  return painted(on, "33", text);
}

std::string Paint::good(std::string_view text) const {
  return painted(on, "32", text);
}

std::string Paint::quiet(std::string_view text) const {
  return painted(on, "90", text);
}

bool may_paint(int descriptor, std::string_view no_color, std::string_view term) {
  return no_color.empty() && term != "dumb" && isatty(descriptor) == 1;
}

}  // namespace scaledcache::controller
