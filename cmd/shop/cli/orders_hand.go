package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain/order"
	"shop/eventstore"
)

// ordersPay records money that no provider reports, and what becomes of it.
func ordersPay(w terminal.World) *cobra.Command {
	methods := make([]string, len(order.HandMethods))
	for i, m := range order.HandMethods {
		methods[i] = string(m)
	}
	var method, reference string
	var amount int64
	var confirm, withdraw bool
	cmd := &cobra.Command{
		Use: "pay NUMBER", Short: "Record money that came without a provider", Args: oneNumber,
		Long: "Record money that came without a provider. A sum above the rule hand_confirm_above waits until somebody else\n" +
			"confirms it with --confirm and the same --reference; --withdraw takes it back.",
		Example: "  shop orders pay 100001 --method TRANSFER --reference KZ-77 --amount 12500\n  shop orders pay 100001 --reference KZ-77 --confirm",
		PreRunE: func(*cobra.Command, []string) error {
			switch {
			case reference == "":
				return terminal.Usage(errors.New("want --reference"))
			case confirm && withdraw:
				return terminal.Usage(errors.New("want --confirm or --withdraw"))
			case confirm || withdraw:
				return nil
			case amount < 1:
				return terminal.Usage(errors.New("--amount begins at 1"))
			}
			if err := app.OneOf(method, methods...); err != nil {
				return terminal.Usage(errors.Join(errors.New("--method"), err))
			}
			return nil
		},
		RunE: changeOrder(w, func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
			orders, err := s.Orders()
			switch {
			case err != nil:
				return 0, err
			case confirm:
				return orders.ConfirmByHand(ctx, id, reference)
			case withdraw:
				return orders.WithdrawByHand(ctx, id, reference)
			}
			position, _, err := orders.PayByHand(ctx, id, commands.HandPayment{Method: order.HandMethod(method), Reference: reference, Amount: amount})
			return position, err
		}),
	}
	cmd.Flags().StringVar(&method, "method", "", strings.Join(methods, ", "))
	cmd.Flags().StringVar(&reference, "reference", "", "the payment's number in the books of the bank or the desk")
	cmd.Flags().Int64Var(&amount, "amount", 0, "tenge")
	cmd.Flags().BoolVar(&confirm, "confirm", false, "confirm money that somebody else recorded")
	cmd.Flags().BoolVar(&withdraw, "withdraw", false, "take back money that waits to be confirmed")
	return cmd
}
