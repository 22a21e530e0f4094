package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"text/tabwriter"
)

// report is what a run did and found.
type report struct {
	out io.Writer

	mu     sync.Mutex
	counts map[string]int64
	checks []checked
}

// checked is one promise that was looked into.
type checked struct {
	// what was promised; over how many things.
	what   string
	looked int
	faults []string
}

func newReport(out io.Writer) *report { return &report{out: out, counts: map[string]int64{}} }

// say prints a line at once.
func (r *report) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, format+"\n", args...)
}

func (r *report) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[what]++
}

func (r *report) counted(what string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts[what]
}

// shown is how many faults of one check are printed.
const shown = 10

// found notes the outcome of a check and prints its faults.
func (r *report) found(what string, looked int, faults []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checks = append(r.checks, checked{what, looked, faults})
	for i, fault := range faults {
		if i == shown {
			fmt.Fprintf(r.out, "FAULT %s: and %d more\n", what, len(faults)-shown)
			break
		}
		fmt.Fprintf(r.out, "FAULT %s: %s\n", what, fault)
	}
}

func (r *report) faults() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.checks {
		n += len(c.faults)
	}
	return n
}

// summary prints what was done, how often, and what was proved.
func (r *report) summary() {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\ndone\ttimes")
	for _, what := range slices.Sorted(maps.Keys(r.counts)) {
		fmt.Fprintf(w, "%s\t%d\n", what, r.counts[what])
	}
	fmt.Fprintln(w, "\nproved\tchecks\tlast over\tfaults")
	var order []string
	sum := map[string]checked{}
	times := map[string]int{}
	for _, c := range r.checks {
		if times[c.what] == 0 {
			order = append(order, c.what)
		}
		times[c.what]++
		sum[c.what] = checked{c.what, c.looked, append(sum[c.what].faults, c.faults...)}
	}
	for _, what := range order {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", what, times[what], sum[what].looked, len(sum[what].faults))
	}
	_ = w.Flush()
}
