package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
	"shop/commands/fulfilment"
	"shop/domain/order"
	"shop/eventstore"
)

// parcelChange makes a subcommand of orders that says something of a parcel.
func parcelChange(w terminal.World, use, short string, do func(ctx context.Context, s *app.Shop, p fulfilment.Parcels, id uuid.UUID) (eventstore.Position, error)) *cobra.Command {
	return &cobra.Command{Use: use + " NUMBER", Short: short, Args: oneNumber, RunE: changeOrder(w, func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
		orders, err := s.Orders()
		if err != nil {
			return 0, err
		}
		return do(ctx, s, fulfilment.Parcels{Orders: orders}, id)
	})}
}

func ordersPack(w terminal.World) *cobra.Command {
	var reason string
	cmd := parcelChange(w, "pack", "Say that an order's goods are in its parcel", func(ctx context.Context, _ *app.Shop, p fulfilment.Parcels, id uuid.UUID) (eventstore.Position, error) {
		return p.Pack(ctx, id, nil, reason)
	})
	cmd.Flags().StringVar(&reason, "reason", "packed on the command line", "why the goods were not checked one by one")
	return cmd
}

func ordersHandOver(w terminal.World) *cobra.Command {
	var courier, carrier, tracking string
	cmd := parcelChange(w, "hand-over", "Give an order's parcel to a courier or a carrier", func(ctx context.Context, s *app.Shop, p fulfilment.Parcels, id uuid.UUID) (eventstore.Position, error) {
		to := order.HandOver{Tracking: tracking}
		if carrier != "" {
			to.Carrier = order.CarrierOf(carrier).Code
		}
		if courier != "" {
			account, err := s.Accounts.Find(ctx, courier)
			if err != nil {
				return 0, fmt.Errorf("find courier %s: %w", courier, err)
			}
			to.Courier = account.ID
		}
		return p.HandOver(ctx, id, to)
	})
	cmd.Flags().StringVar(&courier, "courier", "", "e-mail of the courier's account")
	cmd.Flags().StringVar(&carrier, "carrier", "", "the carrier, such as kazpost, cdek or dhl")
	cmd.Flags().StringVar(&tracking, "tracking", "", "the carrier's number of the parcel")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if (courier == "") == (carrier == "") {
			return terminal.Usage(errors.New("want --courier, or --carrier with --tracking"))
		}
		return nil
	}
	return cmd
}

func ordersDeliver(w terminal.World) *cobra.Command {
	return parcelChange(w, "deliver", "Say that the customer has the goods; a paid order completes", func(ctx context.Context, _ *app.Shop, p fulfilment.Parcels, id uuid.UUID) (eventstore.Position, error) {
		return p.Deliver(ctx, id)
	})
}

func ordersNotDelivered(w terminal.World) *cobra.Command {
	var reason, day string
	cmd := parcelChange(w, "not-delivered", "Say that an order's parcel came back", func(ctx context.Context, _ *app.Shop, p fulfilment.Parcels, id uuid.UUID) (eventstore.Position, error) {
		return p.NotDeliver(ctx, id, reason, day)
	})
	cmd.Flags().StringVar(&reason, "reason", order.NotDeliveredReasons[0], strings.Join(order.NotDeliveredReasons, ", "))
	cmd.Flags().StringVar(&day, "day", "", "the new day, YYYY-MM-DD")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if !slices.Contains(order.NotDeliveredReasons, reason) {
			return terminal.Usage(fmt.Errorf("--reason: want one of %s", strings.Join(order.NotDeliveredReasons, ", ")))
		}
		return nil
	}
	return cmd
}
