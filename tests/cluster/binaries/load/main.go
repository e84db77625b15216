// Command load requests pages of one site at an exact rate, in an open loop: a request is due when
// the clock says so, whatever became of those before it, and its latency counts from that moment.
// A closed loop would send less to a server that stalls, and so hide what the stall costs.
//
// Standard input carries the rate, one number of requests per second per line, in force at once;
// its end ends the load. Standard output gets one JSON object per second, and at the end a total.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	var options clientOptions
	flag.StringVar(&options.url, "url", "", "site to request, as http://host:port")
	flag.StringVar(&options.host, "host", "", "Host header to send; by default that of the url")
	flag.IntVar(&options.objects, "objects", 5000, "number of pages, /o/0, /o/1, …")
	flag.Float64Var(&options.zipf, "zipf", 1.05, "exponent of the pages' popularity, above 1; 0: all alike")
	flag.Int64Var(&options.seed, "seed", 1, "seed of the sequence of pages")
	flag.IntVar(&options.reuse, "reuse", 10, "requests per connection, on average; 0: connections stay")
	flag.Float64Var(&options.oneShot, "one-shot", 0, "share of the requests that have a connection of their own")
	flag.DurationVar(&options.timeout, "timeout", 5*time.Second, "time a request may take")
	flag.IntVar(&options.inFlight, "in-flight", 4000, "requests under way beyond which none is sent")
	flag.Parse()
	if err := options.validate(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(2)
	}
	run(newClient(options), readRates(os.Stdin), json.NewEncoder(os.Stdout))
}

// run sends requests as the rates say until their channel closes, then waits for those in flight.
func run(client *client, rates <-chan float64, out *json.Encoder) {
	start := time.Now()
	tally := newTally()
	var inFlight sync.WaitGroup
	pace := pacer{}
	reported := 0
	wake := time.NewTicker(time.Millisecond)
	defer wake.Stop()
	for {
		select {
		case rate, open := <-rates:
			if !open {
				inFlight.Wait()
				out.Encode(tally.second(reported))
				out.Encode(tally.total())
				return
			}
			pace.set(rate, time.Since(start))
		case <-wake.C:
			now := time.Since(start)
			for due, more := pace.next(now); more; due, more = pace.next(now) {
				what := client.next()
				// Without a bound a site that stalls for a moment would be kept down by what waits.
				if tally.sent(pace.rate) > client.options.inFlight {
					tally.done(now-due, outcome{failure: "overload"})
					continue
				}
				inFlight.Go(func() {
					became := client.get(what)
					tally.done(time.Since(start)-due, became)
				})
			}
			// A second is reported once it is over; later answers still count in the total.
			for ; reported < int(now/time.Second); reported++ {
				out.Encode(tally.second(reported))
			}
		}
	}
}

// readRates passes on the numbers that r has, a line each, and closes the channel at its end.
func readRates(r *os.File) <-chan float64 {
	rates := make(chan float64)
	go func() {
		defer close(rates)
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			rate, err := strconv.ParseFloat(strings.TrimSpace(lines.Text()), 64)
			if err != nil || rate < 0 {
				fmt.Fprintf(os.Stderr, "load: %q is no rate\n", lines.Text())
				continue
			}
			rates <- rate
		}
	}()
	return rates
}
