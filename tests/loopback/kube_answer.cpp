#include "loopback/kube_answer.h"

namespace scaledcache::loopback {

std::string_view reason_of(int code) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return "InternalError";
  }
}

Json failure(int code, const std::string& message, std::string reason) {
  return Json{{"kind", "Status"},
              {"apiVersion", "v1"},
              {"metadata", Json::object()},
              {"status", "Failure"},
              {"message", message},
              {"reason", reason.empty() ? std::string(reason_of(code)) : std::move(reason)},
              {"code", code}};
}

KubeAnswer refusal(int code, const std::string& message, std::string reason) {
  return {code, failure(code, message, std::move(reason))};
}

}  // namespace scaledcache::loopback
