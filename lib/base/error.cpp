#include "base/error.h"

namespace scaledcache {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return "NotFound";
    case ErrorCode::Conflict:
      return "Conflict";
    case ErrorCode::Gone:
      return "Gone";
    case ErrorCode::Invalid:
      return "Invalid";
    case ErrorCode::NoData:
      return "NoData";
    case ErrorCode::RateLimited:
      return "RateLimited";
    case ErrorCode::Unavailable:
      return "Unavailable";
    case ErrorCode::Timeout:
      return "Timeout";
    case ErrorCode::Unauthorized:
      return "Unauthorized";
    case ErrorCode::Forbidden:
      return "Forbidden";
    case ErrorCode::Protocol:
      return "Protocol";
    case ErrorCode::Cancelled:
      return "Cancelled";
  }
  return "Unknown";
}

}  // namespace scaledcache
