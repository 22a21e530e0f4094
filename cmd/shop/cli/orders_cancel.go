package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain"
	"shop/readapi/staff"
)

// ordersCancel cancels one order or many: what becomes of one stops no other.
func ordersCancel(w terminal.World) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "cancel NUMBER...", Short: "Cancel orders and refund their payments",
		Long:    "Cancel orders and refund their payments. The result of each order is printed. When an order cannot be cancelled the exit status is 1; the others are cancelled.",
		Example: "  shop orders cancel 100001 100002 100003 --reason 'nobody answers the phone'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("want one order number or more")
			}
			for _, arg := range args {
				if err := oneNumber(nil, []string{arg}); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why; the orders show it")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		orders, err := s.Orders()
		if err != nil {
			return err
		}
		if err := s.CatchUp(ctx, w, "orders"); err != nil {
			return err
		}
		numbers := make([]int64, len(args))
		for i, arg := range args {
			numbers[i], _ = strconv.ParseInt(arg, 10, 64) // Args has looked at it
		}
		known, err := staff.Shop{DB: s.Pool}.OrderIDs(ctx, numbers)
		if err != nil {
			return err
		}
		failed := 0
		for _, number := range numbers {
			said, err := cancelOne(ctx, orders, known[number], reason)
			if err != nil {
				failed++
				said = "not cancelled: " + err.Error()
			}
			if _, err := fmt.Fprintf(w.Stdout, "order %d: %s\n", number, said); err != nil {
				return err
			}
		}
		if failed > 0 {
			return fmt.Errorf("%d of %d orders were not cancelled", failed, len(numbers))
		}
		return nil
	})
	return cmd
}

// cancelOne cancels an order and says what became of it.
func cancelOne(ctx context.Context, orders *commands.Orders, id uuid.UUID, reason string) (string, error) {
	if id == uuid.Nil {
		return "", errors.New("there is no such order")
	}
	position, err := orders.Cancel(ctx, id, "staff", reason)
	var refusal *domain.Refusal
	if errors.As(err, &refusal) {
		return "", refusal // without the way it came
	}
	if err != nil {
		return "", err
	}
	stands, err := orders.Standing(ctx, id)
	if err != nil {
		return "", err
	}
	if position == 0 {
		return fmt.Sprintf("nothing to change, it is %s", stands.Status), nil
	}
	return string(stands.Status), nil
}
