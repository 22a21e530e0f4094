package pages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/commands/importer/catalogfile"
	"shop/domain"
	"shop/readapi"
	"shop/readapi/endpoint"
)

const (
	// FeedFor is how long a feed is sent as it was written: marketplaces come a few times a day.
	FeedFor = time.Minute
	// feedWithin is how long its client may take to fetch it.
	feedWithin = 2 * time.Minute
)

// MarketFeed is the goods on sale as one marketplace reads them. It is written to a file first, so that a slow client keeps no
// transaction open, and the file serves everyone for a while.
type MarketFeed struct {
	Db    *pgxpool.Pool
	Shop  catalogfile.Shop
	Clock func() time.Time
	Begin func(io.Writer, catalogfile.Shop) (catalogfile.Writer, error)

	mu   sync.Mutex
	kept *feedFile
}

// feedFile has no name any more: it goes with the last request that reads it.
type feedFile struct {
	file *os.File
	Size int64
	Tag  string
	// written is when it was; changed when what it says was first found.
	written, Changed time.Time
}

// YmlFeed is the feed of Yandex Market and of those that read its format.
func YmlFeed(to io.Writer, shop catalogfile.Shop) (catalogfile.Writer, error) {
	return catalogfile.NewYML(to, shop, true)
}

// Serve answers with the feed, in parts if asked to.
func (f *MarketFeed) Serve(w http.ResponseWriter, r *http.Request) error {
	now, err := f.Current(r.Context())
	if err != nil {
		return err
	}
	endpoint.GiveTime(w, feedWithin)
	h := w.Header()
	h.Set("Content-Type", "application/xml; charset=utf-8")
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(FeedFor.Seconds())))
	h.Set("ETag", now.Tag)
	http.ServeContent(w, r, "", now.Changed, io.NewSectionReader(now.file, 0, now.Size))
	return nil
}

// Current is the feed as it was less than feedFor ago.
func (f *MarketFeed) Current(ctx context.Context) (*feedFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.Clock()
	if f.kept != nil && now.Sub(f.kept.written) < FeedFor {
		return f.kept, nil
	}
	file, err := f.write(ctx)
	if err != nil {
		return nil, fmt.Errorf("write a feed: %w", err)
	}
	file.written, file.Changed = now, now
	if f.kept != nil && f.kept.Tag == file.Tag {
		file.Changed = f.kept.Changed
	}
	f.kept = file
	return file, nil
}

func (f *MarketFeed) write(ctx context.Context) (_ *feedFile, err error) {
	file, err := os.CreateTemp("", "shop-feed-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, os.Remove(file.Name())); err != nil {
			file.Close()
		}
	}()
	hash := sha256.New()
	err = app.WriteOffers(ctx, readapi.Offers{DB: f.Db, OnSale: true}, func(head readapi.Head) (catalogfile.Writer, error) {
		shop := f.Shop
		shop.LegalName = cmp.Or(head.LegalName, shop.LegalName)
		shop.Categories, shop.Changed = head.Categories, head.Changed.In(domain.Almaty)
		return f.Begin(io.MultiWriter(file, hash), shop)
	}, func(o readapi.Offer) catalogfile.Row {
		r := app.RowOf(o)
		r.Available = o.Available > 0
		for i, address := range r.Pictures {
			if strings.HasPrefix(address, "/") {
				r.Pictures[i] = f.Shop.URL + address
			}
		}
		return r
	})
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	return &feedFile{file: file, Size: size, Tag: `"` + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16]) + `"`}, nil
}
