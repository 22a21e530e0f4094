package staff

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/projections/rebuild"
)

const (
	// maxDifferent is how many products two moments are compared of, maxBetween how many events between them are read.
	maxDifferent = 500
	maxBetween   = 20_000
)

// Moment is a position of the log, or a time; both zero: now.
type Moment struct {
	Position eventstore.Position
	Time     time.Time
}

// Comparison is how products were at one moment and are at another.
type Comparison struct {
	From eventstore.Position `json:"from"`
	To   eventstore.Position `json:"to"`
	// Products are those that differ, by article.
	Products []ProductDifference `json:"products"`
	// More: too much happened between the moments, and To is as far as it was compared.
	More bool `json:"more"`
}

// ProductDifference is how a product differs.
type ProductDifference struct {
	ID      domain.ID         `json:"id"`
	Article string            `json:"article"`
	Name    string            `json:"name"`
	Fields  []FieldDifference `json:"fields"`
}

// FieldDifference is a field of a product that differs, and what made it differ, the oldest first.
type FieldDifference struct {
	Field string          `json:"field"`
	Was   json.RawMessage `json:"was"`
	Now   json.RawMessage `json:"now"`
	By    []Touch         `json:"by"`
}

// Touch is an event that set a field. Change is nil when no change made it.
type Touch struct {
	Position eventstore.Position `json:"position"`
	At       time.Time           `json:"at"`
	Type     string              `json:"type"`
	Actor    string              `json:"actor"`
	Change   *uuid.UUID          `json:"change"`
}

// productField is a field that is compared. Names are those of changes.
type productField struct {
	name string
	of   func(p catalog.ProductState, s stockLevel) any
}

// stockLevel is how many pieces there are, and how many of them are held for orders.
type stockLevel struct{ onHand, reserved int64 }

var (
	priceFields = []productField{
		{"prices", func(p catalog.ProductState, _ stockLevel) any {
			return map[string]domain.Money{"price": p.Price, "discounted_price": p.DiscountedPrice}
		}},
		{"cost", func(p catalog.ProductState, _ stockLevel) any { return p.Cost }},
	}
	stockFields = []productField{
		{"on_hand", func(_ catalog.ProductState, s stockLevel) any { return s.onHand }},
		{"reserved", func(_ catalog.ProductState, s stockLevel) any { return s.reserved }},
	}
	textFields = []productField{
		{"name", func(p catalog.ProductState, _ stockLevel) any { return p.Text.Name }},
		{"description", func(p catalog.ProductState, _ stockLevel) any { return p.Text.Description }},
		{"composition", func(p catalog.ProductState, _ stockLevel) any { return p.Text.Composition }},
		{"expires", func(p catalog.ProductState, _ stockLevel) any { return p.Text.Expires }},
		{"apply_method", func(p catalog.ProductState, _ stockLevel) any { return p.Text.ApplyMethod }},
		{"package_size", func(p catalog.ProductState, _ stockLevel) any { return p.Text.PackageSize }},
		{"made_in", func(p catalog.ProductState, _ stockLevel) any { return p.Text.MadeIn }},
		{"kazakh", func(p catalog.ProductState, _ stockLevel) any { return p.Kazakh }},
		{"category_id", func(p catalog.ProductState, _ stockLevel) any { return p.CategoryID }},
		{"brand_id", func(p catalog.ProductState, _ stockLevel) any { return p.BrandID }},
		{"marks", func(p catalog.ProductState, _ stockLevel) any { return p.Marks }},
		{"pictures", func(p catalog.ProductState, _ stockLevel) any { return p.Pictures }},
		{"archived", func(p catalog.ProductState, _ stockLevel) any { return p.Archived }},
		{"shelf", func(p catalog.ProductState, _ stockLevel) any { return p.Shelf }},
		{"low_line", func(p catalog.ProductState, _ stockLevel) any { return p.LowLine }},
		{"gtin", func(p catalog.ProductState, _ stockLevel) any { return p.GTIN }},
		{"measure", func(p catalog.ProductState, _ stockLevel) any { return p.Measure }},
	}
	// differing are the fields and events of each part of a comparison.
	differing = map[string]struct {
		fields []productField
		types  []string
	}{
		"prices": {priceFields, []string{"product.added", "product.priced", "product.price-timed", "product.costed"}},
		"stock":  {stockFields, []string{"stock.received", "stock.adjusted", "stock.reserved", "stock.released", "stock.shipped"}},
		"catalog": {textFields, []string{
			"product.added", "product.described", "product.pictured", "product.marked", "product.moved", "product.archived", "product.restored",
			"product.shelved", "product.low-line-set", "product.coded", "product.measured", "product.translated",
		}},
	}
)

