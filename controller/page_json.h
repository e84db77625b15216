// What the page's own program reads: the snapshot as JSON. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "controller/page_book.h"

namespace scaledcache::controller {

// What is true of the operator as a whole.
struct PageHead {
  std::string version;
  std::string instance;  // of several replicas the one that answers
  bool leads = true;     // else it stands by and knows nothing
  WallTime now{};
};

// One row of the list.
[[nodiscard]] Json page_row(const PageCache& cache);

// One ScaledCache with everything that is known of it.
[[nodiscard]] Json page_detail(const PageDetail& detail);

// An event of the stream, as server-sent events are framed. `name` is "all", where the rows are
// all there are, or "some".
[[nodiscard]] std::string page_event(std::string_view name,
                                     const PageHead& head,
                                     const PageChanges& changes);

}  // namespace scaledcache::controller
