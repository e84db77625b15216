// How far long work has come, on a terminal's last line.
#pragma once

#include <cstddef>
#include <string>

#include "controller/commands/console.h"

namespace scaledcache::controller {

// "[=====>    ]  12/24", of `width` cells between the brackets.
[[nodiscard]] std::string progress_bar(std::size_t done, std::size_t total, std::size_t width);

// Draws over its own line on err, where that is a terminal, and wipes it when it goes.
class Progress {
 public:
  Progress(const Console& console, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more is done.
  void step();

  // Before anything else is written to the terminal; the next step draws anew.
  void wipe();

 private:
  const Console& console_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool drawn_ = false;
};

}  // namespace scaledcache::controller
