package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/eventstore"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi/staff"
)

// projectionOrBuild wants the name of a projection or the number of a build.
func projectionOrBuild(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		if _, is := buildNumber(args[0]); is {
			return nil
		}
	}
	if err := oneProjection(cmd, args); err != nil {
		return fmt.Errorf("%w, or the number of a build", err)
	}
	return nil
}

func buildNumber(arg string) (id int64, is bool) {
	id, err := strconv.ParseInt(arg, 10, 64)
	return id, err == nil && id > 0
}

// unfinished is the build meant by a number, or by the name of a projection that is being rebuilt.
func unfinished(ctx context.Context, s *app.Shop, arg string) (rebuild.Build, error) {
	if id, is := buildNumber(arg); is {
		return s.Builder.Find(ctx, id)
	}
	builds, err := s.Builder.Builds(ctx, rebuild.Filter{Projection: arg, Unfinished: true})
	if err != nil {
		return rebuild.Build{}, err
	}
	if len(builds) == 0 {
		return rebuild.Build{}, fmt.Errorf("no build of %s is unfinished (shop projections builds %s lists all)", arg, arg)
	}
	if len(builds) > 1 {
		return rebuild.Build{}, fmt.Errorf("%d builds of %s are not finished: say which by its number (shop projections builds)", len(builds), arg)
	}
	return builds[0], nil
}

func projectionsRebuild(w terminal.World) *cobra.Command {
	var noSwap, ifEqual bool
	cmd := &cobra.Command{
		Use: "rebuild NAME", Short: "Rebuild a read model from the whole log, while the shop stays open", Args: oneProjection,
		Long: "Build a read model again beside the live one, compare the two row by row at one position, and replace the live one with the\n" +
			"new one. The differences are listed. The replaced read model is kept: 'shop projections rollback' brings it back.\n\n" +
			"When this command is interrupted, a running 'shop serve' continues the build; the same command joins it again.",
	}
	cmd.Flags().BoolVar(&noSwap, "no-swap", false, "do not swap; 'shop projections swap' does it later")
	cmd.Flags().BoolVar(&ifEqual, "if-equal", false, "swap only when the two are equal or the definition has changed")
	cmd.MarkFlagsMutuallyExclusive("no-swap", "if-equal")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		p, _ := projections.Named(args[0])
		if _, err := rebuild.Prepare(ctx, s.Owner, p); err != nil {
			return err
		}
		began := time.Now()
		b, err := build(ctx, s, w, p.Name, rebuild.BuildOptions{AutoSwap: !noSwap, AcceptDifferences: !noSwap && !ifEqual})
		if err != nil {
			return err
		}
		took := max(time.Since(began), time.Millisecond)
		if b.State == rebuild.Ready {
			fmt.Fprintf(w.Stdout, "%s: built from %d events in %s, %s\n", p.Name, b.Events, took.Round(10*time.Millisecond), b.Report.Line())
			if err := writeDifferences(w.Stdout, "table", b.Report); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w.Stdout, "build %d waits: shop projections swap %[1]d, or cancel %[1]d\n", b.ID)
			return err
		}
		fmt.Fprintf(w.Stdout, "%s: rebuilt from %d events in %s, %.0f a second; %s; swapped in %s\n",
			p.Name, b.Events, took.Round(10*time.Millisecond), float64(b.Events)/took.Seconds(), b.Report.Line(), b.LockTime.Round(10*time.Microsecond))
		return writeDifferences(w.Stdout, "table", b.Report)
	})
	return cmd
}

// build starts a build, or joins the same one that is not finished, and follows it to its end.
func build(ctx context.Context, s *app.Shop, w terminal.World, name string, o rebuild.BuildOptions) (rebuild.Build, error) {
	builder := s.Builder
	o.Actor = commands.OriginOf(ctx).Actor
	b, err := builder.Start(ctx, name, o)
	var there *rebuild.Unfinished
	if errors.As(err, &there) && there.Build.Kind == rebuild.Rebuild && there.Build.State != rebuild.Ready {
		b, err = there.Build, nil
		fmt.Fprintf(w.Stderr, "note: joining build %d, which is %s\n", b.ID, b.State)
	}
	if err != nil {
		return b, err
	}
	return follow(ctx, s, w, b.ID)
}

