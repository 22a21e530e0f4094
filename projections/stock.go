package projections

import (
	"time"

	"shop/domain"
	"shop/domain/stock"
	"shop/eventstore"
)

// Stock is the level of every product's stock.
func Stock() Projection { return Projection{Name: "stock", Tables: []AnyTable{levels}} }

// Level is a row of stock.level: pieces in the house, and those of them that orders hold.
type Level struct {
	ProductID domain.ID `json:"product_id"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	UpdatedAt time.Time `json:"updated_at"`
}

var levels = Table[Level]{
	Name: "level", Key: "product_id", KeyType: "uuid",
	DDL: createTable[Level]("level", "product_id",
		"available bigint GENERATED ALWAYS AS (greatest(on_hand - reserved, 0)) STORED") + " WITH (fillfactor = 70)",
	Events: []domain.Event{stock.Received{}, stock.Adjusted{}, stock.Reserved{}, stock.Released{}, stock.Shipped{}},
	Keys:   keyAfter("stock-"), Stream: streamOf("stock-"),
	Fold: func(_ string, l *Level, event eventstore.Event) bool {
		switch e := event.Data.(type) {
		case stock.Received:
			*l = Level{e.ProductID, e.OnHand, e.Reserved, e.At}
		case stock.Adjusted:
			*l = Level{e.ProductID, e.OnHand, e.Reserved, e.At}
		case stock.Reserved:
			*l = Level{e.ProductID, e.OnHand, e.Reserved, e.At}
		case stock.Released:
			*l = Level{e.ProductID, e.OnHand, e.Reserved, e.At}
		case stock.Shipped:
			*l = Level{e.ProductID, e.OnHand, e.Reserved, e.At}
		}
		return l.ProductID != domain.ID{}
	},
}
