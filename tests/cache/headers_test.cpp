// Answers recorded from real caches (headers/*.txt), each judged.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cache/hit.h"
#include "http/ascii.h"

namespace scaledcache::cache {
namespace {

struct Recorded {
  std::string title;
  http::Headers headers;
};

// Sections of "## title", a status line, and headers up to an empty line.
std::vector<Recorded> read_recorded(const std::string& name) {
  std::ifstream file(std::string(SCALEDCACHE_SOURCE_DIR) + "/tests/cache/headers/" + name + ".txt");
  REQUIRE(file.good());
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) {
      all.push_back({line.substr(3), {}});
    } else if (const auto colon = line.find(':'); !all.empty() && colon != std::string::npos) {
      all.back().headers.push_back(
          {line.substr(0, colon),
           std::string(http::trim_blanks(std::string_view(line).substr(colon + 1)))});
    }
  }
  return all;
}

std::string letter_of(HitVerdict verdict) {
  switch (verdict) {
    case HitVerdict::Hit:
      return "H";
    case HitVerdict::StaleHit:
      return "S";
    case HitVerdict::Miss:
      return "M";
    case HitVerdict::Uncacheable:
      return "U";
    case HitVerdict::Unknown:
      return "?";
  }
  return "!";
}

TEST_CASE("what real caches answered is judged as it was") {
  struct Row {
    const char* cache;
    const char* verdicts;  // in the order of the file
  };

  // A page: miss, hit, older, HEAD. Twice each: no-store, private, Set-Cookie, Vary *. A page kept
  // for a second: miss, after its time, again. Not there: miss, again.
  for (const Row& row : {
           Row{"varnish", "MHHH UU UU UU UU MHH MH"},
           Row{"varnish-bare", "MHHH UU UU UU UU MHH MH"},
           Row{"nginx", "MHHH UU UU UU UU MSH MM"},
           Row{"httpd", "MHHH UU UU UH UU MSH MM"},
           Row{"squid", "MHHH UU UU UH UH MHH MM"},
           Row{"trafficserver", "MHHH UU UU UH UU MSH MM"},
           Row{"haproxy", "MHHH UU UU UH UU MMH MM"},
           // Nothing but Age: a hit within the first second cannot be told from a miss.
           Row{"haproxy-bare", "?MHH UU UU UU UU ??? ??"},
       }) {
    CAPTURE(row.cache);
    const std::vector<Recorded> answers = read_recorded(row.cache);
    std::string want = row.verdicts;
    std::erase(want, ' ');
    REQUIRE(answers.size() == want.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      CAPTURE(answers[i].title);
      CHECK(letter_of(judge_hit(answers[i].headers)) == want.substr(i, 1));
    }
  }
}

}  // namespace
}  // namespace scaledcache::cache
