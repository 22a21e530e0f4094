package catalogfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
)

// maxTree bounds the <categories> element, in bytes.
const maxTree = 32 << 20

// maxParams bounds the params kept of one offer.
const maxParams = 100

// ymlSource reads a YML catalog. It splits the file into offers and parses each separately: memory is bounded by one offer,
// and broken XML costs its offer, not the file. Declared entities are never expanded.
type ymlSource struct {
	*window
	mapping    map[string]Field
	rate       *big.Rat
	categories map[string]ymlCategory
	currencies map[string]*big.Rat // price of one unit in the base currency; nil when the file gives no number
	base       string
	offered    bool // an offer has begun
}

type ymlCategory struct{ name, parent string }

func openYML(text io.Reader, mapping map[string]Field, rate *big.Rat) (*ymlSource, error) {
	y := &ymlSource{
		window:     newWindow(text),
		mapping:    mapping,
		rate:       rate,
		categories: map[string]ymlCategory{},
		currencies: map[string]*big.Rat{},
	}
	root, err := y.toTag()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: it has no elements", ErrNotCatalog)
	case err != nil:
		return nil, err
	case root != "yml_catalog":
		return nil, fmt.Errorf("%w: the root element is <%s>, not <yml_catalog>", ErrNotCatalog, shorten(root))
	}
	y.drop(1)
	return y, nil
}

// states: an offer that says nothing of these leaves them as they are, for most files of this format have no place for them.
func (y *ymlSource) states(field Field) bool {
	return field != GTIN && field != Shelf && field != LowLine && !slices.Contains(Kazakh, field)
}

func (y *ymlSource) next() (Row, error) {
	for {
		tag, err := y.toTag()
		if errors.Is(err, io.EOF) {
			return Row{}, fmt.Errorf("%w: there is no </yml_catalog>", ErrTruncated)
		}
		if err != nil {
			return Row{}, err
		}
		switch tag {
		case "/yml_catalog":
			if !y.offered {
				return Row{}, ErrNoOffers
			}
			return Row{}, io.EOF
		case "offer":
			y.offered = true
			return y.offer()
		case "categories":
			err = y.whole(tag, y.readCategories)
		case "currencies":
			err = y.whole(tag, y.readCurrencies)
		default:
			y.drop(1)
		}
		if err != nil {
			return Row{}, err
		}
	}
}

