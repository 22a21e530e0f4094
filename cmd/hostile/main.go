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
	// afterwards runs when all is proved, for tests that plant faults; nil: nothing.
	afterwards func(ctx context.Context, r *hostile) error
}

func main() {
	s := settings{}
	flag.DurationVar(&s.period, "for", 3*time.Minute, "how long faults are injected; checks come on top")
	flag.Uint64Var(&s.seed, "seed", 0, "seed of the faults; 0: a new one, which is printed")
	flag.StringVar(&s.shop, "shop", "bin/shop", "the program that is tested")
	flag.DurationVar(&s.quiet, "quiet", time.Minute, "pause between two checks in the middle of the run, give or take a half; 0: none")
	flag.BoolVar(&s.keep, "keep", false, "keep the folder with databases and logs also when all is well")
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
