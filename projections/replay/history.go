package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/eventstore"
)

// History is what every order and every basket left behind was priced of, up to a position: numbers only, about a
// hundred bytes an order, so that it can be priced again and again, and read on when the log has grown. It is safe for
// concurrent use, but for ReadOn.
type History struct {
	// Position is where the log was read to, Rules are those in force there, RulesVersion is theirs.
	Position     eventstore.Position
	Rules        rules.Rules
	RulesVersion int64
	// Elsewhere counts orders that another shop priced; they are left out.
	Elsewhere int64

	orders []priced
	// numbers are those of orders, row by row; replaced counts the rows that no order has any more.
	numbers  []int64
	replaced int
	// baskets are those left behind, and free rows, marked as ordered.
	baskets []priced
	// unread is where in the log the price of a basket's row stands that is still to be read; 0: it is read.
	unread []eventstore.Position
	// lines of all orders, in their order; priced.lines is where an order's end.
	lines []pricedLine

	products   []domain.ID
	categoryOf []uint32 // of a product
	categories []domain.ID
	called     map[domain.ID]string // of a category
	cities     []string
	codes      []issued
	// first is where the first order or basket stands, 0: there is none; firstMonth is its month, 0: it is still to be read.
	// What is older counts as of that month.
	first                 eventstore.Position
	firstMonth, lastMonth uint16

	// ordersOnly: baskets are not read, but what goods cost is.
	ordersOnly bool
	// costs are what a piece of a product costs the shop, by its row.
	costs map[uint32]domain.Money

	index
}

// index is what reading needs to know of what was read.
type index struct {
	day *day

	product  map[domain.ID]uint32
	category map[domain.ID]uint32
	city     map[string]uint32
	// code is the last row of codes under a code.
	code map[string]uint32
	// seen are the accounts that ordered, numbered from 1.
	seen map[domain.ID]uint32
	// open are the baskets that have not become an order; free are the rows of those that have, to be used again.
	open map[domain.ID]uint32
	free []uint32
}

// priced is an order or a basket at the price of its day. A city of 0 is none, and so is a code.
type priced struct {
	total, discounted, delivery, bonus domain.Money
	// scoped is the part of total that the promo code is for, if that is for a part of the goods.
	scoped            domain.Money
	city, code, lines uint32
	// customer is the account that ordered, by its number; 0: a guest.
	customer uint32
	// placed is when, in seconds of Unix.
	placed uint32
	// month is 1 in the January of the year 0.
	month uint16
	// tier is the percent of the day's tier.
	tier uint8
	// hand is the percent that staff took off by hand.
	hand  uint8
	marks mark
}

type pricedLine struct {
	product uint32
	// amount is how many pieces, byHand: staff gave the line its price.
	amount uint16
	byHand bool
	// inScope: the order's promo code is for a part of the goods, and the product is in it.
	inScope bool
	total   domain.Money
}

// issued are the terms of a promo code from a position on; before is the row of those that it had till then.
type issued struct {
	promocode.Terms
	at     eventstore.Position
	before uint32
}

type mark uint8

const (
	pickup mark = 1 << iota
	cash
	// account: somebody signed in ordered; returning: not for the first time.
	account
	returning
	// orderable: the basket could have become an order.
	orderable
	// unavailable: the basket could not, whatever its price: for the stock.
	unavailable
	// ordered: the basket became an order, and its row is free. replaced: the order's lines were changed, and it has another row.
	ordered
	replaced
)

// Bytes is about the memory that it takes.
func (h *History) Bytes() int64 {
	const known = 48 // a map's entry of an id
	return 8*int64(cap(h.numbers)) + int64(cap(h.orders)+cap(h.baskets))*int64(unsafe.Sizeof(priced{})) + int64(cap(h.lines))*int64(unsafe.Sizeof(pricedLine{})) +
		int64(cap(h.unread))*int64(unsafe.Sizeof(eventstore.Position(0))) + known*int64(len(h.open)+len(h.seen)+len(h.product))
}

// Orders is how many orders there are to price.
func (h *History) Orders() int { return len(h.orders) - h.replaced }

