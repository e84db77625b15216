#include "http/transport.h"

#include <algorithm>

namespace scaledcache::http {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::Get:
      return "GET";
    case Method::Head:
      return "HEAD";
    case Method::Post:
      return "POST";
    case Method::Put:
      return "PUT";
    case Method::Patch:
      return "PATCH";
  }
  return "GET";
}

std::string_view find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (same_name(header.name, name)) {
      return header.value;
    }
  }
  return {};
}

}  // namespace scaledcache::http
