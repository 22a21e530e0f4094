package orderfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
)

// Kind is what a file holds.
type Kind string

const (
	Orders   Kind = "orders"
	Lines    Kind = "lines"
	Payments Kind = "payments"
	Reviews  Kind = "reviews"
	// Customers give the person and city of the customers of orders; Products the name and category of articles.
	Customers Kind = "customers"
	Products  Kind = "products"
)

// BadValue is a value, or a whole line, that cannot be used.
type BadValue struct {
	File string
	Line int
	// Field is the column as the documentation calls it; empty: the line itself.
	Field  string
	Reason string
}

func (e *BadValue) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s, line %d: %s", e.File, e.Line, e.Reason)
	}
	return fmt.Sprintf("%s, line %d, %s: %s", e.File, e.Line, e.Field, e.Reason)
}

// column is a column that a kind of file may have.
type column struct {
	name string
	// also are names that other shops give it.
	also   []string
	needed bool
}

// kinds are the columns of each kind. A header that has all that are needed is of the kind; the first one counts.
var kinds = []struct {
	kind    Kind
	columns []column
}{
	{Orders, []column{
		{"order_id", nil, true}, {"status", []string{"order_status"}, true}, {"placed_at", []string{"order_purchase_timestamp"}, true},
		{"customer_id", []string{"customer_unique_id"}, false}, {"city", []string{"customer_city"}, false},
		{"approved_at", []string{"order_approved_at"}, false}, {"shipped_at", []string{"order_delivered_carrier_date"}, false},
		{"completed_at", []string{"order_delivered_customer_date"}, false}, {"cancelled_at", nil, false},
		{"delivery_price", nil, false},
	}},
	{Lines, []column{
		{"order_id", nil, true}, {"article", []string{"product_id"}, true}, {"price", nil, true},
		{"line", []string{"order_item_id"}, false}, {"amount", []string{"quantity"}, false}, {"discounted_price", nil, false},
		{"delivery_price", []string{"freight_value"}, false}, {"name", []string{"product_name"}, false},
		{"category", []string{"product_category_name"}, false},
	}},
	{Payments, []column{
		{"order_id", nil, true}, {"amount", []string{"payment_value"}, true},
		{"payment", []string{"payment_sequential"}, false}, {"method", []string{"payment_type"}, false}, {"paid_at", nil, false},
	}},
	{Reviews, []column{
		{"order_id", nil, true}, {"rating", []string{"review_score"}, true},
		{"review_id", nil, false}, {"content", []string{"review_comment_message"}, false}, {"created_at", []string{"review_creation_date"}, false},
		{"article", []string{"product_id"}, false},
	}},
	{Customers, []column{{"customer_id", nil, true}, {"person_id", []string{"customer_unique_id"}, true}, {"city", []string{"customer_city"}, false}}},
	{Customers, []column{{"customer_id", nil, true}, {"city", []string{"customer_city"}, true}}},
	{Products, []column{{"article", []string{"product_id"}, true}, {"name", []string{"product_name"}, true}, {"category", []string{"product_category_name"}, false}}},
	{Products, []column{{"article", []string{"product_id"}, true}, {"category", []string{"product_category_name"}, true}}},
}

// UnknownFile is a file whose columns are those of no kind.
type UnknownFile struct {
	File    string
	Columns []string
}

func (e *UnknownFile) Error() string {
	return fmt.Sprintf("%s: its columns (%s) are those of no orders, lines, payments, reviews, customers or products; it needs %s", e.File, strings.Join(e.Columns, ", "), needed())
}

// Reader reads one file.
type Reader struct {
	kind Kind
	file string
	rate Rate
	now  time.Time
	in   *bounded
	csv  *csv.Reader
	// header has the names of the columns, at the index of each known column.
	header []string
	at     map[string]int
	// ended is the line that was read last.
	ended int
}

// Open reads a file's header. Money is multiplied by rate; times after now are refused. A header of no kind is an
// *UnknownFile.
func Open(r io.Reader, file string, rate Rate, now time.Time) (*Reader, error) {
	from := &bounded{in: r}
	in := bufio.NewReaderSize(from, 64<<10)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xEF\xBB\xBF")) {
		_, _ = in.Discard(3)
	}
	c := csv.NewReader(in)
	c.FieldsPerRecord, c.ReuseRecord = -1, true
	// Peek answers as much as there is when there is less.
	first, _ := in.Peek(4 << 10)
	first, _, _ = bytes.Cut(first, []byte("\n"))
	if bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		c.Comma = ';'
	}
	header, err := c.Read()
	var broken *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s is empty; it needs a header", file)
	case errors.As(err, &broken):
		return nil, &BadValue{file, broken.Line, "", fmt.Sprintf("the header cannot be read: %s at character %d", broken.Err, broken.Column)}
	case err != nil:
		return nil, fmt.Errorf("%s has no header: %w", file, err)
	}
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	for _, k := range kinds {
		if at, ok := place(names, k.columns); ok {
			return &Reader{kind: k.kind, file: file, rate: rate, now: now, in: from, csv: c, header: names, at: at, ended: endOf(c, header)}, nil
		}
	}
	return nil, &UnknownFile{file, names}
}