// toTag moves to the next tag and answers its name, with a slash before the
// name of an end tag. Text, comments, CDATA and declarations are passed by.
func (y *ymlSource) toTag() (string, error) {
	const longestName = 64
	for {
		open := bytes.IndexByte(y.text(), '<')
		if open < 0 {
			y.drop(len(y.text()))
			if y.eof {
				return "", io.EOF
			}
			if err := y.fill(); err != nil {
				return "", err
			}
			continue
		}
		y.drop(open)
		if len(y.text()) <= longestName && !y.eof {
			if err := y.fill(); err != nil {
				return "", err
			}
		}
		text := y.text()
		var err error
		switch {
		case bytes.HasPrefix(text, []byte("<!--")):
			err = y.dropTo("-->")
		case bytes.HasPrefix(text, []byte("<![CDATA[")):
			err = y.dropTo("]]>")
		case bytes.HasPrefix(text, []byte("<?")):
			err = y.dropTo("?>")
		case bytes.HasPrefix(text, []byte("<!")):
			err = y.dropTo(">")
		default:
			name := text[1:min(len(text), longestName)]
			if end := bytes.IndexAny(name[min(1, len(name)):], " \t\r\n/>"); end >= 0 {
				name = name[:end+1]
			}
			return string(name), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// dropTo passes by everything up to the end sign, io.EOF without one.
func (y *ymlSource) dropTo(sign string) error {
	for {
		if i := bytes.Index(y.text(), []byte(sign)); i >= 0 {
			y.drop(i + len(sign))
			return nil
		}
		y.drop(max(0, len(y.text())-len(sign)+1))
		if y.eof {
			return io.EOF
		}
		if err := y.fill(); err != nil {
			return err
		}
	}
}

// Why capture did not find the end of an element.
var (
	errUnclosed = errors.New("is not closed")
	errTooLarge = errors.New("is too large")
)

// capture answers the element whose start tag the window begins with. It
// looks past CDATA and comments for the end tag; the element stays in the
// window.
func (y *ymlSource) capture(name string, limit int) ([]byte, error) {
	startEnd := -1
	for at := 1; ; {
		text := y.text()
		if startEnd < 0 {
			var err error
			if startEnd, err = startTagEnd(text); err != nil {
				return nil, err
			}
			if startEnd >= 0 {
				if text[startEnd-2] == '/' {
					return text[:startEnd], nil
				}
				at = startEnd
			}
		}
		if startEnd >= 0 {
			end, stop, err := elementEnd(text, at, name)
			if end > 0 || err != nil {
				return text[:end], err
			}
			at = stop
		}
		switch {
		case y.eof:
			return nil, errUnclosed
		case len(text) >= limit:
			return nil, errTooLarge
		}
		if err := y.fill(); err != nil {
			return nil, err
		}
	}
}

// startTagEnd is the length of the start tag at the beginning of text, -1 when
// its end is not in sight. A second < says that it has none.
func startTagEnd(text []byte) (int, error) {
	var quote byte
	for i, c := range text {
		switch {
		case c == '<' && i > 0:
			return 0, errUnclosed
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1, nil
		}
	}
	return -1, nil
}

// elementEnd looks from at on for the end tag of name. Without it in sight it
// tells where to look again when there is more text.
func elementEnd(text []byte, at int, name string) (end, again int, err error) {
	longest := max(len("<![CDATA["), len(name)+3)
	for {
		open := bytes.IndexByte(text[at:], '<')
		if open < 0 {
			return 0, len(text), nil
		}
		at += open
		rest := text[at:]
		if len(rest) < longest {
			return 0, at, nil
		}
		skip := ""
		switch {
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			skip = "]]>"
		case bytes.HasPrefix(rest, []byte("<!--")):
			skip = "-->"
		case isTag(rest, "/"+name):
			if i := bytes.IndexByte(rest, '>'); i >= 0 {
				return at + i + 1, 0, nil
			}
			return 0, at, nil
		case isTag(rest, name):
			return 0, 0, errUnclosed
		}
		if skip == "" {
			at++
			continue
		}
		i := bytes.Index(rest, []byte(skip))
		if i < 0 {
			return 0, at, nil
		}
		at += i + len(skip)
	}
}

func isTag(text []byte, name string) bool {
	after := 1 + len(name)
	return len(text) > after && string(text[1:after]) == name && bytes.IndexByte([]byte(" \t\r\n/>"), text[after]) >= 0
}

// whole reads an element that the offers depend on; a fault in it is fatal.
func (y *ymlSource) whole(name string, read func([]byte) error) error {
	element, err := y.capture(name, maxTree)
	if err == nil {
		err = read(element)
	}
	if err != nil {
		return fmt.Errorf("%w: line %d: <%s> %w", ErrNotCatalog, y.line, name, err)
	}
	y.drop(len(element))
	return nil
}

func (y *ymlSource) readCategories(element []byte) error {
	var tree struct {
		Category []struct {
			ID       string `xml:"id,attr"`
			ParentID string `xml:"parentId,attr"`
			Name     string `xml:",chardata"`
		} `xml:"category"`
	}
	if err := newDecoder(element).Decode(&tree); err != nil {
		return errors.New(xmlReason(err, y.line))
	}
	for _, c := range tree.Category {
		y.categories[strings.TrimSpace(c.ID)] = ymlCategory{plainLine(c.Name), strings.TrimSpace(c.ParentID)}
	}
	return nil
}

func (y *ymlSource) readCurrencies(element []byte) error {
	var list struct {
		Currency []struct {
			ID   string `xml:"id,attr"`
			Rate string `xml:"rate,attr"`
		} `xml:"currency"`
	}
	if err := newDecoder(element).Decode(&list); err != nil {
		return errors.New(xmlReason(err, y.line))
	}
	for _, c := range list.Currency {
		id := strings.ToUpper(strings.TrimSpace(c.ID))
		rate, ok := plainDecimal(strings.ReplaceAll(strings.TrimSpace(c.Rate), ",", "."))
		if !ok || rate.Sign() == 0 { // the rate of a bank, by its name
			rate = nil
		}
		y.currencies[id] = rate
		if rate != nil && rate.Cmp(big.NewRat(1, 1)) == 0 && y.base == "" {
			y.base = id
		}
	}
	return nil
}

// newDecoder knows the named characters of HTML, which descriptions are full
// of, and no others.
func newDecoder(element []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(element))
	d.Entity = xml.HTMLEntity
	return d
}

func xmlReason(err error, line int) string {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("broken XML in line %d: %s", line+syntax.Line-1, syntax.Msg)
	}
	return "broken XML: " + err.Error()
}

// finish settles what needs the rest of the file: currency, category, name.
func (y *ymlSource) finish(o *offer) error {
	o.fallback(Article, o.id)
	o.fallback(Name, oneLine(o.typePrefix+" "+o.cells[Brand]+" "+o.model))
	rate, ok := y.tenge(o.currency)
	if !ok {
		return &RowError{o.line, Price, fmt.Sprintf("currency %s has no rate in the file; give a price rate", shorten(o.currency))}
	}
	o.rate = rate
	if o.category == "" || o.cells[Category] != "" {
		return nil
	}
	for id := o.category; id != "" && id != "0"; {
		c, known := y.categories[id]
		switch {
		case !known || c.name == "":
			return &RowError{o.line, Category, fmt.Sprintf("category %q is not among <categories>", shorten(id))}
		case len(o.path) > maxDepth:
			return &RowError{o.line, Category, fmt.Sprintf("category %q lies in a circle or too deep", shorten(o.category))}
		}
		o.path = append([]string{c.name}, o.path...)
		id = c.parent
	}
	return nil
}

// tenge answers by what to multiply a price in the currency; nil means by one.
func (y *ymlSource) tenge(currency string) (*big.Rat, bool) {
	currency = strings.ToUpper(strings.TrimSpace(currency))
	switch {
	case y.rate != nil:
		if own := y.currencies[currency]; own != nil { // to the base, then to tenge
			return new(big.Rat).Mul(own, y.rate), true
		}
		return y.rate, true
	case currency == "" || currency == "KZT":
		return nil, true
	}
	own, tenge := y.currencies[currency], y.currencies["KZT"]
	if own == nil || tenge == nil {
		return nil, false
	}
	return new(big.Rat).Quo(own, tenge), true
}

// offer gathers what one <offer> says.
type offer struct {
	entry
	mapping map[string]Field
	rank    map[Field]int // how good the source of each cell is

	id, category, currency, typePrefix, model string
	outlets                                   int64
	hasOutlets                                bool
}

// Sources of a cell, the better ones beat the others.
const (
	byParam = iota + 1
	byElement
	byMapping
)
