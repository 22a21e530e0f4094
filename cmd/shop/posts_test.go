package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/terminal"
	"shop/commands/importer/rulesfile"
	"shop/domain"
	"shop/domain/change"
	reads "shop/readapi/staff"
)

// says runs a command line that must succeed with these words.
func (p program) says(want string, args ...string) {
	p.t.Helper()
	if got := p.ok(args...); got != want {
		p.t.Errorf("shop %s: %q, want %q", strings.Join(args, " "), got, want)
	}
}

// refuses runs a command line that must fail and say why.
func (p program) refuses(want string, args ...string) {
	p.t.Helper()
	if r := p.run(args...); r.status != terminal.Failed || !strings.Contains(r.stderr, want) {
		p.t.Errorf("shop %s: status %d, %q, want %q", strings.Join(args, " "), r.status, r.stderr, want)
	}
}

func TestPostsAtTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	inci := p.file("inci.md", "---\ntitle: Как читать состав\ndescription: Коротко.\nimage: /img/products/ostara-rose-toner\nalt: Тоник\ndate: 2026-03-01\n---\n## Порядок\n\n<script>alert(1)</script>\n\nПо убыванию.\n")
	other := p.file("sostav.md", "---\ntitle: Состав\n---\nДа\n")
	bad := p.file("bad.md", "---\ntitle: Завтра\ndate: 2126-03-01\n---\nДа\n")

	if said := p.ok("posts", "publish", inci, "--dry-run"); !strings.HasPrefix(said, "inci: would be published\n  published: no → yes\n") || !strings.Contains(said, "  title: (nothing) → Как читать состав\n") {
		t.Error(said)
	}
	p.says("inci: published\n", "posts", "publish", inci)
	p.says("inci: is so already\n", "posts", "publish", inci)
	r := p.run("posts", "publish", bad, other)
	if r.status != terminal.Failed || r.stdout != "sostav: published\n" || r.stderr != "bad.md:3: date: A post cannot be dated in the future.\nshop: 1 of 2 files were refused\n" {
		t.Errorf("%+v", r)
	}
	p.refuses("no such file", "posts", "publish", inci+"x")
	p.refuses("refused: There is no such post.", "posts", "unpublish", "nothing")
	p.refuses("sostav.md:1: link: Another post has this link.", "posts", "change", "inci", other)
	p.says("novyj: changed\n", "posts", "change", "sostav", p.file("novyj.md", "---\ntitle: Новый состав\n---\nДа\n"))
	p.says("novyj: would be unpublished\n  published: yes → no\n", "posts", "unpublish", "novyj", "--dry-run")
	p.says("novyj: unpublished\n", "posts", "unpublish", "novyj")

	var listed []reads.PostLine
	if err := json.Unmarshal([]byte(p.ok("posts", "list", "--format", "json")), &listed); err != nil || len(listed) != 2 ||
		listed[0].Link != "novyj" || listed[0].Published || listed[1].Link != "inci" || !listed[1].Published {
		t.Errorf("%+v, %v", listed, err)
	}
	if table := p.ok("posts", "list"); !strings.Contains(table, "01.03.2026 00:00:00  inci   yes        Как читать состав") {
		t.Error(table)
	}
	if shown := p.ok("posts", "show", "inci"); !strings.Contains(shown, "<h2>Порядок</h2>") || strings.Contains(shown, "script") || !strings.Contains(shown, "image /img/products/ostara-rose-toner-") {
		t.Error(shown)
	}
	p.refuses("there is no post nothing", "posts", "show", "nothing")

	s := p.serve()
	var shown struct {
		Count   int
		Results []struct {
			Link    string
			Picture *struct{ Width, Height int }
		}
	}
	if status, body := s.get("/api/blog/posts/"); status != 200 || json.Unmarshal([]byte(body), &shown) != nil ||
		shown.Count != 1 || shown.Results[0].Link != "inci" || shown.Results[0].Picture == nil || shown.Results[0].Picture.Width == 0 {
		t.Errorf("%d %s", status, body)
	}
	// A post that is changed while the shop runs is seen, though answers are kept.
	p.says("inci: changed\n", "posts", "change", "inci", p.file("inci.md", "---\ntitle: Как читать INCI\n---\nДа\n"))
	if _, _, body := s.send("GET", "/api/blog/posts/inci/", nil, "X-Min-Position", number(p.head())); !strings.Contains(body, "Как читать INCI") {
		t.Error(body)
	}
}

