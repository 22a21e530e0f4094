package catalogfile

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Writer writes a catalog file row by row; of a row it needs everything but Line and Params. Nothing is sure to be
// written before Close.
type Writer interface {
	Write(Row) error
	Close() error
}

// Shop is the shop as its file names it.
type Shop struct {
	// Name as shoppers know it, LegalName as papers do.
	Name, LegalName string
	// URL is the address of its home page, without a final slash.
	URL string
	// Changed is when the catalog last changed; zero leaves it out.
	Changed time.Time
	// Categories are the paths of all that rows name.
	Categories [][]string
}

func (s Shop) addressOf(r Row) string { return s.URL + "/product/" + r.Link }

// csvColumns are the columns of a written CSV file.
var csvColumns = []Field{
	Article, Name, Brand, Category, Price, DiscountedPrice, Stock, Archived, PackageSize, MadeIn, Marks, Pictures, Link,
	Description, Composition, ApplyMethod, Expires, Shelf, LowLine,
}

type csvWriter struct{ csv *csv.Writer }

// NewCSV writes a CSV file that Open reads back as it was and Excel opens: UTF-8 with a BOM, semicolons, nothing that a
// spreadsheet would compute.
func NewCSV(to io.Writer) (Writer, error) {
	if _, err := io.WriteString(to, "\uFEFF"); err != nil {
		return nil, err
	}
	c := &csvWriter{csv.NewWriter(to)}
	c.csv.Comma = ';'
	header := make([]string, len(csvColumns))
	for i, column := range csvColumns {
		header[i] = string(column)
	}
	return c, c.csv.Write(header)
}

func (c *csvWriter) Write(r Row) error {
	cells := map[Field]string{
		Article: r.Article, Link: r.Link, Shelf: r.Shelf, Price: strconv.FormatInt(r.Price, 10),
		Category: joinList(r.CategoryPath, " > "), Marks: joinList(r.Marks, ", "), Pictures: joinList(r.Pictures, " | "),
	}
	for field, text := range r.texts() {
		cells[field] = guardedHTML(text)
	}
	if r.DiscountPrice > 0 {
		cells[DiscountedPrice] = strconv.FormatInt(r.DiscountPrice, 10)
	}
	if r.Stock != nil {
		cells[Stock] = strconv.FormatInt(*r.Stock, 10)
	}
	if r.LowLine != nil {
		cells[LowLine] = strconv.FormatInt(*r.LowLine, 10)
	}
	if r.Archived != nil {
		cells[Archived] = map[bool]string{true: "да", false: "нет"}[*r.Archived]
	}
	if !slug.MatchString(r.Link) {
		cells[Link] = "" // not one that a file may ask for; the product keeps it
	}
	record := make([]string, len(csvColumns))
	for i, column := range csvColumns {
		record[i] = guarded(cells[column])
	}
	return c.csv.Write(record)
}

func (c *csvWriter) Close() error {
	c.csv.Flush()
	return c.csv.Error()
}

// texts are the fields that are read as plain text or HTML.
func (r Row) texts() map[Field]string {
	return map[Field]string{
		Name: r.Name, Brand: r.Brand, Description: r.Description, Composition: r.Composition, Expires: r.Expires,
		ApplyMethod: r.ApplyMethod, PackageSize: r.PackageSize, MadeIn: r.MadeIn,
	}
}

// xmlWriter writes elements; the first error stays.
type xmlWriter struct{ out *bufio.Writer }

func newXML(to io.Writer) xmlWriter {
	x := xmlWriter{bufio.NewWriterSize(to, 64<<10)}
	x.raw(xml.Header)
	return x
}

func (x xmlWriter) raw(text string) { x.out.WriteString(text) }

// text writes what XML 1.0 can hold of a text.
func (x xmlWriter) text(text string) {
	xml.EscapeText(x.out, []byte(strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= ' ' && r < 0xFFFE, r > 0xFFFF:
			return r
		}
		return -1
	}, text)))
}

