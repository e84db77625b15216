#include "k8s/watch_codec.h"

#include <optional>
#include <utility>

namespace scaledcache::k8s {
namespace {

Error protocol(std::string message) {
  return Error{ErrorCode::Protocol, std::move(message)};
}

// The offset behind the string that opens at `at`; the text's end when it does not close.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// The offset behind the object that opens at `at`; the text's end when it does not close.
std::size_t object_end(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = string_end(text, i);
      continue;
    }
    depth += c == '{' || c == '[' ? 1 : 0;
    depth -= c == '}' || c == ']' ? 1 : 0;
    ++i;
    if (depth == 0) {
      return i;
    }
  }
  return text.size();
}

// Walks a list by its brackets alone: cuts out the objects of its "items" and leaves a skeleton, in
// which each is a 0, for the real parser to judge.
class ListCutter {
 public:
  explicit ListCutter(std::string_view text) : text_(text) {}

  // The text of the next item; nothing at the end.
  std::optional<std::string_view> next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (in_items_ && depth_ == 2 && c == '{') {
        return cut_item();
      }
      step(c);
    }
    skeleton_ += text_.substr(copied_);
    copied_ = text_.size();
    return std::nullopt;
  }

  [[nodiscard]] const std::string& skeleton() const { return skeleton_; }

 private:
  std::string_view cut_item() {
    const std::size_t end = object_end(text_, at_);
    const std::string_view item = text_.substr(at_, end - at_);
    skeleton_ += text_.substr(copied_, at_ - copied_);
    skeleton_ += '0';
    copied_ = end;
    at_ = end;
    return item;
  }

  void step(char c) {
    const std::size_t from = at_;
    at_ = c == '"' ? string_end(text_, at_) : at_ + 1;
    if (c == '"' && depth_ == 1) {
      last_string_ = text_.substr(from, at_ - from);
    } else if (c == '[' || c == '{') {
      ++depth_;
      in_items_ = in_items_ || (c == '[' && depth_ == 2 && last_string_ == "\"items\"");
    } else if (c == ']' || c == '}') {
      --depth_;
      in_items_ = in_items_ && depth_ >= 2;
    }
  }

  std::string_view text_;
  std::string skeleton_;
  std::string_view last_string_;  // of the outermost object, with its quotes
  std::size_t at_ = 0;
  std::size_t copied_ = 0;  // what lies before is in the skeleton
  int depth_ = 0;
  bool in_items_ = false;
};

Result<ListHead> decode_head(const std::string& skeleton) {
  const Result<Json> list = parse_json(skeleton, kMaxJsonDepth);
  if (!list) {
    return list.error();
  }
  const Json* items = find_member(*list, "items");
  if (items == nullptr || !(items->is_array() || items->is_null())) {
    return protocol("a list without items");
  }
  const Json* metadata = find_member(*list, "metadata");
  ListHead head;
  if (metadata != nullptr) {
    head.resource_version = string_member(*metadata, "resourceVersion");
    head.continue_token = string_member(*metadata, "continue");
  }
  if (head.resource_version.empty()) {
    return protocol("a list without a resource version");
  }
  return head;
}

std::optional<EventType> event_type_of(const std::string& name) {
  if (name == "ADDED") {
    return EventType::Added;
  }
  if (name == "MODIFIED") {
    return EventType::Modified;
  }
  if (name == "DELETED") {
    return EventType::Deleted;
  }
  if (name == "BOOKMARK") {
    return EventType::Bookmark;
  }
  if (name == "ERROR") {
    return EventType::Error;
  }
  return std::nullopt;
}

}  // namespace

std::string Envelope::key() const {
  return name_space.empty() ? name : name_space + "/" + name;
}

Result<Envelope> decode_envelope(const Json& object) {
  const Json* metadata = find_member(object, "metadata");
  if (metadata == nullptr) {
    return protocol("an object without metadata");
  }
  Envelope envelope{string_member(*metadata, "namespace"), string_member(*metadata, "name"),
                    string_member(*metadata, "uid"), string_member(*metadata, "resourceVersion")};
  if (envelope.name.empty() || envelope.uid.empty() || envelope.resource_version.empty()) {
    return protocol("an object without name, UID or resource version");
  }
  return envelope;
}

Result<WatchEvent> decode_event(std::string_view frame) {
  Result<Json> parsed = parse_json(frame, kMaxJsonDepth);
  if (!parsed) {
    return parsed.error();
  }
  const auto type = event_type_of(string_member(*parsed, "type"));
  if (!type) {
    return protocol("a watch event of an unknown type");
  }
  const auto object = parsed->find("object");
  if (object == parsed->end() || !object->is_object()) {
    return protocol("a watch event without an object");
  }
  return WatchEvent{*type, std::move(*object)};
}

Result<ListHead> decode_list(std::string_view text,
                             const std::function<Result<void>(const Json&)>& take) {
  ListCutter cutter(text);
  while (const auto item = cutter.next()) {
    const Result<Json> object = parse_json(*item, kMaxJsonDepth);
    if (!object) {
      return object.error();
    }
    if (const Result<void> taken = take(*object); !taken) {
      return taken.error();
    }
  }
  return decode_head(cutter.skeleton());
}

}  // namespace scaledcache::k8s
