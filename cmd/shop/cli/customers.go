package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/photos"
	"shop/domain/customer"
	"shop/readapi/staff"
)

func customersCommand(w terminal.World) *cobra.Command {
	return command.Group("customers", "Show customers, sign them out and erase them", customersList(w), customersShow(w), customersSignOut(w), customersErase(w))
}

func customersList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List the accounts, newest first, without names", Args: cobra.NoArgs,
	}
	format := command.FormatFlag(cmd)
	limit, offset := command.PageFlags(cmd, 50)
	cmd.PreRunE = func(*cobra.Command, []string) error { return command.CheckPage(*limit, *offset) }
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "customer", "orders"); err != nil {
			return err
		}
		rows, err := staff.Shop{DB: s.Pool}.Customers(ctx, *limit, *offset)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("ID", func(c staff.CustomerLine) string { return c.ID.String() }),
			terminal.Left("STATE", func(c staff.CustomerLine) string { return c.State }),
			terminal.Left("VERIFIED", func(c staff.CustomerLine) string { return command.YesNo(c.Verified) }),
			terminal.Right("ORDERS", func(c staff.CustomerLine) string { return strconv.FormatInt(c.Orders, 10) }),
			terminal.Right("SPENT", func(c staff.CustomerLine) string { return terminal.Tenge(c.Spent) }),
			terminal.Left("SINCE", func(c staff.CustomerLine) string { return terminal.Moment(c.CreatedAt) }),
		)
	})
	return cmd
}

func customerID(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("want the id of a customer")
	}
	if _, err := uuid.Parse(args[0]); err != nil {
		return fmt.Errorf("%q is no id of a customer", args[0])
	}
	return nil
}

func customersShow(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show an account as JSON", Args: customerID,
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			if err := s.CatchUp(ctx, w, "customer"); err != nil {
				return err
			}
			row, found, err := staff.Shop{DB: s.Pool}.Customer(ctx, uuid.MustParse(args[0]))
			if err != nil {
				return err
			}
			if !found {
				return customer.ErrUnknown
			}
			encoder := json.NewEncoder(w.Stdout)
			encoder.SetIndent("", "  ")
			return encoder.Encode(row)
		}),
	}
}

func customersSignOut(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "sign-out ID", Short: "End all sign-ins of a customer", Args: customerID,
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			ended, err := s.Customers.SignOutEverywhere(ctx, uuid.MustParse(args[0]))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.Stdout, "%s: %d sign-ins ended\n", args[0], ended)
			return err
		}),
	}
}

func customersErase(w terminal.World) *cobra.Command {
	var reason string
	var confirm bool
	cmd := &cobra.Command{
		Use: "erase ID", Short: "Erase a customer for ever, by two persons", Args: customerID,
		Long: "Close an account, end its sign-ins and delete the keys of the person and of their orders: no event, read model, export or\n" +
			"rebuild shows their personal data again. Sums stay. An erasure cannot be undone, so one person proposes it with --reason\n" +
			"and another confirms it with --confirm: another user of the system, or an account of staff at /admin/customers.\n\n" + terminal.BeyondReach,
		PreRunE: func(*cobra.Command, []string) error {
			if confirm == (reason != "") {
				return terminal.Usage(errors.New("want --reason, or --confirm"))
			}
			return nil
		},
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			id := uuid.MustParse(args[0])
			if confirm {
				return confirmErasure(ctx, w, s, id)
			}
			_, err := s.Customers.ProposeErasure(ctx, id, cliPerson(), reason)
			if err == nil {
				_, err = fmt.Fprintf(w.Stdout, "%s: proposed; somebody else confirms it with --confirm or at /admin/customers\n", id)
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "propose the erasure, for this reason")
	cmd.Flags().BoolVar(&confirm, "confirm", false, "erase whom somebody else proposed to erase")
	return cmd
}

// cliPerson stands for the user of the system where an account of staff is asked for: the same user is the same person.
func cliPerson() uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(command.Actor())) }

func confirmErasure(ctx context.Context, w terminal.World, s *app.Shop, id uuid.UUID) error {
	if err := s.PhotosHome("").Check(ctx); err != nil && !errors.Is(err, photos.ErrUnclaimed) {
		return err // files would stay
	}
	caughtUp := func() error { return s.CatchUp(ctx, w, "orders", "reviews", "restock") }
	if err := caughtUp(); err != nil {
		return err
	}
	// What was confirmed before, or asked for by the customer, is finished.
	if _, err := s.Customers.ConfirmErasure(ctx, id, cliPerson()); err != nil && !errors.Is(err, customer.ErrNotProposed) {
		return err
	}
	if err := caughtUp(); err != nil {
		return err
	}
	report, position, err := s.Customers.Erase(ctx, id)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("erased; %d orders and %d reviews lost who made them, %d subscriptions ended, %d files deleted\n%s",
		report.Orders, report.Reviews, report.Subscriptions, report.Files, terminal.BeyondReach)
	if position == 0 {
		said = "erased before\n"
	}
	_, err = fmt.Fprintf(w.Stdout, "%s: %s", id, said)
	return err
}
