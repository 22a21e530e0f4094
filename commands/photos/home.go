package photos

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// marker is the file that says whose folder it is.
const marker = ".shop"

// ErrUnclaimed: no process has put the mark into a folder yet.
var ErrUnclaimed = errors.New("no folder of photos belongs to the shop yet: a process with the role web chooses it")

// Foreign: the folder is not the one in which this shop keeps photos. Whoever deleted photos there would delete none.
type Foreign struct{ Folder, Shop, Reason string }

func (e *Foreign) Error() string {
	return fmt.Sprintf("the folder %s is not this shop's folder of photos: %s. Let all processes of the shop have the same SHOP_DATA_DIR; "+
		"if this folder is to be the one from now on, write the line %s into %s", e.Folder, e.Reason, e.Shop, filepath.Join(e.Folder, marker))
}

// Home knows which folder is the shop's. The first process that serves the web puts a mark into its folder and says so in
// the database; from then on only a folder with the mark will do.
type Home struct {
	DB    *pgxpool.Pool
	Place Place
	// Shop tells shops apart.
	Shop string
}

// Check returns nil in the shop's folder, *Foreign in another one, and ErrUnclaimed while there is none.
func (h Home) Check(ctx context.Context) error {
	var mark string
	err := h.DB.QueryRow(ctx, "SELECT mark FROM photo_folder").Scan(&mark)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrUnclaimed
	}
	if err != nil {
		return fmt.Errorf("find the folder of photos: %w", err)
	}
	there, err := h.Place.Mark(ctx)
	if err != nil {
		return err
	}
	return h.same(there, mark)
}

func (h Home) same(there, mark string) error {
	switch there {
	case mark:
		return nil
	case "":
		return &Foreign{h.Place.String(), mark, "it has no file " + marker}
	}
	return &Foreign{h.Place.String(), mark, "its file " + marker + " is of another shop"}
}

// Claim is Check that makes the folder the shop's while there is none. It does so only when nothing can be lost by it: the
// folder has the mark already, as one that was moved with the log, or the shop has no photos yet, or the folder, of a
// shop older than the mark, has one of them.
func (h Home) Claim(ctx context.Context) error {
	err := h.Check(ctx)
	if !errors.Is(err, ErrUnclaimed) {
		return err
	}
	return pgx.BeginFunc(ctx, h.DB, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "INSERT INTO photo_folder (mark) VALUES ($1) ON CONFLICT DO NOTHING", h.Shop)
		if err != nil {
			return fmt.Errorf("claim the folder of photos: %w", err)
		}
		there, err := h.Place.Mark(ctx)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 || there != "" { // another process was faster, or the folder was moved
			return h.same(there, h.Shop)
		}
		rows, _ := tx.Query(ctx, "SELECT id, width FROM photos ORDER BY id LIMIT 1000")
		known, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
			ID    uuid.UUID
			Width int
		}])
		if err != nil {
			return fmt.Errorf("claim the folder of photos: %w", err)
		}
		found := len(known) == 0
		for _, photo := range known {
			for _, of := range []string{sent, own} {
				has, err := h.Place.Has(ctx, fileName(photo.ID, of, Widths(photo.Width)[0], ".jpg"))
				if err != nil {
					return err
				}
				found = found || has
			}
		}
		if !found {
			return &Foreign{h.Place.String(), h.Shop, "it has none of the photos that the database knows"}
		}
		return h.Place.SetMark(ctx, h.Shop)
	})
}

// Await checks until a folder is claimed, and returns what Check does then.
func (h Home) Await(ctx context.Context, every time.Duration) error {
	for {
		if err := h.Check(ctx); !errors.Is(err, ErrUnclaimed) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}

// Mark is whose folder it is; empty: it does not say.
func (f Folder) Mark(context.Context) (string, error) {
	text, err := os.ReadFile(filepath.Join(string(f), marker))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("find the folder of photos: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// SetMark says whose folder it is.
func (f Folder) SetMark(_ context.Context, shop string) error {
	err := os.MkdirAll(string(f), 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(string(f), marker), []byte(shop+"\n"), 0o644)
	}
	if err != nil {
		return fmt.Errorf("mark the folder of photos: %w", err)
	}
	return nil
}
