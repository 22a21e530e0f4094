package photos_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/deepteams/webp"
	"github.com/google/uuid"

	"shop/commands/photos"
	"shop/domain"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var anna, boris = uuid.UUID{15: 1}, uuid.UUID{15: 2}

func open(t *testing.T) (*photos.Album, string) {
	folder := t.TempDir()
	return photos.Open(pgtest.Open(t), photos.Folder(folder)), folder
}

// flag is red at the top left, green at the top right, blue below.
func flag(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{R: 255, A: 255}
			switch {
			case y >= height/2:
				c = color.NRGBA{B: 255, A: 255}
			case x >= width/2:
				c = color.NRGBA{G: 255, A: 255}
			}
			p.SetNRGBA(x, y, c)
		}
	}
	return p
}

func jpegOf(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func webpOf(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := webp.Encode(&b, p, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withEXIF says in a JPEG how the camera was held, and where.
func withEXIF(content []byte, orientation uint16) []byte {
	tiff := []byte("MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	tiff = binary.BigEndian.AppendUint16(tiff, orientation)
	tiff = append(tiff, "\x00\x00\x00\x00\x00\x00 Алматы, проспект Достык"...)
	exif := append([]byte("Exif\x00\x00"), tiff...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return bytes.Join([][]byte{content[:2], segment, exif, content[2:]}, nil)
}

// everybody shows what they own.
func everybody(context.Context, domain.ID, domain.ID) (bool, error) { return true, nil }

// files are the names of what is stored.
func files(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func serve(t *testing.T, a *photos.Album, url string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	if err := a.Serve(w, httptest.NewRequestWithContext(t.Context(), "GET", url, nil), path.Base(url), everybody); err != nil {
		t.Fatalf("serve %s: %v", url, err)
	}
	return w
}

func near(c color.Color, want color.NRGBA) bool {
	r, g, b, _ := c.RGBA()
	off := func(have uint32, want uint8) bool { return max(int(have>>8)-int(want), int(want)-int(have>>8)) < 40 }
	return off(r, want.R) && off(g, want.G) && off(b, want.B)
}

func TestAPhotoIsStoredAnewInSizes(t *testing.T) {
	t.Parallel()
	a, folder := open(t)
	sent := withEXIF(jpegOf(t, flag(2000, 1000)), 6) // held on its side: a quarter turn to the right makes it upright
	ids, err := a.Add(t.Context(), anna, bytes.NewReader(sent))
	if err != nil || len(ids) != 1 {
		t.Fatalf("%v, %v", ids, err)
	}
	for _, c := range []struct {
		width        int
		ending, kind string
	}{{320, ".jpg", "image/jpeg"}, {800, ".jpg", "image/jpeg"}, {320, ".webp", "image/webp"}, {800, ".webp", "image/webp"}} {
		width := c.width
		w := serve(t, a, strings.TrimSuffix(photos.URL(ids[0], width), ".jpg")+c.ending)
		if w.Header().Get("Content-Type") != c.kind || w.Header().Get("Cache-Control") != "private, max-age=31536000, immutable" ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%v", w.Header())
		}
		stored := w.Body.Bytes()
		if bytes.Contains(stored, []byte("Достык")) || bytes.Contains(stored, []byte("Exif")) {
			t.Error("the file still says where it was taken")
		}
		p, kind, err := image.Decode(bytes.NewReader(stored))
		if err != nil || "image/"+kind != c.kind {
			t.Fatalf("%s, %v", kind, err)
		}
		size := p.Bounds().Size()
		if size.X != width || size.Y != 2*width {
			t.Errorf("size %v, want %d wide and twice as high", size, width)
		}
		for _, c := range []struct {
			x, y int
			want color.NRGBA
		}{{size.X / 4, size.Y / 4, color.NRGBA{B: 255}}, {3 * size.X / 4, size.Y / 4, color.NRGBA{R: 255}}, {3 * size.X / 4, 3 * size.Y / 4, color.NRGBA{G: 255}}} {
			if !near(p.At(c.x, c.y), c.want) {
				t.Errorf("%d,%d is %v, want %v", c.x, c.y, p.At(c.x, c.y), c.want)
			}
		}
	}
	if got := files(t, folder); len(got) != 4 {
		t.Errorf("stored %v", got)
	}
}

func TestOrientations(t *testing.T) {
	t.Parallel()
	a, _ := open(t)
	red, green, blue := color.NRGBA{R: 255}, color.NRGBA{G: 255}, color.NRGBA{B: 255}
	// Where the corners of the flag come to lie: top left, top right, bottom left, bottom right.
	for orientation, want := range map[uint16][4]color.NRGBA{
		0: {red, green, blue, blue}, 1: {red, green, blue, blue}, 2: {green, red, blue, blue}, 3: {blue, blue, green, red},
		4: {blue, blue, red, green}, 5: {red, blue, green, blue}, 6: {blue, red, blue, green}, 7: {blue, green, blue, red},
		8: {green, blue, red, blue}, 9: {red, green, blue, blue},
	} {
		ids, err := a.Add(t.Context(), anna, bytes.NewReader(withEXIF(jpegOf(t, flag(64, 32)), orientation)))
		if err != nil {
			t.Fatal(err)
		}
		width, height := 64, 32
		if orientation >= 5 && orientation <= 8 {
			width, height = 32, 64
		}
		p, err := jpeg.Decode(serve(t, a, photos.URL(ids[0], width)).Body)
		if err != nil || p.Bounds().Dy() != height {
			t.Fatalf("%d: %v, %v", orientation, p.Bounds(), err)
		}
		for i, at := range []image.Point{{4, 4}, {width - 5, 4}, {4, height - 5}, {width - 5, height - 5}} {
			if !near(p.At(at.X, at.Y), want[i]) {
				t.Errorf("orientation %d, corner %d: %v, want %v", orientation, i, p.At(at.X, at.Y), want[i])
			}
		}
	}
}

func TestWhatIsTransparentIsWhite(t *testing.T) {
	t.Parallel()
	a, _ := open(t)
	ids, err := a.Add(t.Context(), anna, bytes.NewReader(pngOf(t, image.NewNRGBA(image.Rect(0, 0, 50, 40)))))
	if err != nil {
		t.Fatal(err)
	}
	p, err := jpeg.Decode(serve(t, a, photos.URL(ids[0], 50)).Body)
	if err != nil || !near(p.At(25, 20), color.NRGBA{R: 255, G: 255, B: 255}) {
		t.Errorf("%v, %v", p.At(25, 20), err)
	}
}

// bomb is a PNG of a few bytes that claims to be large.
func bomb(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), width), height)
	head = append(head, 8, 6, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
}

func TestPhotosThatAreRefusedLeaveNothing(t *testing.T) {
	t.Parallel()
	a, folder := open(t)
	good := jpegOf(t, flag(40, 40))
	for name, c := range map[string]struct {
		content []byte
		want    error
	}{
		"nothing":        {nil, photos.ErrKind},
		"text":           {[]byte("<html><script>alert(1)</script>"), photos.ErrKind},
		"svg":            {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), photos.ErrKind},
		"gif":            {[]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"), photos.ErrKind},
		"webp":           {webpOf(t, flag(40, 40)), photos.ErrKind},
		"cut off":        {good[:len(good)/2], photos.ErrKind},
		"no pixels":      {bomb(0, 10), photos.ErrKind},
		"too large":      {append(bytes.Clone(good), make([]byte, photos.MaxBytes)...), photos.ErrTooLarge},
		"bomb":           {bomb(100_000, 100_000), photos.ErrPixels},
		"a little above": {bomb(photos.MaxPixels/8+1, 8), photos.ErrPixels},
		"overflow":       {bomb(1<<31-1, 1<<31-1), photos.ErrKind}, // more than the decoder itself takes
		"liar":           {bomb(4_800, 4_800), photos.ErrKind},
	} {
		ids, err := a.Add(t.Context(), anna, bytes.NewReader(good), bytes.NewReader(c.content))
		if !errors.Is(err, c.want) || ids != nil {
			t.Errorf("%s: %v, %v, want %v", name, ids, err, c.want)
		}
	}
	if got := files(t, folder); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestFilesGoWithTheLastOwner(t *testing.T) {
	t.Parallel()
	a, folder := open(t)
	add := func(owner domain.ID) domain.ID {
		t.Helper()
		photo := func() io.ReadSeeker { return bytes.NewReader(jpegOf(t, flag(400, 300))) }
		ids, err := a.Add(t.Context(), owner, photo(), photo())
		if err != nil || len(ids) != 1 {
			t.Fatalf("%v, %v", ids, err)
		}
		return ids[0]
	}
	id := add(anna)
	if add(boris) != id {
		t.Error("the same photo has two ids")
	}
	if err := a.Remove(t.Context(), anna, id, uuid.UUID{15: 9}); err != nil {
		t.Fatal(err)
	}
	serve(t, a, photos.URL(id, 320))
	if n, err := a.RemoveAll(t.Context(), boris); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if got := files(t, folder); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
	for _, name := range []string{path.Base(photos.URL(id, 320)), "../photos.go", "x", "00000000000000000000000000000000-320.png"} {
		if err := a.Serve(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), name, everybody); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("serve %q: %v", name, err)
		}
	}
}

func TestPhotosAreServedWhileAnOwnerShowsThem(t *testing.T) {
	t.Parallel()
	a, _ := open(t)
	var id domain.ID
	for _, owner := range []domain.ID{anna, boris} { // both sent the same
		ids, err := a.Add(t.Context(), owner, bytes.NewReader(jpegOf(t, flag(60, 40))))
		if err != nil {
			t.Fatal(err)
		}
		id = ids[0]
	}
	broken := errors.New("the log cannot be read")
	for name, c := range map[string]struct {
		shows map[domain.ID]bool
		fails error
		want  error
	}{
		"both show it":    {map[domain.ID]bool{anna: true, boris: true}, nil, nil},
		"one shows it":    {map[domain.ID]bool{boris: true}, nil, nil},
		"nobody shows it": {nil, nil, fs.ErrNotExist},
		"nobody can tell": {nil, broken, broken},
	} {
		w := httptest.NewRecorder()
		err := a.Serve(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), path.Base(photos.URL(id, 60)), func(_ context.Context, owner, photo domain.ID) (bool, error) {
			if photo != id {
				t.Errorf("asked about %s", photo)
			}
			return c.shows[owner], c.fails
		})
		if !errors.Is(err, c.want) || (err == nil) != (w.Body.Len() > 0) {
			t.Errorf("%s: %v and %d bytes, want %v", name, err, w.Body.Len(), c.want)
		}
	}
}

func TestAPictureOfTheShopsOwnIsMadeOnce(t *testing.T) {
	t.Parallel()
	db, blobs := pgtest.Open(t), &countingBlobs{Folder: photos.Folder(t.TempDir())}
	a := photos.Open(db, blobs)
	file := jpegOf(t, flag(900, 600))
	looked, err := a.LookOwn(t.Context(), bytes.NewReader(file))
	if err != nil || blobs.puts != 0 {
		t.Fatalf("%v, %d files", err, blobs.puts)
	}
	photo, err := a.AddOwn(t.Context(), anna, bytes.NewReader(file))
	if err != nil || photo != looked || photo.Width != 900 || photo.Height != 600 || blobs.puts != 6 {
		t.Fatalf("%+v, looked like %+v, %v, %d files", photo, looked, err, blobs.puts)
	}
	again, err := a.AddOwn(t.Context(), boris, bytes.NewReader(file))
	if err != nil || again != photo || blobs.puts != 6 {
		t.Errorf("again: %+v, %v, %d files", again, err, blobs.puts)
	}
	if again, err = a.LookOwn(t.Context(), bytes.NewReader(file)); err != nil || again != photo {
		t.Errorf("looked at again: %+v, %v", again, err)
	}

	// Nobody is asked who shows it.
	w := httptest.NewRecorder()
	name := path.Base(photos.OwnURL(photo.ID, 320))
	if err := a.Serve(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), name, nil); err != nil || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("%v, %v", err, w.Header())
	}
	// What somebody sent has no address of this kind, and what is the shop's own none of theirs.
	sent, err := a.Add(t.Context(), anna, bytes.NewReader(file))
	if err != nil || sent[0] == photo.ID {
		t.Fatalf("%v, %v", sent, err)
	}
	for _, address := range []string{photos.OwnURL(sent[0], 320), photos.URL(photo.ID, 320)} {
		if err := a.Serve(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), path.Base(address), everybody); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("serve %s: %v", address, err)
		}
	}

	for _, owner := range []domain.ID{anna, boris} {
		if _, err := a.RemoveAll(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
	}
	if left := files(t, string(blobs.Folder)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := a.AddOwn(t.Context(), anna, bytes.NewReader(file)); err != nil || blobs.puts != 18 {
		t.Errorf("after it was removed: %v, %d files", err, blobs.puts)
	}
}

// countingBlobs count the files that were written.
type countingBlobs struct {
	photos.Folder
	puts int
}

func (b *countingBlobs) Put(ctx context.Context, name string, content []byte) error {
	b.puts++
	return b.Folder.Put(ctx, name, content)
}

func TestSweepRemovesWhatTheLogDoesNotHold(t *testing.T) {
	t.Parallel()
	a, folder := open(t)
	for _, owner := range []domain.ID{anna, boris} {
		if _, err := a.Add(t.Context(), owner, bytes.NewReader(jpegOf(t, flag(100+int(owner[15]), 50)))); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	sweep := func(before time.Time) int {
		t.Helper()
		n, err := a.Sweep(t.Context(), before, func(_ context.Context, owner, _ domain.ID) (bool, error) { asked++; return owner == anna, nil })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := sweep(time.Now().Add(-time.Hour)); n != 0 || asked != 0 {
		t.Errorf("removed %d of requests that may still run", n)
	}
	if n := sweep(time.Now().Add(time.Hour)); n != 1 || asked != 2 || len(files(t, folder)) != 2 {
		t.Errorf("removed %d, asked %d times", n, asked)
	}
	if n := sweep(time.Now().Add(time.Hour)); n != 0 || asked != 2 {
		t.Errorf("a photo that is kept was looked at again: %d, %d", n, asked)
	}
}

func TestFoldersWriteWholeFiles(t *testing.T) {
	t.Parallel()
	folder := photos.Folder(filepath.Join(t.TempDir(), "blobs"))
	for range 2 {
		if err := folder.Put(t.Context(), "ab-1.jpg", []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if got := files(t, string(folder)); len(got) != 1 || got[0] != "ab-1.jpg" {
		t.Errorf("%v", got)
	}
	if _, err := os.Stat(filepath.Join(string(folder), "ab", "ab-1.jpg")); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := folder.Delete(t.Context(), "ab-1.jpg"); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	a := photos.Open(pgtest.Open(b), photos.Folder(b.TempDir()))
	// As a phone sends it: 12 megapixels with the noise of its sensor, some 10 MiB.
	p := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range p.Pix {
		p.Pix[i] = uint8(i/4%4000/20 + random.IntN(24))
	}
	var sent bytes.Buffer
	if err := jpeg.Encode(&sent, p, &jpeg.Options{Quality: 97}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(sent.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Add(b.Context(), anna, bytes.NewReader(sent.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
