package projections

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/eventstore"
)

// Sales are facts for analysts: what was sold, when, where and for how much, who came back, who waited for what. Nobody
// is named in them. Amounts are whole tenge, days are those of Almaty.
func Sales() Projection {
	return Projection{Name: "sales", Version: 1, Tables: []AnyTable{sales, salesLines, goods, soldProducts, soldCategories, soldBrands, waits, bonusDays}}
}

// Sale is a row of sales.orders: an order and what became of its money.
type Sale struct {
	ID       domain.ID `json:"id"`
	Number   int64     `json:"number"`
	PlacedAt time.Time `json:"placed_at"`
	// Day is YYYY-MM-DD, Month its first.
	Day   string `json:"day"`
	Month string `json:"month"`
	// Buyer tells customers apart: an account, or whom the files of another shop call the same. Zero: a guest, who may be
	// anybody.
	Buyer         domain.ID            `json:"buyer"`
	City          string               `json:"city"`
	PaymentMethod domain.PaymentMethod `json:"payment_method"`
	DeliveryType  domain.DeliveryType  `json:"delivery_type"`
	Promocode     string               `json:"promocode"`
	Status        order.Status         `json:"status"`
	// Counts: the order was not cancelled or refunded, and its payment did not fail.
	Counts        bool         `json:"counts"`
	ListSum       domain.Money `json:"list_sum"`
	TotalSum      domain.Money `json:"total_sum"`
	DiscountedSum domain.Money `json:"discounted_sum"`
	BonusSpent    domain.Money `json:"bonus_spent"`
	DeliveryPrice domain.Money `json:"delivery_price"`
	TotalPaid     domain.Money `json:"total_paid"`
	// Captured is the money that the shop holds, Refunded what it gave back; Returned is the part of Refunded that the
	// order had cost, not paid in excess.
	Captured domain.Money `json:"captured"`
	Refunded domain.Money `json:"refunded"`
	Returned domain.Money `json:"returned"`
	// Revenue is TotalPaid less Returned of an order that counts, 0 of any other.
	Revenue domain.Money `json:"revenue"`
}

