package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/readapi/staff"
)

func deadlettersCommand(w terminal.World) *cobra.Command {
	return command.Group("deadletters", "Show, retry and skip events that a projection or policy could not handle", deadlettersList(w), deadlettersShow(w),
		deadlettersDryRun(w), deadlettersRetry(w), deadlettersSkip(w), deadlettersHistory(w))
}

func deadlettersList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list [PROJECTION]", Short: "List dead letters with their errors", Args: cobra.MaximumNArgs(1)}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		name, err := maybeConsumer(ctx, s, args)
		if err != nil {
			return err
		}
		rows, err := command.Reads(s).DeadLetterLines(ctx, name)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("PROJECTION", func(l staff.DeadLetterLine) string { return l.Projection }),
			terminal.Right("POSITION", func(l staff.DeadLetterLine) string { return strconv.FormatInt(int64(l.Position), 10) }),
			terminal.Left("TYPE", func(l staff.DeadLetterLine) string { return l.Type }),
			terminal.Left("STREAM", func(l staff.DeadLetterLine) string { return l.Stream + " " + strconv.FormatInt(int64(l.Version), 10) }),
			terminal.Right("TRIED", func(l staff.DeadLetterLine) string { return strconv.Itoa(l.Attempts) }),
			terminal.Left("PARKED", func(l staff.DeadLetterLine) string { return terminal.Moment(l.ParkedAt) }),
			terminal.Left("ERROR", func(l staff.DeadLetterLine) string {
				if l.Error == "" {
					return "(waits behind the one before)"
				}
				return l.Error
			}),
		)
	})
	return cmd
}

func deadlettersShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show PROJECTION POSITION", Short: "Show a dead letter with its payload", Args: projectionAndPosition,
		Long: "Show a dead letter, its error and its payload. Personal fields are hidden without --personal. No permission is checked,\n" +
			"because anybody who runs this command can read the database, and so the keys.",
		Example: "  shop deadletters show orders 4711",
	}
	personal := cmd.Flags().Bool("personal", false, "show personal fields")
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		position, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return terminal.Usage(err)
		}
		if err := checkConsumer(ctx, s, args[0]); err != nil {
			return err
		}
		shown, err := command.Reads(s).DeadLetter(ctx, args[0], eventstore.Position(position), *personal)
		if err != nil {
			return err
		}
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, shown)
		}
		waits := shown.Error
		if waits == "" {
			waits = "(waits behind the one before)"
		}
		payload, err := json.MarshalIndent(shown.Event.Data, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.Stdout, "%s %d: %s, %s %d\nparked %s, tried %d times, last %s\nerror: %s\n%s\n", shown.Projection, shown.Position,
			shown.Type, shown.Stream, shown.Version, terminal.Moment(shown.ParkedAt), shown.Attempts, terminal.Moment(shown.TriedAt), waits, payload)
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

func deadlettersDryRun(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "dry-run PROJECTION [STREAM...]", Short: "Fold dead letters without saving anything", Args: projectionAndStreams,
		Long: "Read a projection's parked events again, all of them or those of the named streams, and fold them, each stream in order, in a\n" +
			"transaction that is rolled back. The output is what 'retry' would do. The exit status is 1 when an event fails.",
	}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		trials, more, err := command.Reads(s).DryRun(ctx, args[0], args[1:])
		if err != nil {
			return err
		}
		if len(trials) == 0 {
			return fmt.Errorf("%s has no such dead letters", args[0])
		}
		failing := 0
		for _, t := range trials {
			if !t.OK {
				failing++
			}
		}
		err = terminal.WriteList(w.Stdout, *format, trials,
			terminal.Right("POSITION", func(t staff.Trial) string { return strconv.FormatInt(int64(t.Position), 10) }),
			terminal.Left("TYPE", func(t staff.Trial) string { return t.Type }),
			terminal.Left("STREAM", func(t staff.Trial) string { return t.Stream }),
			terminal.Left("WOULD", func(t staff.Trial) string {
				switch {
				case t.OK:
					return "be handled"
				case t.Error == "":
					return "wait behind the one before"
				}
				return "fail: " + terminal.OneLine(t.Error)
			}),
		)
		if err != nil {
			return err
		}
		if more {
			fmt.Fprintf(w.Stderr, "note: only the first %d were tried\n", len(trials))
		}
		if failing > 0 {
			return fmt.Errorf("%d of %d would not be handled", failing, len(trials))
		}
		return nil
	})
	return cmd
}

func deadlettersHistory(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "history [PROJECTION]", Short: "List retries and skips with their actor and reason", Args: cobra.MaximumNArgs(1)}
	limit := cmd.Flags().Int("limit", 50, "the most to list")
	format := command.FormatFlag(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error { return command.CheckLimit(*limit) }
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		name, err := maybeConsumer(ctx, s, args)
		if err != nil {
			return err
		}
		rows, err := command.Reads(s).Actions(ctx, name, *limit, "retry", "skip")
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("AT", func(a staff.Action) string { return terminal.Moment(a.At) }),
			terminal.Left("WHO", func(a staff.Action) string { return a.Actor }),
			terminal.Left("DID", func(a staff.Action) string { return a.Action }),
			terminal.Left("PROJECTION", func(a staff.Action) string { return a.Projection }),
			terminal.Right("EVENTS", func(a staff.Action) string { return strconv.FormatInt(a.Events, 10) }),
			terminal.Left("WHAT", func(a staff.Action) string {
				switch {
				case a.Position != nil:
					return fmt.Sprintf("position %d of %s", *a.Position, strings.Join(a.Streams, " "))
				case len(a.Streams) == 0:
					return "all streams"
				}
				return strings.Join(a.Streams, " ")
			}),
			terminal.Left("WHY", func(a staff.Action) string { return terminal.OneLine(a.Reason) }),
		)
	})
	return cmd
}

func deadlettersRetry(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "retry PROJECTION [STREAM...]", Short: "Retry dead letters, each stream in order", Args: cobra.MinimumNArgs(1),
		Long: "Retry a projection's or policy's parked events, all of them or those of the named streams. The process that runs the consumer\n" +
			"makes the attempt at once; when none runs, the next 'shop serve' does. The request is recorded with its actor.",
	}
	reason := cmd.Flags().String("reason", "", "why; it is recorded")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		if err := checkConsumer(ctx, s, args[0]); err != nil {
			return err
		}
		ctx = feed.WithAuthor(ctx, feed.Author{Actor: command.Actor(), Reason: *reason})
		n, err := feed.ControlOf(s.Store).Retry(ctx, args[0], args[1:]...)
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%s has no such dead letters", args[0])
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: %d to be tried again\n", args[0], n)
		return err
	})
	return cmd
}

func deadlettersSkip(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "skip PROJECTION POSITION --reason TEXT", Short: "Continue without a parked event", Args: projectionAndPosition,
		Example: "  shop deadletters skip orders 4711 --reason 'written by a broken import, see #12'",
	}
	reason := cmd.Flags().String("reason", "", "why; it is recorded")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *reason == "" {
			return terminal.Usage(errors.New("want --reason: a skipped event is a hole that somebody will ask about"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		position, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return terminal.Usage(err)
		}
		if err := checkConsumer(ctx, s, args[0]); err != nil {
			return err
		}
		if err := feed.ControlOf(s.Store).Skip(ctx, args[0], eventstore.Position(position), *reason); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: goes on without the event at %d\n", args[0], position)
		return err
	})
	return cmd
}
