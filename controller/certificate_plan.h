// The certificate of the webhook, planned: what the Secret and the webhook configuration hold gives
// the one step that comes next. Pure; any replica that takes over in the middle goes on from what
// it finds. The order has no gap: API servers trust a new authority before anything shows it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "http/certificate.h"

namespace scaledcache::controller {

inline constexpr std::chrono::hours kAuthorityLife{24 * 365 * 5};
inline constexpr std::chrono::hours kLeafLife{24 * 90};
// How long an API server may take to hear of a new bundle.
inline constexpr std::chrono::seconds kPublishTime{60};

// What the Secret keeps.
struct WebhookMaterial {
  http::PemIdentity authority;        // ca.crt, ca.key
  http::PemIdentity leaf;             // tls.crt, tls.key
  std::string retiring_pem;           // ca-old.crt: authorities whose leaves may still be shown
  std::optional<WallTime> published;  // when a bundle with `authority` had been published
  std::optional<WallTime> retire_at;  // when the last leaf of the retiring ones has expired
  std::string rotate;                 // asked for by a person: "ca", "leaf" or ""

  bool operator==(const WebhookMaterial&) const = default;
};

enum class CertificateStep {
  None,
  Wait,           // until API servers have heard of the new authority
  MakeAuthority,  // and let the old one retire
  Publish,        // wanted_bundle() as caBundle
  NotePublished,  // write down when it was
  IssueLeaf,      // by the authority
  DropRetired,    // their last leaf has expired
};

struct CertificateView {
  const WebhookMaterial& material;
  const std::vector<std::string>& bundles;  // the caBundle of each webhook that is ours, as PEM
  std::string dns_name;                     // what the API server calls us
  WallTime now;
};

[[nodiscard]] CertificateStep next_step(const CertificateView& view);

// Whether the leaf can be shown: readable, made out for us, not expired, signed by an authority
// that is published or about to be.
[[nodiscard]] bool leaf_is_good(const CertificateView& view);

// What caBundle should be: the authority, and those that retire.
[[nodiscard]] std::string wanted_bundle(const WebhookMaterial& material);

// The material after MakeAuthority, IssueLeaf and DropRetired. Whatever `view` shows as published
// and valid goes on being trusted, also when the Secret was lost.
[[nodiscard]] WebhookMaterial with_authority(const CertificateView& view,
                                             http::PemIdentity authority);
[[nodiscard]] WebhookMaterial with_leaf(const WebhookMaterial& material, http::PemIdentity leaf);
[[nodiscard]] WebhookMaterial without_retired(const WebhookMaterial& material);

}  // namespace scaledcache::controller
