package operator

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/policies"
	"shop/eventstore/feed"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi/staff"
)

func projectionsCommand(w terminal.World) *cobra.Command {
	return command.Group("projections", "Show the read models, rebuild and compare them",
		projectionsList(w), projectionsRebuild(w), projectionsVerify(w), projectionsBuild(w), projectionsRollback(w),
		projectionsBuilds(w), projectionsSwap(w), projectionsCancel(w), projectionsDrop(w),
		projectionsSwitch(w, "pause", "Stop a projection, a policy or a build where it is", (*feed.Control).Pause, (*rebuild.Builder).Pause),
		projectionsRevert(w),
		projectionsSwitch(w, "resume", "Let a paused projection, policy or build go on", (*feed.Control).Resume, (*rebuild.Builder).Resume),
	)
}

func projectionsRevert(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "revert POLICY", Short: "Let the former version of the program run a policy again", Args: cobra.ExactArgs(1),
		Long: "Processes of the highest revision of a policy run it. After going back to a version of the program with a lower revision,\n" +
			"stop the processes of the newer version and revert its policies. A read model is brought back by 'shop projections rollback'.",
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			if _, model := projections.Named(args[0]); model {
				return fmt.Errorf("%s is a read model: shop projections rollback %[1]s", args[0])
			}
			if err := checkConsumer(ctx, s, args[0]); err != nil {
				return err
			}
			if err := feed.ControlOf(s.Store).Revert(ctx, args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w.Stdout, "%s: processes of any revision may run it\n", args[0])
			return err
		}),
	}
}

// oneProjection wants the name of a projection as the argument.
func oneProjection(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want one of the projections %s", strings.Join(projectionNames(), ", "))
	}
	return isProjection(args[0])
}

// maybeProjection wants the name of a projection or nothing.
func maybeProjection(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return oneProjection(cmd, args)
}

func projectionNames() []string {
	var names []string
	for _, p := range projections.All() {
		names = append(names, p.Name)
	}
	return names
}

// isProjection refuses what is not the name of a projection.
func isProjection(name string) error {
	if policies.Is(name) {
		return fmt.Errorf("%s is a policy: it can be paused, resumed and reverted; what it did stays done, so it has nothing to build, compare or roll back. "+
			"Want one of the read models %s", name, strings.Join(projectionNames(), ", "))
	}
	return isOneOf(projectionNames(), name)
}

func isOneOf(names []string, name string) error {
	if !slices.Contains(names, name) {
		return fmt.Errorf("there is no projection %q; want one of %s", name, strings.Join(names, ", "))
	}
	return nil
}

// checkConsumer refuses what nobody reads the log as: neither a projection nor a policy that ever ran here.
func checkConsumer(ctx context.Context, s *app.Shop, name string) error {
	consumers, err := feed.ControlOf(s.Store).Consumers(ctx)
	if err != nil {
		return err
	}
	names := projectionNames()
	for _, c := range consumers {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if err := isOneOf(names, name); err != nil {
		return terminal.Usage(err)
	}
	return nil
}

// maybeConsumer is the name of a consumer as the argument; empty without one.
func maybeConsumer(ctx context.Context, s *app.Shop, args []string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	return args[0], checkConsumer(ctx, s, args[0])
}

// consumerOrBuild wants one name, of which the database knows whether somebody reads the log as it, or the number of a build.
func consumerOrBuild(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return projectionOrBuild(cmd, args)
}

// holders names the processes that fold the projection, with a dash for ranges of nobody.
func holders(p staff.ProjectionLine) string {
	var names []string
	for _, r := range p.Ranges {
		name := "-"
		if r.Holder != nil {
			name = *r.Holder
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func projectionsList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the read models and policies: position, lag, rate, state and holder", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		rows, err := command.Reads(s).ProjectionLines(ctx)
		if err != nil {
			return err
		}
		number := func(of func(staff.ProjectionLine) int64) func(staff.ProjectionLine) string {
			return func(p staff.ProjectionLine) string { return strconv.FormatInt(of(p), 10) }
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("NAME", func(p staff.ProjectionLine) string { return p.Name }),
			terminal.Left("KIND", func(p staff.ProjectionLine) string { return string(p.Kind) }),
			terminal.Left("STATE", func(p staff.ProjectionLine) string { return string(p.State) }),
			terminal.Right("POSITION", number(func(p staff.ProjectionLine) int64 { return int64(p.Position) })),
			terminal.Right("HEAD", number(func(p staff.ProjectionLine) int64 { return int64(p.Head) })),
			terminal.Right("LAG", number(func(p staff.ProjectionLine) int64 { return p.Lag })),
			terminal.Right("LAG S", func(p staff.ProjectionLine) string { return strconv.FormatFloat(p.LagSeconds, 'f', 1, 64) }),
			terminal.Right("EVENTS/S", func(p staff.ProjectionLine) string { return strconv.FormatFloat(p.Rate, 'f', 0, 64) }),
			terminal.Right("DEAD", number(func(p staff.ProjectionLine) int64 { return p.DeadLetters })),
			terminal.Left("HOLDER", holders),
		)
	})
	return cmd
}

func projectionsSwitch(w terminal.World, use, short string, do func(*feed.Control, context.Context, string) error,
	doBuild func(*rebuild.Builder, context.Context, int64) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME|BUILD", Short: short, Args: consumerOrBuild,
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			if id, isBuild := buildNumber(args[0]); isBuild {
				if err := doBuild(s.Builder, ctx, id); err != nil {
					return err
				}
				_, err := fmt.Fprintf(w.Stdout, "build %d: %sd\n", id, use)
				return err
			}
			if err := checkConsumer(ctx, s, args[0]); err != nil {
				return err
			}
			if err := do(feed.ControlOf(s.Store), ctx, args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w.Stdout, "%s: %sd\n", args[0], use)
			return err
		}),
	}
}
