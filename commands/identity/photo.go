package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"shop/commands"
	"shop/commands/photos"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

// SetPhoto shows a photo on a profile. The one shown before is deleted by policies.DeletePhotos.
func (a *Accounts) SetPhoto(ctx context.Context, id domain.ID, photo io.ReadSeeker) (Profile, eventstore.Position, error) {
	ids, err := a.Album.Add(ctx, id, photo)
	if err != nil {
		var refusal *domain.Refusal
		if errors.As(err, &refusal) {
			return Profile{}, 0, commands.WrongField("profile_image", refusal.Message)
		}
		return Profile{}, 0, err
	}
	view, position, err := a.showPhoto(ctx, id, customer.ChangePhoto{PhotoID: ids[0], At: a.Handler.Now()})
	if err != nil {
		return Profile{}, 0, errors.Join(err, a.discardPhoto(ctx, id, ids[0]))
	}
	return view, position, nil
}

// RemovePhoto shows none.
func (a *Accounts) RemovePhoto(ctx context.Context, id domain.ID) (Profile, eventstore.Position, error) {
	return a.showPhoto(ctx, id, customer.RemovePhoto{At: a.Handler.Now()})
}

// showPhoto changes which photo a profile shows.
func (a *Accounts) showPhoto(ctx context.Context, id domain.ID, c customer.Command) (_ Profile, _ eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "change photo")
	defer end(&err)
	stream, ledger := commands.CustomerStream(id), commands.BonusStream(id)
	var state customer.State
	var bonuses domain.Money
	position, err := a.Handler.Do(ctx, false, func(u *commands.Unit) error {
		if err := u.Load(stream, ledger); err != nil {
			return err
		}
		if !stream.State(u).Open() {
			return commands.ErrSignedOut
		}
		err := stream.Do(u, c)
		state, bonuses = stream.State(u), ledger.State(u).Spendable()
		return err
	})
	if err != nil {
		return Profile{}, 0, fmt.Errorf("change photo: %w", err)
	}
	view, err := a.profileOf(ctx, state, bonuses)
	return view, position, err
}

// discardPhoto takes back a photo that no profile came to show, unless the log has it: an append may succeed and its
// answer be lost.
func (a *Accounts) discardPhoto(ctx context.Context, id, photo domain.ID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	state, err := commands.See(ctx, a.Handler, commands.CustomerStream(id))
	if err != nil || state.Open() && state.PhotoID == photo {
		return err
	}
	return a.Album.Remove(ctx, id, photo)
}

// Portraits are the photos of customers, which go when they leave.
type Portraits struct{ Album *photos.Album }

// Leave deletes them, and counts them in the report.
func (p Portraits) Leave(ctx context.Context, id domain.ID, report *customer.Report) error {
	n, err := p.Album.RemoveAll(ctx, id)
	report.Files += int64(n)
	return err
}
