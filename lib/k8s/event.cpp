#include "k8s/event.h"

#include "base/rfc3339.h"
#include "k8s/utf8.h"

namespace scaledcache::k8s {
namespace {

// Limits of events.k8s.io/v1, in bytes.
constexpr std::size_t kMaxNote = 1024;
constexpr std::size_t kMaxWord = 128;

}  // namespace

Json encode_event(const Event& event, const std::string& reporting_instance) {
  const ObjectRef& regarding = event.regarding;
  return Json{
      {"apiVersion", "events.k8s.io/v1"},
      {"kind", "Event"},
      {"metadata", {{"generateName", regarding.name + "-"}, {"namespace", regarding.name_space}}},
      {"eventTime", format_micro_time(event.time)},
      {"reportingController", kReportingController},
      {"reportingInstance", cut_utf8(reporting_instance, kMaxWord)},
      {"type", event.warning ? "Warning" : "Normal"},
      {"reason", cut_utf8(event.reason, kMaxWord)},
      {"action", cut_utf8(event.action, kMaxWord)},
      {"note", cut_utf8(event.note, kMaxNote)},
      {"regarding",
       {{"apiVersion", regarding.api_version},
        {"kind", regarding.kind},
        {"namespace", regarding.name_space},
        {"name", regarding.name},
        {"uid", regarding.uid}}},
  };
}

}  // namespace scaledcache::k8s
