package readapi

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Content answers blocks of text and slides.
type Content struct{ DB replicas.DB }

// Block is a content block as shown. What is empty in Kazakh is as in Russian.
type Block struct {
	Name          string  `json:"name"`
	Text          string  `json:"text"`
	TextKK        string  `json:"text_kk"`
	FileContent   []Slide `json:"file_content"`
	FileContentKK []Slide `json:"file_content_kk"`
}

// Slide is a picture of a block. Alt describes it for readers who do not see it.
type Slide struct {
	URL  string `json:"url"`
	File string `json:"file"`
	Alt  string `json:"alt"`
}

// Find is GET /api/content/find/{name}/.
func (h Content) Find(r *http.Request) (*Reply, error) {
	name := Clean(param(r, "name"), 200)
	rows, _ := h.DB.Query(r.Context(), "SELECT name = @name, text, slides, (SELECT rules FROM rules.current) FROM content.block WHERE name IN (@name, @kazakh)",
		pgx.NamedArgs{"name": name, "kazakh": name + inKazakh})
	b := Block{FileContent: []Slide{}, FileContentKK: []Slide{}}
	var (
		isRussian bool
		text      string
		slides    []Slide
		rules     *ruleValues
	)
	_, err := pgx.ForEachRow(rows, []any{&isRussian, &text, &slides, &rules}, func() error {
		if isRussian {
			b.Name, b.Text, b.FileContent = name, rules.fill(text, russian), append([]Slide{}, slides...)
		} else {
			b.TextKK, b.FileContentKK = rules.fill(text, kazakh), append([]Slide{}, slides...)
		}
		slides = nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read content block: %w", err)
	}
	if b.Name == "" {
		return nil, ErrNotFound
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
// and {same_day_until}. What the rules do not have is a dash; others stay as they are. Without rules the text stays as it is.
func (v *ruleValues) fill(text string, in language) string {
	if v == nil {
		return text
	}
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
			tier := "%[1]d\u00a0%% от %[2]s"
			if in == kazakh {
				tier = "%[2]s-ден бастап %[1]d\u00a0%%"
			}
			tiers = append(tiers, fmt.Sprintf(tier, t.Percent, tenge(t.From)))
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
