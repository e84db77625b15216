// YAML files as the API server's tools see them, as JSON, with the line of every field.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "controller/commands/console.h"
#include "k8s/problem.h"

namespace scaledcache::controller {

// One object of a file; the items of a List are objects of their own.
struct Document {
  std::string file;
  int line = 1;  // where it begins
  Json value;
  k8s::Problems repeated;            // keys that are given twice; the last one counts
  std::map<std::string, int> lines;  // by path, as in k8s::Problem

  // The line of the field, or of the nearest one around it that was written.
  [[nodiscard]] int line_of(std::string_view path) const;

  [[nodiscard]] std::string text(std::string_view key) const { return string_member(value, key); }

  // "ScaledCache blog/varnish", "ScaledCache varnish" without a namespace.
  [[nodiscard]] std::string title() const;

  [[nodiscard]] std::string name_space() const;
  [[nodiscard]] std::string name() const;
};

// All documents in `in`, empty ones left out; `file` is for messages. Scalars mean what they mean
// to kubectl (YAML 1.1: yes, on and 010 are no texts). Invalid, with file and line, when it is no
// YAML.
[[nodiscard]] Result<std::vector<Document>> read_documents(const std::string& file,
                                                           std::istream& in);

// The same of a file; "-" is `standard_input`. NotFound when it cannot be opened.
[[nodiscard]] Result<std::vector<Document>> open_documents(const std::string& file,
                                                           std::istream& standard_input);

// `path` itself, or the .yaml, .yml and .json files in and under a folder, in the order of their
// names. NotFound when there is nothing of the kind.
[[nodiscard]] Result<std::vector<std::string>> files_of(const std::string& path);

// Adds the documents of all files and folders; false when one cannot be read, which is told on the
// console's err.
[[nodiscard]] bool read_all(const std::vector<std::string>& paths,
                            const Console& console,
                            std::vector<Document>& documents);

}  // namespace scaledcache::controller
