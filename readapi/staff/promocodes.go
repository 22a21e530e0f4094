package staff

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// PromocodeLine is a promo code in a list. Zero limits and nil times mean none.
type PromocodeLine struct {
	Code        string     `json:"code"`
	Kind        string     `json:"kind"`
	Value       int64      `json:"value"`
	MinSum      int64      `json:"min_sum"`
	ValidFrom   *time.Time `json:"valid_from"`
	ValidUntil  *time.Time `json:"valid_until"`
	Uses        int64      `json:"uses"`
	UsesPerUser int64      `json:"uses_per_user"`
	Redeemed    int64      `json:"redeemed"`
	Revoked     bool       `json:"revoked"`
}

// Promocodes lists the promo codes, by code.
func (s Shop) Promocodes(ctx context.Context, limit, offset int) ([]PromocodeLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT code, kind, value, min_sum, valid_from, valid_until, uses, uses_per_user, redeemed, revoked
		FROM promocode.code ORDER BY code LIMIT $1 OFFSET $2`, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list promo codes: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[PromocodeLine])
}
