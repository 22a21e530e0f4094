package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"shop/commands"
	"shop/domain/rules"
)

func rulesCommand(w world) *cobra.Command {
	return group("rules", "Show and change the rules: discounts, minimum, delivery, bonuses, deadlines", rulesShow(w), rulesSet(w))
}

// rulesFile is rules as files say them. Version is the one they were in force as.
type rulesFile struct {
	Version int64 `json:"version"`
	rules.Rules
}

func rulesShow(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Show the rules in force", Args: cobra.NoArgs,
		Example: "  shop rules show --format json > rules.json   # change it, then: shop rules set rules.json",
	}
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		now, err := (&commands.Rules{Handler: s.handler}).Show(ctx)
		if err != nil {
			return err
		}
		if *format == "json" {
			return writeIndented(w.stdout, rulesFile{now.Version, now.Rules})
		}
		type line struct{ rule, value string }
		r := now.Rules
		lines := []line{{"version", strconv.FormatInt(now.Version, 10)}}
		for _, t := range r.Tiers {
			lines = append(lines, line{"tiers", fmt.Sprintf("%d %% from %s", t.Percent, tenge(t.From))})
		}
		lines = append(lines, line{"minimum_sum", tenge(r.MinimumSum)})
		for _, d := range r.Delivery {
			lines = append(lines, line{"delivery", fmt.Sprintf("%s (%s): %s, free from %s", d.City, strings.Join(d.Aliases, ", "), tenge(d.Price), tenge(d.FreeFrom))})
		}
		lines = append(lines,
			line{"max_per_order", strconv.FormatInt(r.MaxPerOrder, 10)},
			line{"bonus_spend_percent", strconv.FormatInt(r.BonusSpendPercent, 10)},
			line{"bonus_earn_percent", strconv.FormatInt(r.BonusEarnPercent, 10)},
			line{"card_minutes", strconv.FormatInt(r.CardMinutes, 10)},
			line{"kaspi_minutes", strconv.FormatInt(r.KaspiMinutes, 10)},
			line{"new_days", strconv.FormatInt(r.NewDays, 10)},
			line{"same_day_until", strconv.Itoa(r.SameDayUntil)},
			line{"reviews_moderated", yesNo(r.ReviewsModerated)},
			line{"guest_open_orders", strconv.FormatInt(r.GuestOpenOrders, 10)},
			line{"guest_open_pieces", strconv.FormatInt(r.GuestOpenPieces, 10)},
			line{"customer_open_orders", strconv.FormatInt(r.CustomerOpenOrders, 10)},
			line{"customer_open_pieces", strconv.FormatInt(r.CustomerOpenPieces, 10)},
			line{"network_open_orders", strconv.FormatInt(r.NetworkOpenOrders, 10)},
			line{"network_open_pieces", strconv.FormatInt(r.NetworkOpenPieces, 10)},
			line{"cash_hours", strconv.FormatInt(r.CashHours, 10)},
			line{"opens_at", strconv.Itoa(r.OpensAt)},
			line{"closes_at", strconv.Itoa(r.ClosesAt)},
		)
		return writeList(w.stdout, "table", lines,
			column[line]{"RULE", false, func(l line) string { return l.rule }},
			column[line]{"VALUE", false, func(l line) string { return l.value }},
		)
	})
	return cmd
}

func rulesSet(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set FILE", Short: "Change the rules to match a JSON or YAML file", Args: cobra.ExactArgs(1),
		Long: "Change the rules to match a JSON or YAML file with the fields of 'shop rules show --format json'. Fields that the file leaves out\n" +
			"stay as they are; a list is replaced as a whole. With a version in the file the change is refused when the rules have changed since.",
	}
	dryRun := dryRunFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		text, err := readFile(args[0])
		if err != nil {
			return err
		}
		shopRules := &commands.Rules{Handler: s.handler}
		now, err := shopRules.Show(ctx)
		if err != nil {
			return err
		}
		file, err := readRules(text, now.Rules)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		// Rules are replaced as a whole, so fields that the file leaves out must not have changed either.
		expected := file.Version
		if expected == 0 {
			expected = now.Version
		}
		var changed bool
		if *dryRun {
			changed, err = shopRules.WouldChange(ctx, file.Rules, expected)
		} else {
			position, failure := shopRules.Change(ctx, file.Rules, expected)
			changed, err = position > 0, failure
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "rules: %s\n", outcome("changed", changed, *dryRun))
		return err
	})
	return cmd
}

// readRules reads a file of rules over those in force. Its errors name the field.
func readRules(text []byte, now rules.Rules) (rulesFile, error) {
	given := map[string]json.RawMessage{}
	said, err := yaml.YAMLToJSON(text) // JSON is YAML
	if err == nil {
		err = json.Unmarshal(said, &given)
	}
	if err != nil {
		return rulesFile{}, errors.New("want fields of the rules, as YAML or JSON")
	}
	return putRules(given, now)
}

// putRules puts fields of rules over those in force. Its errors name the field.
func putRules(given map[string]json.RawMessage, now rules.Rules) (rulesFile, error) {
	base, err := json.Marshal(rulesFile{Rules: now})
	if err != nil {
		return rulesFile{}, err
	}
	merged := map[string]json.RawMessage{}
	if err := json.Unmarshal(base, &merged); err != nil {
		return rulesFile{}, err
	}
	for _, field := range slices.Sorted(maps.Keys(given)) {
		if _, known := merged[field]; !known {
			return rulesFile{}, fmt.Errorf("%s: there is no such rule", field)
		}
		var alone rulesFile
		one, err := json.Marshal(map[string]json.RawMessage{field: given[field]})
		if err != nil {
			return rulesFile{}, err
		}
		strict := json.NewDecoder(bytes.NewReader(one))
		strict.DisallowUnknownFields()
		err = strict.Decode(&alone)
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return rulesFile{}, fmt.Errorf("%s: must be no %s", strings.TrimPrefix(kind.Field, "Rules."), kind.Value)
		}
		if err != nil {
			return rulesFile{}, fmt.Errorf("%s: %s", field, strings.TrimPrefix(err.Error(), "json: "))
		}
		if string(given[field]) == "null" {
			return rulesFile{}, fmt.Errorf("%s: there is no value", field)
		}
		merged[field] = given[field]
	}
	whole, err := json.Marshal(merged)
	if err != nil {
		return rulesFile{}, err
	}
	var file rulesFile
	err = json.Unmarshal(whole, &file)
	return file, err
}
