package main

import "time"

// pacer says when requests are due: evenly spaced at the rate, counted from the last change of it.
type pacer struct {
	rate float64
	from time.Duration
	sent int
}

// set makes rate, in requests per second, the one in force from now on.
func (p *pacer) set(rate float64, now time.Duration) {
	p.rate, p.from, p.sent = rate, now, 0
}

// next returns when the next request is due, and whether that is no later than now.
func (p *pacer) next(now time.Duration) (time.Duration, bool) {
	if p.rate <= 0 {
		return 0, false
	}
	due := p.from + time.Duration(float64(p.sent)/p.rate*float64(time.Second))
	if due > now {
		return 0, false
	}
	p.sent++
	return due, true
}
