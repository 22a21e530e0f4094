package commands

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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

// Leave is DELETE /api/auth/profile/ with the password: the account is shut at once and then forgotten.
func (a *Accounts) Leave(w http.ResponseWriter, r *http.Request) error {
	id := CustomerOf(r.Context())
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	password := f.password("password")
	if err := f.done(); err != nil {
		return err
	}
	if _, err := a.SignIns.IsPassword(r.Context(), id, password); err != nil {
		return tooMany(w, wrongPassword("password", err))
	}
	position, err := a.RequestErasure(r.Context(), id, "customer")
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusAccepted, said(msgErasing))
}

// RequestErasure shuts an account and ends its sign-ins; by is customer or staff. Erase does the rest.
func (a *Accounts) RequestErasure(ctx context.Context, id domain.ID, by string) (_ eventstore.Position, err error) {
	ctx, end := begin(ctx, "request erasure")
	defer end(&err)
	ids, err := a.Orders.OrdersOf(ctx, id)
	if err != nil {
		return 0, err
	}
	position, err := a.Handler.Do(ctx, false, func(u *Unit) error {
		stream := customerStream(id)
		refs := []Ref{stream}
		for orderID := range ids {
			refs = append(refs, orderStream(orderID))
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		var open int64
		for orderID := range ids {
			switch orderStream(orderID).State(u).Status {
			case order.StatusCompleted, order.StatusCancelled, order.StatusRefunded:
			default:
				open++
			}
		}
		return stream.Do(u, customer.RequestErasure{By: by, OpenOrders: open, At: u.At()})
	})
	if err != nil {
		return 0, fmt.Errorf("request erasure of %s: %w", id, err)
	}
	return position, a.SignIns.Drop(context.WithoutCancel(ctx), id)
}

// Erase forgets a customer who asked for it: sign-ins, files, keys, and in the orders who made them. It may be repeated
// after a crash, and adds nothing once it is done. The list of orders must show everything up to the request.
func (a *Accounts) Erase(ctx context.Context, id domain.ID) (_ customer.Report, position eventstore.Position, err error) {
	ctx, end := begin(ctx, "erase customer")
	defer end(&err)
	var report customer.Report
	state, err := see(ctx, a.Handler, customerStream(id))
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
	if err := a.forgetLetters(addresses); err != nil {
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
		if _, err := one(ctx, a.Handler, orderStream(orderID), func(u *Unit) order.Command { return order.Forget{At: u.At()} }); err != nil {
			return report, 0, err
		}
		report.Orders++
	}
	for _, leaver := range a.Leavers {
		if err := leaver.Leave(ctx, id, &report); err != nil {
			return report, 0, fmt.Errorf("erase customer %s: %w", id, err)
		}
	}
	if err := a.forgetLetters(addresses); err != nil {
		return report, 0, err
	}
	position, err = one(ctx, a.Handler, customerStream(id), func(u *Unit) customer.Command {
		return customer.Erase{Report: report, At: u.At()}
	})
	if err != nil || state.Email == "" { // empty: an earlier attempt had deleted the key
		return report, position, err
	}
	err = a.SignIns.Tx(ctx, func(tx pgx.Tx) error {
		name := ""
		if state.Verified {
			name = state.Profile.FirstName
		}
		return a.Mail.Send(ctx, tx, Letter{To: state.Email, Content: ErasedLetter{name, report}, Expires: a.Handler.Now().Add(24 * time.Hour)})
	})
	return report, position, err
}

// addressesOf are the e-mails that letters to a customer went to: those of the account, now and before, and of the orders.
func (a *Accounts) addressesOf(ctx context.Context, id domain.ID, orders map[domain.ID]domain.ID) (addresses []string, err error) {
	from := []eventstore.From{{Stream: customer.Stream(id)}}
	for orderID := range orders {
		from = append(from, eventstore.From{Stream: order.Stream(orderID)})
	}
	streams, err := a.Handler.log.Load(ctx, from...)
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

// forgetLetters removes the files of letters to some addresses.
func (a *Accounts) forgetLetters(addresses []string) error {
	if a.Letters == nil || len(addresses) == 0 {
		return nil
	}
	if _, err := a.Letters.Forget(addresses...); err != nil {
		return fmt.Errorf("forget letters: %w", err)
	}
	return nil
}

// Join gives a guest's order to the customer whose proved e-mail it has. An account that was shut or has another e-mail by
// now gets nothing.
func (a *Accounts) Join(ctx context.Context, orderID, id domain.ID, email string) (eventstore.Position, error) {
	position, err := a.Handler.Do(ctx, false, func(u *Unit) error {
		who, what := customerStream(id), orderStream(orderID)
		if err := u.Load(who, what); err != nil {
			return err
		}
		if state := who.State(u); !state.Open() || !state.Verified || state.Email != email {
			return nil
		}
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
