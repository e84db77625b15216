#include "controller/commands/yaml_text.h"

#include <cctype>
#include <string_view>

#include "base/duration.h"

namespace scaledcache::controller {
namespace {

constexpr std::size_t kWidth = 100;

// "30s", "1h30m": begins with a digit and is no number to anybody.
bool is_duration(std::string_view text) {
  return parse_duration(text).has_value() && text != "0";
}

// A text that YAML reads as that text without quotes.
bool is_plain(std::string_view text) {
  if (is_duration(text)) {
    return true;
  }
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0 ||
      text.ends_with(':')) {
    return false;
  }
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
        std::string_view("-_./:").find(c) == std::string_view::npos) {
      return false;
    }
  }
  for (const std::string_view word :
       {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}) {
    bool same = word.size() == text.size();
    for (std::size_t i = 0; same && i < word.size(); ++i) {
      same = std::tolower(static_cast<unsigned char>(text[i])) == word[i];
    }
    if (same) {
      return false;
    }
  }
  return true;
}

bool has_control(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') {
      return true;
    }
  }
  return false;
}

std::string scalar(const OrderedJson& value) {
  if (!value.is_string()) {
    return value.dump();
  }
  const auto& text = value.get_ref<const std::string&>();
  if (is_plain(text)) {
    return text;
  }
  if (has_control(text)) {
    return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("''") : std::string(1, c);
  }
  return quoted + "'";
}

class Writer {
 public:
  explicit Writer(const Comments& comments) : comments_(comments) {}

  void write_map(const OrderedJson& map, const std::string& path, std::size_t indent) {
    for (const auto& [key, value] : map.items()) {
      const std::string here = path.empty() ? key : path + "." + key;
      write_field(scalar(key) + ":", value, here, indent);
    }
  }

  void write_list(const OrderedJson& list, const std::string& path, std::size_t indent) {
    std::size_t index = 0;
    for (const OrderedJson& value : list) {
      const std::string here = path + "[" + std::to_string(index++) + "]";
      if (value.is_object() && !value.empty()) {
        write_comment_above(here, indent);
        const std::size_t start = text.size();
        write_map(value, here, indent + 2);
        text[text.find_first_not_of(' ', start) - 2] = '-';
      } else {
        write_field("-", value, here, indent);
      }
    }
  }

  std::string text;

 private:
  void write_field(const std::string& head,
                   const OrderedJson& value,
                   const std::string& here,
                   std::size_t indent) {
    if ((value.is_object() || value.is_array()) && !value.empty()) {
      write_comment_above(here, indent);
      text += std::string(indent, ' ') + head + "\n";
      if (value.is_object()) {
        write_map(value, here, indent + 2);
      } else {
        write_list(value, here, indent + 2);
      }
      return;
    }
    const std::string line = std::string(indent, ' ') + head + " " + scalar(value);
    const auto comment = comments_.find(here);
    if (comment == comments_.end()) {
      text += line + "\n";
    } else if (line.size() + comment->second.size() + 4 <= kWidth) {
      text += line + "  # " + comment->second + "\n";
    } else {
      write_comment_above(here, indent);
      text += line + "\n";
    }
  }

  void write_comment_above(const std::string& here, std::size_t indent) {
    if (const auto comment = comments_.find(here); comment != comments_.end()) {
      text += std::string(indent, ' ') + "# " + comment->second + "\n";
    }
  }

  const Comments& comments_;
};

}  // namespace

std::string yaml_text(const OrderedJson& value, const Comments& comments) {
  Writer writer(comments);
  if (value.is_object() && !value.empty()) {
    writer.write_map(value, "", 0);
  } else if (value.is_array() && !value.empty()) {
    writer.write_list(value, "", 0);
  } else {
    return scalar(value) + "\n";
  }
  return writer.text;
}

std::string document_text(const OrderedJson& value, std::string_view format) {
  return format == "yaml" ? yaml_text(value)
                          : value.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace scaledcache::controller
