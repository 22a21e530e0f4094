package projections

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// SaleLines is a row of sales.lines: the lines of an order, side by side, as staff left them.
type SaleLines struct {
	OrderID       domain.ID            `json:"order_id"`
	Day           string               `json:"day" sql:"date"`
	Month         string               `json:"month" sql:"date"`
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
	DDL:     createTable[SaleLines]("lines", "order_id"),
	Indexes: `CREATE INDEX lines_by_day ON lines (day)`,
	Events:  []domain.Event{order.Placed{}, order.LinesChanged{}},
	Keys:    keyAfter("order-"), Stream: streamOf("order-"),
	Fold: func(_ string, l *SaleLines, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case order.Placed:
			*l = SaleLines{OrderID: e.ID, Day: dayOf(e.At), Month: monthOf(e.At), City: e.City, PaymentMethod: e.PaymentMethod}
			l.take(e.Calculation.Lines)
		case order.LinesChanged:
			l.City = e.City
			l.take(e.Calculation.Lines)
		}
		return l.OrderID != domain.ID{}
	},
}

func (l *SaleLines) take(lines []domain.PricedLine) {
	l.Products, l.Pieces, l.Lists, l.Totals = []domain.ID{}, []int64{}, []int64{}, []int64{}
	for _, line := range lines {
		l.Products, l.Pieces = append(l.Products, line.ProductID), append(l.Pieces, line.Amount)
		l.Lists, l.Totals = append(l.Lists, line.Price*line.Amount), append(l.Totals, line.Total)
	}
}

// ordered are the lines that an event adds to what was ordered, those that it takes away, and when the order was placed.
func ordered(event eventstore.Event) (adds, takes []domain.PricedLine, at time.Time) {
	switch e := event.Data.(type) {
	case order.Placed:
		return e.Calculation.Lines, nil, e.At
	case order.LinesChanged:
		return e.Calculation.Lines, e.Before, e.PlacedAt
	}
	return nil, nil, time.Time{}
}

// Goods is a row of sales.goods: what was ordered of a product in a month, as staff left it and whatever became of it, by the orders of
// a range.
type Goods struct {
	Key       string       `json:"key"`
	ProductID domain.ID    `json:"product_id"`
	Month     string       `json:"month" sql:"date"`
	Lines     int64        `json:"lines"`
	Pieces    int64        `json:"pieces"`
	List      domain.Money `json:"list"`
	Total     domain.Money `json:"total"`
}

var goods = Table[Goods]{
	Name: "goods", Key: "key", KeyType: "text",
	DDL:    createTable[Goods]("goods", "key") + " WITH (fillfactor = 70)",
	Events: []domain.Event{order.Placed{}, order.LinesChanged{}},
	Keys: func(event eventstore.Event) []string {
		adds, takes, at := ordered(event)
		month := monthOf(at)
		var keys []string
		for _, line := range slices.Concat(adds, takes) {
			if key := fmt.Sprintf("%s/%s/%d", line.ProductID, month, eventstore.RangeOf(event.Slice)); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		return keys
	},
	Fold: func(key string, g *Goods, event eventstore.Event) bool {
		part := strings.Split(key, "/")
		g.Key, g.ProductID, g.Month = key, uuid.MustParse(part[0]), part[1]
		adds, takes, _ := ordered(event)
		add := func(lines []domain.PricedLine, sign int64) {
			for _, line := range lines {
				if line.ProductID == g.ProductID {
					g.Lines, g.Pieces = g.Lines+sign, g.Pieces+sign*line.Amount
					g.List, g.Total = g.List+sign*line.Price*line.Amount, g.Total+sign*line.Total
				}
			}
		}
		add(adds, 1)
		add(takes, -1)
		return true
	},
}
