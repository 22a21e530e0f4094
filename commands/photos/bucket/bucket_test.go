package bucket_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"shop/commands/photos"
	"shop/commands/photos/bucket"
)

// service is an S3 service with the bucket "dala".
func service(t *testing.T) (address string, backend *s3mem.Backend) {
	t.Helper()
	backend = s3mem.New()
	if err := backend.CreateBucket("dala"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "?region=eu-central-1&endpoint=" + server.URL, backend
}

func open(t *testing.T, at string) *bucket.Bucket {
	t.Helper()
	b, err := bucket.Open(at, "key", "secret")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPlaces holds both places to what photos need of one.
func TestPlaces(t *testing.T) {
	t.Parallel()
	query, _ := service(t)
	for name, place := range map[string]photos.Place{
		"folder": photos.Folder(filepath.Join(t.TempDir(), "blobs")),
		"bucket": open(t, "s3://dala"+query),
		"prefix": open(t, "s3://dala/of/photos/"+query),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			if _, err := place.Open(ctx, "ab12.jpg"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("open what is not there: %v", err)
			}
			if mark, err := place.Mark(ctx); mark != "" || err != nil {
				t.Errorf("mark %q, %v", mark, err)
			}
			if err := place.Delete(ctx, "ab12.jpg"); err != nil {
				t.Errorf("delete what is not there: %v", err)
			}
			all := map[string]string{"ab12.jpg": "a photo", "cd34.webp": strings.Repeat("x", 100_000)}
			for name, content := range all {
				if err := errors.Join(place.Put(ctx, name, []byte(content)), place.Put(ctx, name, []byte(content))); err != nil {
					t.Fatal(err)
				}
			}
			if err := place.SetMark(ctx, "shop-1"); err != nil {
				t.Fatal(err)
			}
			if mark, err := place.Mark(ctx); mark != "shop-1" || err != nil {
				t.Errorf("mark %q, %v", mark, err)
			}
			if found := contents(t, place); !maps.Equal(found, all) {
				t.Errorf("%d files, want %d", len(found), len(all))
			}
			for name, want := range map[string]bool{"ab12.jpg": true, "ab13.jpg": false} {
				if has, err := place.Has(ctx, name); has != want || err != nil {
					t.Errorf("has %s: %t, %v", name, has, err)
				}
			}
			file, err := place.Open(ctx, "cd34.webp")
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if at, err := file.Seek(-3, io.SeekEnd); at != 99_997 || err != nil { // a range of a request
				t.Errorf("seek: %d, %v", at, err)
			}
			if err := place.Delete(ctx, "ab12.jpg"); err != nil {
				t.Fatal(err)
			}
			if has, err := place.Has(ctx, "ab12.jpg"); has || err != nil {
				t.Errorf("has what was deleted: %t, %v", has, err)
			}
		})
	}
}

func contents(t *testing.T, p photos.Place) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := p.Each(t.Context(), func(name string) error {
		file, err := p.Open(t.Context(), name)
		if err != nil {
			return err
		}
		defer file.Close()
		content, err := io.ReadAll(file)
		found[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestChangedObjectIsRefused: what was changed behind the shop's back is not shown.
func TestChangedObjectIsRefused(t *testing.T) {
	t.Parallel()
	query, backend := service(t)
	b := open(t, "s3://dala"+query)
	if err := b.Put(t.Context(), "ab12.jpg", []byte("a photo")); err != nil {
		t.Fatal(err)
	}
	object, err := backend.GetObject("dala", "ab12.jpg", nil)
	if err != nil {
		t.Fatal(err)
	}
	forged := []byte("another")
	if _, err := backend.PutObject("dala", "ab12.jpg", object.Metadata, bytes.NewReader(forged), int64(len(forged)), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open(t.Context(), "ab12.jpg"); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("opened a forged object: %v", err)
	}
}

// failing is a place whose Put fails after so many.
type failing struct {
	photos.Place
	left int
}

func (f *failing) Put(ctx context.Context, name string, content []byte) error {
	if f.left--; f.left < 0 {
		return errors.New("the network is gone")
	}
	return f.Place.Put(ctx, name, content)
}

// TestMove: there and back, interrupted, and never into another shop's place.
func TestMove(t *testing.T) {
	t.Parallel()
	query, _ := service(t)
	ctx := t.Context()
	from, to := photos.Folder(t.TempDir()), open(t, "s3://dala/photos"+query)
	for i := range 20 {
		if err := from.Put(ctx, fmt.Sprintf("%02d.jpg", i), bytes.Repeat([]byte{byte(i)}, i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := photos.Move(ctx, from, to, nil); err == nil {
		t.Error("moved what is no shop's")
	}
	if err := from.SetMark(ctx, "shop-1"); err != nil {
		t.Fatal(err)
	}
	if _, err := photos.Move(ctx, from, &failing{to, 7}, nil); err == nil || !strings.Contains(err.Error(), "network") {
		t.Fatalf("an interrupted move: %v", err)
	}
	if mark, _ := to.Mark(ctx); mark != "" {
		t.Errorf("a place that lacks photos has the mark %q", mark)
	}
	moved, err := photos.Move(ctx, from, to, nil)
	if err != nil || moved.Copied != 13 || moved.Known != 7 {
		t.Errorf("%+v, %v", moved, err)
	}
	if mark, _ := to.Mark(ctx); mark != "shop-1" {
		t.Errorf("mark %q", mark)
	}
	if !maps.Equal(contents(t, from), contents(t, to)) {
		t.Error("the places differ")
	}
	back := photos.Folder(t.TempDir())
	if moved, err := photos.Move(ctx, to, back, nil); err != nil || moved.Copied != 20 {
		t.Errorf("back: %+v, %v", moved, err)
	}
	if !maps.Equal(contents(t, from), contents(t, back)) {
		t.Error("the places differ")
	}
	foreign := photos.Folder(t.TempDir())
	if err := foreign.SetMark(ctx, "shop-2"); err != nil {
		t.Fatal(err)
	}
	var other *photos.Foreign
	if _, err := photos.Move(ctx, from, foreign, nil); !errors.As(err, &other) {
		t.Errorf("moved into another shop's place: %v", err)
	}
	if err := os.WriteFile(filepath.Join(string(back), "05", "05.jpg"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := photos.Move(ctx, from, back, nil); err == nil || !strings.Contains(err.Error(), "has another 05.jpg") {
		t.Errorf("moved over a file of another content: %v", err)
	}
}

// TestBadAddresses are refused in one line, without the secret.
func TestBadAddresses(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"s3://", "https://bucket", "s3://dala", "s3://dala?endpoint=host", "s3://dala?endpoint=http://s3.example.com", "s3://me:secret@dala?endpoint=https://s3.example.com"} {
		if _, err := bucket.Open(at, "key", "secret"); err == nil || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := bucket.Open("s3://dala?endpoint=https://s3.example.com", "", ""); err == nil {
		t.Error("opened without an account")
	}
	gone, err := bucket.Open("s3://other"+func() string { q, _ := service(t); return q }(), "key", "secret")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Open(t.Context(), "ab12.jpg"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a bucket that is not there: %v", err)
	}
}
