package photos

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
)

func plain(width, height int, c color.Color) []byte {
	p := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			p.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestPicturesForSharingHaveOneSize(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{640, 800}, {240, 300}, {1600, 900}, {960, 540}, {1, 1}, {1600, 3}} {
		made, err := ForSharing(plain(size[0], size[1], color.RGBA{200, 120, 40, 255}))
		if err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		p, err := jpeg.Decode(bytes.NewReader(made))
		if err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		if got := p.Bounds().Size(); got != image.Pt(ShareWidth, ShareHeight) {
			t.Errorf("%v became %v", size, got)
		}
		// A backdrop of one colour goes on to the corners.
		for _, at := range []image.Point{{0, 0}, {ShareWidth - 1, ShareHeight - 1}, {ShareWidth / 2, ShareHeight / 2}} {
			r, g, b, _ := p.At(at.X, at.Y).RGBA()
			if near := func(got uint32, want int) bool { return max(int(got>>8)-want, want-int(got>>8)) < 6 }; !near(r, 200) || !near(g, 120) || !near(b, 40) {
				t.Errorf("%v: at %v is %d %d %d", size, at, r>>8, g>>8, b>>8)
			}
		}
	}
}

func TestOnlyPicturesAreMadeForSharing(t *testing.T) {
	t.Parallel()
	for _, content := range [][]byte{nil, []byte("RIFF"), []byte("<svg/>"), plain(1601, 1, color.White)} {
		if _, err := ForSharing(content); !errors.Is(err, ErrKind) {
			t.Errorf("%.8q gave %v", content, err)
		}
	}
}
