#include "controller/log.h"

#include <algorithm>

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/rfc3339.h"

namespace scaledcache::controller {
namespace {

// Enough for a burst of a few hundred decisions; a slot costs about 0.3 KiB.
constexpr std::size_t kQueuedLines = 512;

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warn:
      return "warn";
    case LogLevel::Error:
      return "error";
  }
  return "info";
}

std::string time_text(WallTime time) {
  std::string text = format_micro_time(time);
  return text.erase(text.size() - 4, 3);  // milliseconds are enough to read
}

std::string dump(const Fields& value) {
  return value.dump(-1, ' ', false, Fields::error_handler_t::replace);
}

// A value as people read it: strings bare when they hold no space, quote or control character.
std::string plain(const Fields& value) {
  if (!value.is_string()) {
    return dump(value);
  }
  const auto& text = value.get_ref<const std::string&>();
  const bool bare = !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7f || c == '"' || c == '\\' || c == '=';
  });
  return bare ? text : dump(value);
}

}  // namespace

std::string format_line(LogFormat format,
                        WallTime time,
                        LogLevel level,
                        std::string_view message,
                        const Fields& fields) {
  if (format == LogFormat::Json) {
    Fields line;
    line["time"] = time_text(time);
    line["level"] = name_of(level);
    line["msg"] = message;
    for (const auto& [key, value] : fields.items()) {
      line[key] = value;
    }
    return dump(line);
  }
  std::string line =
      time_text(time) + " " + std::string(name_of(level)) + " " + std::string(message);
  for (const auto& [key, value] : fields.items()) {
    line += " " + key + "=" + plain(value);
  }
  return line;
}

Log::Log(const Clock& clock, LogFormat format, LogLevel level)
    : clock_(clock), format_(format), level_(level) {
  spdlog::init_thread_pool(kQueuedLines, 1);
  sink_ = std::make_shared<spdlog::async_logger>(
      "scaledcache", std::make_shared<spdlog::sinks::stdout_sink_mt>(), spdlog::thread_pool(),
      spdlog::async_overflow_policy::overrun_oldest);
  sink_->set_pattern("%v");
  sink_->flush_on(spdlog::level::info);
}

Log::~Log() {
  sink_->flush();
  sink_.reset();
  spdlog::shutdown();
}

void Log::debug(std::string_view message, const Fields& fields) const {
  write(LogLevel::Debug, message, fields);
}

void Log::info(std::string_view message, const Fields& fields) const {
  write(LogLevel::Info, message, fields);
}

void Log::warn(std::string_view message, const Fields& fields) const {
  write(LogLevel::Warn, message, fields);
}

void Log::error(std::string_view message, const Fields& fields) const {
  write(LogLevel::Error, message, fields);
}

void Log::write(LogLevel level, std::string_view message, const Fields& fields) const {
  if (level >= level_) {
    sink_->log(spdlog::level::info, format_line(format_, clock_.wall(), level, message, fields));
  }
}

}  // namespace scaledcache::controller
