package photos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"shop/domain"
)

// Limits of one upload.
const (
	// MaxFiles is how many photos one request may bring, MaxBytes how large each may be.
	MaxFiles = 6
	MaxBytes = 10 << 20
	// MaxRequest is a request with as many, and some text.
	MaxRequest = MaxFiles*MaxBytes + 1<<20
	// MaxPixels is how many pixels a photo may have: as many as phones take. A progressive JPEG takes several times the memory.
	MaxPixels      = 24_000_000
	maxProgressive = 12_000_000
	// maxMemory is how many bytes the photos take that are decoded at once, and one of them at most.
	maxMemory = 120 << 20
	// muchMemory is from where on a decoded photo's memory is given back at once: garbage would double it.
	muchMemory = 24 << 20
)

// Refusals of photos, as shoppers read them.
var (
	ErrKind     = domain.Refuse("photo/kind", "Загрузите фотографию в формате PNG или JPEG")
	ErrTooLarge = domain.Refuse("photo/too-large", "Фотография больше 10 МБ")
	ErrPixels   = domain.Refuse("photo/pixels", "Фотография слишком большая: не больше 24 мегапикселей, в прогрессивном JPEG не больше 12")
)

// Album stores photos and serves them. It is safe for concurrent use.
type Album struct {
	blobs Blobs
	db    *pgxpool.Pool
	// at says whether the files are in the shop's own folder; nil: no check.
	at func(ctx context.Context) error
	// memory bounds the bytes of photos decoded at once in all requests, encoders how many sizes are made at once.
	memory, encoders *semaphore.Weighted
}

// Open makes an album on a migrated database.
func Open(db *pgxpool.Pool, blobs Blobs) *Album {
	return &Album{
		blobs: blobs, db: db,
		memory:   semaphore.NewWeighted(maxMemory),
		encoders: semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)/2))),
	}
}

// Add stores photos for an owner (a review, a customer, a product, an order) and answers their ids in the order they came; one that came twice
// counts once. One that is refused (ErrKind, ErrTooLarge, ErrPixels) refuses all. A refused or failed call stores nothing.
//
// Add before the command that names the photos, and Remove when that command is refused. If the program ends between
// the two, Sweep removes the photos.
func (a *Album) Add(ctx context.Context, owner domain.ID, uploads ...io.ReadSeeker) (ids []domain.ID, err error) {
	defer func() {
		if err != nil && len(ids) > 0 {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			err, ids = errors.Join(err, a.Remove(ctx, owner, ids...)), nil
		}
	}()
	// All are looked at before the first costs anything.
	for _, u := range uploads {
		if err := check(u); err != nil {
			return nil, err
		}
	}
	for _, u := range uploads {
		photo, err := a.add(ctx, owner, u)
		if err != nil {
			return ids, err
		}
		if !slices.Contains(ids, photo.ID) {
			ids = append(ids, photo.ID)
		}
	}
	return ids, nil
}

// check refuses what need not be decoded to be refused.
func check(u io.ReadSeeker) error {
	size, err := u.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("read photo: %w", err)
	}
	if size > MaxBytes {
		return ErrTooLarge
	}
	if _, err := u.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read photo: %w", err)
	}
	_, err = measure(u)
	return err
}

// Photo is a stored photo: its id and the pixels of its largest picture.
type Photo struct {
	ID            domain.ID
	Width, Height int
}

// AddOwn stores a picture of the shop's own, of a product or a post, which anybody may see for ever. The same file is the same picture:
// one that came before is neither decoded nor resized again. It refuses as Add does.
func (a *Album) AddOwn(ctx context.Context, owner domain.ID, upload io.ReadSeeker) (Photo, error) {
	content, id, err := readOwn(upload)
	if err != nil {
		return Photo{}, err
	}
	photo, err := a.take(ctx, owner, id)
	if !errors.Is(err, pgx.ErrNoRows) {
		return photo, err
	}
	photo, pictures, err := a.pictures(ctx, content)
	if err != nil {
		return Photo{}, err
	}
	photo.ID = id
	return photo, a.store(ctx, owner, photo, pictures, own)
}

// AddKept is AddOwn of a picture that somebody gave to the shop by hand: it stays, also while nothing shows it yet, as that of a
// change that waits for its time.
func (a *Album) AddKept(ctx context.Context, owner domain.ID, upload io.ReadSeeker) (Photo, error) {
	photo, err := a.AddOwn(ctx, owner, upload)
	if err != nil {
		return Photo{}, err
	}
	if _, err := a.db.Exec(ctx, "UPDATE photo_owners SET kept = true WHERE photo = $1 AND owner = $2", photo.ID, owner); err != nil {
		return Photo{}, fmt.Errorf("keep a picture: %w", err)
	}
	return photo, nil
}

