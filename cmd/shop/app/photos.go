package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"shop/commands/photos"
)

// PhotosHome is the folder of photos; the shop is told from others by the id of its log's first event.
func (s *Shop) PhotosHome(shop string) photos.Home {
	return photos.Home{DB: s.Pool, Folder: photos.Folder(filepath.Join(s.Config.DataDir, "blobs")), Shop: shop}
}

// Settle sees to it that whoever takes or deletes photos does so in the shop's folder. While no process has chosen one,
// who serves the web chooses its own, and who does not looks again, until work ends: what it learns then goes to failed.
func (s *Shop) Settle(ctx context.Context, failed chan<- error) (stop func(), err error) {
	id, err := s.Store.Identity(ctx) // there are rules, so there is one
	if err != nil {
		return nil, fmt.Errorf("tell the shop from others: %w", err)
	}
	home := s.PhotosHome(id.String())
	if s.Config.Roles.Has(RoleWeb) {
		return func() {}, home.Claim(ctx)
	}
	err = home.Check(ctx)
	if !errors.Is(err, photos.ErrUnclaimed) {
		return func() {}, err
	}
	return Background(ctx, func(ctx context.Context) {
		if err := home.Await(ctx, time.Second); err != nil && ctx.Err() == nil {
			failed <- err // it has room for every part
		}
	}).Stop, nil
}
