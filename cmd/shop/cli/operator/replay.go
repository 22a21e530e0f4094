package operator

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/importer/rulesfile"
	"shop/domain/rules"
	"shop/eventstore"
	"shop/projections/replay"
)

func replayCommand(w terminal.World) *cobra.Command {
	return command.Group("replay", "Replay history: check its prices, or calculate them by other rules", replayPricing(w))
}

func replayPricing(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "pricing", Short: "Price all orders again, by the rules of their day or by other rules", Args: cobra.NoArgs,
		Long: "Price every order of the log again, by the rules and promo codes of its day, and compare totals and lines. Differences\n" +
			"are listed, and the exit status is then 1.\n\n" +
			"With --rules, a JSON or YAML file with the fields of 'shop rules show --format json', price all orders and abandoned baskets\n" +
			"by those rules, and report the result. Fields that the file leaves out are as in the rules in force at the position.",
		Example: "  shop replay pricing\n  shop replay pricing --until 120000 --format json\n  shop replay pricing --rules cheaper.yml",
	}
	format := command.FormatFlag(cmd)
	until := untilFlag(cmd)
	file := cmd.Flags().String("rules", "", "file of other rules to try on all of history")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		show := terminal.NewProgress(w.Stderr)
		defer show.Clear()
		head, err := s.Store.Head(ctx)
		if err != nil {
			return err
		}
		if *until > int64(head) {
			return fmt.Errorf("--until: position %d is not in the log, which ends at %d", *until, head)
		}
		if *file == "" {
			proof, err := replay.Prove(ctx, s.Store, eventstore.Position(*until), showReading(show))
			if err != nil {
				return err
			}
			show.Clear()
			return writeProof(w.Stdout, *format, proof)
		}
		text, err := terminal.ReadText(*file)
		if err != nil {
			return err
		}
		// A file that makes no sense is told before all of the log is read.
		if _, err := rulesfile.Read(text, rules.Default()); err != nil {
			return fmt.Errorf("%s: %w", *file, err)
		}
		history, err := replay.Read(ctx, s.Store, eventstore.Position(*until), showReading(show))
		if err != nil {
			return err
		}
		tried, err := rulesfile.Read(text, history.Rules)
		if err != nil {
			return fmt.Errorf("%s: %w", *file, err)
		}
		report, err := history.Try(ctx, tried.Rules, nil)
		if err != nil {
			return err
		}
		show.Clear()
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, report)
		}
		return writeReport(w.Stdout, report)
	})
	return cmd
}

// untilFlag adds --until to what can be computed again at a position of the log.
func untilFlag(cmd *cobra.Command) *int64 {
	until := cmd.Flags().Int64("until", 0, "last position of the log to read; default all of it")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *until < 0 {
			return terminal.Usage(fmt.Errorf("--until begins at 1"))
		}
		return nil
	}
	return until
}

// showReading shows how far history is read.
func showReading(show *terminal.Progress) replay.Progress {
	began := time.Now()
	return func(share float64) {
		show.Say("%d %% of history read, %s", int(100*share), terminal.Remaining(time.Since(began), share))
	}
}

