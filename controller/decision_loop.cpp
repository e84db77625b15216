#include "controller/decision_loop.h"

#include "k8s/label_matcher.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kAfterException{5'000};

QueryOptions query_options(const Options& options) {
  QueryOptions query;
  query.backend_url = options.backend_url;
  if (const auto matchers = k8s::parse_label_matchers(options.backend_matchers)) {
    for (const k8s::LabelMatcher& matcher : *matchers) {
      query.backend_matchers.push_back({matcher.label, matcher.op, matcher.value});
    }
  }
  query.replica_labels = options.replica_labels;
  return query;
}

}  // namespace

DecisionLoop::DecisionLoop(const Parts& parts, const Setup& setup)
    : parts_(parts),
      backend_(parts.backends, parts.clock),
      access_(parts.api.client, parts.clock),
      signals_({backend_, parts.clock, parts.metrics, {&access_, &parts.named}},
               query_options(setup.options)),
      observer_({parts.intake.watches, parts.api.targets, signals_, parts.clock,
                 setup.options.max_replicas_limit, &parts.intake.gates}),
      actuator_({parts.intake.watches, parts.api.client, parts.clock, parts.metrics, parts.log,
                 instance_name(setup.environment), &parts.intake.gates}),
      restorer_({parts.intake.watches, parts.api.targets, parts.api.client, parts.clock}),
      reconciler_({parts.intake.watches, observer_, actuator_, parts.clock, parts.metrics,
                   parts.log, &parts.intake.gates, &restorer_, parts.page}) {}

void DecisionLoop::start(std::size_t threads) {
  workers_ = std::make_unique<WorkerPool>(
      parts_.intake.queue, threads,
      WorkerCallbacks{
          [this](const std::string& key, const std::stop_token& stop) { work(key, stop); },
          [this](const std::string& key, std::string_view what) { recover(key, what); }});
}

void DecisionLoop::work(const std::string& key, const std::stop_token& stop) {
  if (const auto again = reconciler_.reconcile(key, stop)) {
    parts_.intake.queue.add_after(key, phases_.spread(key, *again));
  } else {
    phases_.forget(key);
  }
}

void DecisionLoop::recover(const std::string& key, std::string_view what) {
  Fields fields;
  fields["key"] = key;
  fields["error"] = what;
  parts_.log.error("a look ended with an exception", fields);
  parts_.intake.queue.add_after(key, kAfterException);
}

}  // namespace scaledcache::controller
