#include "cache/reference.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "cache/paths.h"
#include "cache/pod_door.h"
#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

constexpr std::string_view kWhite = " \t\r\n\f";
// A longer one leads nowhere, since with its scheme and host it makes a path beyond kMaxPathBytes.
constexpr std::size_t kMaxLinkBytes = 2 * kMaxPathBytes;

// Browsers drop white space round a link and line ends within it.
std::string without_white(std::string_view link) {
  const std::size_t first = link.find_first_not_of(kWhite);
  if (first == std::string_view::npos) {
    return {};
  }
  link = link.substr(first, link.find_last_not_of(kWhite) - first + 1);
  std::string text;
  std::copy_if(link.begin(), link.end(), std::back_inserter(text),
               [](char c) { return c != '\t' && c != '\r' && c != '\n'; });
  return text;
}

// "https" of "https://…"; empty where the link has none.
std::string_view scheme_of(std::string_view link) {
  const std::size_t end = link.find_first_of(":/?#");
  return end != std::string_view::npos && link[end] == ':' ? link.substr(0, end)
                                                           : std::string_view{};
}

// RFC 3986, section 5.2.4.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  bool is_folder = false;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    is_folder = part.empty() || part == "." || part == "..";
    if (part == ".." && !kept.empty()) {
      kept.pop_back();
    } else if (part != ".." && part != "." && (!part.empty() || !path.empty())) {
      kept.push_back(part);
    }
  }
  std::string text;
  for (const std::string_view part : kept) {
    text += "/";
    text += part;
  }
  return is_folder || text.empty() ? text + "/" : text;
}

struct Place {
  std::string host_name;
  std::string path;  // with the query
};

Place place_of(std::string_view host_name, std::string_view path_and_query) {
  const std::size_t question = path_and_query.find('?');
  const std::string_view path = path_and_query.substr(0, question);
  std::string whole = without_dots(path.empty() ? "/" : path);
  if (question != std::string_view::npos) {
    whole += path_and_query.substr(question);
  }
  return {std::string(host_name), std::move(whole)};
}

std::string_view without_query(std::string_view path) {
  return path.substr(0, path.find('?'));
}

// Nothing for what no request can be made of.
std::optional<Place> resolve(std::string_view text, const LinkBase& base) {
  if (text.size() > kMaxLinkBytes) {
    return std::nullopt;
  }
  const std::string trimmed = without_white(text);
  std::string_view link = trimmed;
  link = link.substr(0, link.find('#'));
  if (const std::string_view scheme = scheme_of(link); !scheme.empty()) {
    if (!http::equal_ignoring_case(scheme, "http") && !http::equal_ignoring_case(scheme, "https")) {
      return std::nullopt;
    }
    link.remove_prefix(scheme.size() + 1);
    if (!link.starts_with("//")) {
      return std::nullopt;
    }
  }
  if (link.empty()) {
    return std::nullopt;
  }
  if (link.starts_with("//")) {
    link.remove_prefix(2);
    const std::string_view authority = link.substr(0, link.find_first_of("/?"));
    if (authority.empty() || authority.find('@') != std::string_view::npos) {
      return std::nullopt;
    }
    return place_of(host_name(authority), link.substr(authority.size()));
  }
  const std::string_view page = without_query(base.path);
  if (link.front() == '/') {
    return place_of(base.host_name, link);
  }
  if (link.front() == '?') {
    return place_of(base.host_name, std::string(page) + std::string(link));
  }
  const std::string folder(page.substr(0, page.rfind('/') + 1));
  return place_of(base.host_name, folder + std::string(link));
}

// The character that an entity between '&' and ';' stands for; nothing if it is none of ours.
std::optional<char> character_of(std::string_view entity) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [name, character] : kNamed) {
    if (name == entity) {
      return character;
    }
  }
  if (!entity.starts_with('#')) {
    return std::nullopt;
  }
  entity.remove_prefix(1);
  const bool hexadecimal = entity.starts_with('x') || entity.starts_with('X');
  entity.remove_prefix(hexadecimal ? 1 : 0);
  int code = 0;
  const auto [end, error] =
      std::from_chars(entity.data(), entity.data() + entity.size(), code, hexadecimal ? 16 : 10);
  const bool whole = error == std::errc{} && end == entity.data() + entity.size();
  return whole && code > 0 && code < 128 ? std::optional(static_cast<char>(code)) : std::nullopt;
}

}  // namespace

std::string decode_entities(std::string_view text) {
  constexpr std::size_t kLongest = 8;
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = text.front() == '&' ? text.substr(0, kLongest).find(';') : 0;
    const bool whole = end != 0 && end != std::string_view::npos;
    const auto character = whole ? character_of(text.substr(1, end - 1)) : std::nullopt;
    out += character.value_or(text.front());
    text.remove_prefix(character ? end + 1 : 1);
  }
  return out;
}

std::optional<std::string> resolve_link(std::string_view link,
                                        const LinkBase& base,
                                        std::string_view host_name) {
  const std::optional<Place> place = resolve(link, base);
  return place && place->host_name == host_name ? clean_path(place->path) : std::nullopt;
}

LinkBase move_base(std::string_view link, const LinkBase& base) {
  std::optional<Place> place = resolve(link, base);
  return place && place->path.size() <= kMaxPathBytes
             ? LinkBase{std::move(place->host_name), std::move(place->path)}
             : base;
}

}  // namespace scaledcache::cache
