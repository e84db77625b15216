// What the files that judge parts of a spec share. Only for them; everybody else asks validate().
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/duration.h"
#include "k8s/problem.h"
#include "k8s/spec.h"

namespace scaledcache::k8s {

// Collects the problems of one object.
class Checks {
 public:
  Checks(std::string path, Problems& problems) : path_(std::move(path)), problems_(problems) {}

  void add(const std::string& field, const std::string& message) {
    problems_.push_back({path_ + "." + field, message});
  }

  void expect(bool holds, const std::string& field, const std::string& message) {
    if (!holds) {
      add(field, message);
    }
  }

  void in_range(const std::string& field, int value, int least, int most) {
    expect(value >= least && value <= most, field,
           "is " + std::to_string(value) + ", must be from " + std::to_string(least) + " to " +
               std::to_string(most));
  }

  void in_range(const std::string& field,
                Milliseconds value,
                Milliseconds least,
                Milliseconds most) {
    expect(value >= least && value <= most, field,
           "is " + format_duration(value) + ", must be from " + format_duration(least) + " to " +
               format_duration(most));
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] Problems& problems() { return problems_; }

 private:
  std::string path_;
  Problems& problems_;
};

// Names and values of request headers under `field`; `forbidden` says which names may not be set,
// in lower case.
void check_headers(const std::string& field,
                   const std::map<std::string, std::string>& headers,
                   bool (*is_forbidden)(std::string_view lower_name),
                   Checks& checks);

// Whether a header would change the framing of a request or belongs to the transport.
[[nodiscard]] bool is_transport_header(std::string_view lower_name);

// The name of an object, and the key of its data.
void check_key_ref(const KeyRef& ref, Checks checks);

void check_backend(const BackendSpec& backend, Checks checks);
void check_signals(const Spec& spec, Checks checks);
void check_warmup(const WarmupSpec& warmup, Checks checks);
void check_drain(const DrainSpec& drain, Checks checks);
void check_guards(const GuardsSpec& guards, Checks checks);

}  // namespace scaledcache::k8s
