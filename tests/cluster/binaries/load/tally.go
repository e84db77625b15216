package main

import (
	"math"
	"sync"
	"time"
)

// report is one line of standard output. `judged` answers said whether they came from a cache's
// store, `hits` did; `resent` requests needed a second connection. A second's line counts what was due and what ended since
// the line before it; the total, which has no second, counts everything.
type report struct {
	Second *int           `json:"second,omitempty"`
	Rate   *float64       `json:"rate,omitempty"`
	Sent   int            `json:"sent"`
	Ended  int            `json:"ended"`
	Failed map[string]int `json:"failed"`
	Judged int            `json:"judged"`
	Hits   int            `json:"hits"`
	Resent int            `json:"resent"`
	P50    float64        `json:"p50_ms"`
	P99    float64        `json:"p99_ms"`
	Max    float64        `json:"max_ms"`
}

// tally counts requests, for the second that runs and in total. Any goroutine may call it.
type tally struct {
	mutex sync.Mutex
	rate  float64
	now   counts
	all   counts
}

// counts keeps latencies in buckets that each are 2 % wider than the one before, from 1 µs on, so
// that hours of load need no more memory than a second.
type counts struct {
	sent    int
	ended   int
	failed  map[string]int
	judged  int
	hits    int
	resent  int
	buckets [1100]int
	max     time.Duration
}

const growth = 1.02

func newTally() *tally {
	return &tally{now: counts{failed: map[string]int{}}, all: counts{failed: map[string]int{}}}
}

// sent counts a request that is due while rate is in force, and returns how many have not ended.
func (t *tally) sent(rate float64) int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.rate = rate
	t.now.sent++
	t.all.sent++
	return t.all.sent - t.all.ended
}

// done counts the end of a request, latency after it was due.
func (t *tally) done(latency time.Duration, became outcome) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.now.add(latency, became)
	t.all.add(latency, became)
}

// second returns the line for the second with this number and begins the next.
func (t *tally) second(number int) report {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	line := t.now.report()
	rate := t.rate
	line.Second, line.Rate = &number, &rate
	t.now = counts{failed: map[string]int{}}
	return line
}

func (t *tally) total() report {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.all.report()
}

func (c *counts) add(latency time.Duration, became outcome) {
	c.ended++
	if became.failure != "" {
		c.failed[became.failure]++
	}
	c.judged += one(became.judged)
	c.hits += one(became.hit)
	c.resent += one(became.resent)
	micros := math.Max(1, float64(latency)/float64(time.Microsecond))
	bucket := int(math.Log(micros) / math.Log(growth))
	c.buckets[min(bucket, len(c.buckets)-1)]++
	c.max = max(c.max, latency)
}

func one(counts bool) int {
	if counts {
		return 1
	}
	return 0
}

func (c *counts) report() report {
	return report{
		Sent:   c.sent,
		Ended:  c.ended,
		Failed: c.failed,
		Judged: c.judged,
		Hits:   c.hits,
		Resent: c.resent,
		P50:    c.quantile(0.50),
		P99:    c.quantile(0.99),
		Max:    float64(c.max) / float64(time.Millisecond),
	}
}

// quantile returns, in milliseconds, the upper end of the bucket that holds the q-th latency.
func (c *counts) quantile(q float64) float64 {
	if c.ended == 0 {
		return 0
	}
	rank := int(math.Ceil(q * float64(c.ended)))
	seen := 0
	for bucket, count := range c.buckets {
		seen += count
		if seen >= rank {
			return math.Pow(growth, float64(bucket+1)) / 1000
		}
	}
	return 0
}
