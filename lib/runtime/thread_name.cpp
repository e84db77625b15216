#include "runtime/thread_name.h"

#include <array>

#include <pthread.h>

namespace scaledcache {
namespace {

constexpr std::size_t kLongestName = 15;  // 16 bytes in the kernel, with the final zero

}  // namespace

void set_thread_name(std::string_view name) {
  const std::string kept(name.substr(0, kLongestName));
  pthread_setname_np(pthread_self(), kept.c_str());
}

std::string thread_name() {
  std::array<char, kLongestName + 1> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

}  // namespace scaledcache
