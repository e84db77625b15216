// The backends that the admin has named in a file, for resources to refer to.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/result.h"
#include "k8s/backends_file.h"

namespace scaledcache::controller {

// Thread safe.
class NamedBackends {
 public:
  // Their Secrets and ConfigMaps are those of `name_space`. An empty path means that there are
  // none. Errors are those of read_file and parse_backends, with the file's name.
  [[nodiscard]] static Result<std::unique_ptr<NamedBackends>> open(std::string file,
                                                                   std::string name_space);

  // nullptr: nobody has named it.
  [[nodiscard]] std::shared_ptr<const k8s::BackendSpec> find(const std::string& name) const
      EXCLUDES(mutex_);

  [[nodiscard]] const std::string& name_space() const { return name_space_; }

  // Reads the file again. True when it holds something else than before; an error when that cannot
  // be used, told once: what was read before stays in force.
  Result<bool> reload() EXCLUDES(mutex_);

 private:
  NamedBackends(std::string file, std::string name_space)
      : file_(std::move(file)), name_space_(std::move(name_space)) {}

  const std::string file_;
  const std::string name_space_;
  mutable Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);  // of the file when it was last read
  std::shared_ptr<const k8s::BackendsByName> backends_ GUARDED_BY(mutex_) =
      std::make_shared<const k8s::BackendsByName>();
};

}  // namespace scaledcache::controller