// element writes nothing for an empty text. Attributes are names and values by turns.
func (x xmlWriter) element(name, text string, attributes ...string) {
	if text == "" {
		return
	}
	x.open(name, attributes...)
	x.text(text)
	x.raw("</" + name + ">")
}

func (x xmlWriter) open(name string, attributes ...string) {
	x.raw("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		x.raw(" " + attributes[i] + `="`)
		x.text(attributes[i+1])
		x.raw(`"`)
	}
	x.raw(">")
}

// closeWith writes the end of the file.
func (x xmlWriter) closeWith(end string) error {
	x.raw(end)
	return x.out.Flush()
}

type ymlWriter struct {
	xmlWriter
	shop Shop
	ids  map[string]string // of categories, by path
	feed bool
}

// NewYML writes a YML catalog. A feed is for marketplaces: it has the texts that shoppers see. Any other file is for Open,
// which reads the same rows back.
func NewYML(to io.Writer, shop Shop, feed bool) (Writer, error) {
	y := ymlWriter{newXML(to), shop, map[string]string{}, feed}
	if shop.Changed.IsZero() {
		y.open("yml_catalog")
	} else {
		y.open("yml_catalog", "date", shop.Changed.Format("2006-01-02T15:04-07:00"))
	}
	y.raw("\n<shop>\n")
	y.element("name", shop.Name)
	y.element("company", cmp.Or(shop.LegalName, shop.Name))
	y.element("url", shop.URL+"/")
	y.raw("\n<currencies><currency id=\"KZT\" rate=\"1\"/></currencies>\n<categories>\n")
	y.categories()
	y.raw("</categories>\n<offers>\n")
	return y, nil
}

func pathKey(path []string) string { return strings.Join(path, "\x00") }

// categories writes the tree, parents first. The number of a category is derived from its names, so that it stays the same when
// others come and go.
func (y ymlWriter) categories() {
	paths := map[string][]string{}
	for _, path := range y.shop.Categories {
		for depth := range path {
			paths[pathKey(path[:depth+1])] = path[:depth+1]
		}
	}
	sorted := make([]string, 0, len(paths))
	for key := range paths {
		sorted = append(sorted, key)
	}
	slices.Sort(sorted)
	taken := map[uint32]bool{0: true}
	for _, key := range sorted {
		hash := fnv.New32a()
		hash.Write([]byte(key))
		number := hash.Sum32()
		for taken[number] {
			number++
		}
		taken[number] = true
		y.ids[key] = strconv.FormatUint(uint64(number), 10)
		path := paths[key]
		attributes := []string{"id", y.ids[key]}
		if above := path[:len(path)-1]; len(above) > 0 {
			attributes = append(attributes, "parentId", y.ids[pathKey(above)])
		}
		y.element("category", y.reader(path[len(path)-1]), attributes...)
		y.raw("\n")
	}
}

// reader is a text as the reader of the file takes it.
func (y ymlWriter) reader(text string) string {
	if y.feed {
		return text
	}
	return guardedHTML(text)
}

