package readapi

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/net/html"

	"shop/readapi/replicas"
)

//go:embed pages/*.html
var pageFiles embed.FS

// DefaultText is what a page says while nobody wrote anything else, as HTML; empty: nothing.
func DefaultText(block string) string {
	text, err := pageFiles.ReadFile("pages/" + block + ".html")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// pageNames are the texts of pages that staff write, with the kind of page that shows each; the Kazakh text of each is the block with this ending.
var pageNames = map[string]string{"about": "about", "delivery": "delivery", "hero": "home", "advantages": "home", "about-teaser": "home"}

const inKazakh = "-kk"

// Pages answers the texts of pages.
type Pages struct{ DB replicas.DB }

// PageText is what a page says in both languages, as HTML in parts: what comes before the first heading of the second level, and
// each such heading with what follows. Without a Kazakh text, Kazakh pages show the Russian one.
type PageText struct {
	Name   string   `json:"name"`
	Text   []string `json:"text"`
	TextKK []string `json:"text_kk"`
}

// Show is GET /api/content/pages/{name}/.
func (h Pages) Show(r *http.Request) (*Reply, error) {
	page, err := h.page(r, param(r, "name"))
	if err != nil {
		return nil, err
	}
	if len(page.Text) == 0 {
		return nil, ErrNotFound
	}
	return replyWith(revalidate, page, Part{"content", ""}, Part{"rules", ""})
}

func (h Pages) page(r *http.Request, name string) (PageText, error) {
	if pageNames[name] == "" {
		return PageText{}, ErrNotFound
	}
	said, err := h.said(r.Context(), name)
	if err != nil {
		return PageText{}, err
	}
	return said[name].page(name), nil
}

// wording is a text of a page as HTML; an empty Kazakh one is the Russian one.
type wording struct{ russian, kazakh string }

func (w wording) page(name string) PageText {
	return PageText{Name: name, Text: inParts(w.russian), TextKK: inParts(w.kazakh)}
}

// said are texts of pages by their names, with what the rules fill in: what staff wrote, or the shop's own.
func (h Pages) said(ctx context.Context, names ...string) (map[string]wording, error) {
	blocks := slices.Clone(names)
	for _, name := range names {
		blocks = append(blocks, name+inKazakh)
	}
	rows, _ := h.DB.Query(ctx, "SELECT name, text, (SELECT rules FROM rules.current) FROM content.block WHERE name = ANY(@names)", pgx.NamedArgs{"names": blocks})
	texts := map[string]string{}
	var (
		block, text string
		rules, last *ruleValues
	)
	_, err := pgx.ForEachRow(rows, []any{&block, &text, &rules}, func() error {
		texts[block], last = text, rules
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the texts %s: %w", strings.Join(names, ", "), err)
	}
	said := map[string]wording{}
	for _, name := range names {
		w := wording{last.fill(cmp.Or(texts[name], DefaultText(name)), russian), last.fill(cmp.Or(texts[name+inKazakh], DefaultText(name+inKazakh)), kazakh)}
		if texts[name] != "" && texts[name+inKazakh] == "" {
			w.kazakh = "" // the default would say something else
		}
		said[name] = w
	}
	return said, nil
}

// inParts divides HTML at its headings of the second level, but for those within something else.
func inParts(text string) []string {
	parts := []string{}
	var (
		part  strings.Builder
		depth int
	)
	end := func() {
		if said := strings.TrimSpace(part.String()); said != "" {
			parts = append(parts, said)
		}
		part.Reset()
	}
	for z := html.NewTokenizer(strings.NewReader(text)); z.Next() != html.ErrorToken; {
		raw := string(z.Raw())
		token := z.Token()
		if token.Type == html.StartTagToken && token.Data == "h2" && depth == 0 {
			end()
		}
		switch {
		case token.Type == html.StartTagToken && !hollow[token.Data]:
			depth++
		case token.Type == html.EndTagToken && !hollow[token.Data]:
			depth--
		}
		part.WriteString(raw)
	}
	end()
	return parts
}

// hollow are elements without an end.
var hollow = map[string]bool{"br": true, "hr": true, "img": true, "source": true}
