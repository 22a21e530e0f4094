package policies

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/commands/notices"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/review"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// board takes notices to staff; notices.Board does.
type board interface {
	Announce(ctx context.Context, tx notices.Execer, all []notices.Notice) error
}

// Notices decides which events staff are told of at once. What goes wrong without an event is noticed by notices.Watch.
type Notices struct {
	Log   streams
	Board board
	// Since is when this shop began to tell its staff: earlier events tell nobody anything.
	Since time.Time
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
}

const (
	// toldFor is how old an event may be and still be told at once: no longer than the board remembers what it told.
	toldFor = 24 * time.Hour
	// fewStars is the most stars of a review that staff are told of.
	fewStars = 2
)

// Consumer is the policy's place on the feed.
func (p Notices) Consumer() feed.Consumer {
	return feed.Consumer{
		Name: "notices", Revision: revisions["notices"], Together: true,
		Types:  []string{order.Placed{}.EventType(), order.PaymentFailed{}.EventType(), review.Posted{}.EventType()},
		Handle: p.Handle,
	}
}

// Handle announces what a batch of events tells.
func (p Notices) Handle(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
	var all []notices.Notice
	for _, e := range events {
		if e.Metadata.Imported || e.RecordedAt.Before(p.Since) || now(p.Clock).Sub(e.RecordedAt) > toldFor {
			continue
		}
		cause, about, err := p.tells(ctx, e)
		if err != nil {
			return err
		}
		if cause != "" {
			all = append(all, notices.Notice{ID: e.ID, Cause: cause, About: about, At: e.RecordedAt})
		}
	}
	return p.Board.Announce(ctx, tx, all)
}

// tells is what an event tells staff; an empty cause: nothing.
func (p Notices) tells(ctx context.Context, e eventstore.Event) (cause notices.Cause, about notices.About, err error) {
	switch data := e.Data.(type) {
	case order.Placed:
		if !data.Imported() {
			return notices.NewOrder, notices.About{Number: data.Number, Sum: data.Calculation.TotalPaid}, nil
		}
	case order.PaymentFailed:
		events, err := p.Log.Stream(ctx, e.Stream, 0, 0)
		if err != nil {
			return "", about, fmt.Errorf("read whose payment failed: %w", err)
		}
		placed := fold(order.Decider, events).Placed
		return notices.PaymentFailed, notices.About{Number: placed.Number, Sum: placed.Calculation.PayableNow}, nil
	case review.Posted:
		if data.Rating > fewStars {
			return "", about, nil
		}
		name, article, err := p.product(ctx, data.ProductID)
		return notices.LowReview, notices.About{Product: name, Article: article, Stars: data.Rating}, err
	}
	return "", about, nil
}

func (p Notices) product(ctx context.Context, id domain.ID) (name, article string, err error) {
	events, err := p.Log.Stream(ctx, catalog.ProductStream(id), 0, 0)
	if err != nil {
		return "", "", fmt.Errorf("read the product: %w", err)
	}
	product := fold(catalog.ProductDecider, events)
	return product.Text.Name, product.Article, nil
}