// follow works on a build, or watches who does, and shows how it goes.
func follow(ctx context.Context, s *app.Shop, w terminal.World, id int64) (rebuild.Build, error) {
	show := terminal.NewProgress(w.Stderr)
	b, err := s.Builder.Run(ctx, id, func(b rebuild.Build) { show.Say("%s", b.Line()) })
	show.Clear()
	if err != nil && ctx.Err() != nil {
		return b, fmt.Errorf("interrupted: build %d of %s goes on in 'shop serve', or when this command is given again; 'shop projections cancel %[1]d' ends it", id, b.Projection)
	}
	return b, err
}

func writeDifferences(out io.Writer, format string, r *rebuild.Report) error {
	if format == "json" {
		return terminal.WriteIndented(out, r)
	}
	if r == nil {
		return nil
	}
	for _, list := range []struct {
		what    string
		columns []string
	}{{"new", r.NewColumns}, {"gone", r.GoneColumns}} {
		if len(list.columns) > 0 {
			fmt.Fprintf(out, "not compared, because %s: %s\n", list.what, strings.Join(list.columns, ", "))
		}
	}
	if len(r.Sample) == 0 {
		return nil
	}
	return terminal.WriteList(out, "table", r.Sample,
		terminal.Left("TABLE", func(d rebuild.Difference) string { return d.Table }),
		terminal.Left("KEY", func(d rebuild.Difference) string { return d.Key }),
		terminal.Left("DIFFERENCE", func(d rebuild.Difference) string { return d.Kind }),
		terminal.Left("LIVE > FRESH", func(d rebuild.Difference) string {
			var parts []string
			for _, c := range d.Columns {
				parts = append(parts, fmt.Sprintf("%s: %s > %s", c.Column, terminal.Short(c.Live), terminal.Short(c.Fresh)))
			}
			return strings.Join(parts, "; ")
		}))
}

// errDifferent ends a comparison that found something; what it found is on stdout.
var errDifferent = errors.New("the live read model is not what the log makes of it")

func projectionsVerify(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify NAME", Short: "Fold the log again and compare the result with the live read model", Args: oneProjection,
		Long: "Fold the whole log into separate tables and compare them with the live ones row by row, both at one position, while the\n" +
			"shop stays open. The exit status is 0 when they are equal and 1 when they differ. All differences are counted; the first hundred are listed.",
	}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		b, err := build(ctx, s, w, args[0], rebuild.BuildOptions{Kind: rebuild.Verify})
		if err != nil {
			return err
		}
		if *format == "table" {
			fmt.Fprintf(w.Stdout, "%s: %s\n", args[0], b.Report.Line())
		}
		if err := writeDifferences(w.Stdout, *format, b.Report); err != nil {
			return err
		}
		if !b.Report.Equal() {
			return errDifferent
		}
		return nil
	})
	return cmd
}

func projectionsBuild(w terminal.World) *cobra.Command {
	var at, schema string
	var position int64
	cmd := &cobra.Command{
		Use: "build NAME --at TIME | --position N", Short: "Build a read model of a past time or position, into a schema of its own", Args: oneProjection,
		Long: "Fold the log up to a position, or to the last event recorded at or before a time, into a schema that is kept until\n" +
			"'shop projections drop'. Query it with SQL; the shop does not read it.",
	}
	cmd.Flags().StringVar(&at, "at", "", "time, such as 2026-03-02T12:00:00+05:00 (RFC 3339)")
	cmd.Flags().Int64Var(&position, "position", 0, "last position to fold")
	cmd.Flags().StringVar(&schema, "schema", "", "name of the new schema (default NAME_at_POSITION)")
	cmd.MarkFlagsMutuallyExclusive("at", "position")
	cmd.MarkFlagsOneRequired("at", "position")
	var when time.Time
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		if cmd.Flags().Changed("at") {
			if when, err = time.Parse(time.RFC3339, at); err != nil {
				return terminal.Usage(fmt.Errorf("--at: want a time such as 2026-03-02T12:00:00+05:00, not %q", at))
			}
		} else if position < 1 {
			return terminal.Usage(errors.New("--position begins at 1"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		o := rebuild.BuildOptions{Kind: rebuild.AsOf, Position: eventstore.Position(position), Time: when, Schema: schema}
		b, err := build(ctx, s, w, args[0], o)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: as of position %d in schema %s, from %d events\n", b.Projection, b.Position, b.Schema, b.Events)
		return err
	})
	return cmd
}

func projectionsBuilds(w terminal.World) *cobra.Command {
	var limit int
	var models bool
	cmd := &cobra.Command{Use: "builds [NAME]", Short: "List builds of read models, or the schemas they made", Args: maybeProjection}
	format := command.FormatFlag(cmd)
	cmd.Flags().IntVar(&limit, "limit", 20, "the most builds to list")
	cmd.Flags().BoolVar(&models, "schemas", false, "list the schemas instead: live, previous (for rollback), as of a position")
	cmd.PreRunE = func(*cobra.Command, []string) error { return command.CheckLimit(limit) }
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		name := strings.Join(args, "")
		if models {
			return listSchemas(ctx, s, w, *format, name)
		}
		rows, err := command.Reads(s).BuildLines(ctx, rebuild.Filter{Projection: name, Limit: limit})
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Right("BUILD", func(b staff.BuildLine) string { return strconv.FormatInt(b.ID, 10) }),
			terminal.Left("PROJECTION", func(b staff.BuildLine) string { return b.Projection }),
			terminal.Left("KIND", func(b staff.BuildLine) string { return string(b.Kind) }),
			terminal.Left("STATE", func(b staff.BuildLine) string { return string(b.State) }),
			terminal.Left("PHASE", func(b staff.BuildLine) string { return string(b.Phase) }),
			terminal.Right("DONE", func(b staff.BuildLine) string { return strconv.FormatFloat(100*b.Progress, 'f', 0, 64) + " %" }),
			terminal.Right("EVENTS", func(b staff.BuildLine) string { return strconv.FormatInt(b.Events, 10) }),
			terminal.Left("STARTED", func(b staff.BuildLine) string { return terminal.Moment(b.StartedAt) }),
			terminal.Left("BY", func(b staff.BuildLine) string { return b.Actor }),
			terminal.Left("RESULT", func(b staff.BuildLine) string {
				if b.Error != "" || b.Report == nil {
					return b.Error
				}
				return b.Report.Line()
			}),
		)
	})
	return cmd
}

