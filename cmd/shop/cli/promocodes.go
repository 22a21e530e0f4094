package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain"
	"shop/domain/promocode"
	"shop/readapi/staff"
)

func promocodesCommand(w terminal.World) *cobra.Command {
	return command.Group("promocodes", "Issue promo codes, list and revoke them", promocodesIssue(w), promocodesSeries(w), promocodesList(w), promocodesShow(w), promocodesRevoke(w))
}

func promocodesIssue(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "issue CODE --percent N | --sum N", Short: "Issue a code, or change the terms of one", Args: cobra.ExactArgs(1),
		Example: "  shop promocodes issue SPRING15 --percent 15 --min-sum 10000 --uses 100 --uses-per-customer 1 --until 2026-06-01",
	}
	granted := termsFlags(cmd)
	how := lastingFlags(cmd) // --until is the code's own
	public := cmd.Flags().Bool("public", false, "the code is meant to be known, so it may be short and easy to guess")
	var terms promocode.Terms
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if terms, err = granted(); err != nil {
			return err
		}
		if !*public && promocode.WorthGuessing(terms) && promocode.IsGuessable(args[0]) {
			return terminal.Usage(fmt.Errorf("%s takes much off and could be guessed: want %d characters or more, letters and digits mixed at random, or --public for a code that everybody may know",
				promocode.Normal(args[0]), promocode.UnguessableLength))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		code := promocode.Normal(args[0])
		item, err := ask("promocode", code, "terms", nil, terms)
		if err != nil {
			return err
		}
		became, err := how.propose(ctx, s, w, "shop promocodes issue: "+code, item)
		if err != nil {
			return err
		}
		said := became.outcome("issued", *how.dryRun)
		if !became.changed {
			said = "has these terms already"
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: %s\n", code, said)
		return err
	})
	return cmd
}

// termsFlags adds what a code grants; the function reads it once the flags are known.
func termsFlags(cmd *cobra.Command) func() (promocode.Terms, error) {
	percent := cmd.Flags().Int64("percent", 0, "percent off, 1 to 100")
	sum := cmd.Flags().Int64("sum", 0, "tenge off")
	minSum := cmd.Flags().Int64("min-sum", 0, "the least sum of goods, in tenge; 0: any")
	uses := cmd.Flags().Int64("uses", 0, "uses in all; 0: no limit")
	perCustomer := cmd.Flags().Int64("uses-per-customer", 0, "uses of one customer; 0: no limit")
	from := cmd.Flags().String("from", "", "valid from, YYYY-MM-DD (midnight in Almaty) or RFC 3339; default now")
	until := cmd.Flags().String("until", "", "end of validity, in the same form; default never")
	most := cmd.Flags().Int64("max-discount", 0, "the most that a percent takes off, in tenge; 0: no bound")
	categories := cmd.Flags().StringSlice("categories", nil, "ids of categories that it is for, with those below them; default all goods")
	brands := cmd.Flags().StringSlice("brands", nil, "ids of brands that it is for")
	products := cmd.Flags().StringSlice("products", nil, "ids of products that it is for")
	groups := cmd.Flags().StringSlice("groups", nil, "groups of customers that it is for; default everybody")
	return func() (terms promocode.Terms, err error) {
		if (*percent > 0) == (*sum > 0) {
			return terms, terminal.Usage(errors.New("want either --percent or --sum"))
		}
		terms = promocode.Terms{Kind: promocode.Percent, Value: *percent, MinSum: *minSum, Uses: *uses, UsesPerUser: *perCustomer}
		if *sum > 0 {
			terms.Kind, terms.Value = promocode.Fixed, *sum
		}
		terms.MaxDiscount, terms.Groups = *most, *groups
		for _, part := range []struct {
			flag  string
			names []string
			ids   *[]domain.ID
		}{{"categories", *categories, &terms.Categories}, {"brands", *brands, &terms.Brands}, {"products", *products, &terms.Products}} {
			if *part.ids, err = idsOf(part.names); err != nil {
				return terms, terminal.Usage(fmt.Errorf("--%s: %w", part.flag, err))
			}
		}
		if terms.ValidFrom, err = dayOrMoment(*from); err != nil {
			return terms, terminal.Usage(fmt.Errorf("--from: %w", err))
		}
		if terms.ValidUntil, err = dayOrMoment(*until); err != nil {
			return terms, terminal.Usage(fmt.Errorf("--until: %w", err))
		}
		return terms, nil
	}
}

