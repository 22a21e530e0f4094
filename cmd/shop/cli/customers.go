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
	"shop/cmd/shop/terminal"
	"shop/commands/photos"
	"shop/domain/customer"
	"shop/readapi/staff"
)

func customersCommand(w terminal.World) *cobra.Command {
	return group("customers", "Show customers, sign them out and erase them", customersList(w), customersShow(w), customersSignOut(w), customersErase(w))
}

func customersList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List the accounts, newest first, without names", Args: cobra.NoArgs,
	}
	format := formatFlag(cmd)
	limit, offset := pageFlags(cmd, 50)
	cmd.PreRunE = func(*cobra.Command, []string) error { return checkPage(*limit, *offset) }
	cmd.RunE = withShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
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
			terminal.Left("VERIFIED", func(c staff.CustomerLine) string { return yesNo(c.Verified) }),
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
		RunE: withShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
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
		RunE: withShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			ended, err := s.Customers.SignOutEverywhere(ctx, uuid.MustParse(args[0]))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.Stdout, "%s: %d sign-ins ended\n", args[0], ended)
			return err
		}),
	}
}

// beyondReach is what an erasure leaves, because the shop cannot get at it.
const beyondReach = `The shop cannot reach, so delete there what the law asks for:
- what the payment provider keeps of payments
- traces and logs that were sent to a collector
- dumps and exports made before, and keys that were exported
- the write-ahead log and its archives, until they are recycled
- letters in mailboxes
`

func customersErase(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "erase ID", Short: "Erase a customer for ever", Args: customerID,
		Long: "Close an account, end its sign-ins and delete the keys of the person and of their orders: no event, read model, export or\n" +
			"rebuild shows their personal data again. Sums stay. An erasure cannot be undone.\n\n" + beyondReach,
		RunE: withShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			id := uuid.MustParse(args[0])
			if err := s.PhotosHome("").Check(ctx); err != nil && !errors.Is(err, photos.ErrUnclaimed) {
				return err // files would stay
			}
			if err := s.CatchUp(ctx, w, "orders", "reviews", "restock"); err != nil {
				return err
			}
			if _, err := s.Customers.RequestErasure(ctx, id, "staff"); err != nil {
				return err
			}
			if err := s.CatchUp(ctx, w, "orders", "reviews", "restock"); err != nil {
				return err
			}
			report, position, err := s.Customers.Erase(ctx, id)
			if err != nil {
				return err
			}
			if position == 0 {
				_, err = fmt.Fprintf(w.Stdout, "%s: erased before\n", id)
				return err
			}
			_, err = fmt.Fprintf(w.Stdout, "%s: erased; %d orders and %d reviews lost who made them, %d subscriptions ended, %d files deleted\n%s",
				id, report.Orders, report.Reviews, report.Subscriptions, report.Files, beyondReach)
			return err
		}),
	}
}
