package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

type options struct {
	listen   string
	pages    int
	delay    time.Duration
	capacity int
	patience time.Duration
	ttl      time.Duration
}

func (o options) validate() error {
	switch {
	case o.pages < 1 || o.pages > 50000:
		return fmt.Errorf("-pages %d: must be from 1 to 50000, what a sitemap may hold", o.pages)
	case o.delay <= 0:
		return fmt.Errorf("-delay %v: must be above 0", o.delay)
	case o.slots() < 1:
		return fmt.Errorf("-capacity %d with -delay %v: less than one answer at a time", o.capacity, o.delay)
	}
	return nil
}

// slots is how many answers are worked on at a time: each takes delay, so that is the capacity.
func (o options) slots() int {
	return int(float64(o.capacity) * o.delay.Seconds())
}

// report is one line of standard output: requests that came in the second, of them refused ones
// (503 after waiting in vain), and how many waited for their turn at most.
type report struct {
	Second   int `json:"second"`
	Requests int `json:"requests"`
	Refused  int `json:"refused"`
	Waiting  int `json:"waiting"`
}

// gate lets as many requests work at a time as the origin has slots and counts them all.
type gate struct {
	options options
	slots   chan struct{}
	mutex   sync.Mutex
	now     report
	waiting int
}

func newGate(options options) *gate {
	return &gate{options: options, slots: make(chan struct{}, options.slots())}
}

// limit puts the delay and the capacity before next. /healthz is free and not counted.
func (g *gate) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" {
			return
		}
		if !g.enter() {
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "at capacity", http.StatusServiceUnavailable)
			return
		}
		time.Sleep(g.options.delay)
		<-g.slots
		next.ServeHTTP(w, r)
	})
}

// enter waits for a free slot; false if none came in time.
func (g *gate) enter() bool {
	g.count(func() {
		g.now.Requests++
		g.waiting++
		g.now.Waiting = max(g.now.Waiting, g.waiting-(cap(g.slots)-len(g.slots)))
	})
	defer g.count(func() { g.waiting-- })
	impatient := time.NewTimer(g.options.patience)
	defer impatient.Stop()
	select {
	case g.slots <- struct{}{}:
		return true
	case <-impatient.C:
		g.count(func() { g.now.Refused++ })
		return false
	}
}

func (g *gate) count(change func()) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	change()
}

// second returns what was counted since the call before it.
func (g *gate) second(number int) report {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	line := g.now
	line.Second = number
	g.now = report{}
	return line
}
