// One JSON object (or one line for people) per thing worth knowing. Never a secret, never the
// query string of a URL.
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "controller/options.h"

namespace spdlog {
class logger;
}  // namespace spdlog

namespace scaledcache::controller {

// The members of a line, written in the order they were added.
using Fields = nlohmann::ordered_json;

// Thread safe. Lines go to standard output through a bounded queue: when the reader of our output
// stalls, the oldest waiting lines are dropped, and no worker waits.
class Log {
 public:
  Log(const Clock& clock, LogFormat format, LogLevel level);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // `fields` is an object; its members follow time, level and message in the line.
  void debug(std::string_view message, const Fields& fields = Fields::object()) const;
  void info(std::string_view message, const Fields& fields = Fields::object()) const;
  void warn(std::string_view message, const Fields& fields = Fields::object()) const;
  void error(std::string_view message, const Fields& fields = Fields::object()) const;

  [[nodiscard]] bool wants_debug() const { return level_ == LogLevel::Debug; }

 private:
  void write(LogLevel level, std::string_view message, const Fields& fields) const;

  const Clock& clock_;
  LogFormat format_;
  LogLevel level_;
  std::shared_ptr<spdlog::logger> sink_;
};

// The line that Log writes, without its line end. Pure, for tests and for `explain`.
[[nodiscard]] std::string format_line(LogFormat format,
                                      WallTime time,
                                      LogLevel level,
                                      std::string_view message,
                                      const Fields& fields);

}  // namespace scaledcache::controller