// LookOwn is what AddOwn would answer. It stores nothing.
func (a *Album) LookOwn(ctx context.Context, upload io.ReadSeeker) (Photo, error) {
	content, id, err := readOwn(upload)
	if err != nil {
		return Photo{}, err
	}
	photo := Photo{ID: id}
	err = a.db.QueryRow(ctx, "SELECT width, height FROM photos WHERE id = $1", id).Scan(&photo.Width, &photo.Height)
	if !errors.Is(err, pgx.ErrNoRows) {
		return photo, err
	}
	photo, _, err = a.pictures(ctx, content)
	photo.ID = id
	return photo, err
}

// readOwn reads a picture of the shop's own. Its id is a digest of the file, under a name of its own so that it is never the id
// of a photo that somebody sent; the number is to be raised when files are made into other pictures than before.
func readOwn(upload io.ReadSeeker) (content []byte, id domain.ID, err error) {
	if err := check(upload); err != nil {
		return nil, id, err
	}
	if content, err = read(upload); err != nil {
		return nil, id, err
	}
	digest := sha256.New()
	_, _ = digest.Write([]byte("own picture 1\n")) // a digest takes everything
	_, _ = digest.Write(content)
	copy(id[:], digest.Sum(nil))
	return content, id, nil
}

// take gives a photo that is stored already to one more owner; pgx.ErrNoRows: it is not.
func (a *Album) take(ctx context.Context, owner, id domain.ID) (Photo, error) {
	photo := Photo{ID: id}
	err := a.db.QueryRow(ctx, `WITH known AS (SELECT id, width, height FROM photos WHERE id = $1 FOR UPDATE),
			taken AS (INSERT INTO photo_owners (photo, owner) SELECT id, $2 FROM known ON CONFLICT DO NOTHING)
		SELECT width, height FROM known`, id, owner).Scan(&photo.Width, &photo.Height)
	if err != nil {
		return photo, fmt.Errorf("take photo %s: %w", id, err)
	}
	return photo, nil
}

func (a *Album) add(ctx context.Context, owner domain.ID, u io.ReadSeeker) (Photo, error) {
	content, err := read(u)
	if err != nil {
		return Photo{}, err
	}
	photo, pictures, err := a.pictures(ctx, content)
	if err != nil {
		return photo, err
	}
	return photo, a.store(ctx, owner, photo, pictures, sent)
}

// store keeps the files of a photo and whose it is.
func (a *Album) store(ctx context.Context, owner domain.ID, photo Photo, pictures []picture, of string) error {
	id := photo.ID
	err := pgx.BeginFunc(ctx, a.db, func(tx pgx.Tx) error {
		// The row is locked while files come or go: nobody removes what another adds.
		_, err := tx.Exec(ctx, `INSERT INTO photos (id, width, height, webp) VALUES ($1, $2, $3, true)
			ON CONFLICT (id) DO UPDATE SET webp = true`, id, photo.Width, photo.Height)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "INSERT INTO photo_owners (photo, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING", id, owner); err != nil {
			return err
		}
		for _, p := range pictures {
			if err := a.blobs.Put(ctx, fileName(id, of, p.size[0], ".jpg"), p.jpeg); err != nil {
				return err
			}
			if err := a.blobs.Put(ctx, fileName(id, of, p.size[0], ".webp"), p.webp); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store photo: %w", err)
	}
	return nil
}

// read reads a photo, of which check was content.
func read(u io.ReadSeeker) ([]byte, error) {
	if _, err := u.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read photo: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(u, MaxBytes))
	if err != nil {
		return nil, fmt.Errorf("read photo: %w", err)
	}
	return content, nil
}

// picture is one size of a photo: width and height, and its files.
type picture struct {
	size       [2]int
	jpeg, webp []byte
}