// needed says which columns make a file one of a kind.
func needed() string {
	var said []string
	for _, k := range kinds {
		var names []string
		for _, c := range k.columns {
			if c.needed {
				names = append(names, c.name)
			}
		}
		said = append(said, fmt.Sprintf("%s (%s)", strings.Join(names, ", "), k.kind))
	}
	return strings.Join(said, " or ")
}

// maxRow is how many bytes a row may have: more than all its columns at their longest. A quote that nobody closes would
// else bring the rest of the file into memory.
const maxRow = 1 << 20

// bounded is a file that ends with an error within a row that is too long.
type bounded struct {
	in io.Reader
	// read is how many bytes were read, row where the row begins that is read now.
	read, row int64
}

var errLongRow = fmt.Errorf("the row that begins here has more than %d bytes; is a quote not closed?", maxRow)

func (b *bounded) Read(p []byte) (int, error) {
	if b.read-b.row > maxRow {
		return 0, errLongRow
	}
	n, err := b.in.Read(p)
	b.read += int64(n)
	return n, err
}

func place(names []string, columns []column) (map[string]int, bool) {
	at := map[string]int{}
	for _, c := range columns {
		for _, name := range append([]string{c.name}, c.also...) {
			if i := slices.Index(names, name); i >= 0 {
				at[c.name] = i
				break
			}
		}
		if _, found := at[c.name]; c.needed && !found {
			return nil, false
		}
	}
	return at, true
}

// Kind is what the file holds; Name is what errors call it.
func (r *Reader) Kind() Kind   { return r.kind }
func (r *Reader) Name() string { return r.file }

// Row is a line of a file of any kind; a field that its kind does not have, or that is empty, is zero.
type Row struct {
	Line    int
	OrderID string

	// Of orders and customers.
	Customer, City string

	// Of orders. Of the times only PlacedAt is always there.
	Status                                                Status
	PlacedAt, ApprovedAt, ShippedAt, CompletedAt, EndedAt time.Time

	// Of customers: the person behind several customers.
	Person string

	// Of lines and products.
	Article, Name, Category string

	// Of lines. Nth is the line's or payment's place in its order, 0 when the file does not say.
	Nth                    int64
	Pieces                 int64
	Price, DiscountedPrice domain.Money
	// DeliveryPrice is of lines and orders; both add up.
	DeliveryPrice domain.Money

	// Of payments.
	Amount domain.Money
	Method domain.PaymentMethod
	// At is when a payment came or a review was written; zero: not said.
	At time.Time

	// Of reviews.
	ReviewID, Content string
	Rating            int64
}

// Next is the next line, and what of it cannot be used; a row with its own error in bad is to be left out. At the end of
// the file it answers io.EOF, at a row too long to be one a *BadValue that ends the reading.
func (r *Reader) Next() (row Row, usable bool, bad []*BadValue, err error) {
	r.in.row = r.csv.InputOffset()
	record, err := r.csv.Read()
	line := r.ended + 1
	if len(record) > 0 {
		line, _ = r.csv.FieldPos(0)
		r.ended = endOf(r.csv, record)
	}
	var broken *csv.ParseError
	if errors.As(err, &broken) {
		r.ended = broken.Line
		return row, false, []*BadValue{{r.file, broken.StartLine, "", broken.Err.Error()}}, nil
	}
	if errors.Is(err, errLongRow) {
		// The field that does not end comes after those that do, unless the file was cut where a line ends.
		at := len(record)
		if at > 0 && len(record[at-1]) > maxRow/2 {
			at--
		}
		return row, false, nil, &BadValue{r.file, line, r.named(at), err.Error()}
	}
	if err != nil {
		return row, false, nil, err
	}
	p := &parser{r: r, record: record, row: Row{Line: line, Pieces: 1}, usable: true}
	p.read()
	return p.row, p.usable, p.bad, nil
}

// endOf is the line that a record ends on.
func endOf(c *csv.Reader, record []string) int {
	last := len(record) - 1
	line, _ := c.FieldPos(last)
	return line + strings.Count(record[last], "\n")
}

// named is what the documentation calls a column, or the file.
func (r *Reader) named(column int) string {
	for name, at := range r.at {
		if at == column {
			return name
		}
	}
	if column >= len(r.header) {
		return ""
	}
	return r.header[column]
}

// parser reads the values of one line.
type parser struct {
	r      *Reader
	record []string
	row    Row
	usable bool
	bad    []*BadValue
}

