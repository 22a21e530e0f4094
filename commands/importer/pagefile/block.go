package pagefile

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"shop/domain"
	"shop/domain/content"
)

// Block is a content block as a file says it.
type Block struct {
	Text   string
	Slides []content.Slide
	file   file
	lines  map[string]int
}

// ReadBlock reads a content block, which is all front matter.
func ReadBlock(name string, source []byte, pictures Pictures) (Block, error) {
	var front struct {
		Text   words `yaml:"text"`
		Slides []struct {
			URL  words `yaml:"url"`
			File words `yaml:"file"`
			Alt  words `yaml:"alt"`
		} `yaml:"slides"`
	}
	f, err := open(name, source, &front)
	if err != nil {
		return Block{}, err
	}
	if len(bytes.TrimSpace(f.body)) > 0 {
		return Block{}, f.wrong(f.bodyLine, "text", "the text of a block stands between the lines of "+fence)
	}
	b := Block{Text: strings.TrimSpace(front.Text.text), file: f, lines: map[string]int{"text": front.Text.line}}
	for _, s := range front.Slides {
		slide := content.Slide{URL: s.URL.text, File: s.File.text, Alt: strings.TrimSpace(s.Alt.text)}
		if own, found := pictures.find(slide.File); found {
			slide.File = own.Src
		}
		if !domain.PublicAddress(slide.File) {
			return Block{}, f.wrong(max(s.File.line, s.URL.line, s.Alt.line), "file", "a slide needs a picture's path or https address")
		}
		if slide.URL != "" && !domain.PublicAddress(slide.URL) {
			return Block{}, f.wrong(s.URL.line, "url", "a slide leads to a path of the shop's own or an https address")
		}
		b.lines["slides"] = s.File.line
		b.Slides = append(b.Slides, slide)
	}
	return b, nil
}

// ReadPlain reads a file that is the text of a block as a whole, without front matter.
func ReadPlain(name string, source []byte) (Block, error) {
	b := Block{Text: strings.TrimSpace(string(source)), file: file{name: name}, lines: map[string]int{"text": 1}}
	if !utf8.Valid(source) {
		return Block{}, b.file.wrong(1, "", "the file is not UTF-8")
	}
	return b, nil
}

// HasFields is whether a file begins as one with front matter does.
func HasFields(source []byte) bool {
	return bytes.HasPrefix(bytes.TrimPrefix(source, []byte("\ufeff")), []byte(fence))
}

// Blame says a refusal of the block with its line and field; other errors stay as they are.
func (b Block) Blame(err error) error {
	return b.file.blame(err, map[*domain.Refusal]string{
		content.ErrBadText: "text", content.ErrBadPlaceholder: "text", content.ErrStatesRule: "text",
		content.ErrBadSlides: "slides", content.ErrBadAddress: "slides",
	}, b.lines)
}
