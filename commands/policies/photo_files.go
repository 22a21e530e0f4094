package policies

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/review"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// idAfter is the id in the name of a stream; zero when there is none.
func idAfter(prefix, stream string) domain.ID {
	id, _ := uuid.Parse(strings.TrimPrefix(stream, prefix))
	return id
}

// albums takes photos from their owners; photos.Album does.
type albums interface {
	Remove(ctx context.Context, owner domain.ID, photos ...domain.ID) error
}

// DeletePhotos deletes the files of photos that were taken out of reviews, profiles and orders. A photo that is there again by
// now stays.
func DeletePhotos(a albums, log holder) feed.Consumer {
	remove := func(ctx context.Context, owner domain.ID, photos ...domain.ID) error {
		for _, photo := range photos {
			held, err := log.HoldsPhoto(ctx, owner, photo)
			if err == nil && !held && photo != uuid.Nil {
				err = a.Remove(ctx, owner, photo)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return feed.Consumer{
		Name: "delete-photos", Revision: revisions["delete-photos"],
		Types: []string{review.PhotosRemoved{}.EventType(), customer.PhotoChanged{}.EventType(), customer.PhotoRemoved{}.EventType(), order.DeliveryPhotosRemoved{}.EventType()},
		Handle: func(ctx context.Context, _ pgx.Tx, events []eventstore.Event) error {
			for _, event := range events {
				var err error
				switch e := event.Data.(type) {
				case review.PhotosRemoved:
					err = remove(ctx, e.ID, e.PhotoIDs...)
				case order.DeliveryPhotosRemoved:
					err = remove(ctx, e.ID, e.PhotoIDs...)
				case customer.PhotoChanged:
					err = remove(ctx, e.ID, e.Previous)
				case customer.PhotoRemoved:
					err = remove(ctx, e.ID, e.Previous)
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// attic checks photos whose request may have failed; photos.Album implements it.
type attic interface {
	Sweep(ctx context.Context, before time.Time, holds func(ctx context.Context, owner, photo domain.ID) (bool, error)) (int, error)
}

// holder says whether the log holds a photo of an owner; commands.Reviews does.
type holder interface {
	HoldsPhoto(ctx context.Context, owner, photo domain.ID) (bool, error)
}

// sweptAfter is how long a request that brought photos can be under way, with much to spare.
const sweptAfter = time.Hour

// SweepPhotos deletes photos of requests that ended between storing them and saying so in the log.
type SweepPhotos struct {
	Album attic
	Log   holder
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
	// Every is the pause between sweeps. Default 1h.
	Every time.Duration
	// Logger gets what went wrong. Default slog.Default().
	Logger *slog.Logger
}

// Run sweeps again and again until ctx ends.
func (p SweepPhotos) Run(ctx context.Context) {
	repeat(ctx, orElse(p.Every, time.Hour), p.Logger, "sweep photos", p.Once)
}

// Once sweeps photos older than an hour.
func (p SweepPhotos) Once(ctx context.Context) error {
	_, err := p.Album.Sweep(ctx, now(p.Clock).Add(-sweptAfter), p.Log.HoldsPhoto)
	return err
}
