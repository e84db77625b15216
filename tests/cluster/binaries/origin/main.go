// Command origin serves a site as slowly as a real one and no more of it than its capacity: what a
// cold cache costs shows only against such an origin. Standard output gets one JSON object per second
// with what was asked of it, which is the truth about the rate at the origin.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	var options options
	flag.StringVar(&options.listen, "listen", "127.0.0.1:0", "address to listen on")
	flag.IntVar(&options.pages, "pages", 200, "number of pages, /o/0, /o/1, …, all in /sitemap.xml")
	flag.DurationVar(&options.delay, "delay", 50*time.Millisecond, "time that an answer takes")
	flag.IntVar(&options.capacity, "capacity", 200, "answers per second at most")
	flag.DurationVar(&options.patience, "patience", 2*time.Second, "time a request waits for its turn before it is refused with 503")
	flag.DurationVar(&options.ttl, "ttl", time.Hour, "time that caches may keep a page")
	flag.Parse()
	if err := options.validate(); err != nil {
		fmt.Fprintln(os.Stderr, "origin:", err)
		os.Exit(2)
	}
	if err := serve(options); err != nil {
		fmt.Fprintln(os.Stderr, "origin:", err)
		os.Exit(1)
	}
}

func serve(options options) error {
	listener, err := net.Listen("tcp", options.listen)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.Encode(map[string]string{"listening": listener.Addr().String()})
	gate := newGate(options)
	go func() {
		for number := 0; ; number++ {
			time.Sleep(time.Second)
			out.Encode(gate.second(number))
		}
	}()
	server := http.Server{Handler: gate.limit(newSite(options)), IdleTimeout: time.Minute}
	return server.Serve(listener)
}
