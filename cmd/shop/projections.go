package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"shop/eventstore"
	"shop/projections"
)

func projectionsCommand(w world) *cobra.Command {
	return group("projections", "Look at the read models and rebuild them",
		projectionsList(w), projectionsRebuild(w),
		projectionsSwitch(w, "pause", "Stop a projection where it is", (*eventstore.Store).Pause),
		projectionsSwitch(w, "resume", "Let a paused projection go on", (*eventstore.Store).Resume),
	)
}

// oneProjection wants the name of a projection as the argument.
func oneProjection(_ *cobra.Command, args []string) error {
	var names []string
	for _, p := range projections.All() {
		names = append(names, p.Name)
	}
	if len(args) != 1 || !slices.Contains(names, args[0]) {
		return fmt.Errorf("want one of the projections %s", strings.Join(names, ", "))
	}
	return nil
}

// projectionRow is a projection as it is listed. Lag counts events still to be handled, LagSeconds is the age of the
// oldest of them, Rate is events a second lately.
type projectionRow struct {
	Name        string  `json:"name"`
	State       string  `json:"state"`
	Position    int64   `json:"position"`
	Head        int64   `json:"head"`
	Lag         int64   `json:"lag"`
	LagSeconds  float64 `json:"lag_seconds"`
	Rate        float64 `json:"rate"`
	DeadLetters int64   `json:"dead_letters"`
}

func projectionsList(w world) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the projections: position, lag, rate, state", Args: cobra.NoArgs}
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		consumers, err := s.store.Consumers(ctx)
		if err != nil {
			return err
		}
		rows := make([]projectionRow, len(consumers))
		for i, c := range consumers {
			rows[i] = projectionRow{c.Name, string(c.State), int64(c.Position), int64(c.Head), c.Lag, c.LagTime.Seconds(), c.Rate, c.DeadLetters}
		}
		number := func(of func(projectionRow) int64) func(projectionRow) string {
			return func(p projectionRow) string { return strconv.FormatInt(of(p), 10) }
		}
		return writeList(w.stdout, *format, rows,
			column[projectionRow]{"NAME", false, func(p projectionRow) string { return p.Name }},
			column[projectionRow]{"STATE", false, func(p projectionRow) string { return p.State }},
			column[projectionRow]{"POSITION", true, number(func(p projectionRow) int64 { return p.Position })},
			column[projectionRow]{"HEAD", true, number(func(p projectionRow) int64 { return p.Head })},
			column[projectionRow]{"LAG", true, number(func(p projectionRow) int64 { return p.Lag })},
			column[projectionRow]{"LAG S", true, func(p projectionRow) string { return strconv.FormatFloat(p.LagSeconds, 'f', 1, 64) }},
			column[projectionRow]{"EVENTS/S", true, func(p projectionRow) string { return strconv.FormatFloat(p.Rate, 'f', 0, 64) }},
			column[projectionRow]{"DEAD", true, number(func(p projectionRow) int64 { return p.DeadLetters })},
		)
	})
	return cmd
}

func projectionsSwitch(w world, use, short string, do func(*eventstore.Store, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: oneProjection,
		RunE: withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
			if err := do(s.store, ctx, args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w.stdout, "%s: %sd\n", args[0], use)
			return err
		}),
	}
}

func projectionsRebuild(w world) *cobra.Command {
	return &cobra.Command{
		Use: "rebuild NAME", Short: "Build a read model anew from the whole log, while the shop stays open", Args: oneProjection,
		RunE: withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
			// One that has never run has nothing to rebuild; to catch up makes it.
			if err := s.catchUp(ctx, w, args[0]); err != nil {
				return err
			}
			engine := &projections.Engine{DB: s.pool, Store: s.store, Logger: s.log}
			b, err := engine.Start(ctx, args[0], projections.BuildOptions{AutoSwap: true, AcceptDifferences: true})
			if err != nil {
				return err
			}
			_, err = engine.Run(ctx, b.ID, nil)
			return err
		}),
	}
}

// remaining guesses how long work of which a share is done will still take.
func remaining(taken time.Duration, share float64) string {
	if share <= 0 {
		return "…"
	}
	return time.Duration(float64(taken)*(1-share)/share).Round(time.Second).String() + " to go"
}
