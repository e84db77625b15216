// The load generator of the test clusters; only Go's own library.
module scaledcache.example/tests/cluster/binaries/load

go 1.26.0
