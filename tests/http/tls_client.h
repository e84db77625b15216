// A TLS client on loopback, on OpenSSL alone: it checks what a careful client would check, and can
// be told to speak in unusual ways.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "http/openssl_pem.h"

namespace scaledcache::http {

struct TlsClientOptions {
  std::string trust_pem;             // the only authorities
  std::string name = "hook.ns.svc";  // of the server, sent as SNI and verified
  int max_version = TLS1_3_VERSION;
  std::string protocols{};  // ALPN, in its wire form
};

class TlsClient {
 public:
  TlsClient(std::uint16_t port, const TlsClientOptions& options)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      return;
    }
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_security_level(context_.get(), 0);  // so that it may offer what the server refuses
    SSL_CTX_set_max_proto_version(context_.get(), options.max_version);
    X509_STORE* store = SSL_CTX_get_cert_store(context_.get());
    for (const CertificateHandle& authority : read_certificates(options.trust_pem)) {
      X509_STORE_add_cert(store, authority.get());
    }
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    ssl_.reset(SSL_new(context_.get()));
    SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(options.name.c_str()));  // which only reads it
    SSL_set_hostflags(ssl_.get(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    SSL_set1_host(ssl_.get(), options.name.c_str());
    if (!options.protocols.empty()) {
      SSL_set_alpn_protos(ssl_.get(),
                          reinterpret_cast<const unsigned char*>(options.protocols.data()),
                          static_cast<unsigned>(options.protocols.size()));
    }
    SSL_set_fd(ssl_.get(), fd_);
    connected_ = SSL_connect(ssl_.get()) == 1;
  }

  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  ~TlsClient() {
    ssl_.reset();
    ::close(fd_);
  }

  // The handshake is done and the server has proven its name.
  [[nodiscard]] bool connected() const { return connected_; }

  [[nodiscard]] std::string version() const { return SSL_get_version(ssl_.get()); }

  // What the server chose by ALPN; empty: nothing.
  [[nodiscard]] std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(name), size);
  }

  // The certificate that the server showed, as PEM.
  [[nodiscard]] std::string shown() const {
    const CertificateHandle certificate(SSL_get1_peer_certificate(ssl_.get()));
    return certificate ? write_certificate(*certificate) : std::string();
  }

  bool say(std::string_view bytes) {
    return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0;
  }

  // One answer with its head and a body of Content-Length bytes; less when the server closes.
  std::string read_answer() {
    std::string::size_type end = 0;
    while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) {
        return std::move(pending_);
      }
    }
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t at = pending_.find(kLength);
    const std::size_t whole =
        end + 4 + (at < end ? std::stoul(pending_.substr(at + kLength.size())) : 0);
    while (pending_.size() < whole && read_more()) {
    }
    std::string answer = pending_.substr(0, whole);
    pending_.erase(0, std::min(whole, pending_.size()));
    return answer;
  }

  std::string read_all() {
    while (read_more()) {
    }
    return std::move(pending_);
  }

  // After read_all(): the server said that nothing more comes, so nothing was cut off.
  [[nodiscard]] bool ended_properly() const {
    return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }

 private:
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  bool read_more() {
    char buffer[4096];
    const int got = SSL_read(ssl_.get(), buffer, sizeof buffer);
    if (got > 0) {
      pending_.append(buffer, static_cast<std::size_t>(got));
    }
    return got > 0;
  }

  int fd_;
  std::shared_ptr<SSL_CTX> context_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  bool connected_ = false;
  std::string pending_;
};

}  // namespace scaledcache::http