func listSchemas(ctx context.Context, s *app.Shop, w terminal.World, format, name string) error {
	rows, err := command.Reads(s).Schemas(ctx, name)
	if err != nil {
		return err
	}
	return terminal.WriteList(w.Stdout, format, rows,
		terminal.Left("SCHEMA", func(m staff.Schema) string { return m.Schema }),
		terminal.Left("PROJECTION", func(m staff.Schema) string { return m.Projection }),
		terminal.Left("ROLE", func(m staff.Schema) string { return m.Role }),
		terminal.Right("VERSION", func(m staff.Schema) string { return strconv.Itoa(m.Version) }),
		terminal.Right("POSITION", func(m staff.Schema) string {
			if m.Role == "live" {
				return ""
			}
			return strconv.FormatInt(int64(m.Position), 10)
		}),
		terminal.Left("MADE", func(m staff.Schema) string { return terminal.Moment(m.MadeAt) }),
	)
}

func projectionsSwap(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "swap NAME|BUILD", Short: "Replace the live read model with a build that is ready", Args: projectionOrBuild,
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			b, err := unfinished(ctx, s, args[0])
			if err != nil {
				return err
			}
			if err := s.Builder.Swap(ctx, b.ID); err != nil {
				return err
			}
			if b, err = follow(ctx, s, w, b.ID); err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.Stdout, "%s: swapped in %s\n", b.Projection, b.LockTime.Round(10*time.Microsecond))
			return err
		}),
	}
}

func projectionsCancel(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "cancel NAME|BUILD", Short: "Cancel a build and remove its tables", Args: projectionOrBuild,
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			b, err := unfinished(ctx, s, args[0])
			if err != nil {
				return err
			}
			if err := s.Builder.Cancel(ctx, b.ID); err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.Stdout, "build %d of %s: cancelled\n", b.ID, b.Projection)
			return err
		}),
	}
}

func projectionsRollback(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "rollback NAME", Short: "Bring back the read model that was replaced last", Args: oneProjection,
		Long: "Bring the read model that the last swap replaced up to date and make it live again. The present one is kept in its place, so\n" +
			"a second rollback undoes the first. After the deployment of another version, the restored read model belongs to the processes\n" +
			"of the former version: they continue to fold it.",
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			done, err := s.Builder.Rollback(ctx, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.Stdout, "%s: version %d is live again, after %s\n", args[0], done.Version, done.Took.Round(time.Millisecond))
			return err
		}),
	}
}

func projectionsDrop(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "drop SCHEMA", Short: "Remove a read model as of a position", Args: cobra.ExactArgs(1),
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			if err := s.Builder.Drop(ctx, args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(w.Stdout, "%s: dropped\n", args[0])
			return err
		}),
	}
}
