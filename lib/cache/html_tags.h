// The tags of a page with their attributes, in order. No tree, no nesting: enough to see what a
// page links to, whatever state its HTML is in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scaledcache::cache {

struct HtmlTag {
  std::string name;                                             // lower case; "/p" for an end tag
  std::vector<std::pair<std::string, std::string>> attributes;  // names in lower case; 256 at most
  std::string_view content;  // of script and style, which hold no tags

  // Entities decoded; "" when it is not there.
  [[nodiscard]] std::string_view attribute(std::string_view wanted) const;
};

class HtmlTags {
 public:
  // `page` must stay as it is.
  explicit HtmlTags(std::string_view page) : rest_(page) {}

  // Comments and declarations are passed over; nothing at the end.
  [[nodiscard]] std::optional<HtmlTag> next();

 private:
  // False when the page ends within the tag.
  bool read_attributes(HtmlTag& tag);
  [[nodiscard]] std::string_view take_until(std::string_view ends);
  [[nodiscard]] std::string read_value();
  [[nodiscard]] std::string_view take_content(std::string_view name);

  std::string_view rest_;
};

}  // namespace scaledcache::cache
