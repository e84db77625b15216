#include "controller/decision_log.h"

#include "controller/decision_record.h"

namespace scaledcache::controller {
namespace {

double in_seconds(Milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

Fields signal_fields(const core::SignalVerdict& verdict, const core::SignalReading& reading) {
  Fields fields;
  fields["name"] = verdict.name;
  fields["health"] = core::name_of(verdict.health);
  if (verdict.fault != core::Fault::None) {
    fields["fault"] = core::name_of(verdict.fault);
  }
  fields["short"] = verdict.short_rate;
  fields["peak"] = verdict.peak;
  fields["level"] = verdict.level;
  fields["gate"] = verdict.gate;
  fields["q"] = verdict.q;
  fields["wish"] = verdict.wish;
  fields["coverage"] = reading.coverage;
  if (reading.sample_age) {
    fields["ageSeconds"] = in_seconds(*reading.sample_age);
  }
  return fields;
}

}  // namespace

Fields decision_fields(const std::string& key, const Look& look, const core::History& history) {
  const core::Decision& decision = look.decision;
  const core::Observation& observation = look.gathered.observation;
  Fields fields;
  fields["key"] = key;
  fields["from"] = decision.from;
  fields["to"] = decision.replicas;
  fields["reason"] = core::name_of(decision.reason);
  fields["sentence"] = look.sentence;
  fields["wish"] = decision.wish;
  fields["shrinkTo"] = decision.shrink_to;
  fields["ready"] = observation.pods.ready;
  fields["signals"] = Fields::array();
  for (std::size_t i = 0; i < decision.signals.size() && i < observation.signals.size(); ++i) {
    fields["signals"].push_back(signal_fields(decision.signals[i], observation.signals[i]));
  }
  fields["inputs"] = record_inputs({look.gathered.policy, observation, history, look.now});
  return fields;
}

}  // namespace scaledcache::controller
