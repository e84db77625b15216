#include "controller/named_backends.h"

#include <utility>

#include "k8s/files.h"

namespace scaledcache::controller {

Result<std::unique_ptr<NamedBackends>> NamedBackends::open(std::string file,
                                                           std::string name_space) {
  std::unique_ptr<NamedBackends> backends(
      new NamedBackends(std::move(file), std::move(name_space)));
  if (const auto read = backends->reload(); !read) {
    return read.error();
  }
  return backends;
}

std::shared_ptr<const k8s::BackendSpec> NamedBackends::find(const std::string& name) const {
  MutexLock lock(mutex_);
  const auto found = backends_->find(name);
  if (found == backends_->end()) {
    return nullptr;
  }
  return std::shared_ptr<const k8s::BackendSpec>(backends_, &found->second);  // keeps all of them
}

Result<bool> NamedBackends::reload() {
  if (file_.empty()) {
    return false;
  }
  auto text = k8s::read_file(file_);
  if (!text) {
    return Error{text.error().code, "--backends-config: " + text.error().message};
  }
  MutexLock lock(mutex_);
  if (*text == text_) {
    return false;
  }
  auto parsed = k8s::parse_backends(*text);
  text_ = *std::move(text);
  if (!parsed) {
    return Error{parsed.error().code,
                 "--backends-config=\"" + file_ + "\": " + parsed.error().message};
  }
  backends_ = std::make_shared<const k8s::BackendsByName>(*std::move(parsed));
  return true;
}

}  // namespace scaledcache::controller
