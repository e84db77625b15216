#include "runtime/signals.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace scaledcache {
namespace {

[[noreturn]] void exit_at_once(int /*signal*/) {
  _exit(1);
}

int checked(int descriptor) {
  if (descriptor < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot watch signals");
  }
  return descriptor;
}

}  // namespace

TerminationSignals::TerminationSignals() {
  sigemptyset(&watched_);
  for (std::size_t i = 0; i < kTermination.size(); ++i) {
    sigaddset(&watched_, kTermination[i]);
    sigaction(kTermination[i], nullptr, &actions_before_[i]);
  }
  pthread_sigmask(SIG_BLOCK, &watched_, &mask_before_);

  struct sigaction ignore {};

  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &pipe_before_);
  signals_ = checked(signalfd(-1, &watched_, SFD_CLOEXEC | SFD_NONBLOCK));
  stopped_ = checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

TerminationSignals::~TerminationSignals() {
  close(stopped_);
  close(signals_);
  for (std::size_t i = 0; i < kTermination.size(); ++i) {
    sigaction(kTermination[i], &actions_before_[i], nullptr);
  }
  sigaction(SIGPIPE, &pipe_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

std::optional<int> TerminationSignals::wait(const std::stop_token& stop) {
  eventfd_t earlier = 0;
  (void)eventfd_read(stopped_, &earlier);  // of a wait that a stop request has ended
  const std::stop_callback on_stop(stop, [this] { eventfd_write(stopped_, 1); });
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> sources{pollfd{signals_, POLLIN, 0}, pollfd{stopped_, POLLIN, 0}};
    if (poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "cannot wait for signals");
    }
    signalfd_siginfo info{};
    if (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      let_the_next_one_kill();
      return static_cast<int>(info.ssi_signo);
    }
  }
  return std::nullopt;
}

// Only this thread unblocks them, and it may be busy stopping others: a handler needs no thread
// that waits.
void TerminationSignals::let_the_next_one_kill() {
  struct sigaction kill_us {};

  kill_us.sa_handler = exit_at_once;
  for (const int signal : kTermination) {
    sigaction(signal, &kill_us, nullptr);
  }
  pthread_sigmask(SIG_UNBLOCK, &watched_, nullptr);
}

}  // namespace scaledcache
