// The files of controller/page/, built into the program.
#pragma once

#include <span>
#include <string_view>

namespace scaledcache::controller {

struct PageFile {
  std::string_view path;  // as requested: "/page.css"
  std::string_view type;
  std::string_view text;
};

[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace scaledcache::controller
