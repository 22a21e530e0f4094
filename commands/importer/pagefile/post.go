package pagefile

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"shop/commands/importer/catalogfile"
	"shop/commands/importer/markup"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/post"
)

// Post is a post as a file says it.
type Post struct {
	Article post.Article
	// Files are the pictures that it names as files beside it.
	Files []string
	file  file
	lines map[string]int
}

// ReadPost reads a post. Without a link of its own it has its file's name. Its text is sanitised.
func ReadPost(name string, source []byte, pictures Pictures, files Files) (Post, error) {
	var front struct {
		Title       words `yaml:"title"`
		Link        words `yaml:"link"`
		Description words `yaml:"description"`
		Image       words `yaml:"image"`
		Alt         words `yaml:"alt"`
		Date        words `yaml:"date"`
	}
	f, err := open(name, source, &front)
	if err != nil {
		return Post{}, err
	}
	p := Post{file: f, lines: map[string]int{
		"title": front.Title.line, "link": front.Link.line, "description": front.Description.line,
		"image": front.Image.line, "alt": front.Alt.line, "date": front.Date.line, "text": f.bodyLine,
	}}
	a := &p.Article
	a.Title, a.Excerpt, a.Alt = strings.TrimSpace(front.Title.text), strings.TrimSpace(front.Description.text), strings.TrimSpace(front.Alt.text)
	if a.Link = front.Link.text; a.Link == "" {
		a.Link = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	if front.Date.text != "" {
		if a.PublishedAt, err = date(front.Date.text); err != nil {
			return Post{}, f.wrong(front.Date.line, "date", err.Error())
		}
	}
	own := func(name string) (catalog.Picture, bool, error) {
		if picture, found := pictures.find(name); found || files == nil || !catalogfile.LocalPicture(name) {
			return picture, found, nil
		}
		if !slices.Contains(p.Files, name) {
			p.Files = append(p.Files, name)
		}
		picture, err := files(name)
		return picture, err == nil, err
	}
	if a.Picture = front.Image.text; a.Picture != "" {
		picture, found, err := own(a.Picture)
		if err != nil {
			return Post{}, f.wrong(front.Image.line, "image", err.Error())
		}
		if found {
			a.Picture, a.Photo = picture.Src, photo(picture)
		}
	}
	if a.Picture == "" && a.Alt != "" {
		return Post{}, f.wrong(front.Alt.line, "alt", "there is no image that it would describe")
	}
	var unusable error
	a.HTML, err = markup.HTML(f.body, func(name string) (markup.Picture, bool) {
		picture, found, err := own(name)
		unusable = errors.Join(unusable, err)
		return inText(picture), found
	})
	if unusable != nil {
		return Post{}, f.wrong(f.bodyLine, "text", unusable.Error())
	}
	return p, err
}

// Blame says a refusal of the post with its line and field; other errors stay as they are.
func (p Post) Blame(err error) error {
	return p.file.blame(err, map[*domain.Refusal]string{
		post.ErrBadTitle: "title", post.ErrBadLink: "link", post.ErrLinkTaken: "link", post.ErrBadExcerpt: "description",
		post.ErrBadPicture: "image", post.ErrFuture: "date", post.ErrBadHTML: "text",
	}, p.lines)
}

// photo is a picture whose size is known.
func photo(p catalog.Picture) *post.Photo {
	known := &post.Photo{Width: p.Width, Height: p.Height, Sources: []post.Source{}}
	for _, s := range p.Sources {
		known.Sources = append(known.Sources, post.Source{Type: s.Type, Srcset: s.Srcset})
	}
	return known
}

// inText is a picture as a text shows it.
func inText(p catalog.Picture) markup.Picture {
	shown := markup.Picture{Src: p.Src, Width: p.Width, Height: p.Height}
	for _, s := range p.Sources {
		shown.Sources = append(shown.Sources, markup.Source(s))
	}
	return shown
}

// date reads a day, which begins in Almaty, or a moment.
func date(text string) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, domain.Almaty); err == nil {
		return day.UTC(), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no day such as 2026-03-01 and no moment such as 2026-03-01T10:00:00+05:00", text)
	}
	return at.UTC(), nil
}
