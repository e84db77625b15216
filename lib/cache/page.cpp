#include "cache/page.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

std::optional<long> number_in(std::string_view text) {
  text = http::trim_blanks(text);
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

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
    return number_in(element.substr(equals + 1));
  }
  return std::nullopt;
}

std::optional<Milliseconds> to_duration(std::optional<long> seconds) {
  constexpr long kMost = 100L * 365 * 24 * 3600;  // more is nonsense, and less than that fits
  return seconds && *seconds >= 0
             ? std::optional<Milliseconds>(std::chrono::seconds{std::min(*seconds, kMost)})
             : std::nullopt;
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
  constexpr std::chrono::minutes kMinute{1};
  const auto fresh = fresh_for(headers);
  return fresh && *fresh < kMinute;
}

std::optional<Milliseconds> fresh_for(const http::Headers& headers) {
  const std::string_view control = http::find_header(headers, "cache-control");
  const auto shared = seconds_of(control, "s-maxage");
  return to_duration(shared ? shared : seconds_of(control, "max-age"));
}

std::optional<Milliseconds> age_of(const http::Headers& headers) {
  return to_duration(number_in(http::find_header(headers, "age")));
}

bool differs(const PodAnswer& pod, const PodAnswer& peer) {
  const std::size_t shorter = std::min(pod.response.body_bytes, peer.response.body_bytes);
  const std::size_t longer = std::max(pod.response.body_bytes, peer.response.body_bytes);
  return pod.response.status != peer.response.status || longer / 2 > shorter;
}

}  // namespace scaledcache::cache
