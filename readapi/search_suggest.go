package readapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// suggestions are the limits of one answer, by kind; goods fill what the others leave.
const (
	suggestions         = 8
	suggestedQueries    = 3
	suggestedBrands     = 2
	suggestedCategories = 2
	// suggestedFrom is how many of the best matches searches are suggested from.
	suggestedFrom = 40
)

// Suggestion is a line under the search field.
type Suggestion struct {
	// Kind is query, brand, category or product.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Link is the page's path; nil for a query, which goes into the field instead.
	Link *string `json:"link"`
	// Lang is kk where the text is in Kazakh; empty: it is in Russian or a name.
	Lang string `json:"lang,omitempty"`
}

// Suggestions is what an unfinished search may become.
type Suggestions struct {
	// Corrected is the corrected text, if it was corrected.
	Corrected string       `json:"corrected,omitempty"`
	Results   []Suggestion `json:"results"`
}

// Suggest is GET /api/products/suggest/?q=: searches, brands, categories and goods for a text that is being typed.
func (h Products) Suggest(r *http.Request) (*Reply, error) {
	out := Suggestions{Results: []Suggestion{}}
	parts := []Part{{"catalog", ""}, {"stock", "stock.replenished"}, {"stock", "stock.depleted"}, {"popularity", ""}}
	text := Clean(r.URL.Query().Get("q"), searchRunes)
	if text == "" {
		return replyWith(revalidate, out, parts...)
	}
	found, err := h.Index.Search(r.Context(), text, true)
	if err != nil {
		return nil, err
	}
	out.Corrected = found.Corrected
	l := languageOf(r)
	s := everything(l)
	s.matching(found.Hits[:min(len(found.Hits), comparedByStock)], page{}, h.popularSince())
	s.args["brand_ids"], s.args["category_ids"], s.args["limit"] = found.Brands, found.Categories, suggestedFrom
	rows, err := h.DB.Query(r.Context(), s.with+`
		(SELECT 'brand' AS kind, name, '/brands/' || link AS link, '' AS lang FROM catalog.brand WHERE id = ANY(@brand_ids::uuid[]) AND NOT archived ORDER BY array_position(@brand_ids::uuid[], id) LIMIT 8)
		UNION ALL
		(SELECT 'category', `+l.text("o", "name")+`, CASE WHEN EXISTS (SELECT FROM catalog.category c WHERE c.parent_id = o.id AND NOT c.archived) THEN '/categories/' ELSE '/category/' END || link, `+l.spoken("o", "name")+`
			FROM catalog.category o WHERE id = ANY(@category_ids::uuid[]) AND NOT archived ORDER BY array_position(@category_ids::uuid[], id) LIMIT 8)
		UNION ALL
		(SELECT 'product', `+l.text("c", "name")+`, '/product/' || c.link, `+l.spoken("c", "name")+`
			FROM (SELECT p.id, row_number() OVER (ORDER BY `+s.parts[0].order+`) AS n FROM `+s.from+` WHERE `+s.where+`) best
			JOIN catalog.product c ON c.id = best.id WHERE best.n <= @limit ORDER BY best.n)`, s.args)
	if err != nil {
		return nil, fmt.Errorf("suggest: %w", err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Suggestion])
	if err != nil {
		return nil, fmt.Errorf("suggest: %w", err)
	}
	out.Results = arranged(lines)
	answer, err := replyWith(revalidate, out, parts...)
	if err == nil {
		answer.until = h.tomorrow()
	}
	return answer, err
}

// arranged picks the lines: searches that several of the goods answer, brands, categories, then goods.
func arranged(found []Suggestion) []Suggestion {
	of := func(kind string, most int) []Suggestion {
		var some []Suggestion
		for _, s := range found {
			if s.Kind == kind && len(some) < most {
				some = append(some, s)
			}
		}
		return some
	}
	goods := of("product", suggestedFrom)
	lines := append([]Suggestion{}, slices.Concat(queriesFor(goods), of("brand", suggestedBrands), of("category", suggestedCategories))...)
	return append(lines, goods[:min(len(goods), suggestions-len(lines))]...)
}

// queriesFor are the beginnings that several names share, most common first: «Крем для рук с мёдом» begins as крем для рук.
func queriesFor(goods []Suggestion) []Suggestion {
	counts := map[string]int{}
	var texts []string
	langs := map[string]string{}
	for _, g := range goods {
		text := strings.ToLower(g.Text)
		for _, end := range []string{"«", " с ", " со ", " без ", ",", ":"} {
			text, _, _ = strings.Cut(text, end)
		}
		text = strings.TrimSpace(text)
		if n := utf8.RuneCountInString(text); n < 3 || n > 60 {
			continue
		}
		if counts[text] == 0 {
			texts = append(texts, text)
			langs[text] = g.Lang
		}
		counts[text]++
	}
	slices.SortStableFunc(texts, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	var queries []Suggestion
	for _, text := range texts {
		if counts[text] > 1 && len(queries) < suggestedQueries {
			queries = append(queries, Suggestion{Kind: "query", Text: text, Lang: langs[text]})
		}
	}
	return queries
}
