package projections

import (
	"time"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/round"
	"shop/eventstore"
)

// Packing is where goods are in the warehouse, what scanners read on them, how many of them are few, and the couriers' rounds.
func Packing() Projection {
	return Projection{Name: "packing", Version: 4, Metadata: true, Tables: []AnyTable{shelves, barcodes, lowLines, rounds}}
}

// Barcode is a row of packing.barcode: the barcode of a product.
type Barcode struct {
	ProductID domain.ID `json:"product_id"`
	GTIN      string    `json:"gtin"`
}

var barcodes = Table[Barcode]{
	Name: "barcode", Key: "product_id", KeyType: "uuid",
	DDL:     createTable[Barcode]("barcode", "product_id"),
	Indexes: `CREATE INDEX barcode_by_gtin ON barcode (gtin)`,
	Events:  []domain.Event{catalog.ProductCoded{}},
	Keys:    keyAfter("product-"), Stream: streamOf("product-"),
	Fold: func(_ string, c *Barcode, event eventstore.Event) bool {
		if e, ok := event.Data.(catalog.ProductCoded); ok {
			*c = Barcode{e.ID, e.GTIN}
		}
		return c.GTIN != ""
	},
}

// Shelf is a row of packing.shelf: where a product is in the warehouse.
type Shelf struct {
	ProductID domain.ID `json:"product_id"`
	Shelf     string    `json:"shelf"`
}

var shelves = Table[Shelf]{
	Name: "shelf", Key: "product_id", KeyType: "uuid",
	DDL:    createTable[Shelf]("shelf", "product_id"),
	Events: []domain.Event{catalog.ProductShelved{}},
	Keys:   keyAfter("product-"), Stream: streamOf("product-"),
	Fold: func(_ string, s *Shelf, event eventstore.Event) bool {
		if e, ok := event.Data.(catalog.ProductShelved); ok {
			*s = Shelf{e.ID, e.Shelf}
		}
		return s.Shelf != ""
	},
}

// LowLine is a row of packing.low_line: how many pieces of a product are few, where the rules do not say.
type LowLine struct {
	ProductID domain.ID `json:"product_id"`
	LowLine   int64     `json:"low_line"`
}

var lowLines = Table[LowLine]{
	Name: "low_line", Key: "product_id", KeyType: "uuid",
	DDL:    createTable[LowLine]("low_line", "product_id"),
	Events: []domain.Event{catalog.ProductLowLineSet{}},
	Keys:   keyAfter("product-"), Stream: streamOf("product-"),
	Fold: func(_ string, l *LowLine, event eventstore.Event) bool {
		e, ok := event.Data.(catalog.ProductLowLineSet)
		if !ok || e.LowLine == nil {
			return false
		}
		*l = LowLine{e.ID, *e.LowLine}
		return true
	},
}

// Round is a row of packing.round: a courier's day.
type Round struct {
	// ID is courier and day.
	ID      string    `json:"id"`
	Courier domain.ID `json:"courier"`
	// Day is YYYY-MM-DD.
	Day string `json:"day"`
	// Stops are ids of orders in the order in which the courier goes; orders that are not in it come last.
	Stops []domain.ID `json:"stops"`
	// SettledAt is nil until the courier handed the cash in.
	SettledAt *time.Time   `json:"settled_at"`
	Expected  domain.Money `json:"expected"`
	HandedIn  domain.Money `json:"handed_in"`
	Note      string       `json:"note"`
	// SettledBy counted it; empty when nobody did.
	SettledBy string `json:"settled_by"`
	// ClosedAt is nil unless what was short, ClosedShort, is waited for no more.
	ClosedAt    *time.Time   `json:"closed_at"`
	ClosedBy    string       `json:"closed_by"`
	ClosedShort domain.Money `json:"closed_short"`
	CloseReason string       `json:"close_reason"`
}

var rounds = Table[Round]{
	Name: "round", Key: "id", KeyType: "text",
	DDL: `CREATE TABLE round (
		id         text   PRIMARY KEY,
		courier    uuid   NOT NULL,
		day        date   NOT NULL,
		stops      jsonb  NOT NULL,
		settled_at timestamptz,
		expected   bigint NOT NULL,
		handed_in  bigint NOT NULL,
		note       text   NOT NULL,
		settled_by text   NOT NULL,
		closed_at  timestamptz,
		closed_by  text   NOT NULL,
		closed_short bigint NOT NULL,
		close_reason text   NOT NULL
	)`,
	Indexes: `
		CREATE INDEX round_by_day ON round (day);
		CREATE INDEX round_short ON round (day) WHERE handed_in < expected AND closed_at IS NULL`,
	Events: []domain.Event{round.Sorted{}, round.Settled{}, round.ShortClosed{}},
	Keys:   keyAfter("round-"), Stream: streamOf("round-"),
	Fold: func(key string, r *Round, event eventstore.Event) bool {
		r.ID = key
		switch e := event.Data.(type) {
		case round.Sorted:
			r.Courier, r.Day, r.Stops = e.Courier, e.Day, append([]domain.ID{}, e.Orders...)
		case round.Settled:
			r.Courier, r.Day = e.Courier, e.Day
			r.SettledAt, r.SettledBy, r.Expected, r.HandedIn, r.Note = timeOrNil(e.At), event.Metadata.Actor, e.Expected, e.HandedIn, e.Note
			r.ClosedAt, r.ClosedBy, r.ClosedShort, r.CloseReason = nil, "", 0, ""
		case round.ShortClosed:
			r.ClosedAt, r.ClosedBy, r.ClosedShort, r.CloseReason = timeOrNil(e.At), event.Metadata.Actor, e.Short, e.Reason
		}
		if r.Stops == nil {
			r.Stops = []domain.ID{}
		}
		return true
	},
}
