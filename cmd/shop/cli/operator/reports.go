package operator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/eventstore"
	"shop/projections/rebuild"
	"shop/readapi/reports"
)

func reportsCommand(w terminal.World) *cobra.Command {
	var names []string
	for _, r := range reports.All() {
		names = append(names, r.Name)
	}
	cmd := &cobra.Command{
		Use: "reports NAME", Short: "Print a report: " + strings.Join(names, ", "), ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("want one of the reports %s", strings.Join(names, ", "))
			}
			if _, found := reports.Named(args[0]); !found {
				return fmt.Errorf("there is no report %q; want one of %s", args[0], strings.Join(names, ", "))
			}
			return nil
		},
		Long: "Print a report with its log position. With --at, a position or a time, the log is folded up to there into a temporary\n" +
			"schema, which is read and removed: the same position always gives the same numbers.",
		Example: "  shop reports sales --by month\n  shop reports categories --from 2026-01-01 --to 2026-03-31 --format csv > categories.csv\n  shop reports cohorts --at 120000",
	}
	ask := url.Values{}
	text := func(name, usage string) {
		cmd.Flags().Func(name, usage, func(v string) error { ask.Set(name, v); return nil })
	}
	text("from", "first day, such as 2026-01-01")
	text("to", "last day")
	text("by", "day, week or month")
	for _, filter := range []reports.Filter{reports.City, reports.Payment, reports.Promocode, reports.Category, reports.Brand, reports.Product} {
		text(string(filter), "only what is of this "+string(filter))
	}
	text("sort", "column to sort by; after a minus the greatest first")
	text("limit", "most rows to print")
	text("offset", "rows to leave out before them")
	format := cmd.Flags().String("format", "table", "table, json or csv")
	at := cmd.Flags().String("at", "", "position of the log, or a time such as 2026-03-02T12:00:00+05:00 or 2026-03-02 (its end, in Almaty)")

	var question reports.Question
	asOf := rebuild.BuildOptions{Kind: rebuild.AsOf}
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if err := app.OneOf(*format, "table", "json", "csv"); err != nil {
			return terminal.Usage(fmt.Errorf("--format: %w", err))
		}
		if asOf.Position, asOf.Time, err = placeOf(*at); err != nil {
			return terminal.Usage(fmt.Errorf("--at: %w", err))
		}
		report, _ := reports.Named(args[0])
		if question, err = report.Ask(ask); err != nil {
			return terminal.Usage(fmt.Errorf("--%w", err))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		report, _ := reports.Named(args[0])
		reader := reports.Reader{DB: s.Pool, Store: s.Store}
		if *at == "" {
			if err := s.CatchUp(ctx, w, report.Projection); err != nil {
				return err
			}
			answer, err := reader.Read(ctx, report, question, reports.AsOf{})
			if err != nil {
				return err
			}
			return writeAnswer(w.Stdout, *format, answer)
		}
		asOf.Schema = "report_" + strings.ToLower(rand.Text())
		b, err := build(ctx, s, w, report.Projection, asOf)
		if err != nil {
			return err
		}
		answer, err := reader.Read(ctx, report, question, reports.AsOf{Schema: b.Schema, Position: b.Position})
		if err = errors.Join(err, s.Builder.Drop(context.WithoutCancel(ctx), b.Schema)); err != nil {
			return err
		}
		return writeAnswer(w.Stdout, *format, answer)
	})
	return cmd
}

// placeOf reads a position of the log or a time; both are zero for an empty text.
func placeOf(text string) (eventstore.Position, time.Time, error) {
	if text == "" {
		return 0, time.Time{}, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if n < 1 {
			return 0, time.Time{}, errors.New("positions begin at 1")
		}
		return eventstore.Position(n), time.Time{}, nil
	}
	var at terminal.MomentValue
	if err := at.Set(text); err != nil {
		return 0, time.Time{}, fmt.Errorf("%w, or a position", err)
	}
	return 0, at.Time, nil
}

func writeAnswer(w io.Writer, format string, a reports.Answer) error {
	switch format {
	case "json":
		return terminal.WriteIndented(w, a)
	case "csv":
		return a.WriteCSV(w)
	}
	rows := a.Rows
	if a.Total != nil {
		rows = append(rows, a.Total)
	}
	columns := make([]terminal.Column[reports.Row], len(a.Columns))
	for i, c := range a.Columns {
		cell := func(r reports.Row) string {
			if n, ok := r[c.Key].(int64); ok && c.Kind != reports.Percent {
				return terminal.Tenge(n)
			}
			if r[c.Key] == nil && i == 0 {
				return "total"
			}
			return c.Cell(r[c.Key])
		}
		if columns[i] = terminal.Left(strings.ToUpper(c.Title), cell); c.Numeric() {
			columns[i] = terminal.Right(strings.ToUpper(c.Title), cell)
		}
	}
	if err := terminal.WriteList(w, "table", rows, columns...); err != nil {
		return err
	}
	said := fmt.Sprintf("\n%d rows at position %d", a.Count, a.Position)
	if a.AsOf != nil {
		said += ", recorded " + terminal.Moment(*a.AsOf)
	}
	fmt.Fprintln(w, said)
	for _, note := range a.Notes {
		fmt.Fprintln(w, "- "+note)
	}
	return nil
}
