package photos

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/jackc/pgx/v5"

	"shop/domain"
)

// ServeTo serves a photo of an owner to somebody who may see it though it is not shown: as JPEG, its largest size or its smallest.
// Nobody keeps it. A photo that the owner does not have is fs.ErrNotExist.
func (a *Album) ServeTo(w http.ResponseWriter, r *http.Request, owner, id domain.ID, small bool) error {
	var width int
	err := a.db.QueryRow(r.Context(), "SELECT p.width FROM photos p JOIN photo_owners o ON o.photo = p.id WHERE p.id = $1 AND o.owner = $2", id, owner).Scan(&width)
	if errors.Is(err, pgx.ErrNoRows) {
		return fs.ErrNotExist
	}
	if err != nil {
		return fmt.Errorf("find photo %s: %w", id, err)
	}
	if small {
		width = Widths(width)[0]
	}
	return a.send(w, r, fileName(id, sent, width, ".jpg"), "no-store")
}
