package readapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Profiles answers customers about themselves.
type Profiles struct {
	DB replicas.DB
	// Customer is the signed-in customer; zero: nobody.
	Customer func(ctx context.Context) uuid.UUID
	// Clock tells the time.
	Clock func() time.Time
}

// Show is GET /api/auth/profile/. It answers what commands.Profile says.
func (h Profiles) Show(r *http.Request) (*Reply, error) {
	var body []byte
	err := h.DB.QueryRow(r.Context(), `SELECT json_build_object('id', a.id, 'first_name', a.first_name, 'last_name', a.last_name,
			'email', a.email, 'email_verified', a.verified, 'email_wanted', CASE WHEN a.wanted_until > $2 THEN nullif(a.wanted, '') END,
			'info', json_build_object('phone', a.phone, 'city', a.city, 'street', a.street, 'house', a.house, 'floor', a.floor,
				'apartment', a.apartment, 'entrance', a.entrance,
				'address', concat_ws(', ', nullif(a.city, ''), nullif(a.street, ''), nullif(a.house, '')),
				'profile_image', (SELECT '/media/' || replace(o.id::text, '-', '') || '-' || least(o.width, 320) || '.jpg'
					FROM public.photos o WHERE o.id = a.photo_id),
				'bonus_amount', greatest(0, coalesce((SELECT balance FROM bonus.entry WHERE customer_id = a.id ORDER BY version DESC LIMIT 1), 0))))
		FROM customer.account a WHERE a.id = $1 AND a.state = 'active'`, h.Customer(r.Context()), h.Clock()).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	return reply(never, body), nil
}
