#include "controller/commands/documents.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <istream>
#include <optional>
#include <set>

#include <yaml-cpp/yaml.h>

#include "k8s/object_reader.h"

namespace scaledcache::controller {
namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxNodes = 1'000'000;  // aliases of aliases grow without end

constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrue{"y",    "Y",    "yes",  "Yes", "YES", "on",
                                                 "true", "True", "TRUE", "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse{"n",   "N",     "no",    "No",    "NO", "off",
                                                  "Off", "false", "False", "FALSE", "OFF"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// 12, -12, +12, 0x1f, 0b101, 0o17 and 017.
std::optional<std::int64_t> whole_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char letter = text[1];
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    text.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, base);
  if (text.empty() || text.front() == '-' || parsed.ec != std::errc{} || parsed.ptr != end) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<double> number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const bool begins_like_one =
      !text.empty() && text.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
  if (!begins_like_one || parsed.ec != std::errc{} || parsed.ptr != end || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!" || node.Tag().ends_with(":str")) {
    return text;
  }
  if (is_one_of(kNulls, text)) {
    return {};
  }
  if (is_one_of(kTrue, text) || is_one_of(kFalse, text)) {
    return is_one_of(kTrue, text);
  }
  if (const auto whole = whole_number(text)) {
    return *whole;
  }
  if (const auto fraction = number(text)) {
    return *fraction;
  }
  return text;
}

struct TooMuch : std::exception {};

// Turns nodes into JSON and notes down where each field stands.
class Reader {
 public:
  explicit Reader(Document& document) : document_(document) {}

  Json read(const YAML::Node& node, const std::string& path, int depth = 0) {
    if (depth > kMaxDepth || ++nodes_ > kMaxNodes) {
      throw TooMuch();
    }
    if (node.IsMap()) {
      return read_map(node, path, depth);
    }
    if (node.IsSequence()) {
      return read_list(node, path, depth);
    }
    return node.IsScalar() ? scalar(node) : Json();
  }

 private:
  Json read_map(const YAML::Node& node, const std::string& path, int depth) {
    Json object = Json::object();
    for (const auto& entry : node) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      const std::string here = path.empty() ? key : path + "." + key;
      if (object.contains(key)) {
        document_.repeated.push_back({here, "is given twice"});
      }
      const int line = entry.first.Mark().line + 1;
      // Problems name the entries of maps in brackets, some of them in quotes.
      for (const std::string& name :
           {here, path + "[" + key + "]", path + "[" + k8s::shown(Json(key)) + "]"}) {
        document_.lines[name] = line;
      }
      object[key] = read(entry.second, here, depth + 1);
    }
    return object;
  }

  Json read_list(const YAML::Node& node, const std::string& path, int depth) {
    Json list = Json::array();
    for (const auto& entry : node) {
      const std::string here = path + "[" + std::to_string(list.size()) + "]";
      document_.lines[here] = entry.Mark().line + 1;
      list.push_back(read(entry, here, depth + 1));
    }
    return list;
  }

  Document& document_;
  int nodes_ = 0;
};

bool is_list_of_objects(const YAML::Node& node) {
  return node.IsMap() && node["kind"].IsDefined() && node["kind"].IsScalar() &&
         node["kind"].Scalar().ends_with("List") && node["items"].IsDefined() &&
         node["items"].IsSequence();
}

void add_document(const std::string& file, const YAML::Node& node, std::vector<Document>& all) {
  if (node.IsNull()) {
    return;
  }
  if (is_list_of_objects(node)) {
    for (const auto& item : node["items"]) {
      add_document(file, item, all);
    }
    return;
  }
  Document document;
  document.file = file;
  document.line = node.Mark().line + 1;
  document.value = Reader(document).read(node, "");
  all.push_back(std::move(document));
}

}  // namespace

int Document::line_of(std::string_view path) const {
  std::string at(path);
  while (!at.empty()) {
    if (const auto found = lines.find(at); found != lines.end()) {
      return found->second;
    }
    const std::size_t cut = at.find_last_of(".[");
    at.resize(cut == std::string::npos ? 0 : cut);
  }
  return line;
}

std::string Document::name() const {
  const Json* meta = find_member(value, "metadata");
  return meta == nullptr ? "" : string_member(*meta, "name");
}

std::string Document::name_space() const {
  const Json* meta = find_member(value, "metadata");
  return meta == nullptr ? "" : string_member(*meta, "namespace");
}

std::string Document::title() const {
  const std::string space = name_space();
  return text("kind") + " " + (space.empty() ? "" : space + "/") + name();
}

Result<std::vector<Document>> read_documents(const std::string& file, std::istream& in) {
  std::vector<Document> documents;
  try {
    for (const YAML::Node& node : YAML::LoadAll(in)) {
      add_document(file, node, documents);
    }
  } catch (const YAML::Exception& error) {
    return Error{ErrorCode::Invalid,
                 file + ":" + std::to_string(error.mark.line + 1) + ": is no YAML: " + error.msg};
  } catch (const TooMuch&) {
    return Error{ErrorCode::Invalid, file + ": is nested too deeply, or too large"};
  } catch (const std::ios_base::failure&) {
    return Error{ErrorCode::NotFound, file + ": cannot be read"};
  }
  return documents;
}

}  // namespace scaledcache::controller
