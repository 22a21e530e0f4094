package identity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/identity/securitylog"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/eventstore"
)

// keys deletes the key of a person; eventstore.Store does.
type keys interface {
	ErasePerson(ctx context.Context, person uuid.UUID) error
}

// letterFiles removes the files of letters to some addresses; mail.Folder does.
type letterFiles interface {
	Forget(addresses ...string) (removed int, err error)
}

// Leaver deletes what a part of the shop holds of a customer who leaves, and adds to the report what went. It may be
// asked again after a crash.
type Leaver interface {
	Leave(ctx context.Context, customer domain.ID, report *customer.Report) error
}

// Leave shuts the account of who gives its password.
func (a *Accounts) Leave(ctx context.Context, id domain.ID, password string) (eventstore.Position, error) {
	if _, err := a.SignIns.IsPassword(ctx, id, password); err != nil {
		return 0, wrongPassword("password", err)
	}
	return a.RequestErasure(ctx, id, "customer")
}

// RequestErasure shuts an account and ends its sign-ins; by is customer or staff. Erase does the rest.
func (a *Accounts) RequestErasure(ctx context.Context, id domain.ID, by string) (_ eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "request erasure")
	defer end(&err)
	return a.shut(ctx, id, by, func(open int64, at time.Time) customer.Command {
		return customer.RequestErasure{By: by, OpenOrders: open, At: at}
	})
}

// ConfirmErasure shuts an account whose erasure another account of staff proposed; Erase does the rest.
func (a *Accounts) ConfirmErasure(ctx context.Context, id, staffID domain.ID) (_ eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "confirm erasure")
	defer end(&err)
	return a.shut(ctx, id, "staff", func(open int64, at time.Time) customer.Command {
		return customer.ConfirmErasure{By: staffID, OpenOrders: open, At: at}
	})
}

// shut asks for an erasure in the name of customer or staff, knowing how many orders are open, and ends the sign-ins.
func (a *Accounts) shut(ctx context.Context, id domain.ID, by string, command func(open int64, at time.Time) customer.Command) (eventstore.Position, error) {
	ids, err := a.Orders.OrdersOf(ctx, id)
	if err != nil {
		return 0, err
	}
	position, err := a.Handler.Do(ctx, false, func(u *commands.Unit) error {
		stream := commands.CustomerStream(id)
		refs := []commands.Ref{stream}
		for orderID := range ids {
			refs = append(refs, commands.OrderStream(orderID))
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		var open int64
		for orderID := range ids {
			switch commands.OrderStream(orderID).State(u).Status {
			case order.StatusCompleted, order.StatusCancelled, order.StatusRefunded:
			default:
				open++
			}
		}
		return stream.Do(u, command(open, u.At()))
	})
	if err != nil {
		return 0, fmt.Errorf("request erasure of %s: %w", id, err)
	}
	note(ctx, securitylog.Entry{Kind: securitylog.Erasure, Outcome: securitylog.Asked, About: id}, nil)
	return position, a.SignIns.Drop(context.WithoutCancel(ctx), id)
}

// Erase forgets a customer who asked for it: sign-ins, files, keys, and in the orders who made them. It may be repeated
// after a crash, and adds nothing once it is done. The list of orders must show everything up to the request.
func (a *Accounts) Erase(ctx context.Context, id domain.ID) (_ customer.Report, position eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "erase customer")
	defer end(&err)
	var report customer.Report
	state, err := commands.See(ctx, a.Handler, commands.CustomerStream(id))
	if err != nil {
		return report, 0, err
	}
	switch {
	case !state.Exists():
		return report, 0, customer.ErrUnknown
	case !state.Leaving:
		return report, 0, customer.ErrNotRequested
	case state.Erased:
		return report, 0, nil
	}
	if err := a.SignIns.Drop(ctx, id); err != nil {
		return report, 0, err
	}
	orders, err := a.Orders.OrdersOf(ctx, id)
	if err != nil {
		return report, 0, err
	}
	// Before the keys: afterwards nobody knows the addresses. After the leavers once more: until then a letter could be sent.
	addresses, err := a.addressesOf(ctx, id, orders)
	if err != nil {
		return report, 0, err
	}
	if err := forgetLetters(a.Letters, addresses); err != nil {
		return report, 0, err
	}
	if err := forgetRecords(ctx, a.Records, []uuid.UUID{id}, addresses); err != nil {
		return report, 0, err
	}
	persons := map[domain.ID]bool{id: true}
	for _, person := range orders {
		persons[person] = true
	}
	for person := range persons {
		if err := a.Keys.ErasePerson(ctx, person); err != nil {
			return report, 0, err
		}
	}
	for orderID := range orders {
		if _, err := commands.Change(ctx, a.Handler, commands.OrderStream(orderID), func(u *commands.Unit) order.Command { return order.Forget{At: u.At()} }); err != nil {
			return report, 0, err
		}
		report.Orders++
	}
	for _, leaver := range a.Leavers {
		if err := leaver.Leave(ctx, id, &report); err != nil {
			return report, 0, fmt.Errorf("erase customer %s: %w", id, err)
		}
	}
	if err := errors.Join(forgetLetters(a.Letters, addresses), forgetRecords(ctx, a.Records, []uuid.UUID{id}, addresses)); err != nil {
		return report, 0, err
	}
	position, err = commands.Change(ctx, a.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
		return customer.Erase{Report: report, At: u.At()}
	})
	if err != nil || state.Email == "" { // empty: an earlier attempt had deleted the key
		return report, position, err
	}
	err = a.SignIns.Tx(ctx, func(tx pgx.Tx) error {
		return a.Mail.Send(ctx, tx, Letter{To: state.Email, Content: ErasedLetter{greeted(state), report}, Language: state.Language, Expires: a.Handler.Now().Add(24 * time.Hour)})
	})
	return report, position, err
}

