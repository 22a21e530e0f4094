package commands

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"shop/commands/photos"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

const msgOnePhoto = "Выберите одну фотографию"

// SetPhoto is POST /api/auth/profile/photo/: a form with the photo as profile_image. The one shown before is deleted by
// policies.DeletePhotos.
func (a *Accounts) SetPhoto(w http.ResponseWriter, r *http.Request) error {
	f, files, done, err := readMultipart(w, r, "profile_image")
	if err != nil {
		return err
	}
	defer done()
	switch {
	case len(files) > 1:
		f.refuse("profile_image", msgOnePhoto)
	case len(files) == 0 && f.values["profile_image"] == nil:
		f.refuse("profile_image", customer.ErrNoPhoto.Message)
	}
	if err := f.done(); err != nil {
		return err
	}
	id := CustomerOf(r.Context())
	ids, err := a.Album.Add(r.Context(), id, files[0])
	if err != nil {
		var refusal *domain.Refusal
		if errors.As(err, &refusal) {
			return invalid("profile_image", refusal.Message)
		}
		return err
	}
	view, position, err := a.showPhoto(r.Context(), id, customer.ChangePhoto{PhotoID: ids[0], At: a.Handler.Now()})
	if err != nil {
		return errors.Join(err, a.discardPhoto(r.Context(), id, ids[0]))
	}
	written(w, position)
	return answer(w, http.StatusOK, view)
}

// RemovePhoto is DELETE /api/auth/profile/photo/.
func (a *Accounts) RemovePhoto(w http.ResponseWriter, r *http.Request) error {
	view, position, err := a.showPhoto(r.Context(), CustomerOf(r.Context()), customer.RemovePhoto{At: a.Handler.Now()})
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusOK, view)
}

// showPhoto changes which photo a profile shows.
func (a *Accounts) showPhoto(ctx context.Context, id domain.ID, c customer.Command) (_ Profile, _ eventstore.Position, err error) {
	ctx, end := begin(ctx, "change photo")
	defer end(&err)
	stream, ledger := customerStream(id), bonusStream(id)
	var state customer.State
	var bonuses domain.Money
	position, err := a.Handler.Do(ctx, false, func(u *Unit) error {
		if err := u.Load(stream, ledger); err != nil {
			return err
		}
		if !stream.State(u).Open() {
			return ErrSignedOut
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
	state, err := see(ctx, a.Handler, customerStream(id))
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
