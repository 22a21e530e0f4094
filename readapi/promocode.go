package readapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Promocodes answers whether a code can be used at the time Now tells.
type Promocodes struct {
	DB  replicas.DB
	Now func() time.Time
}

// maxCode is how long a code may be, in letters.
const maxCode = 64

// Show is GET /api/promocodes/{code}/.
func (h Promocodes) Show(r *http.Request) (*Reply, error) {
	asked := param(r, "code")
	code := Clean(asked, maxCode)
	if code != strings.TrimSpace(asked) {
		return nil, ErrNotFound // a code has no control characters, and is no beginning of a longer text
	}
	var body []byte
	err := h.DB.QueryRow(r.Context(), `SELECT json_build_object('code', code, 'kind', upper(kind), 'value', value, 'min_sum', min_sum, 'valid_until', to_char(valid_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
		FROM promocode.code WHERE code = @code AND NOT revoked AND (uses = 0 OR redeemed < uses)
		AND (valid_from IS NULL OR valid_from <= @now) AND (valid_until IS NULL OR valid_until > @now)`,
		pgx.NamedArgs{"code": strings.ToUpper(code), "now": h.Now()}).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read promo code: %w", err)
	}
	return reply(never, body), nil
}
