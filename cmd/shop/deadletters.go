package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
)

func deadlettersCommand(w world) *cobra.Command {
	return group("deadletters", "Show, retry and skip events that a projection or policy could not handle", deadlettersList(w), deadlettersShow(w),
		deadlettersDryRun(w), deadlettersRetry(w), deadlettersSkip(w), deadlettersHistory(w))
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
	cmd := &cobra.Command{Use: "list [PROJECTION]", Short: "List dead letters with their errors", Args: cobra.MaximumNArgs(1)}
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		name, err := s.maybeConsumer(ctx, args)
		if err != nil {
			return err
		}
		letters, err := feed.ControlOf(s.store).DeadLetters(ctx, name)
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

func deadlettersShow(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show PROJECTION POSITION", Short: "Show a dead letter with its payload", Args: projectionAndPosition,
		Long: "Show a dead letter, its error and its payload. Personal fields are hidden without --personal. No permission is checked,\n" +
			"because anybody who runs this command can read the database, and so the keys.",
		Example: "  shop deadletters show orders 4711",
	}
	personal := cmd.Flags().Bool("personal", false, "show personal fields")
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		position, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return usageError{err}
		}
		if err := s.checkConsumer(ctx, args[0]); err != nil {
			return err
		}
		letter, err := feed.ControlOf(s.store).DeadLetter(ctx, args[0], eventstore.Position(position))
		if err != nil {
			return err
		}
		event, err := s.store.RecordedAt(ctx, letter.Position, *personal)
		if err != nil {
			return err
		}
		if event == nil {
			return &feed.NoDeadLetter{Consumer: letter.Consumer, Position: letter.Position}
		}
		shown := struct {
			letterView
			Event eventView `json:"event"`
		}{viewOfLetter(letter), viewOfEvent(registry.New(), event, *personal)}
		if *format == "json" {
			return writeIndented(w.stdout, shown)
		}
		waits := shown.Error
		if waits == "" {
			waits = "(waits behind the one before)"
		}
		payload, err := json.MarshalIndent(shown.Event.Data, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "%s %d: %s, %s %d\nparked %s, tried %d times, last %s\nerror: %s\n%s\n", shown.Projection, shown.Position,
			shown.Type, shown.Stream, shown.Version, moment(shown.ParkedAt), shown.Attempts, moment(shown.TriedAt), waits, payload)
		return err
	})
	return cmd
}

// projectionAndStreams wants the name of a projection, and takes names of streams after it.
func projectionAndStreams(cmd *cobra.Command, args []string) error {
	return oneProjection(cmd, args[:min(1, len(args))])
}

// projectionAndPosition wants a name and a position as the arguments; who has dead letters the database knows.
func projectionAndPosition(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return errors.New("want a projection and a position")
	}
	if n, err := strconv.ParseInt(args[1], 10, 64); err != nil || n < 1 {
		return fmt.Errorf("%q is not a position", args[1])
	}
	return nil
}

func deadlettersDryRun(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "dry-run PROJECTION [STREAM...]", Short: "Fold dead letters without saving anything", Args: projectionAndStreams,
		Long: "Read a projection's parked events again, all of them or those of the named streams, and fold them, each stream in order, in a\n" +
			"transaction that is rolled back. The output is what 'retry' would do. The exit status is 1 when an event fails.",
	}
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		trials, more, err := tryDeadLetters(ctx, s.store, s.builder(), args[0], args[1:])
		if err != nil {
			return err
		}
		if len(trials) == 0 {
			return fmt.Errorf("%s has no such dead letters", args[0])
		}
		rows, failing := make([]trialView, len(trials)), 0
		for i, t := range trials {
			rows[i] = trialView{t.Position, t.Stream, t.Type, t.OK, t.Error}
			if !t.OK {
				failing++
			}
		}
		err = writeList(w.stdout, *format, rows,
			column[trialView]{"POSITION", true, func(t trialView) string { return strconv.FormatInt(int64(t.Position), 10) }},
			column[trialView]{"TYPE", false, func(t trialView) string { return t.Type }},
			column[trialView]{"STREAM", false, func(t trialView) string { return t.Stream }},
			column[trialView]{"WOULD", false, func(t trialView) string {
				switch {
				case t.OK:
					return "be handled"
				case t.Error == "":
					return "wait behind the one before"
				}
				return "fail: " + oneLine(t.Error)
			}},
		)
		if err != nil {
			return err
		}
		if more {
			fmt.Fprintf(w.stderr, "note: only the first %d were tried\n", len(trials))
		}
		if failing > 0 {
			return fmt.Errorf("%d of %d would not be handled", failing, len(trials))
		}
		return nil
	})
	return cmd
}

