#include "controller/intake.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace scaledcache::controller {

Intake::Intake(const Setup& setup, const ApiDoor& api, Clock& clock, const Log& log)
    : queue(clock),
      gate_queue(clock),
      gates([this](const std::string& key) { gate_queue.add(key); }),
      watches({[&api] { return api.make_transport(); }, api.server, clock, log},
              setup.options.namespaces,
              {[this](const std::string& key) {
                 if (leads) {
                   queue.add(key);
                 }
               },
               [this](const std::string& key) {
                 if (leads) {
                   gate_queue.add(key);
                 }
               }}) {}

void Intake::lead() {
  leads = true;  // first: what changes meanwhile is queued twice, or once, but never not at all
  for (const std::string& key : watches.cache_keys()) {
    queue.add(key);
  }
  for (const std::string& key : watches.gated_pods()) {
    gate_queue.add(key);
  }
}

std::optional<Milliseconds> Intake::oldest_in_flight() const {
  const auto look = queue.oldest_in_flight();
  const auto gate = gate_queue.oldest_in_flight();
  return look && gate ? std::max(*look, *gate) : look ? look : gate;
}

Milliseconds Intake::watch_age(SteadyTime now) const {
  Milliseconds oldest{0};
  for (const WatchReport& report : watches.reports()) {
    if (report.progress.last_data) {
      oldest = std::max(oldest,
                        std::chrono::duration_cast<Milliseconds>(now - *report.progress.last_data));
    }
  }
  return oldest;
}

}  // namespace scaledcache::controller
