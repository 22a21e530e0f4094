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
// hundred bytes an order, so that it can be priced again and again. It is safe for concurrent use.
type History struct {
	// Position is where the log was read to, Rules are those in force there, RulesVersion is theirs.
	Position     eventstore.Position
	Rules        rules.Rules
	RulesVersion int64
	// Elsewhere counts orders that another shop priced; they are left out.
	Elsewhere int64

	orders  []priced
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
	// ordered: the basket became an order.
	ordered
)

// Bytes is the memory that the rows take.
func (h *History) Bytes() int64 {
	return int64(cap(h.orders)+cap(h.baskets))*int64(unsafe.Sizeof(priced{})) + int64(cap(h.lines))*int64(unsafe.Sizeof(pricedLine{}))
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
	upTo, err := end(ctx, store, upTo)
	if err != nil {
		return nil, err
	}
	r := newReader(upTo)
	scan := eventstore.Scanning{UpTo: upTo, Range: -1, Types: historyTypes}
	err = store.Scan(ctx, scan, func(events []eventstore.Event, reached eventstore.Position) error {
		for i := range events {
			if err := r.learn(&events[i]); err != nil {
				return err
			}
		}
		progress(reached, upTo)
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read orders and baskets: %w", err)
	}
	return r.done(), nil
}

// reader folds events into a history.
type reader struct {
	*History
	day *day

	product  map[domain.ID]uint32
	category map[domain.ID]uint32
	city     map[string]uint32
	// code is the last row of codes under a code; terms that change get another row.
	code map[string]uint32
	seen map[domain.ID]struct{}
	// open are the baskets that have not become an order.
	open map[domain.ID]uint32
}

func newReader(upTo eventstore.Position) *reader {
	return &reader{
		History: &History{
			Position: upTo, Rules: rules.Default(), cities: []string{""}, codes: []promocode.Terms{{}}, categories: []domain.ID{{}},
			called: map[domain.ID]string{},
		},
		day: newDay(), product: map[domain.ID]uint32{}, category: map[domain.ID]uint32{{}: 0}, city: map[string]uint32{"": 0},
		code: map[string]uint32{}, seen: map[domain.ID]struct{}{}, open: map[domain.ID]uint32{},
	}
}

func (r *reader) learn(e *eventstore.Event) error {
	r.day.learn(e.Data)
	switch d := e.Data.(type) {
	case rules.Changed:
		r.Rules, r.RulesVersion = d.Rules, d.Version
	case promocode.Issued:
		r.codes = append(r.codes, d.Terms)
		r.code[d.Code] = uint32(len(r.codes) - 1)
	case catalog.ProductAdded:
		r.categoryOf[r.productRow(d.ID)] = r.categoryRow(d.CategoryID)
	case catalog.ProductMoved:
		id, err := domainID(e.Stream, catalog.ProductStream(domain.ID{}))
		if err != nil {
			return err
		}
		r.categoryOf[r.productRow(id)] = r.categoryRow(d.CategoryID)
	case catalog.CategoryAdded:
		r.called[d.ID] = d.Category.Name
	case catalog.CategoryChanged:
		id, err := domainID(e.Stream, catalog.CategoryStream(domain.ID{}))
		if err != nil {
			return err
		}
		r.called[id] = d.Category.Name
	case order.Placed:
		r.place(&d)
	case basket.Priced:
		r.price(&d)
	case basket.CheckedOut:
		if row, open := r.open[d.BasketID]; open {
			r.baskets[row].marks |= ordered
			delete(r.open, d.BasketID)
		}
	}
	return nil
}

func (r *reader) place(placed *order.Placed) {
	c := &placed.Calculation
	if c.RulesVersion == 0 {
		r.Elsewhere++
		return
	}
	for _, l := range c.Lines {
		r.lines = append(r.lines, pricedLine{r.productRow(l.ProductID), l.Total + l.OrderDiscount})
	}
	row := r.row(c, placed.City, placed.DeliveryType, placed.PaymentMethod, placed.At)
	row.lines = uint32(len(r.lines))
	if c.PromocodeApplied != "" {
		row.code = r.code[c.PromocodeApplied]
	}
	if placed.CustomerID != (domain.ID{}) {
		row.marks |= account
		if _, known := r.seen[placed.CustomerID]; known {
			row.marks |= returning
		}
		r.seen[placed.CustomerID] = struct{}{}
	}
	r.orders = append(r.orders, row)
}

// price takes a basket as it was last priced.
func (r *reader) price(p *basket.Priced) {
	c := &p.Calculation
	row := r.row(c, p.Question.City, p.Question.DeliveryType, p.Question.PaymentMethod, p.At)
	if p.Question.Promocode != "" && c.PromocodeError == "" {
		row.code = r.code[p.Question.Promocode]
	}
	switch c.Reason {
	case "":
		row.marks |= orderable
	case pricing.ReasonOutOfStock, pricing.ReasonNotEnoughStock, pricing.ReasonEmpty:
		row.marks |= unavailable
	}
	at, open := r.open[p.BasketID]
	if !open {
		at = uint32(len(r.baskets))
		r.open[p.BasketID] = at
		r.baskets = append(r.baskets, priced{})
	}
	r.baskets[at] = row
}

func (r *reader) row(c *domain.Calculation, city string, by domain.DeliveryType, pays domain.PaymentMethod, at time.Time) priced {
	row := priced{
		total: c.TotalSum, discounted: c.DiscountedSum, delivery: c.DeliveryPrice, bonus: c.BonusSpent,
		city: r.cityRow(city), month: r.monthRow(at), tier: uint8(r.day.rules[c.RulesVersion].TierFor(c.TotalSum).Percent),
	}
	if by == domain.Pickup {
		row.marks |= pickup
	}
	if pays == domain.Cash {
		row.marks |= cash
	}
	return row
}

func (r *reader) productRow(id domain.ID) uint32 {
	row, known := r.product[id]
	if !known {
		row = uint32(len(r.products))
		r.product[id] = row
		r.products, r.categoryOf = append(r.products, id), append(r.categoryOf, 0)
	}
	return row
}

func (r *reader) categoryRow(id domain.ID) uint32 {
	row, known := r.category[id]
	if !known {
		row = uint32(len(r.categories))
		r.category[id] = row
		r.categories = append(r.categories, id)
	}
	return row
}

func (r *reader) cityRow(city string) uint32 {
	row, known := r.city[city]
	if !known {
		row = uint32(len(r.cities))
		r.city[city] = row
		r.cities = append(r.cities, city)
	}
	return row
}

// almaty is UTC+5 all year round.
var almaty = time.FixedZone("Asia/Almaty", 5*60*60)

// monthRow counts from the first month; what is older than the log's beginning belongs to it.
func (r *reader) monthRow(at time.Time) uint16 {
	at = at.In(almaty)
	month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, almaty)
	if r.firstMonth.IsZero() {
		r.firstMonth = month
	}
	row := uint16(min(max(0, (month.Year()-r.firstMonth.Year())*12+int(month.Month()-r.firstMonth.Month())), 1<<16-1))
	r.lastMonth = max(r.lastMonth, row)
	return row
}

// done leaves the baskets that became no order.
func (r *reader) done() *History {
	left := r.baskets[:0]
	for _, b := range r.baskets {
		if b.marks&ordered == 0 {
			left = append(left, b)
		}
	}
	r.baskets = left
	return r.History
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