func (y ymlWriter) Write(r Row) error {
	available := r.Available && (r.Stock == nil || *r.Stock > 0)
	attributes := []string{"id", offerID(r.Article, 80), "available", strconv.FormatBool(available)}
	if r.Archived != nil {
		attributes = append(attributes, "deleted", strconv.FormatBool(*r.Archived))
	}
	y.open("offer", attributes...)
	y.element("url", y.shop.addressOf(r))
	if r.DiscountPrice > 0 {
		y.element("price", strconv.FormatInt(r.DiscountPrice, 10))
		y.element("oldprice", strconv.FormatInt(r.Price, 10))
	} else {
		y.element("price", strconv.FormatInt(r.Price, 10))
	}
	y.element("currencyId", "KZT")
	y.element("categoryId", y.ids[pathKey(r.CategoryPath)])
	for _, address := range r.Pictures {
		y.element("picture", address)
	}
	y.element("name", y.reader(r.Name))
	y.element("vendor", y.reader(r.Brand))
	y.element("vendorCode", r.Article)
	y.element("description", y.reader(r.Description))
	y.element("country_of_origin", y.reader(r.MadeIn))
	if r.Stock != nil {
		y.element("count", strconv.FormatInt(*r.Stock, 10))
	}
	for _, p := range []Param{{"Объём", r.PackageSize}, {"Состав", r.Composition}, {"Применение", r.ApplyMethod}, {"Срок годности", r.Expires}} {
		y.element("param", y.reader(p.Value), "name", p.Name)
	}
	for _, mark := range r.Marks {
		if !y.feed {
			mark = escapeSigns.Replace(mark)
		}
		y.element("param", mark, "name", "Знаки")
	}
	y.raw("</offer>\n")
	return y.failed()
}

// failed is the error that ended the output, if one did.
func (x xmlWriter) failed() error {
	_, err := x.out.Write(nil)
	return err
}

func (y ymlWriter) Close() error { return y.closeWith("</offers>\n</shop>\n</yml_catalog>\n") }

var plainID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`)

// offerID is an article, or where a marketplace would not take it as an identifier, a hash of it.
func offerID(article string, longest int) string {
	if len(article) <= longest && plainID.MatchString(article) {
		return article
	}
	sum := sha256.Sum256([]byte(article))
	return hex.EncodeToString(sum[:16])
}

// What Google takes, in characters.
const (
	googleID          = 50
	googleTitle       = 150
	googleDescription = 5000
)

type googleWriter struct {
	xmlWriter
	shop Shop
}

// NewGoogle writes a feed for Google Merchant: RSS 2.0 with the names of its product data specification.
func NewGoogle(to io.Writer, shop Shop) (Writer, error) {
	g := googleWriter{newXML(to), shop}
	g.open("rss", "version", "2.0", "xmlns:g", "http://base.google.com/ns/1.0")
	g.raw("\n<channel>\n")
	g.element("title", shop.Name)
	g.element("link", shop.URL+"/")
	g.element("description", shop.Name)
	if !shop.Changed.IsZero() {
		g.element("lastBuildDate", shop.Changed.Format(time.RFC1123Z))
	}
	g.raw("\n")
	return g, nil
}

func (g googleWriter) Write(r Row) error {
	price := func(amount int64) string { return fmt.Sprintf("%d KZT", amount) }
	g.raw("<item>")
	g.element("g:id", offerID(r.Article, googleID))
	g.element("g:title", cut(r.Name, googleTitle))
	g.element("g:description", cut(cmp.Or(r.Description, r.Name), googleDescription))
	g.element("g:link", g.shop.addressOf(r))
	for i, address := range r.Pictures {
		switch {
		case i == 0:
			g.element("g:image_link", address)
		case i <= 10: // more are not taken
			g.element("g:additional_image_link", address)
		}
	}
	g.element("g:availability", map[bool]string{true: "in_stock", false: "out_of_stock"}[r.Available])
	g.element("g:price", price(r.Price))
	if r.DiscountPrice > 0 {
		g.element("g:sale_price", price(r.DiscountPrice))
	}
	g.element("g:brand", r.Brand)
	g.element("g:mpn", r.Article)
	g.element("g:condition", "new")
	g.element("g:product_type", strings.Join(r.CategoryPath, " > "))
	g.raw("</item>\n")
	return g.failed()
}

func (g googleWriter) Close() error { return g.closeWith("</channel>\n</rss>\n") }

// cut keeps at most so many characters of a text.
func cut(text string, most int) string {
	if characters := []rune(text); len(characters) > most {
		return strings.TrimSpace(string(characters[:most]))
	}
	return text
}
