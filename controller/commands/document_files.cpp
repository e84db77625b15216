// Which files are meant, and what is in them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "controller/commands/documents.h"

namespace scaledcache::controller {
namespace {

bool is_manifest(const std::filesystem::path& path) {
  const std::filesystem::path extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

}  // namespace

Result<std::vector<Document>> open_documents(const std::string& file,
                                             std::istream& standard_input) {
  if (file == "-") {
    return read_documents("standard input", standard_input);
  }
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) {
    return Error{ErrorCode::NotFound, file + ": cannot be read"};
  }
  return read_documents(file, in);
}

Result<std::vector<std::string>> files_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  for (std::filesystem::recursive_directory_iterator entry(path, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error) && is_manifest(entry->path())) {
      files.push_back(entry->path().string());
    }
  }
  if (files.empty()) {
    return Error{ErrorCode::NotFound, path + ": holds no .yaml, .yml or .json file"};
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool read_all(const std::vector<std::string>& paths,
              const Console& console,
              std::vector<Document>& documents) {
  bool good = true;
  const auto complain = [&](const Error& error) {
    console.err << error.message << "\n";
    good = false;
  };
  for (const std::string& path : paths) {
    const auto files = files_of(path);
    if (!files) {
      complain(files.error());
      continue;
    }
    for (const std::string& file : *files) {
      auto read = open_documents(file, console.in);
      if (!read) {
        complain(read.error());
        continue;
      }
      documents.insert(documents.end(), std::make_move_iterator(read->begin()),
                       std::make_move_iterator(read->end()));
    }
  }
  return good;
}

}  // namespace scaledcache::controller
