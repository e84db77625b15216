package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type clientOptions struct {
	url      string
	objects  int
	zipf     float64
	seed     int64
	reuse    int
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
	case o.zipf <= 1:
		return fmt.Errorf("-zipf %g: must be above 1", o.zipf)
	case o.inFlight < 1:
		return fmt.Errorf("-in-flight %d: must be at least 1", o.inFlight)
	case o.reuse < 1:
		return fmt.Errorf("-reuse %d: must be at least 1", o.reuse)
	}
	return nil
}

// client requests pages by popularity over connections that it reuses a bounded number of times:
// a Service balances connections, so that a new pod sees nothing of clients that never reconnect.
type client struct {
	options clientOptions
	http    http.Client
	random  *rand.Rand
	ranks   *rand.Zipf
}

func newClient(options clientOptions) *client {
	random := rand.New(rand.NewSource(options.seed))
	return &client{
		options: options,
		http: http.Client{
			Timeout: options.timeout,
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: 3 * time.Second}).DialContext,
				MaxIdleConnsPerHost: 1000,
				IdleConnTimeout:     4 * time.Second,
				DisableCompression:  true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		random: random,
		ranks:  rand.NewZipf(random, options.zipf, 1, uint64(options.objects-1)),
	}
}

func (c *client) nextPath() string {
	return "/o/" + strconv.FormatUint(c.ranks.Uint64(), 10)
}

// isLastOfConnection is true once in `reuse` calls on average, at random: pods that all lost their
// connections in the same moment would be no fair picture of many clients.
func (c *client) isLastOfConnection() bool {
	return c.random.Intn(c.options.reuse) == 0
}

// get requests one page to its last byte and returns the kind of failure, "" for none.
func (c *client) get(path string, last bool) string {
	request, err := http.NewRequest(http.MethodGet, c.options.url+path, nil)
	if err != nil {
		return "request"
	}
	request.Close = last
	response, err := c.http.Do(request)
	if err != nil {
		return kind(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return kind(err)
	}
	if response.StatusCode != http.StatusOK {
		return "status " + strconv.Itoa(response.StatusCode)
	}
	return ""
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
