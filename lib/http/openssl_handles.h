// What OpenSSL gives us to keep, freed by whoever holds it. Needs no header of OpenSSL. Internal to
// this folder.
#pragma once

#include <memory>

struct x509_st;
struct x509_store_st;
struct evp_pkey_st;

namespace scaledcache::http {

struct FreeOpenssl {
  void operator()(x509_st* certificate) const;
  void operator()(x509_store_st* store) const;
  void operator()(evp_pkey_st* key) const;
};

using CertificateHandle = std::unique_ptr<x509_st, FreeOpenssl>;
using StoreHandle = std::unique_ptr<x509_store_st, FreeOpenssl>;
using KeyHandle = std::unique_ptr<evp_pkey_st, FreeOpenssl>;

}  // namespace scaledcache::http
