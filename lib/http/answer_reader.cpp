#include "http/answer_reader.h"

#include <utility>

#include "http/ascii.h"

namespace scaledcache::http {
namespace {

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// The three digits of "HTTP/1.1 200 OK"; 0 if they are not there.
int status_of(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (!line.starts_with("HTTP/1.") || blank == std::string_view::npos) {
    return 0;
  }
  const std::string_view digits = line.substr(blank + 1, 3);
  if (digits.size() != 3 || !is_digit(digits[0]) || !is_digit(digits[1]) || !is_digit(digits[2])) {
    return 0;
  }
  return (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
}

bool is_plain(std::string_view coding) {
  return coding.empty() || equal_ignoring_case(coding, "identity");
}

}  // namespace

bool AnswerReader::take_header_line(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > max_header_bytes_) {
    return refuse("the answer's header passes " + std::to_string(max_header_bytes_) + " bytes");
  }
  line = without_line_end(line);
  if (place_ == Place::BehindHead && !is_interim()) {
    return true;  // a trailer
  }
  if (place_ != Place::InHead) {
    return begin_head(line);
  }
  return line.empty() ? finish_head() : add_header(line);
}

bool AnswerReader::take_body(std::string_view bytes) {
  if (bytes.size() > max_body_bytes_ - response_.body_bytes) {
    return refuse("the answer's body passes " + std::to_string(max_body_bytes_) + " bytes");
  }
  response_.body_bytes += bytes.size();
  if (response_.body.size() < keep_body_bytes_) {
    response_.body += bytes.substr(0, keep_body_bytes_ - response_.body.size());
  }
  return true;
}

bool AnswerReader::refuse(std::string reason) {
  refusal_ = std::move(reason);
  return false;
}

bool AnswerReader::begin_head(std::string_view line) {
  response_ = Response{};
  response_.status = status_of(line);
  place_ = Place::InHead;
  return response_.status >= 100 || refuse("the answer is not HTTP/1.1");
}

bool AnswerReader::add_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || line[0] == ' ' || line[0] == '\t') {
    return refuse("the answer has a broken header line");
  }
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trim_blanks(line.substr(colon + 1));
  if (!from_pod_ && equal_ignoring_case(name, "content-encoding") && !is_plain(value)) {
    return refuse("the answer is compressed");
  }
  if (equal_ignoring_case(name, "transfer-encoding") && !is_plain(value) &&
      !equal_ignoring_case(value, "chunked")) {
    return refuse("the answer has an unknown transfer encoding");
  }
  response_.headers.push_back({std::string(name), std::string(value)});
  return true;
}

bool AnswerReader::finish_head() {
  place_ = Place::BehindHead;
  if (response_.status == 101) {
    return refuse("the answer switches protocols");
  }
  if (!from_pod_ && response_.status >= 300 && response_.status < 400) {
    return refuse("redirects are not followed");
  }
  return true;
}

}  // namespace scaledcache::http
