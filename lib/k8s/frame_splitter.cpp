#include "k8s/frame_splitter.h"

namespace scaledcache::k8s {
namespace {

std::string_view without_carriage_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

FrameSplitter::Fed FrameSplitter::feed(std::string_view bytes, const FrameSink& sink) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (partial_.size() + piece.size() > max_frame_bytes_) {
      partial_.clear();
      return Fed::TooLong;
    }
    if (end == std::string_view::npos) {
      partial_ += piece;
      return Fed::All;
    }
    bytes.remove_prefix(end + 1);
    std::string joined;  // owns the frame while the sink looks at it
    std::string_view line = piece;
    if (!partial_.empty()) {
      partial_ += piece;
      joined.swap(partial_);
      line = joined;
    }
    line = without_carriage_return(line);
    if (!line.empty() && !sink(line)) {
      return Fed::Stopped;
    }
  }
  return Fed::All;
}

}  // namespace scaledcache::k8s
