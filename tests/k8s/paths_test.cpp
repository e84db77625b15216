#include "k8s/paths.h"

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

TEST_CASE("paths follow group, version, namespace, plural and name") {
  CHECK(collection_path(scaled_caches(), "") == "/apis/scaledcache.io/v1alpha1/scaledcaches");
  CHECK(collection_path(pods(), "shop") == "/api/v1/namespaces/shop/pods");
  CHECK(object_path(deployments(), "shop", "varnish") ==
        "/apis/apps/v1/namespaces/shop/deployments/varnish");
  CHECK(scale_path(deployments(), "shop", "varnish") ==
        "/apis/apps/v1/namespaces/shop/deployments/varnish/scale");
  CHECK(status_path(scaled_caches(), "shop", "web") ==
        "/apis/scaledcache.io/v1alpha1/namespaces/shop/scaledcaches/web/status");
  CHECK(collection_path(events(), "shop") == "/apis/events.k8s.io/v1/namespaces/shop/events");
  CHECK(object_path(leases(), "shop", "l") ==
        "/apis/coordination.k8s.io/v1/namespaces/shop/leases/l");
  CHECK(version_path("", "v1") == "/api/v1");
  CHECK(version_path("apps", "v1") == "/apis/apps/v1");
}

TEST_CASE("a name cannot leave its place in the path") {
  CHECK(object_path(pods(), "shop", "../../secrets/x") ==
        "/api/v1/namespaces/shop/pods/..%2F..%2Fsecrets%2Fx");
  CHECK(object_path(pods(), "..", "a?b#c") == "/api/v1/namespaces/%2E%2E/pods/a%3Fb%23c");
  CHECK(object_path(pods(), "a b", "\xC3\xA9\n") == "/api/v1/namespaces/a%20b/pods/%C3%A9%0A");
}

TEST_CASE("a query is encoded, continued, and leaves out what is empty") {
  CHECK(with_query("/a", {}) == "/a");
  CHECK(with_query("/a", {{"labelSelector", "app in (x,y)"}, {"continue", ""}, {"limit", "5"}}) ==
        "/a?labelSelector=app%20in%20%28x%2Cy%29&limit=5");
  CHECK(with_query("/a?watch=1", {{"b", "&="}}) == "/a?watch=1&b=%26%3D");
}

}  // namespace
}  // namespace scaledcache::k8s