func writeProof(w io.Writer, format string, p replay.Proof) error {
	if format == "json" {
		if err := terminal.WriteIndented(w, p); err != nil {
			return err
		}
	} else {
		for _, d := range p.Differences {
			fmt.Fprintf(w, "order %d (position %d): %s\n", d.Number, d.Position, terminal.OneLine(d.Why))
			for _, c := range d.Changes {
				fmt.Fprintf(w, "  %s: was %s, is %s\n", c.Field, terminal.OneLine(string(c.Was)), terminal.OneLine(string(c.Now)))
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

// writeReport writes what would be for people to read.
func writeReport(w io.Writer, r *replay.Report) error {
	fmt.Fprintf(w, "All history up to position %d under other rules (report %s)\n\n", r.Position, r.ID)
	if len(r.Changes) == 0 {
		fmt.Fprintf(w, "The rules are those in force (version %d).\n", r.RulesVersion)
	} else {
		fmt.Fprintf(w, "Changed from the rules in force (version %d)\n", r.RulesVersion)
		for _, c := range r.Changes {
			fmt.Fprintf(w, "  %s: %s > %s\n", c.Field, terminal.OneLine(string(c.Was)), terminal.OneLine(string(c.Now)))
		}
	}
	if r.Elsewhere > 0 {
		fmt.Fprintf(w, "%d orders that another shop priced are left out.\n", r.Elsewhere)
	}
	type line struct {
		figure           string
		was, now, change int64
	}
	t := r.Total
	lines := []line{
		{"orders", t.Was.Orders, t.Would.Orders, t.Change.Orders},
		{"goods", t.Was.Goods, t.Would.Goods, t.Change.Goods},
		{"discounts", t.Was.Discounts, t.Would.Discounts, t.Change.Discounts},
		{"bonuses", t.Was.Bonuses, t.Would.Bonuses, t.Change.Bonuses},
		{"delivery", t.Was.Delivery, t.Would.Delivery, t.Change.Delivery},
		{"revenue", t.Was.Revenue, t.Would.Revenue, t.Change.Revenue},
		{"average", t.Was.Average, t.Would.Average, t.Change.Average},
	}
	fmt.Fprintln(w)
	err := terminal.WriteList(w, "table", lines,
		terminal.Left("ALL ORDERS", func(l line) string { return l.figure }),
		terminal.Right("WAS", func(l line) string { return terminal.Tenge(l.was) }),
		terminal.Right("WOULD BE", func(l line) string { return terminal.Tenge(l.now) }),
		terminal.Right("CHANGE", func(l line) string { return terminal.Signed(l.change) }),
	)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nOrders that could not be made: %d below the minimum sum, %d in cash where the shop would not deliver; they brought %s.\n",
		t.BelowMinimum, t.NoCash, terminal.Tenge(t.Lost))
	fmt.Fprintf(w, "Orders in a tier of more percent: %d, of fewer: %d.\n", t.TierUp, t.TierDown)
	b := r.Baskets
	fmt.Fprintf(w, "Baskets left behind: %d, of them %d for the stock; %d could be ordered (%s), %d would be (%s).\n",
		b.Baskets, b.Unavailable, b.Could, terminal.Tenge(b.CouldSum), b.Would, terminal.Tenge(b.WouldSum))
	for _, part := range []struct {
		title string
		rows  []replay.Row
	}{{"MONTH", r.ByMonth}, {"CATEGORY", r.ByCategory}, {"CITY", r.ByCity}, {"CUSTOMER", r.ByCustomer}} {
		fmt.Fprintln(w)
		number := func(of func(replay.Row) int64) func(replay.Row) string {
			return func(r replay.Row) string { return terminal.Tenge(of(r)) }
		}
		err := terminal.WriteList(w, "table", part.rows,
			terminal.Left(part.title, func(r replay.Row) string { return r.Name }),
			terminal.Right("ORDERS", number(func(r replay.Row) int64 { return r.Was.Orders })),
			terminal.Right("WOULD BE", number(func(r replay.Row) int64 { return r.Would.Orders })),
			terminal.Right("REVENUE", number(func(r replay.Row) int64 { return r.Was.Revenue })),
			terminal.Right("WOULD BE", number(func(r replay.Row) int64 { return r.Would.Revenue })),
			terminal.Right("CHANGE", func(r replay.Row) string { return terminal.Signed(r.Change.Revenue) }),
			terminal.Right("BELOW MINIMUM", number(func(r replay.Row) int64 { return r.BelowMinimum })),
			terminal.Right("TIER UP", number(func(r replay.Row) int64 { return r.TierUp })),
			terminal.Right("TIER DOWN", number(func(r replay.Row) int64 { return r.TierDown })),
		)
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "\nAssumed")
	for _, a := range r.Assumptions {
		fmt.Fprintln(w, "- "+a)
	}
	return nil
}