// addressesOf are the e-mails that letters to a customer went to: those of the account, now and before, and of the orders.
func (a *Accounts) addressesOf(ctx context.Context, id domain.ID, orders map[domain.ID]domain.ID) (addresses []string, err error) {
	from := []eventstore.From{{Stream: customer.Stream(id)}}
	for orderID := range orders {
		from = append(from, eventstore.From{Stream: order.Stream(orderID)})
	}
	streams, err := a.Handler.Events(ctx, from...)
	if err != nil {
		return nil, fmt.Errorf("find addresses of customer %s: %w", id, err)
	}
	for _, events := range streams {
		for _, event := range events {
			switch e := event.Data.(type) {
			case customer.Registered:
				addresses = append(addresses, e.Email)
			case customer.EmailChangeRequested:
				addresses = append(addresses, e.Email)
			case customer.EmailVerified:
				addresses = append(addresses, e.Email, e.Previous)
			case order.Placed:
				addresses = append(addresses, e.Contact.Email)
			}
		}
	}
	return slices.DeleteFunc(addresses, func(address string) bool { return address == "" }), nil
}

// forgetLetters removes the files of letters to some addresses; without a folder there are none.
func forgetLetters(letters letterFiles, addresses []string) error {
	if letters == nil || len(addresses) == 0 {
		return nil
	}
	if _, err := letters.Forget(addresses...); err != nil {
		return fmt.Errorf("forget letters: %w", err)
	}
	return nil
}

// Join gives a guest's order to the customer whose proved e-mail it has. An account that was shut or has another e-mail by
// now gets nothing.
func (a *Accounts) Join(ctx context.Context, orderID, id domain.ID, email string) (eventstore.Position, error) {
	position, err := a.Handler.Do(ctx, false, func(u *commands.Unit) error {
		who, what := commands.CustomerStream(id), commands.OrderStream(orderID)
		if err := u.Load(who, what); err != nil {
			return err
		}
		if state := who.State(u); !state.Open() || !state.Verified || state.Email != email {
			return nil
		}
		u.Assert(who)
		err := what.Do(u, order.Join{CustomerID: id, At: u.At()})
		if errors.Is(err, order.ErrNotGuest) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("join order %s: %w", orderID, err)
	}
	return position, nil
}
