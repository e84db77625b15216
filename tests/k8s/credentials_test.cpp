#include "k8s/credentials.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "k8s/jumping_clock.h"

namespace scaledcache::k8s {
namespace {

const std::string kCertificate = "-----BEGIN CERTIFICATE-----\n";
const std::string kKey = "-----BEGIN PRIVATE KEY-----\n";

// Files that a test rewrites.
struct Files {
  std::map<std::string, std::string> content;
  int reads = 0;

  FileReader reader() {
    return [this](const std::string& path) -> Result<std::string> {
      ++reads;
      const auto found = content.find(path);
      if (found == content.end()) {
        return Error{ErrorCode::NotFound, "cannot open " + path};
      }
      return found->second;
    };
  }
};

ClusterConfig token_file_config() {
  ClusterConfig config;
  config.token = Secret<std::string>("first");
  config.token_file = "/token";
  return config;
}

ClusterConfig tls_config() {
  ClusterConfig config;
  config.ca_file = "/ca";
  config.certificate_file = "/cert";
  config.key_file = "/key";
  config.tls.ca_pem = kCertificate + "ca";
  config.tls.certificate_pem = kCertificate + "1";
  config.tls.key_pem = Secret(kKey + "1");
  return config;
}

TEST_CASE("a fixed token is sent as it is, and none as nothing") {
  JumpingClock clock;
  Files files;
  ClusterConfig config;
  CHECK(Credentials(config, clock, files.reader()).authorization().reveal().empty());
  config.token = Secret<std::string>("t");
  CHECK(Credentials(config, clock, files.reader()).authorization().reveal() == "Bearer t");
  CHECK(files.reads == 0);
}

TEST_CASE("a token file is read at most once a minute") {
  JumpingClock clock;
  Files files{{{"/token", "one\n"}}};
  Credentials credentials(token_file_config(), clock, files.reader());
  CHECK(credentials.authorization().reveal() == "Bearer one");
  files.content["/token"] = "two";
  clock.advance(Milliseconds{59'999});
  CHECK(credentials.authorization().reveal() == "Bearer one");
  CHECK(files.reads == 1);
  clock.advance(Milliseconds{1});
  CHECK(credentials.authorization().reveal() == "Bearer two");
}

TEST_CASE("D7: after a 401 the file is read at once") {
  JumpingClock clock;
  Files files{{{"/token", "one"}}};
  Credentials credentials(token_file_config(), clock, files.reader());
  CHECK(credentials.authorization().reveal() == "Bearer one");
  files.content["/token"] = "two";
  credentials.drop_token();
  CHECK(credentials.authorization().reveal() == "Bearer two");
}

TEST_CASE("a file that is gone, empty or broken keeps the last good token") {
  JumpingClock clock;
  Files files{{{"/token", "one"}}};
  Credentials credentials(token_file_config(), clock, files.reader());
  CHECK(credentials.authorization().reveal() == "Bearer one");
  for (const char* broken : {"", "\n", "a b", "a\r\nX-Evil: 1"}) {
    files.content["/token"] = broken;
    credentials.drop_token();
    CHECK(credentials.authorization().reveal() == "Bearer one");
  }
  files.content.clear();
  credentials.drop_token();
  CHECK(credentials.authorization().reveal() == "Bearer one");
}

TEST_CASE("TLS files are read again every five minutes, and only a change is a change") {
  JumpingClock clock;
  Files files{{{"/ca", kCertificate + "ca"}, {"/cert", kCertificate + "1"}, {"/key", kKey + "1"}}};
  Credentials credentials(tls_config(), clock, files.reader());
  files.content["/cert"] = kCertificate + "2";
  files.content["/key"] = kKey + "2";
  clock.advance(Milliseconds{299'999});
  CHECK_FALSE(credentials.reload_tls());
  clock.advance(Milliseconds{1});
  CHECK(credentials.reload_tls());
  CHECK(credentials.tls().certificate_pem == kCertificate + "2");
  CHECK(credentials.tls().key_pem.reveal() == kKey + "2");
  clock.advance(kTlsReloadPeriod);
  CHECK_FALSE(credentials.reload_tls());
}

TEST_CASE("a TLS file that is gone or no PEM leaves everything as it was") {
  for (const char* path : {"/ca", "/cert", "/key"}) {
    JumpingClock clock;
    Files files{
        {{"/ca", kCertificate + "new"}, {"/cert", kCertificate + "2"}, {"/key", kKey + "2"}}};
    Credentials credentials(tls_config(), clock, files.reader());
    files.content[path] = "half a fi";
    clock.advance(kTlsReloadPeriod);
    CHECK_FALSE(credentials.reload_tls());
    files.content.erase(path);
    clock.advance(kTlsReloadPeriod);
    CHECK_FALSE(credentials.reload_tls());
    CHECK(credentials.tls() == tls_config().tls);
  }
}

TEST_CASE("TLS texts given inline never change") {
  JumpingClock clock;
  Files files;
  ClusterConfig config = tls_config();
  config.ca_file.clear();
  config.certificate_file.clear();
  config.key_file.clear();
  Credentials credentials(config, clock, files.reader());
  clock.advance(kTlsReloadPeriod);
  CHECK_FALSE(credentials.reload_tls());
  CHECK(credentials.tls() == config.tls);
}

}  // namespace
}  // namespace scaledcache::k8s
