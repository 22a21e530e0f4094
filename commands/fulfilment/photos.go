package fulfilment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Photograph keeps a photo that a courier took at an own stop of today. The order of somebody else, or of another day, is
// order.ErrUnknown. A refused photo leaves nothing.
func (p Parcels) Photograph(ctx context.Context, courier, id domain.ID, photo io.ReadSeeker) (_ eventstore.Position, err error) {
	photographed := func(s order.State, photo domain.ID, at time.Time) ([]order.Command, error) {
		if !own(s, courier, at) {
			return nil, order.ErrUnknown
		}
		return []order.Command{order.PhotographDelivery{PhotoID: photo, At: at}}, nil
	}
	// What the order refuses whatever the photo shows costs nothing.
	state, err := commands.See(ctx, p.Orders.Handler, commands.OrderStream(id))
	if err != nil {
		return 0, fmt.Errorf("see order %s: %w", id, err)
	}
	all, err := photographed(state, domain.ID{}, p.Orders.Handler.Now())
	if err != nil {
		return 0, err
	}
	if _, err := order.Decider.Decide(all[0], state); err != nil {
		return 0, err
	}
	ids, err := p.Album.Add(ctx, id, photo)
	if err != nil {
		return 0, err
	}
	position, err := p.Orders.Do(ctx, id, func(u *commands.Unit, s order.State) ([]order.Command, error) {
		return photographed(s, ids[0], u.At())
	})
	if err != nil {
		return 0, errors.Join(err, p.discard(ctx, id, ids[0]))
	}
	return position, nil
}

// discard takes back a photo that no order came to have, unless the log has it: an append may succeed and its answer be lost.
func (p Parcels) discard(ctx context.Context, id, photo domain.ID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	state, err := commands.See(ctx, p.Orders.Handler, commands.OrderStream(id))
	if err != nil || slices.Contains(state.DeliveryPhotos, photo) {
		return err
	}
	return p.Album.Remove(ctx, id, photo)
}

// RemovePhotos takes all photos of its hand-over out of an order; policies.DeletePhotos deletes the files.
func (p Parcels) RemovePhotos(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return p.one(ctx, id, func(at time.Time) order.Command { return order.RemoveDeliveryPhotos{At: at} })
}
