// Puts an answer together from the pieces that arrive, and drops it as soon as it passes a limit or
// is of a kind that the operator does not take. Knows no socket and no library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/transport.h"

namespace scaledcache::http {

class AnswerReader {
 public:
  AnswerReader(std::size_t max_header_bytes, std::size_t max_body_bytes)
      : max_header_bytes_(max_header_bytes), max_body_bytes_(max_body_bytes) {}

  // For the answer to `request`, with its limits and, where it goes to a pod, the rules of PodCall.
  explicit AnswerReader(const Request& request)
      : max_header_bytes_(request.max_header_bytes),
        max_body_bytes_(request.max_body_bytes),
        from_pod_(request.pod.has_value()),
        keep_body_bytes_(request.pod ? request.pod->keep_body_bytes : request.max_body_bytes) {}

  // One line with its line end: a status line, a header, the empty line behind them, or a trailer.
  // Interim answers (1xx) are read and forgotten, trailers too, but all count against the limit.
  // False when the answer is refused.
  [[nodiscard]] bool take_header_line(std::string_view line);

  // Some bytes of the body, to be kept or only counted; false when the answer is refused.
  [[nodiscard]] bool take_body(std::string_view bytes);

  // Why the answer is refused, in words of ours; empty if it is not.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  // True once the head of the final answer is whole.
  [[nodiscard]] bool has_head() const { return place_ == Place::BehindHead && !is_interim(); }

  // The answer; call once, after has_head().
  [[nodiscard]] Response take_response() { return std::move(response_); }

 private:
  enum class Place { BeforeHead, InHead, BehindHead };

  [[nodiscard]] bool is_interim() const { return response_.status < 200; }

  bool refuse(std::string reason);
  bool begin_head(std::string_view line);
  bool add_header(std::string_view line);
  bool finish_head();

  std::size_t max_header_bytes_;
  std::size_t max_body_bytes_;
  bool from_pod_ = false;
  std::size_t keep_body_bytes_ = max_body_bytes_;
  std::size_t header_bytes_ = 0;
  Place place_ = Place::BeforeHead;
  Response response_;
  std::string refusal_;
};

}  // namespace scaledcache::http
