// A request as a server sees it.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scaledcache::loopback {

struct HttpRequest {
  std::string method;
  std::string target;  // as on the wire
  std::string path;    // of the target, decoded
  std::map<std::string, std::string, std::less<>> query;
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
  std::string body;

  // Empty when absent.
  [[nodiscard]] std::string parameter(std::string_view name) const;
  [[nodiscard]] std::string header(std::string_view name) const;
};

// From its text: a whole head, and a body.
[[nodiscard]] HttpRequest parse_request(std::string_view text);

// "a=1&b=x%20y" as a map.
[[nodiscard]] std::map<std::string, std::string, std::less<>> parse_form(std::string_view text);

}  // namespace scaledcache::loopback
