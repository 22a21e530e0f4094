package readapi

import (
	"reflect"
	"testing"
)

func TestTeaserOf(t *testing.T) {
	t.Parallel()
	link := func(url, text string) *TeaserLink { return &TeaserLink{url, text} }
	for name, c := range map[string]struct {
		text string
		want Teaser
	}{
		"nothing":      {" \n", Teaser{Text: []string{}}},
		"all of it":    {"<p>Над</p>\n<h2>Мы</h2>\n<p>Раз</p>\n<p>Два</p>\n<p><a href=\"/a?b=1&amp;c=2\">Да</a></p>", Teaser{"Над", "Мы", []string{"Раз", "Два"}, link("/a?b=1&c=2", "Да")}},
		"no heading":   {"<p>Раз</p><p><a href=\"/a\">Да</a></p>", Teaser{Text: []string{"Раз", `<a href="/a">Да</a>`}}},
		"marked words": {"<h2>Соль &amp; <em>вода</em></h2><p>Из <strong>моря</strong></p>", Teaser{Title: "Соль &amp; <em>вода</em>", Text: []string{"Из <strong>моря</strong>"}}},
		"a link among words, and a second button": {
			"<h2>Мы</h2><p>См. <a href=\"/a\">там</a></p><p><a href=\"/b\">Да</a></p><p><a href=\"/c\">Нет</a></p>",
			Teaser{Title: "Мы", Text: []string{`См. <a href="/a">там</a>`, `<a href="/c">Нет</a>`}, Link: link("/b", "Да")},
		},
		"two headings":        {"<h2>Мы</h2><h2>Вы</h2>", Teaser{Title: "Мы", Text: []string{"Вы"}}},
		"a list":              {"<h2>Мы</h2><ul><li>Раз</li><li><p>Два</p>и ещё</li></ul>", Teaser{Title: "Мы", Text: []string{"Раз", "Два", "и ещё"}}},
		"words alone":         {"Раз <em>два</em>", Teaser{Text: []string{"Раз <em>два</em>"}}},
		"a link to no place":  {"<h2>Мы</h2><p><a>Да</a></p>", Teaser{Title: "Мы", Text: []string{"<a>Да</a>"}}},
		"words cannot escape": {"<h2>&lt;img src=x onerror=alert(1)&gt;</h2>", Teaser{Title: "&lt;img src=x onerror=alert(1)&gt;", Text: []string{}}},
	} {
		if got := teaserOf(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
