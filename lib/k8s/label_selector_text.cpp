#include "k8s/label_selector_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "k8s/object_reader.h"
#include "k8s/spec_reader.h"
#include "k8s/syntax.h"

namespace scaledcache::k8s {
namespace {

constexpr std::size_t kMaxEntries = 16;

// A label's value, or the part of its key behind the slash: letters, digits and "-_.", with a
// letter or digit at both ends.
bool is_name_part(std::string_view text) {
  constexpr std::size_t kMaxPart = 63;
  const auto is_mark = [](char c) { return c == '-' || c == '_' || c == '.'; };
  std::string plain = to_lower(text);
  std::replace_if(plain.begin(), plain.end(), is_mark, '-');
  return is_dns_name(plain, kMaxPart, false);
}

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return is_name_part(text);
  }
  return is_dns_name(text.substr(0, slash), 253, true) && is_name_part(text.substr(slash + 1));
}

bool is_label_value(std::string_view text) {
  return text.empty() || is_name_part(text);
}

std::vector<std::string> read_values(ObjectReader& reader) {
  std::vector<std::string> values;
  read_list(reader, "values", {0, kMaxEntries}, values, [&](const Json& entry, const std::string&) {
    const bool fits = entry.is_string() && is_label_value(entry.get_ref<const std::string&>());
    if (!fits) {
      reader.add_problem("values", "holds " + shown(entry) + ", which is no label value");
    }
    return fits ? entry.get<std::string>() : std::string();
  });
  return values;
}

std::string in_brackets(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    text += (text.empty() ? "(" : ",") + value;
  }
  return text + ")";
}

std::string read_expression(const Json& object, const std::string& path, Problems& problems) {
  ObjectReader reader(object, path, problems);
  const std::string key = read_required(reader, "key");
  const std::string op = read_required(reader, "operator");
  const std::vector<std::string> values = read_values(reader);
  reader.refuse_unknown();
  if (reader.find("key") != nullptr && !is_label_key(key)) {
    reader.add_problem("key", "is " + shown(key) + ", must be the key of a label");
  }
  const bool takes_values = op == "In" || op == "NotIn";
  if (!takes_values && op != "Exists" && op != "DoesNotExist") {
    reader.add_problem("operator",
                       "is " + shown(op) + ", must be In, NotIn, Exists or DoesNotExist");
    return {};
  }
  if (takes_values == values.empty()) {
    reader.add_problem("values", takes_values ? "is required with operator " + op
                                              : "must not stand beside operator " + op);
  }
  if (op == "Exists") {
    return key;
  }
  return op == "DoesNotExist" ? "!" + key
                              : key + (op == "In" ? " in " : " notin ") + in_brackets(values);
}

}  // namespace

std::string read_label_selector(const Json& object, const std::string& path, Problems& problems) {
  std::string text;
  const auto append = [&text](const std::string& part) {
    text += (text.empty() ? "" : ",") + part;
  };
  const std::size_t before = problems.size();
  ObjectReader reader(object, path, problems);
  std::map<std::string, std::string> labels;
  read_texts(reader, "matchLabels", labels, problems);
  if (labels.size() > kMaxEntries) {
    reader.add_problem("matchLabels", "has more than 16 entries");
  }
  for (const auto& [key, value] : labels) {
    if (!is_label_key(key) || !is_label_value(value)) {
      reader.add_problem("matchLabels[" + shown(key) + "]",
                         "is " + shown(value) + ", must be a label and its value");
    }
    append(key + "=" + value);
  }
  std::vector<std::string> expressions;
  read_list(reader, "matchExpressions", {0, kMaxEntries}, expressions,
            [&](const Json& entry, const std::string& at) {
              return read_expression(entry, at, problems);
            });
  for (const std::string& expression : expressions) {
    append(expression);
  }
  reader.refuse_unknown();
  if (text.empty() && problems.size() == before) {
    problems.push_back({path, "is empty, must select pods by matchLabels or matchExpressions"});
  }
  return text;
}

}  // namespace scaledcache::k8s
