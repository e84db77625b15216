// Signals that end the process, turned into an ordinary wait of the main thread.
#pragma once

#include <array>
#include <csignal>
#include <optional>
#include <stop_token>

namespace scaledcache {

// Made and used by the main thread, before any other thread starts: they inherit the blocked
// signals, so that only wait() ever sees one. One at a time.
class TerminationSignals {
 public:
  // Blocks SIGTERM and SIGINT, and ignores SIGPIPE (a peer that hangs up is an error of that one
  // connection). std::system_error where the kernel has no descriptor left.
  TerminationSignals();
  TerminationSignals(const TerminationSignals&) = delete;
  TerminationSignals& operator=(const TerminationSignals&) = delete;

  // Restores what the constructor found.
  ~TerminationSignals();

  // Blocks until SIGTERM or SIGINT comes, and gives its number; nothing when `stop` is requested
  // first: then it may be called again. From the first signal on, the next one ends the process at
  // once with exit code 1.
  [[nodiscard]] std::optional<int> wait(const std::stop_token& stop);

 private:
  void let_the_next_one_kill();

  static constexpr std::array kTermination{SIGTERM, SIGINT};

  sigset_t watched_{};
  sigset_t mask_before_{};
  std::array<struct sigaction, kTermination.size()> actions_before_{};

  struct sigaction pipe_before_ {};

  int signals_ = -1;  // signalfd
  int stopped_ = -1;  // eventfd: lets a stop request end the poll
};

}  // namespace scaledcache
