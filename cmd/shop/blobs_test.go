package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// TestBlobsMoveWhileServing: photos move from the folder to a bucket in the three steps of docs/scale.md, and each is shown at each step:
// what was there before, what came after the first copy, and what comes later.
func TestBlobsMoveWhileServing(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	if err := backend.CreateBucket("dala"); err != nil {
		t.Fatal(err)
	}
	bucket := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(bucket.Close)
	at := "s3://dala/photos?region=eu-central-1&endpoint=" + bucket.URL
	p := onDatabase(t).with("SHOP_BLOBS_KEY=key", "SHOP_BLOBS_SECRET=secret")
	p.stocked("MK-1", 9_000, 5)
	s := p.serve()
	pictures := map[string]string{}
	uploads := func(email string, pixels int) {
		path := s.portrait(s.register(email), pixels)
		status, picture := s.get(path)
		if status != 200 || picture == "" {
			t.Fatalf("%s of %s: %d", path, email, status)
		}
		pictures[path] = picture
	}
	shown := func(when string) {
		for path, picture := range pictures {
			if status, now := s.get(path); status != 200 || now != picture {
				t.Errorf("%s: %s is %d, %d bytes of %d", when, path, status, len(now), len(picture))
			}
		}
	}
	uploads("anna@example.kz", 300)
	first := p.ok("blobs", "move", "--to", at)
	if !strings.Contains(first, "copied to") || strings.HasPrefix(first, "0 files") {
		t.Errorf("the first move: %s", first)
	}
	uploads("boris@example.kz", 310)
	shown("while the shop serves")

	moved := p.with("SHOP_BLOBS=" + at)
	if code := s.stop(); code != 0 {
		t.Fatalf("stop: %d", code)
	}
	s = moved.serve()
	second := moved.ok("blobs", "move", "--from", "folder", "--to", at)
	if strings.HasPrefix(second, "0 files") || strings.Contains(second, " 0 were there already") {
		t.Errorf("the second move copies what came in between, and nothing else: %s", second)
	}
	uploads("saule@example.kz", 320)
	shown("from the bucket")
	files := p.photoFiles()
	if third := moved.ok("blobs", "move", "--from", "folder", "--to", at); !strings.HasPrefix(third, "0 files") {
		t.Errorf("the third move: %s", third)
	}
	if now := p.photoFiles(); files == 0 || now != files {
		t.Errorf("the folder has %d files, had %d: a move deletes nothing, and a photo of later is in the bucket", now, files)
	}
	objects, err := backend.ListBucket("dala", nil, gofakes3.ListBucketPage{})
	if err != nil || len(objects.Contents) <= files {
		t.Errorf("the bucket has %d objects, the folder %d: %v", len(objects.Contents), files, err)
	}
	for _, o := range objects.Contents {
		if !strings.HasPrefix(o.Key, "photos/") {
			t.Errorf("an object outside the prefix: %s", o.Key)
		}
	}
}
