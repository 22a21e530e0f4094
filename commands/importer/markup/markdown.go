package markup

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	nethtml "golang.org/x/net/html"
)

// Picture is the file of a picture, its size in pixels, and the encodings that browsers choose from, none for one file alone.
type Picture struct {
	Src           string
	Width, Height int
	Sources       []Source
}

// Source is one encoding of a picture in several widths, as an HTML srcset.
type Source struct{ Type, Srcset string }

// Pictures finds a picture by what a text calls it; false: nothing but the address is known.
type Pictures func(name string) (Picture, bool)

// markdown is CommonMark with tables and strikethrough. HTML in a text passes, because all of it is sanitised after.
var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough,
	),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(headings{}, 500))),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// headings keeps a text's headings under its title, which is the page's h1.
type headings struct{}

func (headings) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			h.Level = min(max(h.Level, 2), 4)
		}
	}
}

// HTML renders Markdown as HTML that is safe to show. Pictures load when they come into sight, and keep their place
// before that when their size is known.
func HTML(source []byte, pictures Pictures) (string, error) {
	var rendered bytes.Buffer
	if err := markdown.Convert(source, &rendered); err != nil {
		return "", fmt.Errorf("render Markdown: %w", err)
	}
	return dress(draft.Sanitize(rendered.String()), pictures), nil
}

// dress completes the pictures of sanitised HTML.
func dress(safe string, pictures Pictures) string {
	var b strings.Builder
	for z := nethtml.NewTokenizer(strings.NewReader(safe)); z.Next() != nethtml.ErrorToken; {
		raw := string(z.Raw())
		token := z.Token()
		if token.Data != "img" || token.Type == nethtml.EndTagToken || token.Type == nethtml.TextToken {
			b.WriteString(raw)
			continue
		}
		attributes := map[string]string{}
		for _, a := range token.Attr {
			attributes[a.Key] = a.Val
		}
		p, found := pictures(attributes["src"])
		if !found && !files.MatchString(attributes["src"]) {
			continue // its address is not to be shown
		}
		if found {
			attributes["src"], attributes["width"], attributes["height"] = p.Src, strconv.Itoa(p.Width), strconv.Itoa(p.Height)
		}
		delete(attributes, "sizes")
		if len(p.Sources) > 0 {
			attributes["sizes"] = sizes
			b.WriteString("<picture>")
			for _, s := range p.Sources {
				writeTag(&b, "source", map[string]string{"type": s.Type, "srcset": s.Srcset, "sizes": sizes}, "type", "srcset", "sizes")
			}
		}
		attributes["loading"], attributes["decoding"] = "lazy", "async"
		writeTag(&b, "img", attributes, "src", "alt", "width", "height", "sizes", "loading", "decoding")
		if len(p.Sources) > 0 {
			b.WriteString("</picture>")
		}
	}
	return b.String()
}

// writeTag writes an element with those of the named attributes that it has, and always with a picture's description.
func writeTag(b *strings.Builder, element string, attributes map[string]string, names ...string) {
	b.WriteString("<" + element)
	for _, name := range names {
		if value := attributes[name]; value != "" || name == "alt" {
			fmt.Fprintf(b, ` %s="%s"`, name, nethtml.EscapeString(value))
		}
	}
	b.WriteByte('>')
}
