package changes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/promocode"
	"shop/domain/restock"
	"shop/domain/stock"
)

// Happened count the events of streams that the log has since a moment, by stream and type.
type Happened interface {
	EventsSince(ctx context.Context, streams, types []string, since time.Time) (map[[2]string]int64, error)
}

// Stay is what happened to a thing since a change was applied, and stays when the change is undone.
type Stay struct {
	Thing  string `json:"thing"`
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// staying are the reasons that whoever undoes a change has to know. Others are records, or pages of their own.
var staying = []Reason{shoppers, ofOrders, money, sent, erased, completed}

// stayingTypes are the types of events that stay for such a reason.
func stayingTypes() (types []string) {
	for name, inverse := range Inverses {
		if slices.Contains(staying, inverse.Why) {
			types = append(types, name)
		}
	}
	return types
}

// streamsOf are the streams in which others act on a thing. Letters to those who waited for a product are in one of them.
func streamsOf(thing, id string) []string {
	switch thing {
	case "promocode":
		return []string{promocode.Stream(id)}
	case "product", "stock":
		if product, err := idOf(id); err == nil {
			return []string{catalog.ProductStream(product), stock.Stream(product), restock.Stream(product)}
		}
	}
	return nil
}

// Stays are what happened to the things of a change since it was applied, and no undo takes back: by thing, the first of the change first.
func (c *Changes) Stays(ctx context.Context, id domain.ID) ([]Stay, error) {
	s, err := c.Show(ctx, id)
	if err != nil || c.Happened == nil || s.AppliedAt.IsZero() {
		return nil, err
	}
	var streams []string
	of := map[string]int{}
	for i, item := range s.List {
		for _, stream := range streamsOf(item.Thing, item.ID) {
			if _, known := of[stream]; !known && s.InForce(i) {
				of[stream], streams = i, append(streams, stream)
			}
		}
	}
	if len(streams) == 0 {
		return nil, nil
	}
	counts, err := c.Happened.EventsSince(ctx, streams, stayingTypes(), s.AppliedAt)
	if err != nil {
		return nil, fmt.Errorf("look at what stays of change %s: %w", id, err)
	}
	type key struct {
		item   int
		reason string
	}
	sums := map[key]int64{}
	for at, n := range counts {
		sums[key{of[at[0]], Inverses[at[1]].Why.Code}] += n
	}
	var keys []key
	for k := range sums {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.item != b.item {
			return a.item - b.item
		}
		return strings.Compare(a.reason, b.reason)
	})
	stays := make([]Stay, len(keys))
	for i, k := range keys {
		stays[i] = Stay{s.List[k.item].Thing, s.List[k.item].ID, k.reason, sums[k]}
	}
	return stays, nil
}
