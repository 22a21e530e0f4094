package papers

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/go-fonts/dejavu/dejavusansbold"
	"github.com/go-pdf/fpdf"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Document is a text that shoppers agree to.
type Document struct {
	// Shop is the shop's name, Edition what stands below the title: the version and its day, in the text's language.
	Shop, Title, Edition string
	// Version and Date (YYYY-MM-DD) are the document's own; the same version always makes the same file.
	Version, Date string
	// Language is that of the text, ru or kk.
	Language string
	// HTML is the text, sanitised.
	HTML string
}

// Sizes of a document's type, in points, and of its page, in millimetres.
const (
	bodySize   = 10.0
	titleSize  = 18.0
	sideMargin = 20.0
	lineHeight = 5.0
)

var headingSizes = map[atom.Atom]float64{atom.H1: 15, atom.H2: 13, atom.H3: 11.5, atom.H4: 10.5}

// Print makes the document's PDF: A4, with the title, version and day on the first page, and on each its number.
func (d Document) Print() ([]byte, error) {
	body, err := html.ParseFragment(strings.NewReader(d.HTML), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return nil, fmt.Errorf("read the text of %s: %w", d.Title, err)
	}
	day, err := time.Parse(time.DateOnly, d.Date)
	if err != nil {
		return nil, fmt.Errorf("read the day of %s: %w", d.Title, err)
	}
	w := writer{Fpdf: fpdf.New("P", "mm", "A4", "")}
	w.SetCatalogSort(true)
	w.SetCreationDate(day)
	w.SetModificationDate(day)
	w.SetTitle(d.Title, true)
	w.SetSubject(d.Edition, true)
	w.SetAuthor(d.Shop, true)
	w.SetKeywords(d.Version, true)
	w.SetLang(d.Language)
	w.AddUTF8FontFromBytes("sans", "", dejavusans.TTF)
	w.AddUTF8FontFromBytes("sans", "B", dejavusansbold.TTF)
	w.SetMargins(sideMargin, sideMargin, sideMargin)
	w.SetAutoPageBreak(true, sideMargin)
	w.SetFooterFunc(func() {
		w.SetY(-sideMargin + 6)
		w.SetFont("sans", "", 8)
		w.CellFormat(130, 4, d.Title+" · "+d.Version, "", 0, "L", false, 0, "")
		w.CellFormat(0, 4, strconv.Itoa(w.PageNo()), "", 0, "R", false, 0, "")
	})
	w.AddPage()
	w.paragraph("", bodySize, d.Shop)
	w.paragraph("B", titleSize, d.Title)
	w.paragraph("", bodySize, d.Edition)
	w.Ln(lineHeight / 2)
	for _, node := range body {
		w.block(node, 0)
	}
	var out bytes.Buffer
	if err := w.Output(&out); err != nil {
		return nil, fmt.Errorf("print %s: %w", d.Title, err)
	}
	return out.Bytes(), nil
}

// writer sets a text block by block.
type writer struct {
	*fpdf.Fpdf
	bold int
	link string
}

func (w *writer) paragraph(style string, size float64, text string) {
	w.SetFont("sans", style, size)
	w.MultiCell(0, size*0.5, text, "", "L", false)
	w.Ln(1)
}

// block sets an element that begins a line, indented by so many millimetres.
func (w *writer) block(n *html.Node, indent float64) {
	if n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" {
		return
	}
	w.SetLeftMargin(sideMargin + indent)
	defer w.SetLeftMargin(sideMargin)
	switch {
	case n.Type != html.ElementNode:
		w.line(n, bodySize)
	case headingSizes[n.DataAtom] > 0:
		w.heading(n)
	case n.DataAtom == atom.Ul, n.DataAtom == atom.Ol:
		w.list(n, indent)
	case n.DataAtom == atom.Table:
		w.table(n)
	case n.DataAtom == atom.Hr:
		w.Line(sideMargin+indent, w.GetY()+1, 210-sideMargin, w.GetY()+1)
		w.Ln(4)
	case n.DataAtom == atom.Blockquote:
		for child := range n.ChildNodes() {
			w.block(child, indent+6)
		}
	default:
		w.line(n, bodySize)
	}
}

func (w *writer) heading(n *html.Node) {
	size := headingSizes[n.DataAtom]
	if _, height := w.GetPageSize(); w.GetY() > height-sideMargin-4*lineHeight { // not the last line of a page
		w.AddPage()
	}
	w.Ln(lineHeight / 2)
	w.bold++
	w.line(n, size)
	w.bold--
}

// line sets an element's words in one paragraph.
func (w *writer) line(n *html.Node, size float64) {
	w.SetX(w.left())
	w.words(n, size)
	w.Ln(max(lineHeight, size*0.5))
	w.Ln(1.2)
}

func (w *writer) left() float64 {
	left, _, _, _ := w.GetMargins()
	return left
}

// words sets the text within an element, bold and with links as it has them.
func (w *writer) words(n *html.Node, size float64) {
	if n.Type == html.TextNode {
		style := ""
		if w.bold > 0 {
			style = "B"
		}
		w.SetFont("sans", style, size)
		text, height := spaces.Replace(n.Data), max(lineHeight, size*0.5)
		if w.link == "" {
			w.Write(height, text)
			return
		}
		w.SetTextColor(20, 70, 140)
		w.WriteLinkString(height, text, w.link)
		w.SetTextColor(0, 0, 0)
		return
	}
	switch n.DataAtom {
	case atom.Br:
		w.Ln(lineHeight)
	case atom.Strong:
		w.bold++
		defer func() { w.bold-- }()
	case atom.A:
		for _, a := range n.Attr {
			if a.Key == "href" && strings.Contains(a.Val, ":") { // a path of the shop's own leads nowhere from a file
				w.link = a.Val
			}
		}
		defer func() { w.link = "" }()
	}
	for child := range n.ChildNodes() {
		w.words(child, size)
	}
}

var spaces = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ")

// list sets points with dots or numbers; a list within a point is indented further.
func (w *writer) list(n *html.Node, indent float64) {
	const hang = 7.0
	number := 0
	for item := range n.ChildNodes() {
		if item.DataAtom != atom.Li {
			continue
		}
		number++
		mark := "•"
		if n.DataAtom == atom.Ol {
			mark = strconv.Itoa(number) + "."
		}
		w.SetFont("sans", "", bodySize)
		w.SetX(sideMargin + indent)
		w.CellFormat(hang, lineHeight, mark, "", 0, "L", false, 0, "")
		w.SetLeftMargin(sideMargin + indent + hang)
		var inner []*html.Node
		for child := range item.ChildNodes() {
			if child.DataAtom == atom.Ul || child.DataAtom == atom.Ol {
				inner = append(inner, child)
				continue
			}
			w.words(child, bodySize)
		}
		w.Ln(lineHeight)
		for _, list := range inner {
			w.list(list, indent+hang)
		}
	}
	w.SetLeftMargin(sideMargin + indent)
	w.Ln(1.2)
}

// table sets each row as a line of its cells: a document has few, and their words matter more than their columns.
func (w *writer) table(n *html.Node) {
	for row := range n.Descendants() {
		if row.DataAtom != atom.Tr {
			continue
		}
		first := true
		for cell := range row.ChildNodes() {
			if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
				continue
			}
			if !first {
				w.SetFont("sans", "", bodySize)
				w.Write(lineHeight, " — ")
			}
			first = false
			if cell.DataAtom == atom.Th {
				w.bold++
			}
			w.words(cell, bodySize)
			if cell.DataAtom == atom.Th {
				w.bold--
			}
		}
		w.Ln(lineHeight + 1)
	}
}
