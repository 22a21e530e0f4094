package policies

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/domain/stock"
	"shop/eventstore"
)

// asked are the ids that a command was asked for, with the actors.
type asked struct {
	ids    []domain.ID
	origin commands.Origin
	err    error
}

func (a *asked) Notify(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	a.ids, a.origin = append(a.ids, id), commands.OriginOf(ctx)
	return 1, a.err
}

func (a *asked) Follow(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return a.Notify(ctx, id)
}

func TestAnotherShopsPastBooksNoBonuses(t *testing.T) {
	t.Parallel()
	a := &asked{}
	theirs := eventstore.Event{Stream: order.Stream(uuid.UUID{15: 5}), Data: order.Completed{}, Metadata: eventstore.Metadata{Imported: true}}
	if err := FollowBonuses(a).Handle(t.Context(), nil, []eventstore.Event{theirs}); err != nil || len(a.ids) != 0 {
		t.Errorf("booked %v, %v", a.ids, err)
	}
}

func TestCommandsFollowEventsOnceABatch(t *testing.T) {
	t.Parallel()
	soap, balm := uuid.UUID{15: 1}, uuid.UUID{15: 2}
	last := uuid.UUID{15: 9}
	a := &asked{}
	c := NotifyRestock(a)
	err := c.Handle(t.Context(), nil, []eventstore.Event{
		{Data: stock.Replenished{ProductID: soap}}, {Data: restock.Subscribed{ProductID: balm}},
		{ID: last, Data: restock.Subscribed{ProductID: soap}},
	})
	if err != nil || len(a.ids) != 2 || a.ids[0] != soap || a.ids[1] != balm {
		t.Errorf("%v, %v", a.ids, err)
	}
	if a.origin.Actor != "system:notify-restock" {
		t.Errorf("%+v", a.origin)
	}
	b := &asked{}
	placed := uuid.UUID{15: 5}
	events := []eventstore.Event{{ID: last, Stream: order.Stream(placed), Data: order.Completed{}, Metadata: eventstore.Metadata{CorrelationID: "request"}}}
	if err := FollowBonuses(b).Handle(t.Context(), nil, events); err != nil || len(b.ids) != 1 || b.ids[0] != placed {
		t.Errorf("%v, %v", b.ids, err)
	}
	if b.origin != (commands.Origin{Correlation: "request", Causation: last.String(), Actor: "system:follow-bonuses"}) {
		t.Errorf("%+v", b.origin)
	}
	b.err = errors.New("the database is away")
	if err := FollowBonuses(b).Handle(t.Context(), nil, events); !errors.Is(err, b.err) {
		t.Errorf("a failure was swallowed: %v", err)
	}
}

// held are photos that the log holds; removed those that were deleted.
type held struct{ there, removed []domain.ID }

func (h *held) HoldsPhoto(_ context.Context, _, photo domain.ID) (bool, error) {
	for _, id := range h.there {
		if id == photo {
			return true, nil
		}
	}
	return false, nil
}

func (h *held) Remove(_ context.Context, _ domain.ID, photos ...domain.ID) error {
	h.removed = append(h.removed, photos...)
	return nil
}

func TestPhotosThatAreThereAgainStay(t *testing.T) {
	t.Parallel()
	old, again := uuid.UUID{15: 1}, uuid.UUID{15: 2}
	h := &held{there: []domain.ID{again}}
	err := DeletePhotos(h, h).Handle(t.Context(), nil, []eventstore.Event{{Data: review.PhotosRemoved{PhotoIDs: []domain.ID{old, again}}}})
	if err != nil || len(h.removed) != 1 || h.removed[0] != old {
		t.Errorf("%v, %v", h.removed, err)
	}
}
