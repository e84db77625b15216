#include "controller/process_memory.h"

#include <fstream>

#include <malloc.h>
#include <unistd.h>

namespace scaledcache::controller {

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total_pages = 0;
  std::size_t resident_pages = 0;
  if (!(statm >> total_pages >> resident_pages)) {
    return 0;
  }
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void limit_allocator() {
  // NOLINTBEGIN(concurrency-mt-unsafe): main calls this before it starts a thread
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_TRIM_THRESHOLD, 128 * 1024);
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  // NOLINTEND(concurrency-mt-unsafe)
}

void give_back_memory() {
  malloc_trim(0);
}

}  // namespace scaledcache::controller
