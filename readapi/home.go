package readapi

import (
	"net/http"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// HomeTexts is what staff write of the home page.
type HomeTexts struct {
	Hero       TeaserText `json:"hero"`
	Advantages PageText   `json:"advantages"`
	About      TeaserText `json:"about"`
}

// TeaserText is a teaser in both languages. Without a Kazakh one, Kazakh pages show the Russian one.
type TeaserText struct {
	Text   Teaser  `json:"text"`
	TextKK *Teaser `json:"text_kk"`
}

// Teaser is a title with a few words and a way on. All but the address is HTML that fits into a line.
type Teaser struct {
	// Before stands above the title.
	Before string   `json:"before"`
	Title  string   `json:"title"`
	Text   []string `json:"text"`
	// Link is nil where the text has none.
	Link *TeaserLink `json:"link"`
}

// TeaserLink leads on from a teaser.
type TeaserLink struct {
	URL  string `json:"url"`
	Text string `json:"text"`
}

// Home is GET /api/content/home/: the texts of the home page in one answer, so that the page asks once.
func (h Pages) Home(r *http.Request) (*Reply, error) {
	said, err := h.said(r.Context(), "hero", "advantages", "about-teaser")
	if err != nil {
		return nil, err
	}
	texts := HomeTexts{said["hero"].teaser(), said["advantages"].page("advantages"), said["about-teaser"].teaser()}
	return replyWith(revalidate, texts, Part{"content", ""}, Part{"rules", ""})
}

func (w wording) teaser() TeaserText {
	t := TeaserText{Text: teaserOf(w.russian)}
	if w.kazakh != "" {
		inKazakh := teaserOf(w.kazakh)
		t.TextKK = &inKazakh
	}
	return t
}

// teaserOf reads a text as a teaser: its first heading of the second level is the title, and the first paragraph below that is
// nothing but a link is the way on.
func teaserOf(text string) Teaser {
	t := Teaser{Text: []string{}}
	root := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(text), root)
	if err != nil {
		return t
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	for _, block := range linesOf(root, nil) {
		words := htmlOf(block.words)
		link := block.link()
		switch {
		case words == "":
		case t.Title == "" && block.of == atom.H2:
			t.Before, t.Title, t.Text = strings.Join(t.Text, " "), words, []string{}
		case t.Title != "" && t.Link == nil && link != nil:
			t.Link = link
		default:
			t.Text = append(t.Text, words)
		}
	}
	return t
}

// line is what stands together in a text, such as a paragraph, and the element that holds it.
type line struct {
	of    atom.Atom
	words []*html.Node
}

// link is the link that a line consists of; nil: it says something else.
func (l line) link() *TeaserLink {
	if len(l.words) != 1 || l.words[0].DataAtom != atom.A {
		return nil
	}
	var words []*html.Node
	for n := range l.words[0].ChildNodes() {
		words = append(words, n)
	}
	for _, a := range l.words[0].Attr {
		if a.Key == "href" {
			return &TeaserLink{URL: a.Val, Text: htmlOf(words)}
		}
	}
	return nil
}

// within are the elements that stand within a line. All others make lines of their own.
var within = map[atom.Atom]bool{
	atom.A: true, atom.Br: true, atom.Code: true, atom.Del: true, atom.Em: true, atom.Img: true, atom.Picture: true, atom.Strong: true, atom.Sub: true, atom.Sup: true,
}

// linesOf adds the lines of an element.
func linesOf(parent *html.Node, all []line) []line {
	l := line{of: parent.DataAtom}
	for n := range parent.ChildNodes() {
		if n.Type == html.TextNode || within[n.DataAtom] {
			l.words = append(l.words, n)
			continue
		}
		all = linesOf(n, append(all, l))
		l.words = nil
	}
	return append(all, l)
}

func htmlOf(words []*html.Node) string {
	var b strings.Builder
	for _, n := range words {
		if err := html.Render(&b, n); err != nil {
			return "" // a builder takes all
		}
	}
	return strings.TrimSpace(b.String())
}