// DifferenceParts are what two moments may be compared by.
var DifferenceParts = []string{"prices", "stock", "catalog"}

// positionAt is the last position at a moment; 0 is now.
func (r *Reader) positionAt(ctx context.Context, m Moment) (eventstore.Position, error) {
	if m.Time.IsZero() {
		return m.Position, nil
	}
	last, err := lastBefore(ctx, r.db, m.Time)
	return max(last, 1), err // before the first event nothing was
}

// lastBefore is the last position of an event that was recorded by a time; 0: there was none.
func lastBefore(ctx context.Context, db *pgxpool.Pool, at time.Time) (eventstore.Position, error) {
	last, err := rebuild.LastBefore(ctx, db, at)
	if err != nil {
		return 0, fmt.Errorf("find the position of %s: %w", at.Format(time.RFC3339), err)
	}
	return last, nil
}

var errEnough = errors.New("enough was read")

// between reads the events of a part between two positions, by product. to is how far they were read.
func (r *Reader) between(ctx context.Context, types []string, from, upTo eventstore.Position) (found map[domain.ID][]eventstore.Event, to eventstore.Position, more bool, err error) {
	found, to = map[domain.ID][]eventstore.Event{}, from
	count := 0
	err = r.store.Scan(ctx, eventstore.Scanning{After: from, UpTo: upTo, Range: -1, Types: types, Metadata: true, Closed: true},
		func(events []eventstore.Event, reached eventstore.Position) error {
			for _, e := range events {
				_, text, _ := strings.Cut(e.Stream, "-")
				id, err := uuid.Parse(text)
				if err != nil {
					return fmt.Errorf("stream %s: %w", e.Stream, err)
				}
				if count++; count > maxBetween || found[id] == nil && len(found) == maxDifferent {
					more = true
					return errEnough
				}
				found[id] = append(found[id], e)
				to = e.Position
			}
			to = reached
			return nil
		})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, to, more, err
}

