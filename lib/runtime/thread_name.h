// Names of threads, as top, gdb and the core dump show them.
#pragma once

#include <string>
#include <string_view>

namespace scaledcache {

// Names the calling thread; Linux keeps the first 15 bytes.
void set_thread_name(std::string_view name);

// The name of the calling thread.
[[nodiscard]] std::string thread_name();

}  // namespace scaledcache
