package replay

import (
	"context"
	"fmt"
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
	// baskets are those left behind, and free rows, marked as ordered.
	baskets []priced
	// lines of all orders, in their order; priced.lines is where an order's end.
	lines []pricedLine

	products   []domain.ID
	categoryOf []uint32 // of a product
	categories []domain.ID
	called     map[domain.ID]string // of a category
	cities     []string
	codes      []promocode.Terms
	firstMonth time.Time
	lastMonth  uint16

	index
}

// index is what reading needs to know of what was read.
type index struct {
	day *day

	product  map[domain.ID]uint32
	category map[domain.ID]uint32
	city     map[string]uint32
	// code is the last row of codes under a code; terms that change get another row.
	code map[string]uint32
	seen map[domain.ID]struct{}
	// open are the baskets that have not become an order; free are the rows of those that have, to be used again.
	open map[domain.ID]uint32
	free []uint32
}

// priced is an order or a basket at the price of its day. A city of 0 is none, and so is a code.
type priced struct {
	total, discounted, delivery, bonus domain.Money
	city, code, lines                  uint32
	// month counts from the history's first.
	month uint16
	// tier is the percent of the day's tier.
	tier  uint8
	marks mark
}

type pricedLine struct {
	product uint32
	total   domain.Money
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
	// ordered: the basket became an order, and its row is free.
	ordered
)

// Bytes is about the memory that it takes.
func (h *History) Bytes() int64 {
	const known = 48 // a map's entry of an id
	return int64(cap(h.orders)+cap(h.baskets))*int64(unsafe.Sizeof(priced{})) + int64(cap(h.lines))*int64(unsafe.Sizeof(pricedLine{})) +
		known*int64(len(h.open)+len(h.seen)+len(h.product))
}

// Orders is how many orders there are to price.
func (h *History) Orders() int { return len(h.orders) }

var historyTypes = append([]string{
	order.Placed{}.EventType(), basket.Priced{}.EventType(), basket.CheckedOut{}.EventType(),
	catalog.ProductAdded{}.EventType(), catalog.ProductMoved{}.EventType(),
	catalog.CategoryAdded{}.EventType(), catalog.CategoryChanged{}.EventType(),
}, dayTypes...)

// Read reads the log up to a position, 0: the head.
func Read(ctx context.Context, store *eventstore.Store, upTo eventstore.Position, progress Progress) (*History, error) {
	h := newHistory()
	if err := h.ReadOn(ctx, store, upTo, progress); err != nil {
		return nil, err
	}
	return h, nil
}

