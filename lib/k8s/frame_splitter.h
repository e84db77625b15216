// Cuts a watch stream into its newline-delimited frames. Where the bytes were cut on the road has
// no meaning: any split of the same stream gives the same frames.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace scaledcache::k8s {

// The limit that client-go has too.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{16} << 20;

// Not thread safe: one stream, one splitter, one thread.
class FrameSplitter {
 public:
  explicit FrameSplitter(std::size_t max_frame_bytes = kMaxFrameBytes)
      : max_frame_bytes_(max_frame_bytes) {}

  // Takes one frame, without its line end; returns false to take no more.
  using FrameSink = std::function<bool(std::string_view frame)>;

  enum class Fed {
    All,      // every whole frame was taken
    Stopped,  // the sink returned false; the rest of the bytes is dropped
    TooLong,  // a frame passed the limit; nothing after it can be trusted
  };

  // Hands out the frames that `bytes` completes, in order; a line that is empty is none, and a CR
  // before the LF is no part of a frame.
  Fed feed(std::string_view bytes, const FrameSink& sink);

  // True while a frame has begun and not ended: at the end of a stream, it was cut.
  [[nodiscard]] bool has_partial() const { return !partial_.empty(); }

 private:
  std::size_t max_frame_bytes_;
  std::string partial_;
};

}  // namespace scaledcache::k8s
