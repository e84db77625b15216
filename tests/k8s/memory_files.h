// Files that are only in memory.
#pragma once

#include <map>
#include <string>

#include "k8s/files.h"

namespace scaledcache::k8s {

using MemoryFiles = std::map<std::string, std::string>;

inline FileReader reader_of(const MemoryFiles& files) {
  return [&files](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) {
      return Error{ErrorCode::NotFound, "cannot open " + path + ": No such file or directory"};
    }
    return found->second;
  };
}

}  // namespace scaledcache::k8s
