package pagefile_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/commands/importer/pagefile"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/post"
)

var pictures = pagefile.Pictures{"/img/soap": {Src: "/img/soap-640.webp", Width: 640, Height: 800, Sources: []catalog.Source{{Type: "image/avif", Srcset: "/img/soap-640.avif 640w"}}}}

func TestReadPost(t *testing.T) {
	t.Parallel()
	p, err := pagefile.ReadPost("inci.md", []byte("\ufeff---\r\ntitle: 'Как читать: INCI'\r\nlink: kak-chitat\r\ndescription: >\r\n  Коротко\r\n  о главном.\r\nimage: /img/soap\r\nalt: Мыло\r\ndate: 2026-03-01\r\n---\r\n# Порядок\r\n\r\n![Мыло](/img/soap)\r\n"), pictures, nil)
	want := post.Article{
		Link: "kak-chitat", Title: "Как читать: INCI", Excerpt: "Коротко о главном.", Picture: "/img/soap-640.webp", Alt: "Мыло",
		Photo:       &post.Photo{Width: 640, Height: 800, Sources: []post.Source{{Type: "image/avif", Srcset: "/img/soap-640.avif 640w"}}},
		PublishedAt: time.Date(2026, 2, 28, 19, 0, 0, 0, time.UTC),
		HTML:        "<h2>Порядок</h2>\n<p><picture><source type=\"image/avif\" srcset=\"/img/soap-640.avif 640w\" sizes=\"auto, 100vw\"><img src=\"/img/soap-640.webp\" alt=\"Мыло\" width=\"640\" height=\"800\" sizes=\"auto, 100vw\" loading=\"lazy\" decoding=\"async\"></picture></p>\n",
	}
	if err != nil || !reflect.DeepEqual(p.Article, want) {
		t.Errorf("%+v, %v", p.Article, err)
	}

	p, err = pagefile.ReadPost("blog/spf.md", []byte("---\ntitle: SPF\ndate: 2026-03-01T10:00:00+05:00\nimage: https://cdn.example/spf.jpg\n---\n<script>alert(1)</script>\n\nДа"), pictures, nil)
	want = post.Article{Link: "spf", Title: "SPF", Picture: "https://cdn.example/spf.jpg", HTML: "\n<p>Да</p>\n", PublishedAt: time.Date(2026, 3, 1, 5, 0, 0, 0, time.UTC)}
	if err != nil || !reflect.DeepEqual(p.Article, want) {
		t.Errorf("%+v, %v", p.Article, err)
	}
}

func TestPicturesBesideAPost(t *testing.T) {
	t.Parallel()
	beside := func(name string) (catalog.Picture, error) {
		if name == "lost.jpg" {
			return catalog.Picture{}, errors.New("there is no such file")
		}
		return catalog.Picture{Src: "/media/" + name, Width: 60, Height: 40, Sources: []catalog.Source{{Type: "image/webp", Srcset: "/media/" + name + " 60w"}}}, nil
	}
	source := "---\ntitle: А\nimage: a.jpg\n---\n![А](a.jpg)\n\n<figure><img src=\"b/b.PNG\" alt=\"Б\"></figure>\n\n![В](../c.jpg) ![Г](http://d.example/d.jpg) ![Д](/img/soap)\n"
	p, err := pagefile.ReadPost("a.md", []byte(source), pictures, beside)
	if err != nil || !slices.Equal(p.Files, []string{"a.jpg", "b/b.PNG"}) || p.Article.Picture != "/media/a.jpg" || p.Article.Photo == nil || p.Article.Photo.Width != 60 ||
		strings.Count(p.Article.HTML, "<img") != 3 || !strings.Contains(p.Article.HTML, `<source type="image/webp" srcset="/media/b/b.PNG 60w" sizes="auto, 100vw"><img src="/media/b/b.PNG" alt="Б" width="60" height="40"`) {
		t.Errorf("%+v, %v", p, err)
	}
	for source, want := range map[string]string{
		"---\ntitle: А\nimage: lost.jpg\n---\nДа":      "a.md:3: image: there is no such file",
		"---\ntitle: А\n---\n\nДа\n\n![Нет](lost.jpg)": "a.md:4: text: there is no such file",
	} {
		if _, err := pagefile.ReadPost("a.md", []byte(source), pictures, beside); err == nil || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", source, err, want)
		}
	}
}

