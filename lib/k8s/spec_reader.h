// What the files that read parts of a spec share: nested objects, lists and names of choices. Only
// for them; everybody else asks spec_from_json.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "k8s/object_reader.h"
#include "k8s/spec.h"

namespace scaledcache::k8s {

template <class Part>
using PartReader = Part (*)(const Json& object, const std::string& path, Problems& problems);

// Reads the object under `key` with `read_part`, where it is there.
template <class Part, class Member>
void read_nested(ObjectReader& reader,
                 std::string_view key,
                 PartReader<Part> read_part,
                 Member& member,
                 Problems& problems) {
  if (const Json* field = reader.find(key)) {
    member = read_part(*field, reader.path_of(key), problems);
  }
}

// How many entries a list may have.
struct Entries {
  std::size_t least = 0;
  std::size_t most = 0;
};

// Reads the list under `key`, where it is there; one that is too long is not even looked at.
template <class Part>
void read_list(ObjectReader& reader,
               std::string_view key,
               Entries entries,
               std::vector<Part>& list,
               const auto& read_entry) {
  const Json* field = reader.find(key);
  if (field == nullptr) {
    return;
  }
  if (!field->is_array()) {
    reader.add_problem(key, "is " + shown(*field) + ", must be a list");
    return;
  }
  if (field->size() > entries.most) {
    reader.add_problem(
        key, "has " + std::to_string(field->size()) + " entries, must have " +
                 (entries.least == 0 ? "at most " : std::to_string(entries.least) + " to ") +
                 std::to_string(entries.most));
    return;
  }
  for (const Json& entry : *field) {
    list.push_back(
        read_entry(entry, reader.path_of(key) + "[" + std::to_string(list.size()) + "]"));
  }
}

// Reads one of a few names, where it is there.
template <class Choice, std::size_t kCount, class Member>
void read_choice(ObjectReader& reader,
                 std::string_view key,
                 const std::array<std::pair<std::string_view, Choice>, kCount>& choices,
                 Member& member) {
  const Json* field = reader.find(key);
  if (field == nullptr) {
    return;
  }
  std::string names;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (field->is_string() && field->get_ref<const std::string&>() == choices[i].first) {
      member = choices[i].second;
      return;
    }
    names += (i == 0 ? "" : i + 1 == kCount ? " or " : ", ") + std::string(choices[i].first);
  }
  reader.add_problem(key, "is " + shown(*field) + ", must be " + names);
}

// An object whose values are strings.
[[nodiscard]] std::map<std::string, std::string> texts_of(const Json& object,
                                                          const std::string& path,
                                                          Problems& problems);

// Reads one such object, where it is there.
void read_texts(ObjectReader& reader,
                std::string_view key,
                std::map<std::string, std::string>& texts,
                Problems& problems);

// A string that must be there; "" with a problem where it is not.
[[nodiscard]] std::string read_required(ObjectReader& reader, std::string_view key);

[[nodiscard]] KeyRef read_key_ref(const Json& object, const std::string& path, Problems& problems);
[[nodiscard]] BackendSpec read_backend(const Json& object,
                                       const std::string& path,
                                       Problems& problems);
[[nodiscard]] SignalSpec read_signal(const Json& object,
                                     const std::string& path,
                                     Problems& problems);
[[nodiscard]] BaselineSpec read_baseline(const Json& object,
                                         const std::string& path,
                                         Problems& problems);
[[nodiscard]] core::Schedule read_schedule(const Json& object,
                                           const std::string& path,
                                           Problems& problems);
[[nodiscard]] WarmupSpec read_warmup(const Json& object,
                                     const std::string& path,
                                     Problems& problems);
[[nodiscard]] DrainSpec read_drain(const Json& object, const std::string& path, Problems& problems);
[[nodiscard]] GuardsSpec read_guards(const Json& object,
                                     const std::string& path,
                                     Problems& problems);

}  // namespace scaledcache::k8s
