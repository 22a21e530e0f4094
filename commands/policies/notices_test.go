package policies

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands/notices"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/review"
	"shop/eventstore"
)

// announced keeps what a policy announces.
type announced struct{ all []notices.Notice }

func (a *announced) Announce(_ context.Context, _ notices.Execer, all []notices.Notice) error {
	a.all = append(a.all, all...)
	return nil
}

// oneStream answers any stream with the same events.
type oneStream []eventstore.Event

func (s oneStream) Stream(context.Context, string, eventstore.Version, int) ([]eventstore.Event, error) {
	return s, nil
}

func TestStaffAreToldOfNewEventsAlone(t *testing.T) {
	t.Parallel()
	placed := order.Placed{ID: anna, Number: 100_321, Calculation: domain.Calculation{RulesVersion: 1, TotalPaid: 9_000, PayableNow: 9_000}}
	event := func(data any, at time.Time) eventstore.Event {
		return eventstore.Event{ID: uuid.New(), Stream: "order-1", Data: data, RecordedAt: at}
	}
	board := &announced{}
	p := Notices{Log: oneStream{{Data: placed}}, Board: board, Since: noon, Clock: func() time.Time { return noon.Add(48 * time.Hour) }}
	late := noon.Add(47 * time.Hour)
	imported := event(placed, late)
	imported.Metadata.Imported = true
	past := placed
	past.Calculation.RulesVersion = 0
	err := p.Handle(t.Context(), nil, []eventstore.Event{
		event(placed, late), event(order.PaymentFailed{}, late), event(review.Posted{Rating: 2}, late),
		event(review.Posted{Rating: 3}, late), // not a bad one
		event(placed, noon.Add(-time.Hour)),   // before the shop began to tell
		event(placed, noon),                   // so old that it comes from a consumer that begins again
		imported, event(past, late),           // another shop's past
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []notices.Notice{
		{Cause: notices.NewOrder, About: notices.About{Number: 100_321, Sum: 9_000}},
		{Cause: notices.PaymentFailed, About: notices.About{Number: 100_321, Sum: 9_000}},
		{Cause: notices.LowReview, About: notices.About{Stars: 2}},
	}
	if !slices.EqualFunc(board.all, want, func(a, b notices.Notice) bool { return a.Cause == b.Cause && a.About == b.About }) {
		t.Errorf("announced %+v", board.all)
	}
}