var sales = Table[Sale]{
	Name: "orders", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE orders (
		id             uuid        PRIMARY KEY,
		number         bigint      NOT NULL,
		placed_at      timestamptz NOT NULL,
		day            date        NOT NULL,
		month          date        NOT NULL,
		buyer          uuid        NOT NULL,
		city           text        NOT NULL,
		payment_method text        NOT NULL,
		delivery_type  text        NOT NULL,
		promocode      text        NOT NULL,
		status         text        NOT NULL,
		counts         boolean     NOT NULL,
		list_sum       bigint      NOT NULL,
		total_sum      bigint      NOT NULL,
		discounted_sum bigint      NOT NULL,
		bonus_spent    bigint      NOT NULL,
		delivery_price bigint      NOT NULL,
		total_paid     bigint      NOT NULL,
		captured       bigint      NOT NULL,
		refunded       bigint      NOT NULL,
		returned       bigint      NOT NULL,
		revenue        bigint      NOT NULL
	) WITH (fillfactor = 80)`,
	Indexes: `
		CREATE INDEX orders_lost ON orders (day) INCLUDE (id) WHERE NOT counts;
		CREATE INDEX orders_of_buyer ON orders (buyer, placed_at, number) INCLUDE (day, month, revenue) WHERE counts AND buyer <> '00000000-0000-0000-0000-000000000000'`,
	Events: []domain.Event{
		order.Placed{}, order.PaymentRequested{}, order.Paid{}, order.PaymentFailed{}, order.PaymentExpired{},
		order.Approved{}, order.ProcessingStarted{}, order.Completed{}, order.Cancelled{}, order.Refunded{}, order.Joined{},
	},
	Keys: afterPrefix("order-"), Stream: prefixed("order-"),
	Fold: foldSale,
}

func foldSale(_ string, s *Sale, event eventstore.Event) bool {
	// The order itself decides its status, of a single payment with all the money.
	state := order.State{Status: s.Status}
	state.Placed.Calculation.TotalPaid = s.TotalPaid
	switch e := event.Data.(type) {
	case order.Placed:
		c := e.Calculation
		*s = Sale{
			ID: e.ID, Number: e.Number, PlacedAt: e.At, Day: dayOf(e.At), Month: monthOf(e.At), Buyer: e.CustomerID, City: e.City,
			PaymentMethod: e.PaymentMethod, DeliveryType: e.DeliveryType, Promocode: c.PromocodeApplied,
			ListSum: c.ListSum, TotalSum: c.TotalSum, DiscountedSum: c.DiscountedSum, BonusSpent: c.BonusSpent,
			DeliveryPrice: c.DeliveryPrice, TotalPaid: c.TotalPaid,
		}
		if e.Imported() {
			s.Buyer = e.PersonID
		}
	case order.Paid:
		s.Captured += e.Amount
	case order.Refunded:
		state.Payments = []order.Payment{{ID: e.PaymentID, Amount: s.Captured}}
		s.Captured, s.Refunded = s.Captured-e.Amount, s.Refunded+e.Amount
		if !e.Excess {
			s.Returned += e.Amount
		}
	case order.Joined:
		s.Buyer = e.CustomerID
	}
	if s.ID == (domain.ID{}) {
		return false
	}
	if e, ok := event.Data.(order.Event); ok {
		s.Status = order.Decider.Evolve(state, e).Status
	}
	s.Counts, s.Revenue = countsAs(s.Status), 0
	if s.Counts {
		s.Revenue = s.TotalPaid - s.Returned
	}
	return true
}

// countsAs says whether an order of a status is a sale.
func countsAs(status order.Status) bool {
	switch status {
	case order.StatusReceived, order.StatusApproved, order.StatusProcessing, order.StatusCompleted:
		return true
	case order.StatusPaymentErr, order.StatusCancelled, order.StatusRefunded:
	}
	return false
}

// monthOf is the first day of a moment's month in Almaty, YYYY-MM-DD.
func monthOf(t time.Time) string { return t.In(domain.Almaty).Format("2006-01") + "-01" }

// SaleLines is a row of sales.lines: the lines of an order as it was placed, side by side. It never changes.
type SaleLines struct {
	OrderID       domain.ID            `json:"order_id"`
	Day           string               `json:"day"`
	Month         string               `json:"month"`
	City          string               `json:"city"`
	PaymentMethod domain.PaymentMethod `json:"payment_method"`
	Products      []domain.ID          `json:"products"`
	Pieces        []int64              `json:"pieces"`
	// Lists are the sums at list prices, Totals what was left of them after all discounts.
	Lists  []int64 `json:"lists"`
	Totals []int64 `json:"totals"`
}

var salesLines = Table[SaleLines]{
	Name: "lines", Key: "order_id", KeyType: "uuid",
	DDL: `CREATE TABLE lines (
		order_id       uuid     PRIMARY KEY,
		day            date     NOT NULL,
		month          date     NOT NULL,
		city           text     NOT NULL,
		payment_method text     NOT NULL,
		products       uuid[]   NOT NULL,
		pieces         bigint[] NOT NULL,
		lists          bigint[] NOT NULL,
		totals         bigint[] NOT NULL
	)`,
	Indexes: `CREATE INDEX lines_by_day ON lines (day)`,
	Events:  []domain.Event{order.Placed{}},
	Keys:    afterPrefix("order-"), Stream: prefixed("order-"),
	Fold: func(_ string, l *SaleLines, event eventstore.Event) bool {
		e := event.Data.(order.Placed)
		*l = SaleLines{
			OrderID: e.ID, Day: dayOf(e.At), Month: monthOf(e.At), City: e.City, PaymentMethod: e.PaymentMethod,
			Products: []domain.ID{}, Pieces: []int64{}, Lists: []int64{}, Totals: []int64{},
		}
		for _, line := range e.Calculation.Lines {
			l.Products, l.Pieces = append(l.Products, line.ProductID), append(l.Pieces, line.Amount)
			l.Lists, l.Totals = append(l.Lists, line.Price*line.Amount), append(l.Totals, line.Total)
		}
		return true
	},
}

// Goods is a row of sales.goods: what was ordered of a product in a month, whatever became of it, by the orders of a range.
type Goods struct {
	Key       string       `json:"key"`
	ProductID domain.ID    `json:"product_id"`
	Month     string       `json:"month"`
	Lines     int64        `json:"lines"`
	Pieces    int64        `json:"pieces"`
	List      domain.Money `json:"list"`
	Total     domain.Money `json:"total"`
}

var goods = Table[Goods]{
	Name: "goods", Key: "key", KeyType: "text",
	DDL: `CREATE TABLE goods (
		key        text   PRIMARY KEY,
		product_id uuid   NOT NULL,
		month      date   NOT NULL,
		lines      bigint NOT NULL,
		pieces     bigint NOT NULL,
		list       bigint NOT NULL,
		total      bigint NOT NULL
	) WITH (fillfactor = 70)`,
	Events: []domain.Event{order.Placed{}},
	Keys: func(event eventstore.Event) []string {
		e := event.Data.(order.Placed)
		month := monthOf(e.At)
		var keys []string
		for _, line := range e.Calculation.Lines {
			if key := fmt.Sprintf("%s/%s/%d", line.ProductID, month, eventstore.RangeOf(event.Slice)); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		return keys
	},
	Fold: func(key string, g *Goods, event eventstore.Event) bool {
		part := strings.Split(key, "/")
		g.Key, g.ProductID, g.Month = key, uuid.MustParse(part[0]), part[1]
		for _, line := range event.Data.(order.Placed).Calculation.Lines {
			if line.ProductID == g.ProductID {
				g.Lines, g.Pieces = g.Lines+1, g.Pieces+line.Amount
				g.List, g.Total = g.List+line.Price*line.Amount, g.Total+line.Total
			}
		}
		return true
	},
}

// SoldProduct is a row of sales.product.
type SoldProduct struct {
	ID      domain.ID `json:"id"`
	Article string    `json:"article"`
	Name    string    `json:"name"`
	// Places are where it was in the catalog, in their order.
	Places []Place `json:"places"`
}

// Place is a brand and a category, since a month (its first day).
type Place struct {
	Month      string    `json:"month"`
	BrandID    domain.ID `json:"brand_id"`
	CategoryID domain.ID `json:"category_id"`
}

var soldProducts = Table[SoldProduct]{
	Name: "product", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE product (
		id      uuid  PRIMARY KEY,
		article text  NOT NULL,
		name    text  NOT NULL,
		places  jsonb NOT NULL
	)`,
	Events: []domain.Event{catalog.ProductAdded{}, catalog.ProductDescribed{}, catalog.ProductMoved{}},
	Keys:   afterPrefix("product-"), Stream: prefixed("product-"),
	Fold: func(_ string, p *SoldProduct, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case catalog.ProductAdded:
			*p = SoldProduct{ID: e.ID, Article: e.Article, Name: e.Article, Places: []Place{{monthOf(e.At), e.BrandID, e.CategoryID}}}
		case catalog.ProductDescribed:
			p.Name = e.Text.Name
		case catalog.ProductMoved:
			p.Places = append(slices.Clip(p.Places), Place{monthOf(e.At), e.BrandID, e.CategoryID})
		}
		return p.ID != domain.ID{}
	},
}

