// The origin of the test clusters: a site whose answers take time, with a capacity; only Go's own library.
module scaledcache.example/tests/cluster/binaries/origin

go 1.26.0