// idsOf reads ids.
func idsOf(texts []string) (ids []domain.ID, err error) {
	for _, text := range texts {
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no id", text)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// promocodesShow prints a code with its terms and what it brought.
func promocodesShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "show CODE", Short: "Show a code with its terms and what orders with it brought, as JSON", Args: cobra.ExactArgs(1)}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		if err := s.CatchUp(ctx, w, "promocode", "sales"); err != nil {
			return err
		}
		sheet, err := staff.Shop{DB: s.Pool}.Promocode(ctx, promocode.Normal(args[0]), s.Clock())
		if err != nil {
			return err
		}
		return terminal.WriteIndented(w.Stdout, sheet)
	})
	return cmd
}

// dayOrMoment reads a day in Almaty or a moment; empty is the zero time.
func dayOrMoment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, domain.Almaty); err == nil {
		return day.UTC(), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no day such as 2026-06-01", text)
	}
	return at.UTC(), nil
}

func promocodesList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the codes with their uses", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	limit, offset := command.PageFlags(cmd, 1000)
	cmd.PreRunE = func(*cobra.Command, []string) error { return command.CheckPage(*limit, *offset) }
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "promocode"); err != nil {
			return err
		}
		rows, err := staff.Shop{DB: s.Pool}.Promocodes(ctx, *limit, *offset)
		if err != nil {
			return err
		}
		limited := func(n int64) string {
			if n == 0 {
				return "-"
			}
			return strconv.FormatInt(n, 10)
		}
		until := func(at *time.Time) string {
			if at == nil {
				return "-"
			}
			return terminal.Moment(*at)
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("CODE", func(p staff.PromocodeLine) string { return p.Code }),
			terminal.Right("OFF", func(p staff.PromocodeLine) string {
				if p.Kind == string(promocode.Percent) {
					return strconv.FormatInt(p.Value, 10) + " %"
				}
				return terminal.Tenge(p.Value)
			}),
			terminal.Right("FROM SUM", func(p staff.PromocodeLine) string { return terminal.Tenge(p.MinSum) }),
			terminal.Right("USED", func(p staff.PromocodeLine) string { return strconv.FormatInt(p.Redeemed, 10) }),
			terminal.Right("OF", func(p staff.PromocodeLine) string { return limited(p.Uses) }),
			terminal.Right("PER CUSTOMER", func(p staff.PromocodeLine) string { return limited(p.UsesPerUser) }),
			terminal.Left("FROM", func(p staff.PromocodeLine) string { return until(p.ValidFrom) }),
			terminal.Left("UNTIL", func(p staff.PromocodeLine) string { return until(p.ValidUntil) }),
			terminal.Left("REVOKED", func(p staff.PromocodeLine) string { return command.YesNo(p.Revoked) }),
		)
	})
	return cmd
}

func promocodesRevoke(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "revoke CODE", Short: "End a code; orders that used it keep their price", Args: cobra.ExactArgs(1)}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		code := promocode.Normal(args[0])
		state, err := commands.See(ctx, s.Handler, commands.PromocodeStream(code))
		if err != nil {
			return err
		}
		if !state.Exists() {
			return promocode.ErrUnknown
		}
		item, err := ask("promocode", code, "terms", nil, (*promocode.Terms)(nil))
		if err != nil {
			return err
		}
		became, err := how.propose(ctx, s, w, "shop promocodes revoke: "+code, item)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: %s\n", code, became.outcome("revoked", *how.dryRun))
		return err
	})
	return cmd
}
