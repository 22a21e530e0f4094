package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/securitylog"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/review"
	"shop/eventstore"
)

// Guests forget who made a guest's order or wrote a review. The event is what is decided: read models follow it at once.
// CarryOut deletes the keys and all else that names the person.
type Guests struct {
	Handler *commands.Handler
	Keys    keys
	Letters letterFiles
	// Records are those of the security log; nil: none.
	Records records
	// Kept are the read models beside the live ones.
	Kept kept
	// Waiting are the orders that wait for an account with their e-mail.
	Waiting waitingOrders
	Pages   paymentPages
	// Links know the links in letters.
	Links reviewLinks
}

// kept are the read models that are not live; rebuild.Builder has them.
type kept interface {
	// Forget removes them once for several persons: each event is the last of its stream that shows one.
	Forget(ctx context.Context, event string, streams ...string) error
}

// waitingOrders takes orders off the list of those that wait for an account; accounts.Accounts does.
type waitingOrders interface {
	ForgetGuestOrders(ctx context.Context, orders ...uuid.UUID) error
}

// reviewLinks know the link to a review; mail.Links does.
type reviewLinks interface {
	OpensReview(review domain.ID, key string) bool
}

// ForgetOrder decides to forget who made a guest's order. One that is under way is order.ErrOpen, one of an account
// order.ErrOfAccount. A position of 0: it was decided before.
func (g *Guests) ForgetOrder(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	position, err := commands.Change(ctx, g.Handler, commands.OrderStream(id), func(u *commands.Unit) order.Command { return order.ForgetGuest{At: u.At()} })
	note(ctx, securitylog.Entry{Kind: securitylog.Erasure, Outcome: securitylog.Asked, How: "order", About: id}, err)
	return position, err
}

// ForgetReview decides to forget who wrote a review, and its text and photos. The rating stays.
func (g *Guests) ForgetReview(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	_, position, err := forgetReview(ctx, g.Handler, id)
	note(ctx, securitylog.Entry{Kind: securitylog.Erasure, Outcome: securitylog.Asked, How: "review", About: id}, err)
	return position, err
}

// ForgetOwnReview is ForgetReview for whoever has the link of the letter; without it the review is review.ErrUnknown.
func (g *Guests) ForgetOwnReview(ctx context.Context, id domain.ID, key string) (eventstore.Position, error) {
	if g.Links == nil || !g.Links.OpensReview(id, key) {
		return 0, review.ErrUnknown
	}
	return g.ForgetReview(ctx, id)
}

// found is what the log says of those who are to be forgotten.
type found struct {
	orders          []uuid.UUID
	orderStreams    []string
	reviewStreams   []string
	persons         []domain.ID
	letterAddresses []string
}

// CarryOut deletes what names the persons of forgotten orders and reviews, named by their streams: their keys first, then
// letters, the read models that are kept or built, and what waits. It may be repeated. Photos follow their own event.
func (g *Guests) CarryOut(ctx context.Context, streams ...string) (err error) {
	ctx, end := commands.StartSpan(ctx, "forget guests")
	defer end(&err)
	them, err := g.find(ctx, streams)
	if err != nil || len(them.persons)+len(them.reviewStreams) == 0 {
		return err
	}
	if err := forgetLetters(g.Letters, them.letterAddresses); err != nil {
		return err
	}
	if err := forgetRecords(ctx, g.Records, them.persons, them.letterAddresses); err != nil {
		return err
	}
	for _, person := range them.persons {
		if err := g.Keys.ErasePerson(ctx, person); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		event   string
		streams []string
	}{{order.Forgotten{}.EventType(), them.orderStreams}, {review.Forgotten{}.EventType(), them.reviewStreams}} {
		if len(c.streams) == 0 {
			continue
		}
		if err := g.Kept.Forget(ctx, c.event, c.streams...); err != nil {
			return err
		}
	}
	if len(them.orders) > 0 {
		if err := g.Waiting.ForgetGuestOrders(ctx, them.orders...); err != nil {
			return err
		}
		if err := g.Pages.ForgetLinks(ctx, them.orders...); err != nil {
			return err
		}
	}
	// Both could grow until now.
	return errors.Join(forgetLetters(g.Letters, them.letterAddresses), forgetRecords(ctx, g.Records, them.persons, them.letterAddresses))
}

// find reads who made the orders and wrote the reviews of some streams. It leaves out orders that a customer placed, because those are
// forgotten with the account, and keys that are an account's.
func (g *Guests) find(ctx context.Context, streams []string) (them found, err error) {
	from := make([]eventstore.From, len(streams))
	for i, stream := range streams {
		from[i] = eventstore.From{Stream: stream}
	}
	events, err := g.Handler.Events(ctx, from...)
	if err != nil {
		return them, fmt.Errorf("find who is to be forgotten: %w", err)
	}
	for _, stream := range streams {
		for _, event := range events[stream] {
			address := ""
			switch e := event.Data.(type) {
			case order.Placed:
				if e.CustomerID != uuid.Nil {
					continue
				}
				them.orders, them.orderStreams, them.persons = append(them.orders, e.ID), append(them.orderStreams, stream), append(them.persons, e.PersonID)
				address = e.Contact.Email
			case review.Posted:
				them.reviewStreams = append(them.reviewStreams, stream)
				if e.PersonID != e.CustomerID { // else the key is the account's, as it was before reviews had keys of their own
					them.persons = append(them.persons, e.PersonID)
				}
				if e.CustomerID == uuid.Nil {
					address = e.Author.Email
				}
			}
			if address != "" {
				them.letterAddresses = append(them.letterAddresses, address, customer.NormalEmail(address))
			}
		}
	}
	return them, nil
}

// forgetReview makes a review nobody's and says how many photos it had; policies.DeletePhotos deletes their files.
func forgetReview(ctx context.Context, h *commands.Handler, id domain.ID) (photos int, _ eventstore.Position, err error) {
	written := commands.ReviewStream(id)
	position, err := h.Do(ctx, false, func(u *commands.Unit) error {
		if err := u.Load(written); err != nil {
			return err
		}
		photos = len(written.State(u).PhotoIDs)
		if photos > 0 {
			if err := written.Do(u, review.RemovePhotos{At: u.At()}); err != nil {
				return err
			}
		}
		return written.Do(u, review.Forget{At: u.At()})
	})
	return photos, position, err
}
