package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"shop/commands/photos"
	"shop/commands/photos/bucket"
)

// PhotosHome is the place of photos; the shop is told from others by the id of its log's first event.
func (s *Shop) PhotosHome(shop string) photos.Home {
	return photos.Home{DB: s.Pool, Place: s.Config.blobs, Shop: shop}
}

// inFolder is the SHOP_BLOBS of a shop that keeps photos in its data folder.
const inFolder = "folder"

// BlobsAt is the place of photos that an address names: the data folder, or a bucket.
func (c Config) BlobsAt(address string) (photos.Place, error) {
	if address == "" || address == inFolder {
		return photos.Folder(filepath.Join(c.DataDir, "blobs")), nil
	}
	return bucket.Open(address, c.BlobsKey, c.BlobsSecret)
}

// The settings of the place of photos; the last one needs the others.
var (
	blobsKey = setting{"SHOP_BLOBS_KEY", "", "access key of the S3 service in SHOP_BLOBS", func(c *Config, v string) error {
		c.BlobsKey = v
		return nil
	}}
	blobsSecret = setting{"SHOP_BLOBS_SECRET", "", "secret of that key", func(c *Config, v string) error {
		c.BlobsSecret = v
		return nil
	}}
	blobsAt = setting{"SHOP_BLOBS", inFolder, "where photos are: folder, that of SHOP_DATA_DIR, or s3://bucket/prefix?endpoint=https://…&region=…", func(c *Config, v string) (err error) {
		c.blobs, err = c.BlobsAt(v)
		return err
	}}
)

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

// Blobs is where photos are.
func (c Config) Blobs() photos.Place { return c.blobs }
