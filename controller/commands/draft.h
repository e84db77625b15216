// A ScaledCache on its way from another autoscaler's object: what was written, what was taken over,
// and what could not be.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "controller/commands/documents.h"
#include "controller/commands/yaml_text.h"

namespace scaledcache::controller {

// What became of each field of one object. A mark on "spec.fallback" holds for all below it that
// have none of their own.
class Ledger {
 public:
  void carry(const std::string& path) { marks_[path] = std::nullopt; }

  void drop(const std::string& path, std::string reason) { marks_[path] = std::move(reason); }

  struct Dropped {
    std::string path;
    std::string reason;
  };

  struct Settled {
    std::vector<std::string> carried;
    std::vector<Dropped> dropped;
  };

  // Every field of `object` that asks for something, by what became of it; one without a mark was
  // dropped because nobody here knows it.
  [[nodiscard]] Settled settle(const Json& object) const;

 private:
  [[nodiscard]] const std::optional<std::string>* mark_of(std::string path) const;

  std::map<std::string, std::optional<std::string>> marks_;
};

struct Draft {
  OrderedJson metadata = OrderedJson::object();
  OrderedJson spec = OrderedJson::object();
  Comments comments;
  Ledger ledger;
  std::vector<std::string> chores;  // what people have to do by hand

  void comment(const std::string& path, const std::string& text) { comments[path] = text; }

  // The whole manifest, fields in the order of the reference.
  [[nodiscard]] OrderedJson manifest() const;
};

// A draft with name, namespace, labels and the annotations that are not `tool`'s own ("keda.sh").
[[nodiscard]] Draft begin_draft(const Document& source, std::string_view tool);

// The member at the end of the path, or nullptr.
[[nodiscard]] const Json* member_at(const Json& object, std::initializer_list<const char*> path);

// A count that may be written as a number or as text; nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> count_of(const Json* value);

// A quantity of Kubernetes in any of its forms (100, "500m", "1Ki", "2.5e3").
[[nodiscard]] std::optional<double> quantity_of(const Json* value);

// As a ScaledCache writes it: 200, "12.5", "250m".
[[nodiscard]] OrderedJson quantity_text(double value);

[[nodiscard]] std::string seconds_text(std::int64_t seconds);

}  // namespace scaledcache::controller
