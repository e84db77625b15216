#include "controller/certificate_plan.h"

#include <algorithm>
#include <set>
#include <utility>

namespace scaledcache::controller {
namespace {

using http::CertificateDates;

constexpr std::size_t kMaxRetiring = 16;

// Two thirds of its life are over, or it cannot be read.
bool is_due(const std::string& pem, WallTime now) {
  const auto dates = http::dates_of(pem);
  return !dates || now >= dates->not_before + (dates->not_after - dates->not_before) * 2 / 3;
}

bool is_expired(const std::string& pem, WallTime now) {
  const auto dates = http::dates_of(pem);
  return !dates || now >= dates->not_after;
}

bool authority_is_good(const CertificateView& view) {
  const http::PemIdentity& authority = view.material.authority;
  return http::is_usable(authority) && !is_expired(authority.certificate_pem, view.now);
}

bool is_signed_by_authority(const WebhookMaterial& material) {
  return http::is_signed_by(material.leaf.certificate_pem, material.authority.certificate_pem);
}

std::set<std::string> certificates_of(const std::string& pem) {
  const auto certificates = http::split_certificates(pem);
  return {certificates.begin(), certificates.end()};
}

bool is_published(const CertificateView& view) {
  const auto wanted = certificates_of(wanted_bundle(view.material));
  return std::all_of(view.bundles.begin(), view.bundles.end(),
                     [&](const std::string& bundle) { return certificates_of(bundle) == wanted; });
}

// The Secret was lost: running replicas still show a leaf that we know nothing of.
bool has_lost_leaf(const WebhookMaterial& material) {
  return material.leaf.certificate_pem.empty() && !material.retiring_pem.empty();
}

// The authority signs from now on; the leaf in use is another's.
CertificateStep hand_over(const CertificateView& view) {
  if (view.bundles.empty()) {  // nobody trusts anything that could be lost
    return CertificateStep::IssueLeaf;
  }
  if (!view.material.published) {
    return CertificateStep::NotePublished;
  }
  return view.now < *view.material.published + kPublishTime ? CertificateStep::Wait
                                                            : CertificateStep::IssueLeaf;
}

// Newest first, each once, valid ones only.
std::vector<std::string> still_trusted(const CertificateView& view) {
  const WebhookMaterial& material = view.material;
  std::string all = material.authority.certificate_pem + material.retiring_pem;
  for (const std::string& bundle : view.bundles) {
    const bool readable = !certificates_of(bundle).empty();
    all += readable ? bundle : "";
  }
  std::vector<std::string> trusted;
  for (std::string& certificate : http::split_certificates(all)) {
    const bool known = std::find(trusted.begin(), trusted.end(), certificate) != trusted.end();
    if (!known && !is_expired(certificate, view.now) && trusted.size() < kMaxRetiring) {
      trusted.push_back(std::move(certificate));
    }
  }
  return trusted;
}

}  // namespace

bool leaf_is_good(const CertificateView& view) {
  const WebhookMaterial& material = view.material;
  return http::is_usable(material.leaf) && !is_expired(material.leaf.certificate_pem, view.now) &&
         http::is_for(material.leaf.certificate_pem, view.dns_name) &&
         http::is_signed_by(material.leaf.certificate_pem, wanted_bundle(material));
}

CertificateStep next_step(const CertificateView& view) {
  const WebhookMaterial& material = view.material;
  const bool good_leaf = leaf_is_good(view);
  const bool signed_by_authority = is_signed_by_authority(material);
  const bool handing_over = good_leaf && !signed_by_authority;
  const bool authority_due =
      material.rotate == "ca" || is_due(material.authority.certificate_pem, view.now);
  if (!authority_is_good(view) || (authority_due && !handing_over)) {
    return CertificateStep::MakeAuthority;
  }
  if (!is_published(view)) {
    return CertificateStep::Publish;
  }
  if (handing_over || has_lost_leaf(material)) {
    return hand_over(view);
  }
  const bool leaf_due =
      material.rotate == "leaf" || is_due(material.leaf.certificate_pem, view.now);
  if (!good_leaf || leaf_due) {
    return CertificateStep::IssueLeaf;
  }
  const bool retired = !material.retire_at || view.now >= *material.retire_at;
  return !material.retiring_pem.empty() && retired ? CertificateStep::DropRetired
                                                   : CertificateStep::None;
}

std::string wanted_bundle(const WebhookMaterial& material) {
  return material.authority.certificate_pem + material.retiring_pem;
}

WebhookMaterial with_authority(const CertificateView& view, http::PemIdentity authority) {
  WebhookMaterial next = view.material;
  next.retiring_pem.clear();
  for (const std::string& certificate : still_trusted(view)) {
    next.retiring_pem += certificate;
  }
  const auto leaf = http::dates_of(next.leaf.certificate_pem);
  const WallTime last_leaf = leaf ? leaf->not_after : view.now + kLeafLife;
  next.retire_at = std::max(next.retire_at.value_or(last_leaf), last_leaf);
  next.published.reset();
  next.authority = std::move(authority);
  if (next.rotate == "ca") {
    next.rotate.clear();
  }
  return next;
}

WebhookMaterial with_leaf(const WebhookMaterial& material, http::PemIdentity leaf) {
  WebhookMaterial next = material;
  next.leaf = std::move(leaf);
  if (next.rotate == "leaf") {
    next.rotate.clear();
  }
  return next;
}

WebhookMaterial without_retired(const WebhookMaterial& material) {
  WebhookMaterial next = material;
  next.retiring_pem.clear();
  next.retire_at.reset();
  return next;
}

}  // namespace scaledcache::controller
