package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/eventstore"
	"shop/readapi/staff"
)

func eventsCommand(w terminal.World) *cobra.Command {
	return command.Group("events", "Show the log, export and import it", eventsTail(w), eventsStream(w), eventsExport(w), eventsImport(w), eventsVerify(w), eventsSchema(w))
}

// tailPoll is the pause between looks at a log that another process writes.
const tailPoll = 100 * time.Millisecond

func eventsTail(w terminal.World) *cobra.Command {
	var (
		lines    int
		follow   bool
		personal bool
	)
	cmd := &cobra.Command{
		Use: "tail", Short: "Show the last events, and new ones as they are appended", Args: cobra.NoArgs,
		Example: "  shop events tail -n 20\n  shop events tail --format json | jq .type",
	}
	format := command.FormatFlag(cmd)
	cmd.Flags().IntVarP(&lines, "lines", "n", 10, "number of past events to show first")
	cmd.Flags().BoolVarP(&follow, "follow", "f", true, "continue until interrupted")
	cmd.Flags().BoolVar(&personal, "personal", false, "show personal fields")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if lines < 0 {
			return terminal.Usage(errors.New("--lines must not be negative"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, _ []string) error {
		head, err := s.Store.Head(ctx)
		if err != nil {
			return err
		}
		after, err := lastBefore(ctx, s.Store, head, lines)
		if err != nil {
			return err
		}
		for {
			events, err := s.Store.Inspect(ctx, eventstore.Query{After: after, Range: -1, Limit: 1000})
			if err != nil && ctx.Err() == nil { // to interrupt it is the way to end it
				return err
			}
			for _, e := range events {
				if err := writeEventLine(w.Stdout, *format, e, personal); err != nil {
					return err
				}
				after = e.Position
			}
			if len(events) > 0 {
				continue
			}
			if !follow {
				return nil
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(tailPoll):
			}
		}
	})
	return cmd
}

// lastBefore is the position after which about n events stand up to head: positions have holes, so it looks
// further back until there are enough.
func lastBefore(ctx context.Context, store *eventstore.Store, head eventstore.Position, n int) (eventstore.Position, error) {
	if n == 0 {
		return head, nil
	}
	for span := eventstore.Position(n); ; span *= 4 {
		after := max(0, head-span)
		events, err := store.Inspect(ctx, eventstore.Query{After: after, UpTo: head, Range: -1})
		if err != nil {
			return 0, err
		}
		if len(events) >= n {
			return events[len(events)-n].Position - 1, nil
		}
		if after == 0 {
			return 0, nil
		}
	}
}

func eventsStream(w terminal.World) *cobra.Command {
	var personal bool
	cmd := &cobra.Command{
		Use: "stream NAME", Short: "Show the events of one stream", Args: cobra.ExactArgs(1),
		Example: "  shop events stream rules\n  shop events stream order-0199… --personal --format json",
	}
	format := command.FormatFlag(cmd)
	cmd.Flags().BoolVar(&personal, "personal", false, "show personal fields")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, args []string) error {
		events, err := s.Store.InspectStream(ctx, args[0])
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return fmt.Errorf("there is no stream %q", args[0])
		}
		if *format == "json" {
			shown := make([]staff.EventLine, len(events))
			for i, e := range events {
				if shown[i], err = staff.EventLineOf(e, personal); err != nil {
					return err
				}
			}
			return terminal.WriteIndented(w.Stdout, shown)
		}
		for _, e := range events {
			if err := writeEventLine(w.Stdout, *format, e, personal); err != nil {
				return err
			}
		}
		return nil
	})
	return cmd
}

// writeEventLine writes an event as one line: of JSON, or to read.
func writeEventLine(w io.Writer, format string, e eventstore.Event, personal bool) error {
	s, err := staff.EventLineOf(e, personal)
	if err != nil {
		return err
	}
	if format == "json" {
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", line)
		return err
	}
	data := string(s.Data)
	if s.Error != "" {
		data += "  UNREADABLE: " + s.Error
	}
	_, err = fmt.Fprintf(w, "%8d  %s  %-26s  %s %d  %s  %s\n", s.Position, terminal.Moment(s.RecordedAt), s.Type, s.Stream, s.Version,
		s.Metadata.Actor, terminal.OneLine(data))
	return err
}
