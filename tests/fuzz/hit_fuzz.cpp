// Any bytes at all as the headers of a pod's answer: each dialect gives a verdict, and the promises
// about verdicts and times hold. The first line names the header that decides.
#include <algorithm>
#include <string>
#include <vector>

#include "cache/cache_status.h"
#include "cache/hit.h"
#include "cache/page.h"

#include "fuzz/require.h"

namespace scaledcache::cache {
namespace {

using fuzz::require;

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

http::Headers headers_in(std::string_view text) {
  http::Headers headers;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t colon = std::min(line.find(':'), line.size());
    headers.push_back({std::string(line.substr(0, colon)),
                       std::string(line.substr(std::min(colon + 1, line.size())))});
  }
  return headers;
}

void require_status(const http::Headers& headers) {
  std::vector<std::string_view> values;
  for (const http::Header& header : headers) {
    values.emplace_back(header.value);
    const auto status = last_cache_status(values);
    require(!status || !status->hit || status->fwd.empty());  // they exclude each other
  }
}

void read(std::string_view text) {
  const std::string named(take_line(text));
  http::Headers headers = headers_in(text);
  require_status(headers);
  PodAnswer answer;
  answer.response.headers = headers;
  for (const int status : {200, 301, 404, 503}) {
    answer.response.status = status;
    answer.verdict = judge_hit(headers, named);
    require(answer.verdict == judge_hit(headers, named));
    require((status == 503) == (outcome_of(answer) == PageOutcome::Error));
    (void)redirects_elsewhere(answer, named);
  }
  const auto fresh = fresh_for(headers);
  const auto age = age_of(headers);
  require(!fresh || *fresh >= Milliseconds::zero());
  require(!age || *age >= Milliseconds::zero());
  require(!is_short_lived(headers) || !fresh || *fresh < Milliseconds{60'000});

  headers.push_back({"Set-Cookie", "a=b"});
  const HitVerdict private_answer = judge_hit(headers, named);
  require(is_hit(private_answer) || private_answer == HitVerdict::Uncacheable);
}

}  // namespace
}  // namespace scaledcache::cache

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scaledcache::cache::read(scaledcache::fuzz::text_of(data, size));
  return 0;
}
