package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// shops are the columns of docs/scale.md.
var shops = []shop{
	{"one machine", 100, 2_000, 1e7, 1},
	{"busy", 1_000, 20_000, 1e8, 1},
	{"large", 2_000, 50_000, 1e9, 2},
	{"at the end", 10_000, 100_000, 1e9, 3},
}

func main() { report(os.Stdout) }

func report(to io.Writer) {
	c := calibrate(measured.appends[1], measured.appends[32], 32)
	fmt.Fprintf(to, "a batch costs %s, each append in it %s\n\n", c.flush.Round(time.Microsecond), c.each.Round(time.Microsecond))
	fmt.Fprintln(to, "| shop | orders / reads a second | events | cores for orders / reads / relay | the log writes | p99 of a commit | log on the disk | a read model anew | at its limit first |")
	fmt.Fprintln(to, "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, s := range shops {
		p := predict(s, c)
		wait := "they pile up"
		if p.p99 > 0 {
			wait = p.p99.Round(100 * time.Microsecond).String()
		}
		fmt.Fprintf(to, "| %s | %.0f / %.0f | %.0e | %.1f / %.1f / %.1f | %.0f %% | %s | %.0f GB | %s | %s |\n", s.name, s.orders, s.reads, s.events,
			p.orderCores, p.readCores, p.relayCores, 100*p.primary, wait, p.disk/1e9, p.rebuild.Round(time.Minute), p.first)
	}
	low, high := 1.0, 20_000.0
	for high-low > 10 {
		middle := (low + high) / 2
		if p := predict(shop{orders: middle, events: 1e9}, c); p.p99 > 0 && p.p99 < 50*time.Millisecond {
			low = middle
		} else {
			high = middle
		}
	}
	fmt.Fprintf(to, "\none primary with 10^9 events takes about %.0f orders a second with a p99 below 50 ms\n", low)
}
