package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// settings say how a run goes.
type settings struct {
	// period is how long faults are injected; checks come on top.
	period time.Duration
	// seed decides which fault comes when and what clients ask for. What the processes make of it is up to the machine.
	seed uint64
	// shop is the program that is tested.
	shop string
	// quiet is the pause between two checks in the middle of the run, give or take a half; 0: none.
	quiet time.Duration
	// keep leaves the folder with databases and logs.
	keep bool
	// plant names a fault of the arrangement that the checks must find; empty: none.
	plant string
	// only is the one kind of fault that is done; empty: all.
	only string
	// afterwards runs when all is proved, for tests that plant faults; nil: nothing.
	afterwards func(ctx context.Context, r *hostile) error
}

const (
	// plantLag: the standby that is promoted lacks what was acknowledged last.
	plantLag = "lagging-standby"
	// plantDeaf: the former build takes what the newer one writes for broken.
	plantDeaf = "deaf-build"
)

func main() {
	s := settings{}
	flag.DurationVar(&s.period, "for", 3*time.Minute, "how long faults are injected; checks come on top")
	flag.Uint64Var(&s.seed, "seed", 0, "seed of the faults; 0: a new one, which is printed")
	flag.StringVar(&s.shop, "shop", "bin/shop", "the program that is tested")
	flag.DurationVar(&s.quiet, "quiet", time.Minute, "pause between two checks in the middle of the run, give or take a half; 0: none")
	flag.BoolVar(&s.keep, "keep", false, "keep the folder with databases and logs also when all is well")
	flag.StringVar(&s.only, "only", "", "do this kind of fault only")
	flag.StringVar(&s.plant, "plant", "", "plant what the run must find: "+plantLag+" or "+plantDeaf)
	flag.Parse()
	if s.seed == 0 {
		s.seed = rand.Uint64N(1_000_000)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	report, err := run(ctx, s, os.Stdout)
	stop()
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "hostile: seed %d: %v\n", s.seed, err)
		os.Exit(1)
	case report.faults() > 0:
		os.Exit(1)
	}
}
