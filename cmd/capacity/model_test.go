package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// near says whether a prediction is within a factor of what was measured.
func near(t *testing.T, what string, predicted, measured, factor float64) {
	t.Helper()
	if ratio := predicted / measured; ratio > factor || ratio < 1/factor {
		t.Errorf("%s: predicted %.0f, measured %.0f, ratio %.2f", what, predicted, measured, ratio)
	} else {
		t.Logf("%s: predicted %.0f, measured %.0f, ratio %.2f", what, predicted, measured, ratio)
	}
}

// The model knows the runs with 1 and 32 clients, and predicts the one with 8; it knows pages over one connection, and predicts 16.
func TestPredictionsAreNearWhatWasMeasured(t *testing.T) {
	t.Parallel()
	c := calibrate(measured.appends[1], measured.appends[32], 32)
	near(t, "the run with 32 clients, which it knows", c.closed(32, 100), measured.appends[32], 1.001)
	near(t, "appends of 8 clients", c.closed(8, 100), measured.appends[8], 1.15)
	near(t, "pages over 16 connections", saturated(measured.pages[1], measured.cores), measured.pages[16], 1.35)
}

// More load never makes the model promise more, and what cannot be kept up with is said.
func TestAPrimaryHasAnEnd(t *testing.T) {
	t.Parallel()
	c := calibrate(measured.appends[1], measured.appends[32], 32)
	var before time.Duration
	for _, rate := range []float64{10, 1_000, 4_000, 6_000} {
		waits := c.open(rate, 10*time.Second, 7)
		if len(waits) == 0 {
			t.Fatalf("%.0f a second pile up", rate)
		}
		if p99 := waits[len(waits)*99/100]; p99 < before {
			t.Errorf("p99 at %.0f a second is %s, at less it was %s", rate, p99, before)
		} else {
			before = p99
		}
	}
	if waits := c.open(2/c.each.Seconds(), 10*time.Second, 7); waits != nil {
		t.Error("twice of what the log can write does not pile up")
	}
	if c.grown(1e9).each <= c.grown(1e6).each || c.grown(10).each != c.each {
		t.Error("a larger log costs no more")
	}
	if p := predict(shop{orders: 10_000, reads: 1e5, events: 1e9}, c); p.first != "one primary" {
		t.Errorf("10 000 orders a second: %+v", p)
	}
	var told bytes.Buffer
	report(&told)
	if n := strings.Count(told.String(), "\n| "); n != len(shops)+2 {
		t.Errorf("%d rows: %s", n, &told)
	}
}
