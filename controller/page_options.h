// The flags of the status page, and who may see it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace boost::program_options {
class options_description;
}  // namespace boost::program_options

namespace scaledcache::controller {

struct PageOptions {
  std::string address;     // HOST:PORT; "": no page
  std::string token_file;  // "": no token, and then loopback only

  [[nodiscard]] bool enabled() const { return !address.empty(); }
};

// `page` outlives the description.
void describe_page_flags(boost::program_options::options_description& flags, PageOptions& page);

// Adds a sentence for each value that makes no sense.
void validate_page(const PageOptions& page, std::vector<std::string>& problems);

// "127.0.0.1", "::1", "[::1]".
[[nodiscard]] bool is_loopback(std::string_view host);

}  // namespace scaledcache::controller
