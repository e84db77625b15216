package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func start(t *testing.T, options options) (*gate, *httptest.Server) {
	gate := newGate(options)
	server := httptest.NewServer(gate.limit(newSite(options)))
	t.Cleanup(server.Close)
	return gate, server
}

func get(t *testing.T, url string) (*http.Response, string) {
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return answer, string(body)
}

var quick = options{pages: 3, delay: time.Millisecond, capacity: 1000, patience: time.Second, ttl: time.Hour}

func TestPagesAreAllInTheSitemapAndMayBeKept(t *testing.T) {
	_, server := start(t, quick)
	_, body := get(t, server.URL+"/sitemap.xml")
	if count := strings.Count(body, "<loc>"+server.URL+"/o/"); count != 3 {
		t.Errorf("%d pages in the sitemap, want 3:\n%s", count, body)
	}
	answer, body := get(t, server.URL+"/o/2")
	if got := answer.Header.Get("Cache-Control"); got != "public, max-age=3600" || len(body) < minBytes {
		t.Errorf("Cache-Control %q and %d bytes", got, len(body))
	}
	if answer, _ := get(t, server.URL+"/o/3"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("a page beyond the last has status %d", answer.StatusCode)
	}
}

func TestMoreThanTheCapacityWaitsAndIsThenRefused(t *testing.T) {
	small := options{pages: 1, delay: 50 * time.Millisecond, capacity: 20, patience: 75 * time.Millisecond, ttl: time.Hour}
	gate, server := start(t, small)
	var refused atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if answer, err := http.Get(server.URL + "/o/0"); err == nil && answer.StatusCode == http.StatusServiceUnavailable {
				refused.Add(1)
			}
		})
	}
	all.Wait()
	counted := gate.second(0)
	if refused.Load() == 0 || counted.Requests != 4 || counted.Refused != int(refused.Load()) {
		t.Errorf("%d of 4 refused, counted %+v", refused.Load(), counted)
	}
	if next := gate.second(1); next.Requests != 0 {
		t.Errorf("the next second counts again: %+v", next)
	}
}

func TestAPageThatIsKnownIsNotSentAgain(t *testing.T) {
	_, server := start(t, quick)
	request, _ := http.NewRequest(http.MethodGet, server.URL+"/o/1", nil)
	request.Header.Set("If-None-Match", `"/o/1"`)
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode != http.StatusNotModified {
		t.Errorf("status %v, error %v, want 304", answer.StatusCode, err)
	}
}

func TestBadOptionsAreNamed(t *testing.T) {
	if err := quick.validate(); err != nil {
		t.Errorf("good options: %v", err)
	}
	bad := quick
	bad.capacity = 10
	if bad.validate() == nil {
		t.Error("a capacity below one slot passed")
	}
}
