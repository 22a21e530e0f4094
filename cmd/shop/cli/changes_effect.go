package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/domain/change"
)

func changesEffect(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "effect ID", Short: "Price the orders of the last days without a change and with it", Args: cobra.ExactArgs(1),
		Long: "Price the orders of the last days without a change and with it: by the rules in force, but for what the change sets. Shoppers are taken\n" +
			"to buy the same goods. A change that waits for approval or for its time keeps what is shown.",
		Example: "  shop changes effect 0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60 --days 90",
	}
	format := command.FormatFlag(cmd)
	days := cmd.Flags().Int("days", 90, "30, 90 or 365")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		id, err := changeID(args[0])
		if err != nil {
			return err
		}
		effect, _, err := s.Changes.EffectOf(ctx, id, *days)
		if err != nil {
			return err
		}
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, effect)
		}
		if _, err := fmt.Fprintf(w.Stdout, "%d orders of %d days, %d come to other sums\n", effect.Orders, effect.Days, effect.Touched); err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, "table", effectRows(&effect.Was, &effect.Would),
			terminal.Left("FIGURE", func(r effectRow) string { return r.name }),
			terminal.Right("WITHOUT", func(r effectRow) string { return strconv.FormatInt(r.was, 10) }),
			terminal.Right("WITH", func(r effectRow) string { return strconv.FormatInt(r.would, 10) }),
			terminal.Right("CHANGE", func(r effectRow) string { return fmt.Sprintf("%+d", r.would-r.was) }),
		)
	})
	return cmd
}

type effectRow struct {
	name       string
	was, would int64
}

func effectRows(was, would *change.Figures) []effectRow {
	return []effectRow{
		{"orders", was.Orders, would.Orders},
		{"goods", was.Goods, would.Goods},
		{"of it product discounts", was.ProductDiscounts, would.ProductDiscounts},
		{"discounts", was.Discounts, would.Discounts},
		{"bonuses", was.Bonuses, would.Bonuses},
		{"delivery", was.Delivery, would.Delivery},
		{"revenue", was.Revenue, would.Revenue},
		{"average order", was.Average, would.Average},
		{"orders below the minimum", was.BelowMinimum, would.BelowMinimum},
		{"orders without cash", was.NoCash, would.NoCash},
		{"orders delivered free", was.FreeDelivery, would.FreeDelivery},
		{"orders in a tier", was.InTier, would.InTier},
		{"goods of known cost", was.Costed, would.Costed},
		{"their cost", was.Cost, would.Cost},
		{"margin", was.Margin, would.Margin},
	}
}