// SoldCategory is a row of sales.category; a zero ParentID is the top.
type SoldCategory struct {
	ID       domain.ID `json:"id"`
	ParentID domain.ID `json:"parent_id"`
	Name     string    `json:"name"`
}

var soldCategories = Table[SoldCategory]{
	Name: "category", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE category (
		id        uuid PRIMARY KEY,
		parent_id uuid NOT NULL,
		name      text NOT NULL
	)`,
	Events: []domain.Event{catalog.CategoryAdded{}, catalog.CategoryChanged{}},
	Keys:   afterPrefix("category-"), Stream: prefixed("category-"),
	Fold: func(_ string, c *SoldCategory, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case catalog.CategoryAdded:
			*c = SoldCategory{e.ID, e.Category.ParentID, e.Category.Name}
		case catalog.CategoryChanged:
			c.ParentID, c.Name = e.Category.ParentID, e.Category.Name
		}
		return c.ID != domain.ID{}
	},
}

// SoldBrand is a row of sales.brand.
type SoldBrand struct {
	ID   domain.ID `json:"id"`
	Name string    `json:"name"`
}

var soldBrands = Table[SoldBrand]{
	Name: "brand", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE brand (
		id   uuid PRIMARY KEY,
		name text NOT NULL
	)`,
	Events: []domain.Event{catalog.BrandAdded{}, catalog.BrandChanged{}},
	Keys:   afterPrefix("brand-"), Stream: prefixed("brand-"),
	Fold: func(_ string, b *SoldBrand, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case catalog.BrandAdded:
			*b = SoldBrand{e.ID, e.Brand.Name}
		case catalog.BrandChanged:
			b.Name = e.Brand.Name
		}
		return b.ID != domain.ID{}
	},
}

