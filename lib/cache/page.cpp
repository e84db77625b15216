#include "cache/page.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

// The number behind `directive` in Cache-Control.
std::optional<long> seconds_of(std::string_view rest, std::string_view directive) {
  while (!rest.empty()) {
    const std::string_view element = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), element.size() + 1));
    const std::size_t equals = element.find('=');
    if (equals == std::string_view::npos ||
        !http::equal_ignoring_case(http::trim_blanks(element.substr(0, equals)), directive)) {
      continue;
    }
    const std::string_view text = http::trim_blanks(element.substr(equals + 1));
    long seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    return error == std::errc{} ? std::optional(seconds) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

PageOutcome outcome_of(const PodAnswer& answer) {
  if (answer.failed()) {
    return PageOutcome::Error;
  }
  switch (answer.verdict) {
    case HitVerdict::Hit:
      return PageOutcome::Hit;
    case HitVerdict::StaleHit:
      return PageOutcome::StaleHit;
    case HitVerdict::Uncacheable:
      return PageOutcome::Uncacheable;
    case HitVerdict::Miss:
      return answer.ok() ? PageOutcome::Miss : PageOutcome::Uncacheable;
    case HitVerdict::Unknown:
      return answer.ok() ? PageOutcome::Unknown : PageOutcome::Uncacheable;
  }
  return PageOutcome::Unknown;
}

bool redirects_elsewhere(const PodAnswer& answer, std::string_view path) {
  const int status = answer.response.status;
  if (status < 300 || status >= 400) {
    return false;
  }
  std::string_view location = http::find_header(answer.response.headers, "location");
  const std::size_t authority = location.find("//");
  if (authority == std::string_view::npos) {
    return false;
  }
  location.remove_prefix(authority + 2);
  location.remove_prefix(std::min(location.size(), location.find_first_of("/?")));
  return location == path || (location.empty() && path == "/");
}

bool is_short_lived(const http::Headers& headers) {
  constexpr long kMinute = 60;
  const std::string_view control = http::find_header(headers, "cache-control");
  const auto shared = seconds_of(control, "s-maxage");
  const auto seconds = shared ? shared : seconds_of(control, "max-age");
  return seconds && *seconds < kMinute;
}

bool differs(const PodAnswer& pod, const PodAnswer& peer) {
  const std::size_t shorter = std::min(pod.response.body_bytes, peer.response.body_bytes);
  const std::size_t longer = std::max(pod.response.body_bytes, peer.response.body_bytes);
  return pod.response.status != peer.response.status || longer / 2 > shorter;
}

}  // namespace scaledcache::cache
