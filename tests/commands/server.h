// An API server that answers what a test tells it to.
#pragma once

#include <string>

#include "k8s/credentials.h"
#include "k8s/kube_client.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

namespace scaledcache::controller::test {

struct Server {
  support::FakeClock clock;
  k8s::Credentials credentials{
      {}, clock, [](const std::string&) { return Result<std::string>(""); }};
  k8s::ApiServer server{"https://api:6443", credentials, "test"};
  support::ScriptedTransport transport;
  k8s::KubeClient client{transport, server, clock, {}};

  void answer(const std::string& path, int status, const std::string& body) {
    transport.expect(
        {http::Method::Get, "https://api:6443" + path, "", support::json_response(status, body)});
  }
};

}  // namespace scaledcache::controller::test