// Compare compares a part of products at two moments, by what happened between them. Costs are left out unless they may be seen.
func (r *Reader) Compare(ctx context.Context, part string, from, to Moment, costs bool, name Names) (Comparison, error) {
	asked := differing[part]
	d := Comparison{Products: []ProductDifference{}}
	var err error
	if d.From, err = r.positionAt(ctx, from); err != nil {
		return d, err
	}
	upTo, err := r.positionAt(ctx, to)
	if err != nil {
		return d, err
	}
	between, reached, more, err := r.between(ctx, asked.types, d.From, upTo)
	if err != nil {
		return d, fmt.Errorf("compare two moments: %w", err)
	}
	d.To, d.More = reached, more
	streams := make([]eventstore.From, 0, len(between))
	for id := range between {
		streams = append(streams, eventstore.From{Stream: catalog.ProductStream(id)})
	}
	slices.SortFunc(streams, func(a, b eventstore.From) int { return cmp.Compare(a.Stream, b.Stream) })
	histories, err := r.store.Load(ctx, streams...)
	if err != nil {
		return d, err
	}
	fields := slices.DeleteFunc(slices.Clone(asked.fields), func(f productField) bool { return f.name == "cost" && !costs })
	for id, events := range between {
		c := compared{fields: fields, from: d.From, to: reached, name: name}
		if p := c.product(id, histories[catalog.ProductStream(id)], events); len(p.Fields) > 0 {
			d.Products = append(d.Products, p)
		}
	}
	slices.SortFunc(d.Products, func(a, b ProductDifference) int {
		return cmp.Or(cmp.Compare(a.Article, b.Article), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return d, nil
}

// compared follows the fields of one product from a moment to another.
type compared struct {
	fields   []productField
	from, to eventstore.Position
	name     Names
	was, now []json.RawMessage
	by       [][]Touch
}

// product folds the product's history, and the stock events between the moments, and tells the fields that differ.
func (c *compared) product(id domain.ID, history, between []eventstore.Event) ProductDifference {
	var state catalog.ProductState
	level := before(between)
	events := slices.Concat(history, slices.DeleteFunc(slices.Clone(between), func(e eventstore.Event) bool { return !strings.HasPrefix(e.Stream, "stock-") }))
	slices.SortFunc(events, func(a, b eventstore.Event) int { return cmp.Compare(a.Position, b.Position) })
	for _, e := range events {
		if e.Position > c.to {
			break
		}
		if e.Position > c.from && c.was == nil {
			c.was = c.values(state, level)
			c.now, c.by = slices.Clone(c.was), make([][]Touch, len(c.fields))
		}
		if of, ok := e.Data.(catalog.ProductEvent); ok {
			state = catalog.ProductDecider.Evolve(state, of)
		} else if after, _, ok := levelAfter(e.Data); ok {
			level = after
		}
		if c.was != nil {
			c.touch(e, c.values(state, level))
		}
	}
	p := ProductDifference{ID: id, Article: state.Article, Name: state.Text.Name, Fields: []FieldDifference{}}
	for i, f := range c.fields {
		if c.was != nil && !bytes.Equal(c.was[i], c.now[i]) {
			p.Fields = append(p.Fields, FieldDifference{Field: f.name, Was: c.was[i], Now: c.now[i], By: c.by[i]})
		}
	}
	return p
}

// touch notes which fields an event set.
func (c *compared) touch(e eventstore.Event, values []json.RawMessage) {
	for i, value := range values {
		if bytes.Equal(value, c.now[i]) {
			continue
		}
		touch := Touch{Position: e.Position, At: e.RecordedAt, Type: e.Type, Actor: c.name(e.Metadata.Actor)}
		if text, ok := strings.CutPrefix(e.Metadata.CausationID, "change:"); ok {
			if id, err := uuid.Parse(text); err == nil {
				touch.Change = &id
			}
		}
		c.now[i], c.by[i] = value, append(c.by[i], touch)
	}
}

func (c *compared) values(p catalog.ProductState, s stockLevel) []json.RawMessage {
	all := make([]json.RawMessage, len(c.fields))
	for i, f := range c.fields {
		text, err := json.Marshal(f.of(p, s))
		if err != nil {
			text = []byte("null")
		}
		all[i] = text
	}
	return all
}

// levelAfter is what a stock event says of the stock after it and before it.
func levelAfter(data any) (after, before stockLevel, ok bool) {
	switch e := data.(type) {
	case stock.Received:
		return stockLevel{e.OnHand, e.Reserved}, stockLevel{e.OnHand - e.Quantity, e.Reserved}, true
	case stock.Adjusted:
		return stockLevel{e.OnHand, e.Reserved}, stockLevel{e.OnHand - e.Quantity, e.Reserved}, true
	case stock.Reserved:
		return stockLevel{e.OnHand, e.Reserved}, stockLevel{e.OnHand, e.Reserved - e.Quantity}, true
	case stock.Released:
		return stockLevel{e.OnHand, e.Reserved}, stockLevel{e.OnHand, e.Reserved + e.Quantity}, true
	case stock.Shipped:
		return stockLevel{e.OnHand, e.Reserved}, stockLevel{e.OnHand + e.Quantity, e.Reserved + e.Quantity}, true
	}
	return after, before, false
}

// before is the stock before the first of such events.
func before(events []eventstore.Event) stockLevel {
	for _, e := range events {
		if _, was, ok := levelAfter(e.Data); ok {
			return was
		}
	}
	return stockLevel{}
}
