package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"shop/eventstore"
	"shop/projections/replay"
)

func replayCommand(w world) *cobra.Command {
	return group("replay", "Read history again: do its prices hold, and what would it cost under other rules", replayPricing(w))
}

func replayPricing(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "pricing", Short: "Price all orders again, by the rules of their day", Args: cobra.NoArgs,
		Long: "Price every order of the log again, by the rules and promo codes of its day, and compare totals and lines. Whatever comes out\n" +
			"otherwise is listed, and the exit status is 1.",
		Example: "  shop replay pricing\n  shop replay pricing --until 120000 --format json",
	}
	format := formatFlag(cmd)
	until := untilFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		show := newProgress(w.stderr)
		defer show.clear()
		proof, err := replay.Prove(ctx, s.store, eventstore.Position(*until), showReading(show))
		if err != nil {
			return err
		}
		show.clear()
		return writeProof(w.stdout, *format, proof)
	})
	return cmd
}

// untilFlag adds --until to what can be computed again at a position of the log.
func untilFlag(cmd *cobra.Command) *int64 {
	until := cmd.Flags().Int64("until", 0, "position of the log to read to; default all of it")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *until < 0 {
			return usageError{fmt.Errorf("--until begins at 1")}
		}
		return nil
	}
	return until
}

// showReading shows how far the log is read.
func showReading(show *progress) replay.Progress {
	began := time.Now()
	return func(reached, upTo eventstore.Position) {
		show.say("read to position %d of %d, %s", reached, upTo, remaining(time.Since(began), float64(reached)/float64(max(1, upTo))))
	}
}

func writeProof(w io.Writer, format string, p replay.Proof) error {
	if format == "json" {
		if err := writeIndented(w, p); err != nil {
			return err
		}
	} else {
		for _, d := range p.Differences {
			fmt.Fprintf(w, "order %d (position %d): %s\n", d.Number, d.Position, oneLine(d.Why))
			for _, c := range d.Changes {
				fmt.Fprintf(w, "  %s: was %s, is %s\n", c.Field, oneLine(string(c.Was)), oneLine(string(c.Now)))
			}
		}
		if rest := p.Different - int64(len(p.Differences)); rest > 0 {
			fmt.Fprintf(w, "… and %d orders more\n", rest)
		}
		fmt.Fprintf(w, "%d orders up to position %d, %d differences\n", p.Orders, p.Position, p.Different)
		if p.Elsewhere > 0 {
			fmt.Fprintf(w, "%d orders more were priced by another shop, whose rules are not in the log\n", p.Elsewhere)
		}
	}
	if p.Different > 0 {
		return fmt.Errorf("%d of %d orders do not come to the price they were placed at", p.Different, p.Orders)
	}
	return nil
}
