package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

func TestAPacerIsOpenLoop(t *testing.T) {
	p := pacer{}
	p.set(100, time.Second)
	count := 0
	for _, due := p.next(1500 * time.Millisecond); due; _, due = p.next(1500 * time.Millisecond) {
		count++
	}
	if count != 51 {
		t.Errorf("half a second at 100 per second, both ends included: %d requests due, want 51", count)
	}
	// A generator that was held up must still date its requests as they were due.
	if due, more := p.next(3 * time.Second); !more || due != 1510*time.Millisecond {
		t.Errorf("next request due at %v, want 1.51s", due)
	}
	p.set(0, 4*time.Second)
	if _, more := p.next(time.Hour); more {
		t.Error("a request is due at rate 0")
	}
}

func TestQuantilesAreWithinABucket(t *testing.T) {
	counted := newTally()
	for i := 1; i <= 1000; i++ {
		counted.sent(10)
		counted.done(time.Duration(i)*time.Millisecond, outcome{})
	}
	total := counted.total()
	if total.P50 < 500 || total.P50 > 500*growth || total.P99 < 990 || total.P99 > 990*growth {
		t.Errorf("p50 %.1f ms and p99 %.1f ms, want 500 and 990, at most 2 %% more", total.P50, total.P99)
	}
	if total.Max != 1000 || total.Ended != 1000 {
		t.Errorf("max %.1f ms of %d, want 1000 of 1000", total.Max, total.Ended)
	}
}

func TestASecondCountsWhatTheLastDidNot(t *testing.T) {
	counted := newTally()
	if waiting := counted.sent(1); waiting != 1 {
		t.Errorf("%d requests under way, want 1", waiting)
	}
	counted.done(time.Millisecond, outcome{failure: "reset", resent: true})
	if first := counted.second(0); first.Failed["reset"] != 1 || first.Sent != 1 {
		t.Errorf("first second %+v, want one request, reset", first)
	}
	if next := counted.second(1); next.Ended != 0 || len(next.Failed) != 0 {
		t.Errorf("second second %+v, want nothing", next)
	}
	if total := counted.total(); total.Failed["reset"] != 1 || total.Resent != 1 {
		t.Errorf("total %+v, want the reset", total)
	}
}

func TestFailuresHaveKinds(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
		case "/cut":
			w.Header().Set("Content-Length", "10")
			w.Write([]byte("short"))
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	options := clientOptions{url: site.URL, objects: 10, zipf: 1.05, reuse: 10, timeout: time.Second}
	c := newClient(options)
	for path, want := range map[string]string{"/ok": "", "/cut": "closed", "/x": "status 503"} {
		if got := c.get(request{path: path}).failure; got != want {
			t.Errorf("%s failed with %q, want %q", path, got, want)
		}
	}
	site.Close()
	if got := c.get(request{path: "/ok", oneShot: true}).failure; got != "refused" {
		t.Errorf("a site that is gone failed with %q, want refused", got)
	}
}

func TestHitsAreReadFromTheHeaders(t *testing.T) {
	for _, row := range []struct {
		name, value string
		judged, hit bool
	}{
		{"X-Varnish", "12 3", true, true},
		{"X-Varnish", "12", true, false},
		{"X-Cache", "HIT from cache", true, true},
		{"X-Cache-Status", "EXPIRED", true, false},
		{"Server", "nginx", false, false},
	} {
		judged, hit := judge(http.Header{row.name: {row.value}})
		if judged != row.judged || hit != row.hit {
			t.Errorf("%s: %s: judged %v, hit %v", row.name, row.value, judged, hit)
		}
	}
}

func TestAConnectionThatBreaksUnderARequestIsCounted(t *testing.T) {
	var broken atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/break" && broken.CompareAndSwap(false, true) {
			panic(http.ErrAbortHandler)
		}
	}))
	defer site.Close()
	c := newClient(clientOptions{url: site.URL, objects: 1, timeout: time.Second})
	c.get(request{path: "/"})
	if became := c.get(request{path: "/break"}); became.failure != "" || !became.resent {
		t.Errorf("%+v, want an answer at the second try", became)
	}
}

func TestWithoutAnExponentAllPagesAreAlike(t *testing.T) {
	c := newClient(clientOptions{url: "http://10.0.0.1:80", objects: 4, oneShot: 0.5, reuse: 0})
	seen, oneShots := map[string]int{}, 0
	for range 4000 {
		what := c.next()
		seen[what.path]++
		oneShots += one(what.oneShot)
		if what.last {
			t.Fatal("a connection that is to stay is closed")
		}
	}
	if len(seen) != 4 || seen["/o/0"] < 800 || oneShots < 1800 || oneShots > 2200 {
		t.Errorf("pages %v, one-shot %d of 4000", seen, oneShots)
	}
}

func TestBadOptionsAreNamed(t *testing.T) {
	good := clientOptions{url: "http://10.0.0.1:80", objects: 1, zipf: 1.05, reuse: 1, inFlight: 1}
	if err := good.validate(); err != nil {
		t.Errorf("good options: %v", err)
	}
	bad := good
	bad.url = "10.0.0.1:80"
	if bad.validate() == nil {
		t.Error("a url without a scheme passed")
	}
}
