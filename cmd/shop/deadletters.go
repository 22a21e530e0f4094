package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"shop/eventstore"
)

func deadlettersCommand(w world) *cobra.Command {
	return group("deadletters", "Look at events that a projection could not handle", deadlettersList(w), deadlettersRetry(w), deadlettersSkip(w))
}

// letterRow is a dead letter as it is listed.
type letterRow struct {
	Projection string              `json:"projection"`
	Position   eventstore.Position `json:"position"`
	Stream     string              `json:"stream"`
	Version    eventstore.Version  `json:"version"`
	Type       string              `json:"type"`
	Attempts   int                 `json:"attempts"`
	ParkedAt   time.Time           `json:"parked_at"`
	// Error is empty for an event that only waits behind another of its stream.
	Error string `json:"error"`
}

func deadlettersList(w world) *cobra.Command {
	cmd := &cobra.Command{Use: "list [PROJECTION]", Short: "List parked events, with what went wrong", Args: cobra.MaximumNArgs(1)}
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		name := ""
		if len(args) == 1 {
			name = args[0]
		}
		letters, err := s.store.DeadLetters(ctx, name)
		if err != nil {
			return err
		}
		rows := make([]letterRow, len(letters))
		for i, l := range letters {
			rows[i] = letterRow{l.Consumer, l.Position, l.Stream, l.Version, l.Type, l.Attempts, l.ParkedAt, l.Error}
		}
		return writeList(w.stdout, *format, rows,
			column[letterRow]{"PROJECTION", false, func(l letterRow) string { return l.Projection }},
			column[letterRow]{"POSITION", true, func(l letterRow) string { return strconv.FormatInt(int64(l.Position), 10) }},
			column[letterRow]{"TYPE", false, func(l letterRow) string { return l.Type }},
			column[letterRow]{"STREAM", false, func(l letterRow) string { return l.Stream + " " + strconv.FormatInt(int64(l.Version), 10) }},
			column[letterRow]{"TRIED", true, func(l letterRow) string { return strconv.Itoa(l.Attempts) }},
			column[letterRow]{"PARKED", false, func(l letterRow) string { return moment(l.ParkedAt) }},
			column[letterRow]{"ERROR", false, func(l letterRow) string {
				if l.Error == "" {
					return "(waits behind the one before)"
				}
				return l.Error
			}},
		)
	})
	return cmd
}

func deadlettersRetry(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "retry PROJECTION [STREAM...]", Short: "Try parked events again, each stream in order", Args: cobra.MinimumNArgs(1),
		Long: "Try a projection's parked events again, all of them or those of the named streams. The process that runs the projections\n" +
			"makes the attempt at once; where none runs, the next 'shop serve' does.",
	}
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		n, err := s.store.RetryDeadLetters(ctx, args[0], args[1:]...)
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%s has no such dead letters", args[0])
		}
		_, err = fmt.Fprintf(w.stdout, "%s: %d to be tried again\n", args[0], n)
		return err
	})
	return cmd
}

func deadlettersSkip(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "skip PROJECTION POSITION --reason TEXT", Short: "Let a projection go on without an event", Args: cobra.ExactArgs(2),
		Example: "  shop deadletters skip orders 4711 --reason 'written by a broken import, see #12'",
	}
	reason := cmd.Flags().String("reason", "", "why; it is kept")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if n, err := strconv.ParseInt(args[1], 10, 64); err != nil || n < 1 {
			return usageError{fmt.Errorf("%q is not a position", args[1])}
		}
		if *reason == "" {
			return usageError{errors.New("want --reason: a skipped event is a hole that somebody will ask about")}
		}
		return nil
	}
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		position, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return usageError{err}
		}
		if err := s.store.SkipDeadLetter(ctx, args[0], eventstore.Position(position), *reason); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "%s: goes on without the event at %d\n", args[0], position)
		return err
	})
	return cmd
}