// pictures makes the sizes of a photo, smallest first.
func (a *Album) pictures(ctx context.Context, content []byte) (photo Photo, pictures []picture, err error) {
	size, err := measure(bytes.NewReader(content))
	if err != nil {
		return photo, nil, err
	}
	whole, err := a.decode(ctx, content, size.memory)
	if err != nil {
		return photo, nil, err
	}
	full := whole.Rect.Size()
	for _, w := range Widths(full.X) {
		h := max(1, (full.Y*w+full.X/2)/full.X)
		size := whole
		if w < full.X {
			size = shrink(whole, w, h)
		} else {
			h = full.Y
		}
		p, err := a.encode(ctx, size)
		if err != nil {
			return photo, nil, err
		}
		p.size = [2]int{w, h}
		pictures = append(pictures, p)
	}
	digest := sha256.Sum256(pictures[len(pictures)-1].jpeg)
	photo.Width, photo.Height = pictures[len(pictures)-1].size[0], pictures[len(pictures)-1].size[1]
	copy(photo.ID[:], digest[:])
	return photo, pictures, nil
}

// decode waits until the others that are decoded leave enough memory.
func (a *Album) decode(ctx context.Context, content []byte, memory int64) (*image.RGBA, error) {
	if err := a.memory.Acquire(ctx, memory); err != nil {
		return nil, fmt.Errorf("wait to decode a photo: %w", err)
	}
	defer a.memory.Release(memory)
	whole, err := decode(content)
	if memory > muchMemory {
		debug.FreeOSMemory()
	}
	return whole, err
}

// encode waits until few enough do so too: it is the most work of an upload, and shoppers ask for prices meanwhile.
func (a *Album) encode(ctx context.Context, p image.Image) (picture, error) {
	if err := a.encoders.Acquire(ctx, 1); err != nil {
		return picture{}, fmt.Errorf("wait to encode a photo: %w", err)
	}
	defer a.encoders.Release(1)
	return encode(p)
}

// In has Remove refuse to delete files anywhere but in the shop's own folder: elsewhere they are not there, which would be
// fine.
func (a *Album) In(h Home) *Album {
	a.at = h.Check
	return a
}

