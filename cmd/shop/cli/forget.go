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
	"shop/commands/photos"
	"shop/domain/order"
	"shop/domain/review"
	"shop/eventstore"
	"shop/readapi/staff"
)

func ordersForget(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "forget NUMBER", Short: "Forget for ever who made a guest's order", Args: oneNumber,
		Long: "Delete the key of the guest who made an order that is completed or cancelled: no event, read model, export or rebuild shows name,\n" +
			"contacts or address again. Lines, sums and the city stay. It cannot be undone. Orders of accounts are forgotten with the\n" +
			"account (shop customers erase).\n\n" + terminal.BeyondReach,
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			if err := s.CatchUp(ctx, w, "orders"); err != nil {
				return err
			}
			number, _ := strconv.ParseInt(args[0], 10, 64) // Args has looked at it
			id, found, err := staff.Shop{DB: s.Pool}.OrderID(ctx, number)
			if err != nil {
				return err
			}
			if !found {
				return order.ErrUnknown
			}
			position, err := s.Guests.ForgetOrder(ctx, id)
			switch {
			case errors.Is(err, order.ErrOpen):
				return fmt.Errorf("order %d is under way: it can be forgotten once it is completed or cancelled", number)
			case errors.Is(err, order.ErrOfAccount):
				return fmt.Errorf("order %d belongs to an account: it is forgotten with the account (shop customers erase)", number)
			case err != nil:
				return err
			}
			return carriedOut(ctx, w, s, fmt.Sprintf("order %d", number), order.Stream(id), position)
		}),
	}
}

func reviewsForget(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "forget ID", Short: "Forget for ever who wrote a review, with its text and photos",
		Long: "Delete the key of a review: no event, read model, export or rebuild shows its author, text and contacts again, and its photos are\n" +
			"deleted. The rating and the shop's answer stay. It cannot be undone. The texts of reviews from before schema 2 of review.posted\n" +
			"stay in the log in clear, see docs/operations.md.\n\n" + terminal.BeyondReach,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || uuid.Validate(args[0]) != nil {
				return errors.New("want the id of one review")
			}
			return nil
		},
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
			id := uuid.MustParse(args[0])
			if err := s.PhotosHome("").Check(ctx); err != nil && !errors.Is(err, photos.ErrUnclaimed) {
				return err // files would stay
			}
			position, err := s.Guests.ForgetReview(ctx, id)
			if err != nil {
				return err
			}
			if _, err := s.Album.RemoveAll(ctx, id); err != nil {
				return err
			}
			return carriedOut(ctx, w, s, "review "+args[0], review.Stream(id), position)
		}),
	}
}

// carriedOut deletes what was decided to be forgotten. It is done even when it was decided before: that may have been cut short.
func carriedOut(ctx context.Context, w terminal.World, s *app.Shop, what, stream string, position eventstore.Position) error {
	if err := s.Guests.CarryOut(ctx, stream); err != nil {
		return err
	}
	if position == 0 {
		_, err := fmt.Fprintf(w.Stdout, "%s: nothing to change, it was forgotten before\n", what)
		return err
	}
	_, err := fmt.Fprintf(w.Stdout, "%s: forgotten\n%s", what, terminal.BeyondReach)
	return err
}
