package readapi

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/domain/kz"
	"shop/readapi/replicas"
)

// Rules answers the shop's rules, from which every public text that states one is rendered.
type Rules struct {
	DB  replicas.DB
	Now func() time.Time
}

// A shop that delivers to no city itself has no main city: its price is 0 and its name empty.
// A shop that has published no settings delivers on every day but Sunday.
const publicRules = `SELECT json_build_object(
	'version', version,
	'min_order', rules->'minimum_sum',
	'discount_tiers', coalesce(nullif(rules->'tiers', 'null'), '[]'),
	'delivery', (SELECT coalesce(jsonb_agg(d.city - 'aliases' ORDER BY d.place), '[]') FROM jsonb_array_elements(nullif(rules->'delivery', 'null')) WITH ORDINALITY d(city, place)),
	'main_city', coalesce(rules->'delivery'->0->>'city', ''),
	'delivery_price', coalesce((rules->'delivery'->0->>'price')::bigint, 0),
	'free_delivery_from', coalesce((rules->'delivery'->0->>'free_from')::bigint, 0),
	'same_day_before', lpad(rules->>'same_day_until', 2, '0') || ':00',
	'no_delivery_weekdays', coalesce((SELECT nullif(s.settings->'no_delivery', 'null') FROM settings.current s), '[7]'),
	'no_delivery_dates', coalesce((SELECT jsonb_agg(jsonb_build_object('date', h->>'date', 'name', h->'name'->>'ru', 'name_kk', h->'name'->>'kk') ORDER BY h->>'date')
		FROM settings.current s, jsonb_array_elements(nullif(s.settings->'holidays', 'null')) h WHERE h->>'date' >= $1), '[]'),
	'max_amount', max_per_order,
	'bonus_max_percent', rules->'bonus_spend_percent',
	'bonus_earn_percent', rules->'bonus_earn_percent',
	'new_days', new_days,
	'payment_minutes', json_build_object('CARD', rules->'card_minutes', 'KASPI_BILL', rules->'kaspi_minutes')
), EXISTS (SELECT FROM settings.current s WHERE jsonb_array_length(nullif(s.settings->'holidays', 'null')) > 0) FROM rules.current`

// Show is GET /api/rules/.
func (h Rules) Show(r *http.Request) (*Reply, error) {
	var body []byte
	var holidays bool
	now := h.Now().In(kz.Almaty)
	err := h.DB.QueryRow(r.Context(), publicRules, now.Format(time.DateOnly)).Scan(&body, &holidays)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	found := reply(revalidate, body, Part{"rules", ""}, Part{"settings", ""})
	if holidays { // they pass
		found.until = midnight(now)
	}
	return found, nil
}