// Remove takes photos from an owner; the files go with the last one. What is not there is fine.
func (a *Album) Remove(ctx context.Context, owner domain.ID, ids ...domain.ID) error {
	if a.at != nil && len(ids) > 0 {
		if err := a.at(ctx); err != nil && !errors.Is(err, ErrUnclaimed) {
			return fmt.Errorf("remove photos: %w", err)
		}
	}
	for _, id := range ids {
		err := pgx.BeginFunc(ctx, a.db, func(tx pgx.Tx) error {
			var width int
			err := tx.QueryRow(ctx, "SELECT width FROM photos WHERE id = $1 FOR UPDATE", id).Scan(&width)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "DELETE FROM photo_owners WHERE photo = $1 AND owner = $2", id, owner); err != nil {
				return err
			}
			gone, err := tx.Exec(ctx, "DELETE FROM photos WHERE id = $1 AND NOT EXISTS (SELECT FROM photo_owners WHERE photo = $1)", id)
			if err != nil || gone.RowsAffected() == 0 {
				return err
			}
			for _, w := range Widths(width) {
				for kind := range kinds {
					for _, of := range []string{sent, own} {
						if err := a.blobs.Delete(ctx, fileName(id, of, w, kind)); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("remove photo %s: %w", id, err)
		}
	}
	return nil
}

// RemoveAll takes all photos from an owner, and says how many those were.
func (a *Album) RemoveAll(ctx context.Context, owner domain.ID) (int, error) {
	rows, _ := a.db.Query(ctx, "SELECT photo FROM photo_owners WHERE owner = $1", owner)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[domain.ID])
	if err != nil {
		return 0, fmt.Errorf("list photos: %w", err)
	}
	return len(ids), a.Remove(ctx, owner, ids...)
}

// Sweep checks photos added before a time whose request may have failed: it removes photos that the log does not have, and
// never checks the others again. It answers how many were removed.
func (a *Album) Sweep(ctx context.Context, before time.Time, holds func(ctx context.Context, owner, photo domain.ID) (bool, error)) (removed int, err error) {
	type use struct{ Photo, Owner domain.ID }
	rows, _ := a.db.Query(ctx, "SELECT photo, owner FROM photo_owners WHERE NOT kept AND added_at < $1 ORDER BY added_at LIMIT 1000", before)
	uses, err := pgx.CollectRows(rows, pgx.RowToStructByPos[use])
	if err != nil {
		return 0, fmt.Errorf("list new photos: %w", err)
	}
	for _, u := range uses {
		held, err := holds(ctx, u.Owner, u.Photo)
		if err != nil {
			return removed, err
		}
		if held {
			_, err = a.db.Exec(ctx, "UPDATE photo_owners SET kept = true WHERE photo = $1 AND owner = $2", u.Photo, u.Owner)
		} else if err = a.Remove(ctx, u.Owner, u.Photo); err == nil {
			removed++
		}
		if err != nil {
			return removed, fmt.Errorf("sweep photos: %w", err)
		}
	}
	return removed, nil
}

// Small is where the smallest size of a photo is served; empty when there is no such photo.
func (a *Album) Small(ctx context.Context, id domain.ID) (string, error) {
	var width int
	err := a.db.QueryRow(ctx, "SELECT width FROM photos WHERE id = $1", id).Scan(&width)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find photo %s: %w", id, err)
	}
	return URL(id, Widths(width)[0]), nil
}

// kinds are the encodings of each size, by file extension.
var kinds = map[string]string{".jpg": "image/jpeg", ".webp": "image/webp"}

// The name of a file distinguishes uploaded photos from the shop's own pictures, and so its audience.
const (
	sent = ""
	own  = "-own"
)

// URL is where one size of a photo is served as JPEG; width is one of Widths. The WebP beside it ends in .webp.
func URL(id domain.ID, width int) string { return "/media/" + fileName(id, sent, width, ".jpg") }

// OwnURL is URL of a picture of the shop's own.
func OwnURL(id domain.ID, width int) string { return "/media/" + fileName(id, own, width, ".jpg") }

// IsOf says whether an address is of a size of a photo, IsIn whether a text names one.
func IsOf(address string, id domain.ID) bool { return strings.HasPrefix(address, anyURL(id)) }
func IsIn(text string, id domain.ID) bool    { return strings.Contains(text, anyURL(id)) }

// anyURL is what the addresses of all sizes of a photo begin with.
func anyURL(id domain.ID) string { return "/media/" + hex.EncodeToString(id[:]) + "-" }

func fileName(id domain.ID, of string, width int, kind string) string {
	return hex.EncodeToString(id[:]) + of + "-" + strconv.Itoa(width) + kind
}

// served are the names that were ever given out.
var served = regexp.MustCompile(`^[0-9a-f]{32}(-own)?-[1-9][0-9]{0,3}\.(jpg|webp)$`)

// Serve answers GET /media/{name}. A file that is not there, or whose photo no owner shows, is fs.ErrNotExist.
func (a *Album) Serve(w http.ResponseWriter, r *http.Request, name string, shows func(ctx context.Context, owner, photo domain.ID) (bool, error)) error {
	of := served.FindStringSubmatch(name)
	if of == nil {
		return fs.ErrNotExist
	}
	// A file never changes, so whoever has seen it keeps it; what somebody sent no shared cache does, lest it outlive being hidden.
	keep := "public, max-age=31536000, immutable"
	if of[1] == sent {
		keep = "private, max-age=31536000, immutable"
		shown, err := a.shown(r.Context(), name, shows)
		if err != nil {
			return err
		}
		if !shown {
			return fs.ErrNotExist
		}
	}
	w.Header().Set("ETag", `"`+name+`"`)
	return a.send(w, r, name, keep)
}

// send answers a file; keep is who may keep it.
func (a *Album) send(w http.ResponseWriter, r *http.Request, name, keep string) error {
	file, err := a.blobs.Open(r.Context(), name)
	if err != nil {
		w.Header().Del("ETag")
		return err
	}
	defer file.Close()
	h := w.Header()
	h.Set("Content-Type", kinds[path.Ext(name)])
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", keep)
	// No browser may run a file that it takes for something other than a picture.
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	http.ServeContent(w, r, name, time.Time{}, file)
	return nil
}

// shown asks whether one of its owners shows the photo of a file.
func (a *Album) shown(ctx context.Context, name string, shows func(ctx context.Context, owner, photo domain.ID) (bool, error)) (bool, error) {
	var id domain.ID
	if _, err := hex.Decode(id[:], []byte(name[:2*len(id)])); err != nil {
		return false, fmt.Errorf("read the name %s: %w", name, err)
	}
	rows, _ := a.db.Query(ctx, "SELECT owner FROM photo_owners WHERE photo = $1", id)
	owners, err := pgx.CollectRows(rows, pgx.RowTo[domain.ID])
	if err != nil {
		return false, fmt.Errorf("list owners of photo %s: %w", id, err)
	}
	for _, owner := range owners {
		if shown, err := shows(ctx, owner, id); shown || err != nil {
			return shown, err
		}
	}
	return false, nil
}