func TestWhatIsWrongWithAPostNamesFileLineAndField(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"Просто текст":                           "a.md:1: the file must begin with its fields between two lines of ---",
		"---\ntitle: А\n":                        "a.md:1: the file must begin with its fields between two lines of ---",
		"---\ntitle: А\xff\n---\n":               "a.md:1: the file is not UTF-8",
		"---\ntitle: А\ntitel: Б\n---\n":         "a.md:3: titel: there is no such field",
		"---\ntitle: А\nalt: [б]\n---\n":         "a.md:3: alt: the value is not of the kind that this field takes",
		"---\n- title\n---\n":                    "a.md:2: title: the value is not of the kind that this field takes",
		"---\ntitle: А\n\ndate: вчера\n---\n":    "a.md:4: date: \"вчера\" is no day such as 2026-03-01 and no moment such as 2026-03-01T10:00:00+05:00",
		"---\ntitle: А\ndate: 2026-02-30\n---\n": "a.md:3: date: \"2026-02-30\" is no day such as 2026-03-01 and no moment such as 2026-03-01T10:00:00+05:00",
		"---\ntitle: А\nalt: Б\n---\n":           "a.md:3: alt: there is no image that it would describe",
		"---\ntitle: \"А\n---\n":                 "a.md:2: could not find end character of double-quoted text",
		"---\ntitle: А\ntitle: Б\n---\n":         "a.md:3: mapping key \"title\" already defined at [2:1]",
	} {
		_, err := pagefile.ReadPost("a.md", []byte(source), pictures, nil)
		var wrong *pagefile.Error
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", source, err, want)
		}
	}
}

func TestARefusalIsSaidWithItsLine(t *testing.T) {
	t.Parallel()
	p, err := pagefile.ReadPost("a.md", []byte("---\ntitle: А\nlink: a\n---\n\nДа"), pictures, nil)
	if err != nil {
		t.Fatal(err)
	}
	for refusal, want := range map[error]string{
		post.ErrBadTitle: "a.md:2: title: ", post.ErrLinkTaken: "a.md:3: link: ", post.ErrBadHTML: "a.md:5: text: ", post.ErrFuture: "a.md:1: date: ",
	} {
		if got := p.Blame(fmt.Errorf("change post: %w", refusal)); !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%v, want %s", got, want)
		}
	}
	if p.Blame(nil) != nil || p.Blame(post.ErrUnknown).Error() != post.ErrUnknown.Error() {
		t.Error("what is no field's fault was changed")
	}
}

func TestReadBlock(t *testing.T) {
	t.Parallel()
	b, err := pagefile.ReadBlock("slider.md", []byte("---\nslides:\n  - url: /categories\n    file: /img/soap\n    alt: Мыло\n  - file: https://cdn.example/a.jpg\n---\n"), pictures)
	want := []content.Slide{{URL: "/categories", File: "/img/soap-640.webp", Alt: "Мыло"}, {File: "https://cdn.example/a.jpg"}}
	if err != nil || !reflect.DeepEqual(b.Slides, want) || b.Text != "" {
		t.Errorf("%+v, %v", b, err)
	}
	b, err = pagefile.ReadBlock("text.md", []byte("---\ntext: Скидка {tiers}.\n---\n"), pictures)
	if err != nil || b.Text != "Скидка {tiers}." || b.Slides != nil {
		t.Errorf("%+v, %v", b, err)
	}
	if got := b.Blame(content.ErrStatesRule); !strings.HasPrefix(got.Error(), "text.md:2: text: ") {
		t.Error(got)
	}
	for source, want := range map[string]string{
		"---\nslides:\n  - url: /a\n---\n":                                "a.md:3: file: a slide needs a picture's path or https address",
		"---\nslides:\n  - file: /img/soap\n    url: javascript:a\n---\n": "a.md:4: url: a slide leads to a path of the shop's own or an https address",
		"---\nslides:\n  - file: /img/soap\n    link: /a\n---\n":          "a.md:4: link: there is no such field",
		"---\nslides: /img/soap\n---\n":                                   "a.md:2: slides: the value is not of the kind that this field takes",
		"---\ntext: А\n---\nБ":                                            "a.md:4: text: the text of a block stands between the lines of ---",
	} {
		if _, err := pagefile.ReadBlock("a.md", []byte(source), pictures); err == nil || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", source, err, want)
		}
	}
}