func deadlettersHistory(w world) *cobra.Command {
	cmd := &cobra.Command{Use: "history [PROJECTION]", Short: "List retries and skips with their actor and reason", Args: cobra.MaximumNArgs(1)}
	limit := cmd.Flags().Int("limit", 50, "the most to list")
	format := formatFlag(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error { return checkLimit(*limit) }
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		name, err := s.maybeConsumer(ctx, args)
		if err != nil {
			return err
		}
		actions, err := feed.ControlOf(s.store).Actions(ctx, name, *limit, "retry", "skip")
		if err != nil {
			return err
		}
		rows := make([]actionView, len(actions))
		for i, a := range actions {
			rows[i] = viewOfAction(a)
		}
		return writeList(w.stdout, *format, rows,
			column[actionView]{"AT", false, func(a actionView) string { return moment(a.At) }},
			column[actionView]{"WHO", false, func(a actionView) string { return a.Actor }},
			column[actionView]{"DID", false, func(a actionView) string { return a.Action }},
			column[actionView]{"PROJECTION", false, func(a actionView) string { return a.Projection }},
			column[actionView]{"EVENTS", true, func(a actionView) string { return strconv.FormatInt(a.Events, 10) }},
			column[actionView]{"WHAT", false, func(a actionView) string {
				switch {
				case a.Position != nil:
					return fmt.Sprintf("position %d of %s", *a.Position, strings.Join(a.Streams, " "))
				case len(a.Streams) == 0:
					return "all streams"
				}
				return strings.Join(a.Streams, " ")
			}},
			column[actionView]{"WHY", false, func(a actionView) string { return oneLine(a.Reason) }},
		)
	})
	return cmd
}

func deadlettersRetry(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "retry PROJECTION [STREAM...]", Short: "Retry dead letters, each stream in order", Args: cobra.MinimumNArgs(1),
		Long: "Retry a projection's or policy's parked events, all of them or those of the named streams. The process that runs the consumer\n" +
			"makes the attempt at once; when none runs, the next 'shop serve' does. The request is recorded with its actor.",
	}
	reason := cmd.Flags().String("reason", "", "why; it is recorded")
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		if err := s.checkConsumer(ctx, args[0]); err != nil {
			return err
		}
		ctx = feed.WithAuthor(ctx, feed.Author{Actor: cliActor(), Reason: *reason})
		n, err := feed.ControlOf(s.store).Retry(ctx, args[0], args[1:]...)
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
		Use: "skip PROJECTION POSITION --reason TEXT", Short: "Continue without a parked event", Args: projectionAndPosition,
		Example: "  shop deadletters skip orders 4711 --reason 'written by a broken import, see #12'",
	}
	reason := cmd.Flags().String("reason", "", "why; it is recorded")
	cmd.PreRunE = func(*cobra.Command, []string) error {
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
		if err := s.checkConsumer(ctx, args[0]); err != nil {
			return err
		}
		if err := feed.ControlOf(s.store).Skip(ctx, args[0], eventstore.Position(position), *reason); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "%s: goes on without the event at %d\n", args[0], position)
		return err
	})
	return cmd
}
