// What the kernel says about this process' memory.
#pragma once

#include <cstddef>

namespace scaledcache::controller {

// Resident bytes, or 0 where /proc is not readable.
[[nodiscard]] std::size_t resident_bytes();

// Keeps the C library's allocator small: two arenas, and free memory at the top given back early.
// An operator that waits most of the time has no use for one arena per thread. Call first in main.
void limit_allocator();

// Gives free memory in the middle of the heap back to the kernel. Costs about a millisecond.
void give_back_memory();

}  // namespace scaledcache::controller
