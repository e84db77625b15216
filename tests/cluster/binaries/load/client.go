package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type clientOptions struct {
	url      string
	host     string
	objects  int
	zipf     float64
	seed     int64
	reuse    int
	oneShot  float64
	timeout  time.Duration
	inFlight int
}

func (o clientOptions) validate() error {
	site, err := url.Parse(o.url)
	switch {
	case err != nil || site.Scheme != "http" || site.Host == "":
		return fmt.Errorf("-url %q: must be http://host:port", o.url)
	case o.objects < 1:
		return fmt.Errorf("-objects %d: must be at least 1", o.objects)
	case o.zipf <= 1 && o.zipf != 0:
		return fmt.Errorf("-zipf %g: must be above 1, or 0 for pages that are all as popular", o.zipf)
	case o.inFlight < 1:
		return fmt.Errorf("-in-flight %d: must be at least 1", o.inFlight)
	case o.reuse < 0:
		return fmt.Errorf("-reuse %d: must be at least 1, or 0 for connections that stay", o.reuse)
	case o.oneShot < 0 || o.oneShot > 1:
		return fmt.Errorf("-one-shot %g: must be from 0 to 1", o.oneShot)
	}
	return nil
}

// client requests pages by popularity. Most of its requests share connections, which it reuses a
// bounded number of times: a Service balances connections, so that a new pod sees nothing of clients
// that never reconnect. The one-shot ones have a connection each.
type client struct {
	options clientOptions
	kept    http.Client
	oneShot http.Client
	random  *rand.Rand
	ranks   *rand.Zipf
}

// request is what is to be got and how: over a connection of its own, or over a kept one, which it
// may be the last to use.
type request struct {
	path    string
	oneShot bool
	last    bool
}

// outcome is what became of a request: the kind of failure ("" for none), whether the answer came
// from the cache, whether it says so at all, and whether a kept connection broke under the request
// so that it was sent again, as any HTTP client does.
type outcome struct {
	failure string
	judged  bool
	hit     bool
	resent  bool
}

func newClient(options clientOptions) *client {
	random := rand.New(rand.NewSource(options.seed))
	c := &client{options: options, random: random}
	c.kept = newHTTPClient(options.timeout, false)
	c.oneShot = newHTTPClient(options.timeout, true)
	if options.zipf > 0 {
		c.ranks = rand.NewZipf(random, options.zipf, 1, uint64(options.objects-1))
	}
	return c
}

func newHTTPClient(timeout time.Duration, oneShot bool) http.Client {
	return http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: 3 * time.Second}).DialContext,
			MaxIdleConnsPerHost: 1000,
			IdleConnTimeout:     4 * time.Second,
			DisableCompression:  true,
			DisableKeepAlives:   oneShot,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// next draws a request. The last one of a connection is drawn at random, once in `reuse` on average:
// pods that all lost their connections in the same moment would be no fair picture of many clients.
func (c *client) next() request {
	var rank uint64
	if c.ranks != nil {
		rank = c.ranks.Uint64()
	} else {
		rank = uint64(c.random.Intn(c.options.objects))
	}
	return request{
		path:    "/o/" + strconv.FormatUint(rank, 10),
		oneShot: c.random.Float64() < c.options.oneShot,
		last:    c.options.reuse > 0 && c.random.Intn(c.options.reuse) == 0,
	}
}

// get requests one page to its last byte.
func (c *client) get(what request) outcome {
	connections := 0
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connections++ }}
	ctx := httptrace.WithClientTrace(context.Background(), trace)
	sent, err := http.NewRequestWithContext(ctx, http.MethodGet, c.options.url+what.path, nil)
	if err != nil {
		return outcome{failure: "request"}
	}
	sent.Close, sent.Host = what.last, c.options.host
	with := &c.kept
	if what.oneShot {
		with = &c.oneShot
	}
	response, err := with.Do(sent)
	if err != nil {
		return outcome{failure: kind(err), resent: connections > 1}
	}
	defer response.Body.Close()
	result := outcome{resent: connections > 1}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		result.failure = kind(err)
	} else if response.StatusCode != http.StatusOK {
		result.failure = "status " + strconv.Itoa(response.StatusCode)
	} else {
		result.judged, result.hit = judge(response.Header)
	}
	return result
}

// judge reads whether a cache answered, and from its store: X-Varnish names two transactions then.
func judge(header http.Header) (judged, hit bool) {
	if ids := strings.Fields(header.Get("X-Varnish")); len(ids) > 0 {
		return true, len(ids) == 2
	}
	for _, name := range []string{"X-Cache-Status", "X-Cache"} {
		if word, _, _ := strings.Cut(header.Get(name), " "); word != "" {
			return true, word == "HIT"
		}
	}
	return false, false
}

func kind(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		strings.Contains(err.Error(), "i/o timeout"):
		return "timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "closed"
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EMFILE):
		return "out of ports or files"
	}
	return "other"
}
