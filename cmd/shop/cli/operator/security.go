package operator

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/identity/securitylog"
	"shop/domain"
	"shop/readapi/staff"
)

func securityCommand(w terminal.World) *cobra.Command {
	return command.Group("security", "See the security log", securityList(w))
}

// oneOfText is app.OneOf for texts of another type; empty is allowed.
func oneOfText[T ~string](v string, all []T) error {
	names := make([]string, len(all))
	for i, name := range all {
		names[i] = string(name)
	}
	if v == "" {
		return nil
	}
	return app.OneOf(v, names...)
}

func securityList(w terminal.World) *cobra.Command {
	var kind, outcome, since, who string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List what the security log has, newest first", Args: cobra.NoArgs,
		Example: "  shop security list --since 2026-03-02 --kind sign-in --outcome wrong --format json",
	}
	format := command.FormatFlag(cmd)
	cmd.Flags().StringVar(&since, "since", "", "a day or a time such as 2026-03-02T12:00")
	cmd.Flags().StringVar(&kind, "kind", "", "one kind, such as sign-in")
	cmd.Flags().StringVar(&outcome, "outcome", "", "one outcome, such as wrong")
	cmd.Flags().StringVar(&who, "who", "", "the id of an account, as who did it or to whom it was done")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most")
	q := staff.SecuritySearch{}
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		if err = oneOfText(kind, securitylog.Kinds); err != nil {
			return terminal.Usage(fmt.Errorf("--kind: %w", err))
		}
		if err = oneOfText(outcome, securitylog.Outcomes); err != nil {
			return terminal.Usage(fmt.Errorf("--outcome: %w", err))
		}
		if since != "" {
			if q.Since, err = domain.MomentIn(since); err != nil {
				return terminal.Usage(fmt.Errorf("--since: want a day or a time, such as 2026-03-02T12:00"))
			}
		}
		if who != "" {
			if q.Who, err = uuid.Parse(who); err != nil {
				return terminal.Usage(fmt.Errorf("--who: want an id"))
			}
		}
		if limit < 1 || limit > staff.MostSecurityRows {
			return terminal.Usage(fmt.Errorf("--limit: want 1 to %d", staff.MostSecurityRows))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		q.Kinds, q.Outcomes, q.Limit = oneOrNone(kind), oneOrNone(outcome), limit
		page, err := command.Reads(s).Security(ctx, q, staff.Names(s.Accounts.Names(ctx, s.Log)))
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, page.Records,
			terminal.Left("TIME", func(r staff.SecurityRecord) string { return r.At.In(domain.Almaty).Format(time.DateTime) }),
			terminal.Left("KIND", func(r staff.SecurityRecord) string { return r.Kind }),
			terminal.Left("OUTCOME", func(r staff.SecurityRecord) string { return r.Outcome }),
			terminal.Left("HOW", func(r staff.SecurityRecord) string { return r.How }),
			terminal.Left("WHO", func(r staff.SecurityRecord) string { return doer(r) }),
			terminal.Left("NETWORK", func(r staff.SecurityRecord) string { return r.Network }),
			terminal.Left("E-MAIL", func(r staff.SecurityRecord) string { return r.Email }),
			terminal.Left("TIMES", func(r staff.SecurityRecord) string { return fmt.Sprint(r.Times) }),
		)
	})
	return cmd
}

// doer is who did something, as shortly as it can be said.
func doer(r staff.SecurityRecord) string {
	who := r.Name
	if who == "" && r.Who != nil {
		who = r.Who.String()
	}
	return strings.TrimSpace(r.Party + " " + who)
}

func oneOrNone(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