// ReadOn reads what is new up to a position, 0: the head; one that was passed changes nothing. When ctx ends it, it stays
// at the position it has come to and may be read on; after any other error it is of no use.
func (h *History) ReadOn(ctx context.Context, store *eventstore.Store, upTo eventstore.Position, progress Progress) error {
	upTo, err := end(ctx, store, upTo)
	if err != nil {
		return err
	}
	scan := eventstore.Scanning{
		After: h.Position, UpTo: upTo, Range: -1, Types: historyTypes, Closed: true, Skim: skim(false), Readers: 2, Window: 1 << 14,
	}
	err = store.Scan(ctx, scan, func(events []eventstore.Event, reached eventstore.Position) error {
		for i := range events {
			if err := h.learn(&events[i]); err != nil {
				return err
			}
		}
		h.Position = reached
		progress(reached, upTo)
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("read orders and baskets: %w", err)
	}
	return nil
}

func newHistory() *History {
	return &History{
		Rules: rules.Default(), cities: []string{""}, codes: []promocode.Terms{{}}, categories: []domain.ID{{}}, called: map[domain.ID]string{},
		index: index{
			day: newDay(), product: map[domain.ID]uint32{}, category: map[domain.ID]uint32{{}: 0}, city: map[string]uint32{"": 0},
			code: map[string]uint32{}, seen: map[domain.ID]struct{}{}, open: map[domain.ID]uint32{},
		},
	}
}

func (h *History) learn(e *eventstore.Event) error {
	h.day.learn(e.Data)
	switch d := e.Data.(type) {
	case rules.Changed:
		h.Rules, h.RulesVersion = d.Rules, d.Version
	case promocode.Issued:
		h.codes = append(h.codes, d.Terms)
		h.code[d.Code] = uint32(len(h.codes) - 1)
	case catalog.ProductAdded:
		h.categoryOf[h.productRow(d.ID)] = h.categoryRow(d.CategoryID)
	case catalog.ProductMoved:
		id, err := domainID(e.Stream, catalog.ProductStream(domain.ID{}))
		if err != nil {
			return err
		}
		h.categoryOf[h.productRow(id)] = h.categoryRow(d.CategoryID)
	case catalog.CategoryAdded:
		h.called[d.ID] = d.Category.Name
	case catalog.CategoryChanged:
		id, err := domainID(e.Stream, catalog.CategoryStream(domain.ID{}))
		if err != nil {
			return err
		}
		h.called[id] = d.Category.Name
	case order.Placed:
		h.place(&d)
	case basket.Priced:
		h.price(&d)
	case basket.CheckedOut:
		if row, open := h.open[d.BasketID]; open {
			h.baskets[row].marks |= ordered
			h.free = append(h.free, row)
			delete(h.open, d.BasketID)
		}
	}
	return nil
}

func (h *History) place(placed *order.Placed) {
	c := &placed.Calculation
	if c.RulesVersion == 0 {
		h.Elsewhere++
		return
	}
	for _, l := range c.Lines {
		h.lines = append(h.lines, pricedLine{h.productRow(l.ProductID), l.Total + l.OrderDiscount})
	}
	row := h.row(c, placed.City, placed.DeliveryType, placed.PaymentMethod, placed.At)
	row.lines = uint32(len(h.lines))
	if c.PromocodeApplied != "" {
		row.code = h.code[c.PromocodeApplied]
	}
	if placed.CustomerID != (domain.ID{}) {
		row.marks |= account
		if _, known := h.seen[placed.CustomerID]; known {
			row.marks |= returning
		}
		h.seen[placed.CustomerID] = struct{}{}
	}
	h.orders = append(h.orders, row)
}

// price takes a basket as it was last priced.
func (h *History) price(p *basket.Priced) {
	c := &p.Calculation
	row := h.row(c, p.Question.City, p.Question.DeliveryType, p.Question.PaymentMethod, p.At)
	if p.Question.Promocode != "" && c.PromocodeError == "" {
		row.code = h.code[p.Question.Promocode]
	}
	switch c.Reason {
	case "":
		row.marks |= orderable
	case pricing.ReasonOutOfStock, pricing.ReasonNotEnoughStock, pricing.ReasonEmpty:
		row.marks |= unavailable
	}
	at, open := h.open[p.BasketID]
	if !open {
		if free := len(h.free) - 1; free >= 0 {
			at, h.free = h.free[free], h.free[:free]
		} else {
			at = uint32(len(h.baskets))
			h.baskets = append(h.baskets, priced{})
		}
		h.open[p.BasketID] = at
	}
	h.baskets[at] = row
}

func (h *History) row(c *domain.Calculation, city string, by domain.DeliveryType, pays domain.PaymentMethod, at time.Time) priced {
	row := priced{
		total: c.TotalSum, discounted: c.DiscountedSum, delivery: c.DeliveryPrice, bonus: c.BonusSpent,
		city: h.cityRow(city), month: h.monthRow(at), tier: uint8(h.day.rules[c.RulesVersion].TierFor(c.TotalSum).Percent),
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

// almaty is UTC+5 all year round.
var almaty = time.FixedZone("Asia/Almaty", 5*60*60)

// monthRow counts from the first month; what is older than the log's beginning belongs to it.
func (h *History) monthRow(at time.Time) uint16 {
	at = at.In(almaty)
	month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, almaty)
	if h.firstMonth.IsZero() {
		h.firstMonth = month
	}
	row := uint16(min(max(0, (month.Year()-h.firstMonth.Year())*12+int(month.Month()-h.firstMonth.Month())), 1<<16-1))
	h.lastMonth = max(h.lastMonth, row)
	return row
}

// domainID is the id in a stream's name, which is like another of the same kind.
func domainID(stream, like string) (domain.ID, error) {
	kind := like[:len(like)-len(domain.ID{}.String())]
	id, err := uuid.Parse(strings.TrimPrefix(stream, kind))
	if err != nil {
		return domain.ID{}, fmt.Errorf("stream %s: no id in its name", stream)
	}
	return id, nil
}
