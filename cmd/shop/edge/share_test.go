package edge

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"testing"

	"shop/cmd/shop/shoptest"
	"shop/commands/photos"
)

func TestPicturesAreMadeForSharing(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	if err := png.Encode(&photo, image.NewRGBA(image.Rect(0, 0, 64, 80))); err != nil {
		t.Fatal(err)
	}
	asked, allowed := 0, true
	shown := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/img/oil.png":
			w.Write(photo.Bytes())
		case "/img/text.png":
			w.Write([]byte("no picture"))
		default:
			http.NotFound(w, r)
		}
	})
	h := newShares(shown, func(*http.Request) (string, bool) { asked++; return "7", allowed })
	w := shoptest.Get(t, h, "/share/img/oil.png.jpg")
	p, err := jpeg.Decode(bytes.NewReader(w.Body.Bytes()))
	if err != nil || w.Code != 200 || w.Header().Get("Content-Type") != "image/jpeg" {
		t.Fatalf("got %d %v %v", w.Code, w.Header(), err)
	}
	if p.Bounds().Size() != image.Pt(photos.ShareWidth, photos.ShareHeight) {
		t.Errorf("it is %v", p.Bounds())
	}
	if again := shoptest.Get(t, h, "/share/img/oil.png.jpg", "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("asked again got %d", again.Code)
	}
	if asked != 1 {
		t.Errorf("it was made %d times", asked)
	}
	for _, path := range []string{"/share/img/none.png.jpg", "/share/img/text.png.jpg", "/share/img/oil.png", "/share/basket.jpg", "/share/api/products.jpg"} {
		if w := shoptest.Get(t, h, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
	photo.Reset()
	if w := shoptest.Get(t, h, "/share/img/oil.png.jpg"); w.Code != http.StatusNotFound {
		t.Errorf("a picture that is another now got %d", w.Code)
	}
	photo.WriteString("other")
	if allowed = false; shoptest.Get(t, h, "/share/img/oil.png.jpg").Code != http.StatusTooManyRequests {
		t.Error("pictures are made for whoever asks too much")
	}
}
