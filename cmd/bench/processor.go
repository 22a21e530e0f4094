package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// processor measures the processor time of the programs that the bench started and of the database server, which says more
// than the clock does on a machine that has other work.
type processor struct{ postmaster int }

// ticks is how many units of processor time Linux counts a second.
const ticks = 100

// processorOf measures the server that db is connected to, if it is on this machine.
func processorOf(ctx context.Context, db *pgxpool.Pool) (processor, error) {
	var backend int
	if err := db.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return processor{}, err
	}
	of, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", backend))
	if err != nil {
		return processor{}, fmt.Errorf("the server's processes cannot be seen: %w", err)
	}
	return processor{postmaster: statOf(of).parent}, nil
}

// cost is processor time of the programs that were started, of the server, and of the bench itself.
type cost struct{ programs, server, bench time.Duration }

// spentBy is the processor time of a process and of its children, those that have ended included.
func spentBy(pid int) (total time.Duration) {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		of, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if s := statOf(of); s.pid == pid || s.parent == pid {
			total += s.own + s.ended
		}
	}
	return total
}

// spending adds up what some processes and their children use from now on.
func spending(pids ...int) (spent func() time.Duration) {
	all := func() (total time.Duration) {
		for _, pid := range pids {
			total += spentBy(pid)
		}
		return total
	}
	before := all()
	return func() time.Duration { return all() - before }
}

// spent is the processor time so far.
func (p processor) spent() (c cost) {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		of, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		switch s := statOf(of); {
		case s.pid == p.postmaster:
			c.server += s.own + s.ended
		case s.parent == p.postmaster:
			c.server += s.own
		case s.pid == os.Getpid():
			c.bench += s.own
		case s.parent == os.Getpid():
			c.programs += s.own
		}
	}
	return c
}

// each is what was spent since begin on each of n.
func (c cost) each(begin cost, n int) cost {
	of := time.Duration(max(1, n))
	return cost{(c.programs - begin.programs) / of, (c.server - begin.server) / of, (c.bench - begin.bench) / of}
}

// medianCost is the one of which shop and server together are the median.
func medianCost(costs []cost) string {
	if len(costs) == 0 {
		return "not measured"
	}
	slices.SortFunc(costs, func(a, b cost) int { return cmp.Compare(a.programs+a.server, b.programs+b.server) })
	c := costs[len(costs)/2]
	return fmt.Sprintf("%.2f ms (shop %.2f, PostgreSQL %.2f), clients %.2f", ms(c.programs+c.server), ms(c.programs), ms(c.server), ms(c.bench))
}

// processStat is what /proc says of a process; ended is the time of its children that have ended.
type processStat struct {
	pid, parent int
	own, ended  time.Duration
}

func statOf(line []byte) processStat {
	text := string(line)
	id, _, _ := strings.Cut(text, " ")
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // the name before may have spaces
	if len(fields) < 15 {
		return processStat{}
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	time := func(a, b string) time.Duration { return time.Duration(number(a)+number(b)) * time.Second / ticks }
	return processStat{pid: number(id), parent: number(fields[1]), own: time(fields[11], fields[12]), ended: time(fields[13], fields[14])}
}

// caughtUp waits until no consumer is before the log's end.
func caughtUp(ctx context.Context, db *pgxpool.Pool) error {
	for {
		var behind int
		err := db.QueryRow(ctx, `SELECT count(*) FROM eventstore.checkpoints
			WHERE NOT paused AND position < (SELECT max(position) FROM eventstore.events)`).Scan(&behind)
		if err != nil || behind == 0 {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
