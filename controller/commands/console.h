// Where a command reads and writes, and whether it may paint.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace scaledcache::controller {

// Colours by their meaning; plain text where `on` is false.
struct Paint {
  bool on = false;

  [[nodiscard]] std::string strong(std::string_view text) const;  // bold
  [[nodiscard]] std::string bad(std::string_view text) const;     // red
  [[nodiscard]] std::string odd(std::string_view text) const;     // yellow
  [[nodiscard]] std::string good(std::string_view text) const;    // green
  [[nodiscard]] std::string quiet(std::string_view text) const;   // grey
};

// Streams outlive it.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Paint paint{};      // of out
  Paint paint_err{};  // of err
  std::string program = "scaledcache";
  bool live = false;  // err is a terminal: what is written there may be drawn over
};

// Whether a stream on that file descriptor may have colours: a terminal, NO_COLOR empty or unset,
// TERM not "dumb" (https://no-color.org).
[[nodiscard]] bool may_paint(int descriptor, std::string_view no_color, std::string_view term);

}  // namespace scaledcache::controller
