// The real binary as a child of the test: its arguments, its output line by line, its exit code.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "base/json.h"

#include "loopback/pulse.h"

namespace scaledcache::loopback {

// Thread safe. The child is killed when this ends, or when the test process dies.
class OperatorProcess {
 public:
  using Environment = std::map<std::string, std::string>;

  // `arguments` follow the program's name; the child sees no other environment than this one.
  OperatorProcess(Pulse& pulse,
                  const std::vector<std::string>& arguments,
                  const Environment& environment = {});
  ~OperatorProcess();
  OperatorProcess(const OperatorProcess&) = delete;
  OperatorProcess& operator=(const OperatorProcess&) = delete;

  void send_signal(int signal) const;

  // kill -9, and waits for the end.
  void kill();

  [[nodiscard]] bool alive() const;

  // What exit() was called with, or 128 + the signal that ended it; nothing while it runs.
  [[nodiscard]] std::optional<int> exit_code() const;

  // Lines so far, without their ends.
  [[nodiscard]] std::vector<std::string> output() const;
  [[nodiscard]] std::string errors() const;

  // The lines of output that are JSON objects with this "msg".
  [[nodiscard]] std::vector<Json> logged(std::string_view message) const;

  // The last lines, for a failing test to show.
  [[nodiscard]] std::string tail() const;

  // "host:port" of its own HTTP server, as logged; empty before.
  [[nodiscard]] std::string address() const;

  // Body of a GET to its own HTTP server; empty when there is no answer.
  [[nodiscard]] std::string get(const std::string& path) const;

  // Status of a GET to its own HTTP server; 0 when there is no answer.
  [[nodiscard]] int status_of(const std::string& path) const;

  // Resident memory in bytes, as the kernel counts it.
  [[nodiscard]] std::size_t resident_bytes() const;

 private:
  void spawn(const std::vector<std::string>& arguments, const Environment& environment);
  void read_lines(int fd, std::vector<std::string>& lines);
  void wait_for_end();
  [[nodiscard]] std::string exchange(const std::string& path) const;

  Pulse& pulse_;
  pid_t pid_ = -1;
  int output_fd_ = -1;
  int error_fd_ = -1;
  mutable std::mutex mutex_;
  std::vector<std::string> output_;
  std::vector<std::string> errors_;
  std::optional<int> exit_code_;
  std::thread output_reader_;
  std::thread error_reader_;
  std::thread waiter_;
};

}  // namespace scaledcache::loopback
