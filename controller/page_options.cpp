#include "controller/page_options.h"

#include <algorithm>

#include <boost/program_options.hpp>

#include "controller/replica_options.h"
#include "http/address.h"

namespace scaledcache::controller {

namespace po = boost::program_options;

void describe_page_flags(po::options_description& flags, PageOptions& page) {
  flags.add_options()("page-address",
                      po::value<std::string>(&page.address)->value_name("HOST:PORT"),
                      "where the status page is served, such as 127.0.0.1:8081 for kubectl "
                      "port-forward; default: nowhere")(
      "page-token-file", po::value<std::string>(&page.token_file)->value_name("FILE"),
      "the page asks for the token in this file; without one it is served on loopback only");
}

void validate_page(const PageOptions& page, std::vector<std::string>& problems) {
  if (!page.enabled()) {
    if (!page.token_file.empty()) {
      problems.push_back("--page-token-file=\"" + page.token_file +
                         "\": needs --page-address, such as 0.0.0.0:8081");
    }
    return;
  }
  if (!is_host_and_port(page.address)) {
    problems.push_back("--page-address=\"" + page.address +
                       "\": use HOST:PORT, such as 127.0.0.1:8081");
  } else if (page.token_file.empty() &&
             !is_loopback(page.address.substr(0, page.address.rfind(':')))) {
    problems.push_back("--page-address=\"" + page.address +
                       "\": without --page-token-file only a loopback address is allowed, such as "
                       "127.0.0.1:8081, because the page shows every ScaledCache to whoever "
                       "reaches it");
  }
}

bool is_loopback(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  const auto address = http::parse_address(host);
  if (!address) {
    return false;
  }
  if (address->family == http::AddressFamily::V4) {
    return address->bytes[0] == 127;
  }
  const auto last = address->bytes.end() - 1;
  return *last == 1 &&
         std::all_of(address->bytes.begin(), last, [](auto byte) { return byte == 0; });
}

}  // namespace scaledcache::controller
