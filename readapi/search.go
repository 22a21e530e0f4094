package readapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/readapi/search"
)

// searchRunes is how much of a search text is read.
const searchRunes = 200

// matching keeps the products of a selection that are among hits, best first. Among those that answer equally well, the ones in
// stock come first, then those that sell and are liked best.
func (s *selection) matching(hits []search.Hit, p page, since time.Time) {
	if s.where == "p.on_sale" && s.count == nil {
		all := int64(len(hits))
		s.count = &all
		if p.Offset+p.Limit <= comparedByStock {
			hits = hits[:min(len(hits), comparedByStock)]
		}
	}
	// pgx sends 16 bytes as they stand, and an identifier by way of its text.
	ids, tiers := make([][16]byte, len(hits)), make([]int32, len(hits))
	for i, h := range hits {
		ids[i], tiers[i] = h.ID, int32(h.Tier)
	}
	chosen := "hits h"
	if s.where != "p.on_sale" {
		chosen = fmt.Sprintf("hits h JOIN (SELECT p.id FROM %s WHERE %s) p ON p.id = h.id", s.from, s.where)
	}
	s.with = fmt.Sprintf(`WITH hits AS MATERIALIZED (
			SELECT * FROM unnest(@hit_ids::uuid[], @hit_tiers::int[]) WITH ORDINALITY AS h(id, tier, place)),
		placed AS MATERIALIZED (
			SELECT h.id, h.tier, coalesce(s.available, 0) > 0 AS there, row_number() OVER (ORDER BY h.tier DESC, h.place > %[2]d, coalesce(s.available, 0) > 0 DESC, h.place) AS place
			FROM %[1]s LEFT JOIN stock.level s ON s.product_id = h.id),
		matches AS MATERIALIZED (
			SELECT p.*, CASE WHEN p.place <= %[3]d THEN coalesce((SELECT sum(u.units) FROM popularity.units u WHERE u.product_id = p.id AND u.day > @since), 0) ELSE 0 END AS units,
				CASE WHEN p.place <= %[3]d THEN coalesce((SELECT avg(v.rating) FROM reviews.review v WHERE v.product_id = p.id AND v.state = 'shown'), 0) ELSE 0 END AS liked
			FROM placed p)`, chosen, comparedByStock, comparedBySales)
	s.from, s.where = "matches p", "true"
	s.parts = one(fmt.Sprintf("p.tier DESC, p.place > %d, p.there DESC, p.units DESC, p.liked DESC, p.place", comparedByStock))
	s.args["hit_ids"], s.args["hit_tiers"], s.args["since"] = ids, tiers, since.Format(time.DateOnly)
}

// byPrice orders what a search found by price.
func (s *selection) byPrice(direction string) {
	if s.from == "matches p" {
		s.from = "(SELECT m.id, c.discounted_price FROM matches m JOIN catalog.product c ON c.id = m.id) p"
	}
	s.parts = one("p.discounted_price " + direction + ", p.id " + direction)
}

// comparedByStock is how many of the best matches are compared by their stock; those after them keep the order of the search, so that pages
// up to there need no others.
const comparedByStock = 500

// comparedBySales is how many of the best matches are also compared by their orders: enough for all pages that shoppers open.
const comparedBySales = 100

// nearGoods is how many goods are offered where nothing was found.
const nearGoods = 3

// near is what a search that found nothing offers instead: goods that have something of what was asked for, else those that sell best.
func (h Products) near(ctx context.Context, l language, hits []search.Hit) ([]Suggestion, error) {
	s := everything(l)
	if len(hits) > 0 {
		s.matching(hits[:min(len(hits), suggestedFrom)], page{}, h.popularSince())
	} else {
		s.with = `WITH sold AS MATERIALIZED (SELECT product_id, sum(units) AS units FROM popularity.units WHERE day > @since GROUP BY product_id ORDER BY units DESC, product_id LIMIT 50),
			matches AS (SELECT p.id, sold.units FROM sold, LATERAL (SELECT id FROM catalog.product p WHERE p.id = sold.product_id AND p.on_sale AND ` + inStock + ` OFFSET 0) p)`
		s.from, s.parts = "matches p", one("p.units DESC, p.id")
		s.args["since"] = h.popularSince().Format(time.DateOnly)
	}
	s.args["limit"] = nearGoods
	rows, err := h.DB.Query(ctx, s.with+` SELECT 'product', `+l.text("c", "name")+`, '/product/' || c.link, `+l.spoken("c", "name")+`
		FROM (SELECT p.id, row_number() OVER (ORDER BY `+s.parts[0].order+`) AS n FROM `+s.from+`) best
		JOIN catalog.product c ON c.id = best.id WHERE best.n <= @limit ORDER BY best.n`, s.args)
	if err != nil {
		return nil, fmt.Errorf("find near goods: %w", err)
	}
	near, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Suggestion])
	if err != nil {
		return nil, fmt.Errorf("find near goods: %w", err)
	}
	return near, nil
}

// marks are the words, as the names of a list spell them, that a search asked for.
func (h Products) marks(results json.RawMessage, found search.Found) ([]string, error) {
	var cards []struct{ Name string }
	if err := json.Unmarshal(results, &cards); err != nil {
		return nil, fmt.Errorf("read a list's names: %w", err)
	}
	var marks []string
	for _, c := range cards {
		marks = append(marks, h.Index.Marked(found, c.Name)...)
	}
	slices.Sort(marks)
	return slices.Compact(marks), nil
}