var (
	pricedType   = basket.Priced{}.EventType()
	basketTypes  = []string{pricedType, basket.CheckedOut{}.EventType()}
	historyTypes = slices.Concat(basketTypes, dayTypes, []string{
		order.Placed{}.EventType(), order.LinesChanged{}.EventType(), catalog.ProductAdded{}.EventType(), catalog.ProductMoved{}.EventType(),
		catalog.CategoryAdded{}.EventType(), catalog.CategoryChanged{}.EventType(),
	})
	effectTypes = append([]string{order.Placed{}.EventType(), order.LinesChanged{}.EventType(), catalog.ProductCosted{}.EventType()}, dayTypes...)
)

// types are the events that it reads, and those of which it reads where they stand.
func (h *History) types() (types, headers []string) {
	if h.ordersOnly {
		return effectTypes, nil
	}
	return historyTypes, basketTypes
}

// Read reads the log up to a position, 0: the head.
func Read(ctx context.Context, store *eventstore.Store, upTo eventstore.Position, progress Progress) (*History, error) {
	h := newHistory()
	if err := h.ReadOn(ctx, store, upTo, progress); err != nil {
		return nil, err
	}
	return h, nil
}

// ReadOn reads what is new up to a position, 0: the head; one that was passed changes nothing. When ctx ends it, it stays
// at the position it has come to, and must be read on before it is tried; after any other error it is of no use.
//
// Most pricings of a basket are followed by another, or by an order. So only where they stand is read at first, and then
// the few that are left.
func (h *History) ReadOn(ctx context.Context, store *eventstore.Store, upTo eventstore.Position, progress Progress) error {
	upTo, err := end(ctx, store, upTo)
	if err != nil {
		return err
	}
	began := h.Position
	types, headers := h.types()
	scan := eventstore.Scanning{
		After: began, UpTo: upTo, Range: -1, Types: types, Headers: headers, Bare: true, Skim: skimmed(false), Readers: 2, Window: 1 << 14,
	}
	err = store.Scan(ctx, scan, func(events []eventstore.Event, reached eventstore.Position) error {
		for i := range events {
			if err := h.learn(&events[i]); err != nil {
				return err
			}
		}
		h.Position = reached
		progress(firstScan * float64(reached-began) / float64(upTo-began))
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("read orders and baskets: %w", err)
	}
	if err := h.readBaskets(ctx, store, progress); err != nil {
		return fmt.Errorf("read baskets left behind: %w", err)
	}
	progress(1)
	return nil
}

// firstScan is about the share of the time that goes by before the prices of baskets left behind are read.
const firstScan = 0.85

// left is where in the log the prices of baskets stand that are still to be read, in order.
func (h *History) left() []eventstore.Position {
	var left []eventstore.Position
	if h.first > 0 && h.firstMonth == 0 {
		left = append(left, h.first)
	}
	for _, at := range h.unread {
		if at > 0 {
			left = append(left, at)
		}
	}
	slices.Sort(left)
	return slices.Compact(left)
}

// readBaskets reads the prices of baskets that are still to be read.
func (h *History) readBaskets(ctx context.Context, store *eventstore.Store, progress Progress) error {
	only := h.left()
	if len(only) == 0 {
		return nil
	}
	scan := eventstore.Scanning{
		After: only[0] - 1, UpTo: only[len(only)-1], Range: -1, Types: []string{pricedType}, Only: only,
		Bare: true, Skim: skimmed(false), Readers: 2, Window: 1 << 16,
	}
	read := 0
	return store.Scan(ctx, scan, func(events []eventstore.Event, _ eventstore.Position) error {
		for i := range events {
			if err := h.learn(&events[i]); err != nil {
				return err
			}
		}
		read += len(events)
		progress(firstScan + (1-firstScan)*float64(read)/float64(len(only)))
		return ctx.Err()
	})
}

func newHistory() *History {
	return &History{
		Rules: rules.Default(), cities: []string{""}, codes: []issued{{}}, categories: []domain.ID{{}}, called: map[domain.ID]string{},
		costs: map[uint32]domain.Money{},
		index: index{
			day: newDay(), product: map[domain.ID]uint32{}, category: map[domain.ID]uint32{{}: 0}, city: map[string]uint32{"": 0},
			code: map[string]uint32{}, seen: map[domain.ID]uint32{}, open: map[domain.ID]uint32{},
		},
	}
}

func (h *History) learn(e *eventstore.Event) error {
	h.day.learn(e.Data)
	switch d := e.Data.(type) {
	case rules.Changed:
		h.Rules, h.RulesVersion = d.Rules, d.Version
	case promocode.Issued:
		h.codes = append(h.codes, issued{d.Terms, e.Position, h.code[d.Code]})
		h.code[d.Code] = uint32(len(h.codes) - 1)
	case catalog.ProductAdded:
		h.categoryOf[h.productRow(d.ID)] = h.categoryRow(d.CategoryID)
	case catalog.ProductMoved:
		id, err := domainID(e.Stream, productKind)
		if err != nil {
			return err
		}
		h.categoryOf[h.productRow(id)] = h.categoryRow(d.CategoryID)
	case catalog.CategoryAdded:
		h.called[d.ID] = d.Category.Name
	case catalog.CategoryChanged:
		id, err := domainID(e.Stream, categoryKind)
		if err != nil {
			return err
		}
		h.called[id] = d.Category.Name
	case catalog.ProductCosted:
		h.costs[h.productRow(d.ID)] = d.Cost
	case order.Placed:
		h.place(&d, e.Position)
	case order.LinesChanged:
		h.change(&d, e.Position)
	case basket.Priced:
		h.price(&d, e.Position)
	case nil:
		return h.note(e)
	}
	return nil
}

// note takes a basket's event of which nothing is known but where it stands.
func (h *History) note(e *eventstore.Event) error {
	id, err := domainID(e.Stream, basketKind)
	if err != nil {
		return err
	}
	row, open := h.open[id]
	switch {
	case e.Type == pricedType:
		if !open {
			row = h.openRow(id)
		}
		h.unread[row] = e.Position
		if h.first == 0 {
			h.first = e.Position
		}
	case open: // it was checked out
		h.baskets[row].marks |= ordered
		h.unread[row] = 0
		h.free = append(h.free, row)
		delete(h.open, id)
	}
	return nil
}

// openRow is a row for another basket.
func (h *History) openRow(id domain.ID) (row uint32) {
	if free := len(h.free) - 1; free >= 0 {
		row, h.free = h.free[free], h.free[:free]
	} else {
		row = uint32(len(h.baskets))
		h.baskets, h.unread = append(h.baskets, priced{}), append(h.unread, 0)
	}
	h.open[id] = row
	return row
}

func (h *History) place(placed *order.Placed, at eventstore.Position) {
	c := &placed.Calculation
	if c.RulesVersion == 0 {
		h.Elsewhere++
		return
	}
	h.addLines(c.Lines, nil)
	row := h.row(c, placed.City, placed.DeliveryType, placed.PaymentMethod, placed.At)
	if h.first == 0 {
		h.first, h.firstMonth = at, row.month
	}
	row.lines = uint32(len(h.lines))
	if c.PromocodeApplied != "" {
		row.code = h.codeRow(c.PromocodeApplied, at)
	}
	if placed.CustomerID != (domain.ID{}) {
		row.marks |= account
		if h.seen[placed.CustomerID] > 0 {
			row.marks |= returning
		} else {
			h.seen[placed.CustomerID] = uint32(len(h.seen) + 1)
		}
		row.customer = h.seen[placed.CustomerID]
	}
	h.orders, h.numbers = append(h.orders, row), append(h.numbers, placed.Number)
}

// addLines takes the lines of an order.
func (h *History) addLines(lines []domain.PricedLine, byHand []order.HandPrice) {
	for _, l := range lines {
		hand := slices.ContainsFunc(byHand, func(p order.HandPrice) bool { return p.ProductID == l.ProductID })
		h.lines = append(h.lines, pricedLine{h.productRow(l.ProductID), uint16(min(max(l.Amount, 0), math.MaxUint16)), hand, l.InScope, l.Total + l.OrderDiscount})
	}
}

// change gives an order another row, with its lines as staff left them. It counts as of the month that it was placed in.
func (h *History) change(e *order.LinesChanged, at eventstore.Position) {
	was := len(h.numbers) - 1
	for was >= 0 && (h.numbers[was] != e.Number || h.orders[was].marks&replaced != 0) {
		was--
	}
	if was < 0 {
		return
	}
	h.addLines(e.Calculation.Lines, e.ByHand)
	row := h.row(&e.Calculation, e.City, e.DeliveryType, e.PaymentMethod, e.PlacedAt)
	row.lines = uint32(len(h.lines))
	row.marks |= h.orders[was].marks & (account | returning)
	row.customer = h.orders[was].customer
	if e.Promocode != nil {
		if row.code = h.orders[was].code; row.code == 0 {
			row.code = h.codeRow(e.Promocode.Code, at)
		}
	}
	h.orders[was].marks |= replaced
	h.orders, h.numbers, h.replaced = append(h.orders, row), append(h.numbers, e.Number), h.replaced+1
}

// price takes a basket as it was last priced.
func (h *History) price(p *basket.Priced, at eventstore.Position) {
	c := &p.Calculation
	row := h.row(c, p.Question.City, p.Question.DeliveryType, p.Question.PaymentMethod, p.At)
	if at == h.first {
		h.firstMonth = row.month
	}
	if p.Question.Promocode != "" && c.PromocodeError == "" {
		row.code = h.codeRow(p.Question.Promocode, at)
	}
	switch c.Reason {
	case "":
		row.marks |= orderable
	case pricing.ReasonOutOfStock, pricing.ReasonNotEnoughStock, pricing.ReasonEmpty:
		row.marks |= unavailable
	}
	if i, open := h.open[p.BasketID]; open && h.unread[i] == at {
		h.baskets[i], h.unread[i] = row, 0
	}
}

func (h *History) row(c *domain.Calculation, city string, by domain.DeliveryType, pays domain.PaymentMethod, at time.Time) priced {
	row := priced{
		total: c.TotalSum, scoped: c.ScopedSum, discounted: c.DiscountedSum, delivery: c.DeliveryPrice, bonus: c.BonusSpent,
		city: h.cityRow(city), placed: seconds(at), month: h.monthRow(at), tier: uint8(h.day.rules[c.RulesVersion].TierFor(c.TotalSum).Percent), hand: uint8(c.Manual.Percent),
	}
	if by == domain.Pickup {
		row.marks |= pickup
	}
	if pays == domain.Cash {
		row.marks |= cash
	}
	return row
}

func (h *History) productRow(id domain.ID) uint32 {
	row, known := h.product[id]
	if !known {
		row = uint32(len(h.products))
		h.product[id] = row
		h.products, h.categoryOf = append(h.products, id), append(h.categoryOf, 0)
	}
	return row
}

func (h *History) categoryRow(id domain.ID) uint32 {
	row, known := h.category[id]
	if !known {
		row = uint32(len(h.categories))
		h.category[id] = row
		h.categories = append(h.categories, id)
	}
	return row
}

func (h *History) cityRow(city string) uint32 {
	row, known := h.city[city]
	if !known {
		row = uint32(len(h.cities))
		h.city[city] = row
		h.cities = append(h.cities, city)
	}
	return row
}

func (h *History) monthRow(at time.Time) uint16 {
	at = at.In(domain.Almaty)
	row := uint16(min(max(1, at.Year()*12+int(at.Month())), 1<<16-1))
	h.lastMonth = max(h.lastMonth, row)
	return row
}

// codeRow is the row of the terms that a promo code had at a position.
func (h *History) codeRow(code string, at eventstore.Position) uint32 {
	row := h.code[code]
	for h.codes[row].at > at {
		row = h.codes[row].before
	}
	return row
}

// What the streams of a kind begin with.
var (
	basketKind   = kindOf(basket.Stream(domain.ID{}))
	productKind  = kindOf(catalog.ProductStream(domain.ID{}))
	categoryKind = kindOf(catalog.CategoryStream(domain.ID{}))
)

func kindOf(stream string) string { return strings.TrimSuffix(stream, domain.ID{}.String()) }

// domainID is the id in the name of a stream of a kind.
func domainID(stream, kind string) (domain.ID, error) {
	id, err := uuid.Parse(strings.TrimPrefix(stream, kind))
	if err != nil {
		return domain.ID{}, fmt.Errorf("stream %s: no id in its name", stream)
	}
	return id, nil
}
