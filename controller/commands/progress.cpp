#include "controller/commands/progress.h"

#include <algorithm>
#include <ostream>

namespace scaledcache::controller {
namespace {

constexpr std::size_t kWidth = 30;

}  // namespace

std::string progress_bar(std::size_t done, std::size_t total, std::size_t width) {
  const std::size_t all = std::max<std::size_t>(total, 1);
  const std::size_t filled = std::min(done, all) * width / all;
  std::string cells(filled, '=');
  if (filled < width) {
    cells += '>';
  }
  cells.resize(width, ' ');
  return "[" + cells + "]  " + std::to_string(done) + "/" + std::to_string(total);
}

Progress::Progress(const Console& console, std::size_t total) : console_(console), total_(total) {}

Progress::~Progress() {
  wipe();
}

void Progress::step() {
  ++done_;
  if (console_.live && total_ > 1) {
    console_.err << '\r' << progress_bar(done_, total_, kWidth) << std::flush;
    drawn_ = true;
  }
}

void Progress::wipe() {
  if (drawn_) {
    console_.err << "\r\x1b[K" << std::flush;
    drawn_ = false;
  }
}

}  // namespace scaledcache::controller
