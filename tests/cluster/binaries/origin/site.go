package main

import (
	"fmt"
	"math"
	"math/rand"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	medianBytes = 4096
	minBytes    = 256
	maxBytes    = 65536
)

// site answers /o/N with page N, /article/N with a page that needs others, and, by name, what a
// cache must treat in its own way: /no-store, /private, /set-cookie, /vary-any and /short.
type site struct {
	options options
	filler  string
	pages   []int // bytes of each
	changed time.Time
}

func newSite(options options) http.Handler {
	s := &site{options: options, filler: strings.Repeat("0123456789abcdef", maxBytes/16), changed: time.Now()}
	random := rand.New(rand.NewSource(1))
	for range options.pages {
		s.pages = append(s.pages, drawBytes(random))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/o/{number}", s.page)
	mux.HandleFunc("/article/{number}", s.article)
	mux.HandleFunc("/{$}", s.article)
	mux.HandleFunc("/sitemap.xml", s.sitemap)
	for path, header := range map[string][2]string{
		"/no-store":   {"Cache-Control", "no-store"},
		"/private":    {"Cache-Control", "private, max-age=60"},
		"/set-cookie": {"Set-Cookie", "id=1; Path=/"},
		"/vary-any":   {"Vary", "*"},
		"/short":      {"Cache-Control", "public, max-age=1, stale-while-revalidate=30"},
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if header[0] != "Cache-Control" {
				s.keep(w)
			}
			w.Header().Set(header[0], header[1])
			s.send(w, r, path, 1024)
		})
	}
	return mux
}

// drawBytes draws a size as the web has them: half are below the median, a few are very large.
func drawBytes(random *rand.Rand) int {
	size := medianBytes * math.Exp(random.NormFloat64())
	return int(math.Min(math.Max(size, minBytes), maxBytes))
}

func (s *site) page(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || number < 0 || number >= len(s.pages) {
		http.NotFound(w, r)
		return
	}
	s.keep(w)
	s.send(w, r, r.URL.Path, s.pages[number])
}

func (s *site) article(w http.ResponseWriter, r *http.Request) {
	s.keep(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><html><head><link rel="stylesheet" href="/o/1"><script src="/o/2"></script></head>
<body><h1>Article %s</h1><img src="/o/3" srcset="/o/4 1x, /o/5 2x"></body></html>
`, r.PathValue("number"))
}

func (s *site) sitemap(w http.ResponseWriter, r *http.Request) {
	s.keep(w)
	w.Header().Set("Content-Type", "application/xml")
	fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?>`, "\n",
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "\n")
	for number := range s.pages {
		fmt.Fprintf(w, "<url><loc>http://%s/o/%d</loc><lastmod>%s</lastmod></url>\n",
			r.Host, number, s.changed.Format(time.DateOnly))
	}
	fmt.Fprintln(w, "</urlset>")
}

func (s *site) keep(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(s.options.ttl.Seconds())))
}

// send answers with size bytes, or with 304 to who has them.
func (s *site) send(w http.ResponseWriter, r *http.Request, tag string, size int) {
	header := w.Header()
	header.Set("ETag", strconv.Quote(tag))
	header.Set("Last-Modified", s.changed.UTC().Format(http.TimeFormat))
	if r.Header.Get("If-None-Match") == header.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", "text/plain")
	header.Set("Content-Length", strconv.Itoa(size))
	if r.Method != http.MethodHead {
		fmt.Fprint(w, s.filler[:size])
	}
}
