package main

import (
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

	"shop/commands/catalogfile"
	"shop/domain"
	"shop/readapi"
)

const (
	// feedFor is how long a feed is sent as it was written: marketplaces come a few times a day.
	feedFor = time.Minute
	// feedWithin is how long its client may take to fetch it.
	feedWithin = 2 * time.Minute
)

// marketFeed is the goods on sale as one marketplace reads them. It is written to a file first, so that a slow client keeps no
// transaction open, and the file serves everyone for a while.
type marketFeed struct {
	db    *pgxpool.Pool
	shop  catalogfile.Shop
	clock func() time.Time
	begin func(io.Writer, catalogfile.Shop) (catalogfile.Writer, error)

	mu   sync.Mutex
	kept *feedFile
}

// feedFile has no name any more: it goes with the last request that reads it.
type feedFile struct {
	file *os.File
	size int64
	tag  string
	// written is when it was; changed when what it says was first found.
	written, changed time.Time
}

// ymlFeed is the feed of Yandex Market and of those that read its format.
func ymlFeed(to io.Writer, shop catalogfile.Shop) (catalogfile.Writer, error) {
	return catalogfile.NewYML(to, shop, true)
}

// serve answers with the feed, in parts if asked to.
func (f *marketFeed) serve(w http.ResponseWriter, r *http.Request) error {
	now, err := f.current(r.Context())
	if err != nil {
		return err
	}
	giveTime(w, feedWithin)
	h := w.Header()
	h.Set("Content-Type", "application/xml; charset=utf-8")
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(feedFor.Seconds())))
	h.Set("ETag", now.tag)
	http.ServeContent(w, r, "", now.changed, io.NewSectionReader(now.file, 0, now.size))
	return nil
}

// current is the feed as it was less than feedFor ago.
func (f *marketFeed) current(ctx context.Context) (*feedFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock()
	if f.kept != nil && now.Sub(f.kept.written) < feedFor {
		return f.kept, nil
	}
	file, err := f.write(ctx)
	if err != nil {
		return nil, fmt.Errorf("write a feed: %w", err)
	}
	file.written, file.changed = now, now
	if f.kept != nil && f.kept.tag == file.tag {
		file.changed = f.kept.changed
	}
	f.kept = file
	return file, nil
}

func (f *marketFeed) write(ctx context.Context) (_ *feedFile, err error) {
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
	err = writeOffers(ctx, readapi.Offers{DB: f.db, OnSale: true}, func(head readapi.Head) (catalogfile.Writer, error) {
		shop := f.shop
		shop.Categories, shop.Changed = head.Categories, head.Changed.In(domain.Almaty)
		return f.begin(io.MultiWriter(file, hash), shop)
	}, func(o readapi.Offer) catalogfile.Row {
		r := rowOf(o)
		r.Available = o.Available > 0
		for i, address := range r.Pictures {
			if strings.HasPrefix(address, "/") {
				r.Pictures[i] = f.shop.URL + address
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
	return &feedFile{file: file, size: size, tag: `"` + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16]) + `"`}, nil
}
