package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

func projectionsList(w world) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the projections: position, lag, rate, state", Args: cobra.NoArgs}
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		consumers, err := s.store.Consumers(ctx)
		if err != nil {
			return err
		}
		number := func(of func(eventstore.ConsumerStatus) int64) func(eventstore.ConsumerStatus) string {
			return func(c eventstore.ConsumerStatus) string { return strconv.FormatInt(of(c), 10) }
		}
		return writeList(w.stdout, *format, consumers,
			column[eventstore.ConsumerStatus]{"NAME", false, func(c eventstore.ConsumerStatus) string { return c.Name }},
			column[eventstore.ConsumerStatus]{"STATE", false, func(c eventstore.ConsumerStatus) string { return c.State }},
			column[eventstore.ConsumerStatus]{"POSITION", true, number(func(c eventstore.ConsumerStatus) int64 { return int64(c.Position) })},
			column[eventstore.ConsumerStatus]{"HEAD", true, number(func(c eventstore.ConsumerStatus) int64 { return int64(c.Head) })},
			column[eventstore.ConsumerStatus]{"LAG", true, number(func(c eventstore.ConsumerStatus) int64 { return c.Lag })},
			column[eventstore.ConsumerStatus]{"LAG S", true, func(c eventstore.ConsumerStatus) string { return strconv.FormatFloat(c.LagSeconds, 'f', 1, 64) }},
			column[eventstore.ConsumerStatus]{"EVENTS/S", true, func(c eventstore.ConsumerStatus) string { return strconv.FormatFloat(c.Rate, 'f', 0, 64) }},
			column[eventstore.ConsumerStatus]{"DEAD", true, number(func(c eventstore.ConsumerStatus) int64 { return c.DeadLetters })},
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
		Use: "rebuild NAME", Short: "Build a read model anew from the whole log", Args: oneProjection,
		RunE: withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
			return fmt.Errorf("not yet")
		}),
	}
}
