#include "loopback/operator_process.h"

#include <fstream>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scaledcache::loopback {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

OperatorProcess::OperatorProcess(Pulse& pulse,
                                 const std::vector<std::string>& arguments,
                                 const Environment& environment)
    : pulse_(pulse) {
  spawn(arguments, environment);
  output_reader_ = std::thread([this] { read_lines(output_fd_, output_); });
  error_reader_ = std::thread([this] { read_lines(error_fd_, errors_); });
  waiter_ = std::thread([this] { wait_for_end(); });
}

OperatorProcess::~OperatorProcess() {
  kill();
}

void OperatorProcess::spawn(const std::vector<std::string>& arguments,
                            const Environment& environment) {
  std::vector<std::string> words{SCALEDCACHE_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) {
    variables.push_back(name + "=" + value);
  }
  const std::vector<char*> argv = pointers_to(words);
  const std::vector<char*> envp = pointers_to(variables);
  int output[2];
  int errors[2];
  if (::pipe2(output, O_CLOEXEC) != 0 || ::pipe2(errors, O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot make pipes");
  }
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(errors[1], STDERR_FILENO);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::close(output[1]);
  ::close(errors[1]);
  output_fd_ = output[0];
  error_fd_ = errors[0];
  if (pid_ < 0) {
    throw std::runtime_error("cannot fork");
  }
}

void OperatorProcess::read_lines(int fd, std::vector<std::string>& lines) {
  std::string pending;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof buffer)) > 0;) {
    pending.append(buffer, static_cast<std::size_t>(got));
    std::lock_guard lock(mutex_);
    for (std::size_t end = 0; (end = pending.find('\n')) != std::string::npos;) {
      lines.push_back(pending.substr(0, end));
      pending.erase(0, end + 1);
    }
    pulse_.beat();
  }
  ::close(fd);
}

void OperatorProcess::wait_for_end() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  output_reader_.join();
  error_reader_.join();
  {
    std::lock_guard lock(mutex_);
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  pulse_.beat();
}

void OperatorProcess::send_signal(int signal) const {
  std::lock_guard lock(mutex_);
  if (!exit_code_) {
    ::kill(pid_, signal);
  }
}

void OperatorProcess::kill() {
  send_signal(SIGKILL);
  if (waiter_.joinable()) {
    waiter_.join();
  }
}

bool OperatorProcess::alive() const {
  return !exit_code();
}

std::optional<int> OperatorProcess::exit_code() const {
  std::lock_guard lock(mutex_);
  return exit_code_;
}

std::vector<std::string> OperatorProcess::output() const {
  std::lock_guard lock(mutex_);
  return output_;
}

std::string OperatorProcess::errors() const {
  std::lock_guard lock(mutex_);
  std::string text;
  for (const std::string& line : errors_) {
    text += line + "\n";
  }
  return text;
}

std::vector<Json> OperatorProcess::logged(std::string_view message) const {
  std::vector<Json> found;
  for (const std::string& line : output()) {
    Json parsed = Json::parse(line, nullptr, false);
    if (parsed.is_object() && parsed.value("msg", "") == message) {
      found.push_back(std::move(parsed));
    }
  }
  return found;
}

std::string OperatorProcess::tail() const {
  const std::vector<std::string> lines = output();
  std::string text;
  for (std::size_t i = lines.size() > 30 ? lines.size() - 30 : 0; i < lines.size(); ++i) {
    text += lines[i].substr(0, 400) + "\n";
  }
  return text + errors();
}

std::string OperatorProcess::address() const {
  const std::vector<Json> serving = logged("serving");
  return serving.empty() ? std::string() : serving.front().value("address", "");
}

std::string OperatorProcess::exchange(const std::string& path) const {
  const std::string where = address();
  if (where.empty()) {
    return {};
  }
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{10, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(where.substr(where.rfind(':') + 1))));
  std::string answer;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: operator\r\nConnection: close\r\n\r\n";
    ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(got));
    }
  }
  ::close(fd);
  return answer;
}

std::string OperatorProcess::get(const std::string& path) const {
  const std::string answer = exchange(path);
  const std::size_t head_end = answer.find("\r\n\r\n");
  return head_end == std::string::npos ? std::string() : answer.substr(head_end + 4);
}

int OperatorProcess::status_of(const std::string& path) const {
  const std::string answer = exchange(path);
  return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
}

std::size_t OperatorProcess::resident_bytes() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) {
      return std::stoul(line.substr(6)) * 1024;
    }
  }
  return 0;
}

}  // namespace scaledcache::loopback