// TestPostsAreChangesAtTheCommandLine: each is one change with its reason, which is undone as others are, and may begin later.
func TestPostsAreChangesAtTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	inci := p.file("inci.md", "---\ntitle: Как читать состав\ndate: 2026-03-01\n---\nДа\n")
	p.says("inci: published\n", "posts", "publish", inci, "--reason", "по просьбам")
	p.says("inci: changed\n", "posts", "change", "inci", p.file("inci.md", "---\ntitle: Как читать INCI\n---\nДа\n"))
	p.says("inci: unpublished\n", "posts", "unpublish", "inci")
	made := p.changes()
	if len(made) != 3 || made[0].Title != "shop posts unpublish: inci" || made[1].Title != "shop posts change: inci" || made[2].Title != "shop posts publish: inci" || made[2].Reason != "по просьбам" {
		t.Fatalf("%+v", made)
	}
	post := func() (l reads.PostLine) {
		t.Helper()
		if err := json.Unmarshal([]byte(p.ok("posts", "show", "inci", "--format", "json")), &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, domain.Almaty)
	for n, want := range []struct {
		title     string
		published bool
	}{{"Как читать INCI", true}, {"Как читать состав", true}, {"Как читать состав", false}} {
		p.ok("changes", "undo", made[n].ID)
		if got := post(); got.Title != want.title || got.Published != want.published || !got.CreatedAt.Equal(day) {
			t.Errorf("after %d undone: %+v, want %+v", n+1, got, want)
		}
	}
	if said := p.ok("posts", "publish", inci, "--at", time.Now().AddDate(0, 1, 0).Format("2006-01-02T15:04")); !strings.HasPrefix(said, "inci: is planned: shop changes show ") {
		t.Error(said)
	}
	if last := p.changes()[0]; last.Status != change.Planned || post().Published {
		t.Errorf("%+v", last)
	}
}

// TestADryRunOfAPostSaysWhatWasAndWouldBe: field by field, of the text only the lines that differ.
func TestADryRunOfAPostSaysWhatWasAndWouldBe(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	inci := p.file("inci.md", "---\ntitle: Как читать состав\ndate: 2026-03-01\n---\nПервый\n\nВторой\n\nТретий\n")
	p.says("inci: published\n", "posts", "publish", inci)
	other := p.file("sostav.md", "---\ntitle: Как читать INCI\ndescription: Коротко.\n---\nПервый\n\nДва\n\nТретий\n")
	const differs = "  link: inci → sostav\n  title: Как читать состав → Как читать INCI\n  description: (nothing) → Коротко.\n" +
		"  text:\n  - <p>Второй</p>\n  + <p>Два</p>\n"
	p.says("sostav: would be changed\n"+differs, "posts", "change", "inci", other, "--dry-run")
	p.says("inci: is so already\n", "posts", "publish", inci, "--dry-run")
	p.says("inci: unpublished\n", "posts", "unpublish", "inci")
	p.says("inci: would be published\n  published: no → yes\n", "posts", "publish", inci, "--dry-run")
	p.says("inci: is so already\n", "posts", "unpublish", "inci", "--dry-run")
	long := p.file("long.md", "---\ntitle: Длинный\n---\n"+strings.Repeat("Строка\n\n", 25))
	if said := p.ok("posts", "publish", long, "--dry-run"); strings.Count(said, "  + <p>Строка</p>\n") != 20 || !strings.HasSuffix(said, "  + (5 more lines)\n") {
		t.Error(said)
	}
	if made := p.changes(); len(made) != 2 {
		t.Errorf("a dry run made a change: %+v", made)
	}
}

func TestPicturesBesideAPostComeInSizes(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	file := p.file("soap.md", "---\ntitle: Мыло\nimage: soap.png\n---\n![Кусок мыла](soap.png)\n")
	p.refuses(`soap.md:3: image: "soap.png" is not in the folder of pictures`, "posts", "publish", file)
	var soap bytes.Buffer
	if err := png.Encode(&soap, image.NewGray(image.Rect(0, 0, 400, 300))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "soap.png"), soap.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := p.ok("posts", "publish", file, "--dry-run"); !strings.HasPrefix(said, "soap: would be published\n") || !strings.Contains(said, "  size: (nothing) → 400 × 300, 2 encodings\n") {
		t.Error(said)
	}
	planned := p.ok("posts", "publish", file, "--at", time.Now().AddDate(0, 1, 0).Format("2006-01-02T15:04"))
	var kept int
	if err := p.pool().QueryRow(t.Context(), "SELECT count(*) FROM photo_owners WHERE kept").Scan(&kept); err != nil || kept != 1 || !strings.HasPrefix(planned, "soap: is planned: shop changes show ") {
		t.Errorf("%q keeps %d pictures (%v)", planned, kept, err)
	}
	p.says("soap: published\n", "posts", "publish", file)
	p.says("soap: is so already\n", "posts", "publish", file)

	s := p.serve()
	_, _, body := s.send("GET", "/api/blog/posts/soap/", nil, "X-Min-Position", number(p.head()))
	var shown struct {
		Content string
		Picture *struct{ Sources []struct{ Srcset string } }
	}
	if err := json.Unmarshal([]byte(body), &shown); err != nil || shown.Picture == nil || len(shown.Picture.Sources) != 2 ||
		!strings.Contains(shown.Content, `srcset="`+shown.Picture.Sources[0].Srcset+`"`) || !strings.Contains(shown.Content, `width="400" height="300"`) {
		t.Fatalf("%v %s", err, body)
	}
	for _, address := range regexp.MustCompile(`/media/[^ "]+`).FindAllString(shown.Content, -1) {
		if status, header, _ := s.send("GET", address, nil); status != 200 || header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", address, status, header)
		}
	}
}

func TestContentAtTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	slider := p.file("slider.md", "---\nslides:\n  - url: /categories\n    file: /img/hero/hero-m\n    alt: Полка\n---\n")
	p.says("main-slider: would be changed\n", "content", "set", "main-slider", slider, "--dry-run")
	p.says("main-slider: changed\n", "content", "set", "main-slider", slider)
	p.says("main-slider: is so already\n", "content", "set", "main-slider", slider)
	p.refuses("text.md:2: text: Numbers in discount-text come from the rules", "content", "set", "discount-text", p.file("text.md", "---\ntext: Скидка 5 %\n---\n"))
	p.refuses("slider.md:3: link: there is no such field", "content", "set", "main-slider", p.file("slider.md", "---\nslides:\n  - link: /a\n---\n"))
	p.says("discount-text: changed\n", "content", "set", "discount-text", p.file("text.md", "---\ntext: 'Скидки: {tiers}, минимум {minimum_sum}.'\n---\n"))
	if list := p.ok("content", "list"); !strings.Contains(list, "discount-text") || !strings.Contains(list, "main-slider") {
		t.Error(list)
	}
	if shown := p.ok("content", "show", "main-slider"); !strings.Contains(shown, "/img/hero/hero-m-800.webp  /categories  Полка") {
		t.Error(shown)
	}
	p.refuses("there is no block nothing", "content", "show", "nothing")

	// What the text says follows the rules.
	s := p.serve()
	says := func(want string) {
		t.Helper()
		if _, _, body := s.send("GET", "/api/content/find/discount-text/", nil, "X-Min-Position", number(p.head())); !strings.Contains(body, want) {
			t.Error(body)
		}
	}
	says("Скидки: 5\u00a0% от 30\u00a0000\u00a0₸, 10\u00a0% от 50\u00a0000\u00a0₸, 15\u00a0% от 100\u00a0000\u00a0₸, минимум 7\u00a0000\u00a0₸.")
	p.says("rules: changed\n", "rules", "set", p.file("rules.yml", "minimum_sum: 5000\ntiers: []\n"))
	says("Скидки: —, минимум 5\u00a0000\u00a0₸.")
}

func TestRulesAtTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	first := p.file("rules.json", p.ok("rules", "show", "--format", "json"))
	p.says("rules: is so already\n", "rules", "set", first)
	p.says("rules: would be changed\n", "rules", "set", p.file("r.yml", "minimum_sum: 5000\n"), "--dry-run")
	p.says("rules: changed\n", "rules", "set", p.file("r.yml", "version: 1\nminimum_sum: 5000\ntiers:\n  - {from: 10000, percent: 3}\n"))
	var now rulesfile.File
	if err := json.Unmarshal([]byte(p.ok("rules", "show", "--format", "json")), &now); err != nil || now.Version != 2 || now.MinimumSum != 5000 ||
		len(now.Tiers) != 1 || now.Tiers[0].Percent != 3 || now.MaxPerOrder != 99 || len(now.Delivery) != 1 {
		t.Errorf("%+v, %v", now, err)
	}
	if table := p.ok("rules", "show"); !strings.Contains(table, "tiers                 3 % from 10\u00a0000") || !strings.Contains(table, "minimum_sum           5\u00a0000") {
		t.Error(table)
	}
	p.refuses("The rules are at version 2, the change was made of version 1.", "rules", "set", first)
	for text, want := range map[string]string{
		"minimum: 5000":                            "minimum: there is no such rule",
		"minimum_sum: много":                       "minimum_sum: ",
		"minimum_sum:":                             "minimum_sum: there is no value",
		"tiers:\n  - {form: 1}":                    `tiers: unknown field "form"`,
		"tiers:\n  - {from: 1, percent: 101}":      "tiers[0].percent: A percent must be between 0 and 100.",
		"delivery:\n  - {city: Астана, price: -1}": "delivery[0].price: A sum must be between",
		"card_minutes: 0":                          "card_minutes: A payment deadline",
		"- 1":                                      "want fields of the rules",
		"{":                                        "want fields of the rules",
	} {
		p.refuses(want, "rules", "set", p.file("bad.yml", text))
	}
}
