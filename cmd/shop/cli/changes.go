package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/domain/change"
	domainstaff "shop/domain/staff"
	"shop/readapi/staff"
)

func changesCommand(w terminal.World) *cobra.Command {
	return command.Group("changes", "List what staff changed of the shop, change it, approve and undo",
		changesList(w), changesShow(w), changesMake(w), changesUndo(w), changesApprove(w), changesEffect(w), changesDiff(w), changesInverses(w))
}

// anything is what who runs the command line may do.
func anything(domainstaff.Permission) bool { return true }

func changesList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List changes, the newest first", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	f := staff.ChangeSearch{Limit: 50}
	cmd.Flags().StringVar(&f.Status, "status", "", "waiting, planned, applying, applied, running, ending, ended, undone, rejected or cancelled")
	cmd.Flags().StringVar(&f.Thing, "thing", "", "a sort of thing, such as product")
	cmd.Flags().BoolVar(&f.Coming, "coming", false, "only those that begin or end, the soonest first")
	cmd.Flags().IntVar(&f.Limit, "limit", f.Limit, "how many at most")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if f.Status != "" && !slices.Contains(change.Statuses, change.Status(f.Status)) {
			return terminal.Usage(fmt.Errorf("--status: there is no status %q", f.Status))
		}
		return command.CheckLimit(f.Limit)
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "changes"); err != nil {
			return err
		}
		found, err := (staff.Shop{DB: s.Pool}).SearchChanges(ctx, f, asRecorded, seesAll)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, found,
			terminal.Left("ID", func(c staff.ChangeRow) string { return c.ID.String() }),
			terminal.Left("AT", func(c staff.ChangeRow) string { return c.ProposedAt.UTC().Format(time.RFC3339) }),
			terminal.Left("BY", func(c staff.ChangeRow) string { return c.ProposedBy }),
			terminal.Left("STATUS", func(c staff.ChangeRow) string { return c.Status }),
			terminal.Right("ITEMS", func(c staff.ChangeRow) string { return strconv.Itoa(c.Items) }),
			terminal.Left("TITLE", func(c staff.ChangeRow) string { return c.Title }),
		)
	})
	return cmd
}

func changesShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "show ID", Short: "Show a change with its first items", Args: cobra.ExactArgs(1)}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		id, err := changeID(args[0])
		if err != nil {
			return err
		}
		if err := s.CatchUp(ctx, w, "changes"); err != nil {
			return err
		}
		found, err := (staff.Shop{DB: s.Pool}).Change(ctx, id, 0, "", asRecorded, seesAll)
		if err != nil {
			return err
		}
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, found)
		}
		return terminal.WriteList(w.Stdout, "table", found.Page,
			terminal.Left("THING", func(i staff.ChangeItemRow) string { return i.Thing + " " + i.ID }),
			terminal.Left("FIELD", func(i staff.ChangeItemRow) string { return i.Field }),
			terminal.Left("WAS", func(i staff.ChangeItemRow) string { return string(i.Was) }),
			terminal.Left("NOW", func(i staff.ChangeItemRow) string { return string(i.Now) }),
			terminal.Left("OUTCOME", func(i staff.ChangeItemRow) string { return i.Outcome }),
		)
	})
	return cmd
}

func changeID(arg string) (uuid.UUID, error) {
	id, err := uuid.Parse(arg)
	if err != nil {
		return id, terminal.Usage(fmt.Errorf("%q is no id of a change", arg))
	}
	return id, nil
}

func changesApprove(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "approve ID", Short: "Approve a change that waits for a second person", Args: cobra.ExactArgs(1)}
	reason := cmd.Flags().String("override", "", "approve without a second person, for this reason")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		id, err := changeID(args[0])
		if err != nil {
			return err
		}
		if _, err := s.Changes.Approve(ctx, id, *reason); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: approved\n", id)
		return err
	})
	return cmd
}
