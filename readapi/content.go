package readapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Content answers blocks of text and slides.
type Content struct{ DB replicas.DB }

// Block is a content block as shown.
type Block struct {
	Name        string          `json:"name"`
	Text        string          `json:"text"`
	FileContent json.RawMessage `json:"file_content"`
}

// Find is GET /api/content/find/{name}/.
func (h Content) Find(r *http.Request) (*Reply, error) {
	var (
		b     Block
		rules *ruleValues
	)
	err := h.DB.QueryRow(r.Context(), `SELECT b.name, b.text,
		(SELECT coalesce(json_agg(json_build_object('url', s.slide->'url', 'file', s.slide->'file', 'alt', coalesce(s.slide->>'alt', '')) ORDER BY s.place), '[]')
			FROM jsonb_array_elements(b.slides) WITH ORDINALITY s(slide, place)),
		(SELECT rules FROM rules.current)
		FROM content.block b WHERE b.name = @name`, pgx.NamedArgs{"name": Clean(param(r, "name"), 200)}).Scan(&b.Name, &b.Text, &b.FileContent, &rules)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read content block: %w", err)
	}
	if rules != nil {
		b.Text = rules.fill(b.Text)
	}
	return replyWith(revalidate, b, Part{"content", ""}, Part{"rules", ""})
}

// ruleValues are the rules that texts may state.
type ruleValues struct {
	MinimumSum int64 `json:"minimum_sum"`
	Tiers      []struct {
		From    int64 `json:"from"`
		Percent int64 `json:"percent"`
	} `json:"tiers"`
	Delivery []struct {
		City     string `json:"city"`
		Price    int64  `json:"price"`
		FreeFrom int64  `json:"free_from"`
	} `json:"delivery"`
	SameDayUntil int `json:"same_day_until"`
}

// fill puts the rules into a text's {placeholders}: {minimum_sum}, {tiers}, {main_city}, {delivery_price}, {free_from}
// and {same_day_until}. What the rules do not have is a dash; others stay as they are.
func (v ruleValues) fill(text string) string {
	pairs := []string{
		"{minimum_sum}", tenge(v.MinimumSum),
		"{same_day_until}", fmt.Sprintf("%02d:00", v.SameDayUntil),
	}
	if len(v.Delivery) > 0 {
		d := v.Delivery[0]
		pairs = append(pairs, "{main_city}", d.City, "{delivery_price}", tenge(d.Price), "{free_from}", tenge(d.FreeFrom))
	} else {
		pairs = append(pairs, "{main_city}", "—", "{delivery_price}", "—", "{free_from}", "—")
	}
	var tiers []string
	for _, t := range v.Tiers {
		if t.Percent > 0 {
			tiers = append(tiers, fmt.Sprintf("%d\u00a0%% от %s", t.Percent, tenge(t.From)))
		}
	}
	pairs = append(pairs, "{tiers}", cmp.Or(strings.Join(tiers, ", "), "—"))
	return strings.NewReplacer(pairs...).Replace(text)
}

// tenge writes a sum for people: 15 000 ₸, with no-break spaces.
func tenge(sum int64) string {
	digits := strconv.FormatInt(sum, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune('\u00a0')
		}
		b.WriteRune(d)
	}
	return b.String() + "\u00a0₸"
}
