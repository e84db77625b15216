#include "k8s/files.h"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace scaledcache::k8s {

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int cause = errno;
    return Error{cause == ENOENT || cause == ENOTDIR ? ErrorCode::NotFound : ErrorCode::Unavailable,
                 "cannot open " + path + ": " + std::generic_category().message(cause)};
  }
  std::string content(kMaxFileBytes + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  const auto count = static_cast<std::size_t>(file.gcount());
  if (file.bad() || (count == 0 && !file.eof())) {  // a directory opens, but cannot be read
    return Error{ErrorCode::Unavailable, "cannot read " + path};
  }
  if (count > kMaxFileBytes) {
    return Error{ErrorCode::Invalid, path + " is larger than 1 MiB"};
  }
  content.resize(count);
  content.shrink_to_fit();
  return content;
}

}  // namespace scaledcache::k8s
