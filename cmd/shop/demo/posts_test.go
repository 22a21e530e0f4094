package demo_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"shop/cmd/shop/demo"
)

func TestPostsAreWorthReading(t *testing.T) {
	t.Parallel()
	posts, err := demo.Posts()
	if err != nil {
		t.Fatal(err)
	}
	if len(posts) < 7 {
		t.Errorf("%d posts", len(posts))
	}
	tags := regexp.MustCompile(`<[^>]*>`)
	for _, p := range posts {
		a := p.Article
		if n := utf8.RuneCountInString(tags.ReplaceAllString(a.HTML, "")); n < 500 || n > 1500 {
			t.Errorf("%s: %d characters", a.Link, n)
		}
		if strings.Count(a.Excerpt, ".")+strings.Count(a.Excerpt, "?") < 3 || a.Photo == nil || a.Alt == "" || !a.PublishedAt.IsZero() {
			t.Errorf("%s: %+v", a.Link, a)
		}
		if _, err := os.Stat(filepath.Join("../../../web/public", a.Picture)); err != nil {
			t.Errorf("%s: %v", a.Link, err)
		}
	}
	files, err := fs.Glob(os.DirFS("posts"), "*.md")
	if err != nil || len(files) != len(posts) {
		t.Errorf("%d files, %d posts, %v", len(files), len(posts), err)
	}
}
