#include "http/transport.h"

#include "http/ascii.h"

namespace scaledcache::http {

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
    if (equal_ignoring_case(header.name, name)) {
      return header.value;
    }
  }
  return {};
}

}  // namespace scaledcache::http