// Wait is a row of sales.wait: a subscription to a product's return.
type Wait struct {
	Key       string    `json:"key"`
	ProductID domain.ID `json:"product_id"`
	Since     time.Time `json:"since"`
	// Until is when it ended; nil: it goes on. Told: because the product came back.
	Until *time.Time `json:"until"`
	Told  bool       `json:"told"`
}

var waits = Table[Wait]{
	Name: "wait", Key: "key", KeyType: "text",
	DDL: `CREATE TABLE wait (
		key        text        PRIMARY KEY,
		product_id uuid        NOT NULL,
		since      timestamptz NOT NULL,
		until      timestamptz,
		told       boolean     NOT NULL
	)`,
	Events: []domain.Event{restock.Subscribed{}, restock.Notified{}, restock.Unsubscribed{}},
	Keys: func(event eventstore.Event) []string {
		var place int64
		switch e := event.Data.(type) {
		case restock.Subscribed:
			place = e.Place
		case restock.Notified:
			place = e.Place
		case restock.Unsubscribed:
			place = e.Place
		}
		return []string{fmt.Sprintf("%s/%d", strings.TrimPrefix(event.Stream, "restock-"), place)}
	},
	Stream: func(key string) string {
		product, _, _ := strings.Cut(key, "/")
		return "restock-" + product
	},
	Fold: func(key string, w *Wait, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case restock.Subscribed:
			*w = Wait{Key: key, ProductID: e.ProductID, Since: e.At}
		case restock.Notified:
			w.Until, w.Told = &e.At, true
		case restock.Unsubscribed:
			w.Until = &e.At
		}
		return w.ProductID != domain.ID{}
	},
}

// BonusDay is a row of sales.bonuses: what moved on the ledgers of a range on a day.
type BonusDay struct {
	Key      string       `json:"key"`
	Day      string       `json:"day"`
	Earned   domain.Money `json:"earned"`
	Spent    domain.Money `json:"spent"`
	Returned domain.Money `json:"returned"`
	Revoked  domain.Money `json:"revoked"`
}

var bonusDays = Table[BonusDay]{
	Name: "bonuses", Key: "key", KeyType: "text",
	DDL: `CREATE TABLE bonuses (
		key      text   PRIMARY KEY,
		day      date   NOT NULL,
		earned   bigint NOT NULL,
		spent    bigint NOT NULL,
		returned bigint NOT NULL,
		revoked  bigint NOT NULL
	) WITH (fillfactor = 70)`,
	Events: []domain.Event{bonus.Earned{}, bonus.Spent{}, bonus.Returned{}, bonus.Revoked{}},
	Keys: func(event eventstore.Event) []string {
		var at time.Time
		switch e := event.Data.(type) {
		case bonus.Earned:
			at = e.At
		case bonus.Spent:
			at = e.At
		case bonus.Returned:
			at = e.At
		case bonus.Revoked:
			at = e.At
		}
		return []string{fmt.Sprintf("%s/%d", dayOf(at), eventstore.RangeOf(event.Slice))}
	},
	Fold: func(key string, b *BonusDay, event eventstore.Event) bool {
		b.Key, b.Day = key, key[:len(time.DateOnly)]
		switch e := event.Data.(type) {
		case bonus.Earned:
			b.Earned += e.Amount
		case bonus.Spent:
			b.Spent += e.Amount
		case bonus.Returned:
			b.Returned += e.Amount
		case bonus.Revoked:
			b.Revoked += e.Amount
		}
		return true
	},
}
