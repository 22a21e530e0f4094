package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/importer/rulesfile"
	"shop/domain/rules"
)

func rulesCommand(w terminal.World) *cobra.Command {
	return command.Group("rules", "Show and change the rules: discounts, minimum, delivery, bonuses, deadlines", rulesShow(w), rulesSet(w))
}

func rulesShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Show the rules in force", Args: cobra.NoArgs,
		Example: "  shop rules show --format json > rules.json   # change it, then: shop rules set rules.json",
	}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		now, err := (&commands.Rules{Handler: s.Handler}).Show(ctx)
		if err != nil {
			return err
		}
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, rulesfile.File{Version: now.Version, Rules: now.Rules})
		}
		type line struct{ rule, value string }
		r := now.Rules
		lines := []line{{"version", strconv.FormatInt(now.Version, 10)}}
		for _, t := range r.Tiers {
			lines = append(lines, line{"tiers", fmt.Sprintf("%d %% from %s", t.Percent, terminal.Tenge(t.From))})
		}
		lines = append(lines, line{"minimum_sum", terminal.Tenge(r.MinimumSum)})
		for _, d := range r.Delivery {
			lines = append(lines, line{"delivery", fmt.Sprintf("%s (%s): %s, free from %s", d.City, strings.Join(d.Aliases, ", "), terminal.Tenge(d.Price), terminal.Tenge(d.FreeFrom))})
		}
		lines = append(lines,
			line{"max_per_order", strconv.FormatInt(r.MaxPerOrder, 10)},
			line{"bonus_spend_percent", strconv.FormatInt(r.BonusSpendPercent, 10)},
			line{"bonus_earn_percent", strconv.FormatInt(r.BonusEarnPercent, 10)},
			line{"card_minutes", strconv.FormatInt(r.CardMinutes, 10)},
			line{"kaspi_minutes", strconv.FormatInt(r.KaspiMinutes, 10)},
			line{"new_days", strconv.FormatInt(r.NewDays, 10)},
			line{"same_day_until", strconv.Itoa(r.SameDayUntil)},
			line{"reviews_moderated", command.YesNo(r.ReviewsModerated)},
			line{"guest_open_orders", strconv.FormatInt(r.GuestOpenOrders, 10)},
			line{"guest_open_pieces", strconv.FormatInt(r.GuestOpenPieces, 10)},
			line{"customer_open_orders", strconv.FormatInt(r.CustomerOpenOrders, 10)},
			line{"customer_open_pieces", strconv.FormatInt(r.CustomerOpenPieces, 10)},
			line{"network_open_orders", strconv.FormatInt(r.NetworkOpenOrders, 10)},
			line{"network_open_pieces", strconv.FormatInt(r.NetworkOpenPieces, 10)},
			line{"cash_hours", strconv.FormatInt(r.CashHours, 10)},
			line{"guest_months", strconv.FormatInt(r.GuestMonths, 10)},
			line{"hand_confirm_above", terminal.Tenge(r.HandConfirmAbove)},
			line{"return_days", strconv.FormatInt(r.ReturnDays, 10)},
			line{"low_stock", strconv.FormatInt(r.LowStock, 10)},
			line{"approval_price_cut", strconv.FormatInt(r.ApprovalPriceCut, 10)},
			line{"approval_products", strconv.FormatInt(r.ApprovalProducts, 10)},
			line{"approval_below_cost", command.YesNo(r.ApprovalBelowCost)},
			line{"approval_rules", command.YesNo(r.ApprovalRules)},
			line{"promocode_proof", command.YesNo(r.PromocodeProof)},
			line{"opens_at", strconv.Itoa(r.OpensAt)},
			line{"closes_at", strconv.Itoa(r.ClosesAt)},
		)
		return terminal.WriteList(w.Stdout, "table", lines,
			terminal.Left("RULE", func(l line) string { return l.rule }),
			terminal.Left("VALUE", func(l line) string { return l.value }),
		)
	})
	return cmd
}

func rulesSet(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set FILE", Short: "Change the rules to match a JSON or YAML file", Args: cobra.ExactArgs(1),
		Long: "Change the rules to match a JSON or YAML file with the fields of 'shop rules show --format json'. Fields that the file leaves out\n" +
			"stay as they are; a list is replaced as a whole. With a version in the file the change is refused when the rules have changed since.\n" +
			"Where the rule approval_rules asks for it, the change waits for a second person.",
	}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		text, err := terminal.ReadText(args[0])
		if err != nil {
			return err
		}
		shopRules := &commands.Rules{Handler: s.Handler}
		now, err := shopRules.Show(ctx)
		if err != nil {
			return err
		}
		file, err := rulesfile.Read(text, now.Rules)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		// Rules are replaced as a whole, so fields that the file leaves out must not have changed either.
		expected := file.Version
		if expected == 0 {
			expected = now.Version
		}
		changed, err := shopRules.WouldChange(ctx, file.Rules, expected)
		if err != nil {
			return err
		}
		became := said{changed: changed}
		if changed {
			item, err := ask("rules", rules.Stream, "whole", now.Rules, file.Rules)
			if err != nil {
				return err
			}
			if became, err = how.propose(ctx, s, w, "shop rules set "+filepath.Base(args[0]), item); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(w.Stdout, "rules: %s\n", became.outcome("changed", *how.dryRun))
		return err
	})
	return cmd
}