func (p *parser) read() {
	row := &p.row
	if _, there := p.r.at["order_id"]; there {
		row.OrderID = p.text("order_id", maxID, true)
	}
	switch p.r.kind {
	case Customers:
		row.Customer, row.Person, row.City = p.text("customer_id", maxID, true), p.text("person_id", maxID, false), p.text("city", maxID, false)
	case Products:
		row.Article, row.Name, row.Category = p.text("article", maxArticle, true), p.text("name", maxName, false), p.text("category", maxName, false)
	case Orders:
		row.Customer, row.City = p.text("customer_id", maxID, false), p.text("city", maxID, false)
		row.Status = p.status()
		row.PlacedAt = p.time("placed_at", true)
		row.ApprovedAt, row.ShippedAt = p.time("approved_at", false), p.time("shipped_at", false)
		row.CompletedAt, row.EndedAt = p.time("completed_at", false), p.time("cancelled_at", false)
		row.DeliveryPrice = p.money("delivery_price", 0)
	case Lines:
		row.Article, row.Name, row.Category = p.text("article", maxArticle, true), p.text("name", maxName, false), p.text("category", maxName, false)
		row.Nth, row.Pieces = p.number("line", 1, maxNumber, 0), p.number("amount", 1, maxPieces, 1)
		row.Price = p.money("price", -1)
		row.DiscountedPrice = p.money("discounted_price", row.Price)
		if row.DiscountedPrice > row.Price {
			p.refuse("discounted_price", "is above the price", true)
		}
		row.DeliveryPrice = p.money("delivery_price", 0)
	case Payments:
		row.Nth, row.Amount = p.number("payment", 1, maxNumber, 0), p.money("amount", -1)
		if p.usable && row.Amount == 0 {
			p.refuse("amount", "is zero", true)
		}
		row.Method, row.At = p.method(), p.time("paid_at", false)
	case Reviews:
		row.ReviewID, row.Content = p.text("review_id", maxID, false), p.text("content", maxContent, false)
		row.Article = p.text("article", maxArticle, false)
		row.Rating, row.At = p.number("rating", 1, 5, -1), p.time("created_at", false)
	}
}

// Bounds of plausible values.
const (
	maxID      = 200
	maxArticle = 100
	maxName    = 200
	maxContent = 5_000
	maxNumber  = 1_000_000
	maxPieces  = 10_000
)

// refuse reports a value; whole leaves the line out, otherwise only the value.
func (p *parser) refuse(field, reason string, whole bool) {
	p.bad = append(p.bad, &BadValue{p.r.file, p.row.Line, field, reason})
	if whole {
		p.usable = false
	}
}

func (p *parser) cell(field string) string {
	at, there := p.r.at[field]
	if !there || at >= len(p.record) {
		return ""
	}
	return strings.TrimSpace(p.record[at])
}

func (p *parser) text(field string, most int, needed bool) string {
	text := p.cell(field)
	switch {
	case text == "" && needed:
		p.refuse(field, "is empty", true)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		p.refuse(field, "is not UTF-8", needed)
		return ""
	case utf8.RuneCountInString(text) > most:
		p.refuse(field, fmt.Sprintf("has more than %d characters", most), needed)
		return ""
	}
	return strings.Clone(text)
}

// shown is a cell in a message.
func shown(cell string) string {
	if runes := []rune(cell); len(runes) > 40 {
		cell = string(runes[:40]) + "…"
	}
	return cell
}

// number reads a whole number; an empty cell is fallback, -1: it may not be empty.
func (p *parser) number(field string, least, most, fallback int64) int64 {
	text := p.cell(field)
	if text == "" && fallback >= 0 {
		return fallback
	}
	n, ok := parseWhole(text)
	if !ok || n < least || n > most {
		p.refuse(field, fmt.Sprintf("%q is not a number from %d to %d", shown(text), least, most), true)
		return 0
	}
	return n
}

// money reads an amount and converts it; an empty cell is fallback, -1: it may not be empty.
func (p *parser) money(field string, fallback domain.Money) domain.Money {
	text := p.cell(field)
	if text == "" && fallback >= 0 {
		return fallback
	}
	amount, reason := p.r.rate.Convert(text)
	if reason != "" {
		p.refuse(field, reason, true)
		return 0
	}
	return amount
}

// formats are how times are written; without a zone they are UTC.
var formats = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly}

// earliest is the oldest plausible time.
var earliest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

func (p *parser) time(field string, needed bool) time.Time {
	text := p.cell(field)
	if text == "" {
		if needed {
			p.refuse(field, "is empty", true)
		}
		return time.Time{}
	}
	for _, format := range formats {
		t, err := time.Parse(format, text)
		if err != nil {
			continue
		}
		if t.Before(earliest) || t.After(p.r.now) {
			p.refuse(field, fmt.Sprintf("%q lies before 1990 or in the future", shown(text)), needed)
			return time.Time{}
		}
		return t.UTC().Truncate(time.Microsecond)
	}
	p.refuse(field, fmt.Sprintf("%q is no time; want one such as 2017-10-02 10:56:33 or 2017-10-02", shown(text)), needed)
	return time.Time{}
}
