#include "runtime/thread_name.h"

#include <thread>

#include <doctest/doctest.h>

namespace scaledcache {
namespace {

TEST_CASE("a thread carries the name it gave itself, cut to what the kernel keeps") {
  std::string short_name;
  std::string long_name;
  std::jthread([&] {
    set_thread_name("sc-worker-16");
    short_name = thread_name();
    set_thread_name("sc-watch-deployments");
    long_name = thread_name();
  }).join();
  CHECK(short_name == "sc-worker-16");
  CHECK(long_name == "sc-watch-deploy");
}

}  // namespace
}  // namespace scaledcache
