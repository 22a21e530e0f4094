package past

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
)

// BenchmarkFold looks at the goods of a shop with 10 000 products and 200 000 events of catalog and stock for the first time. The aim is
// 2 s on two cores.
func BenchmarkFold(b *testing.B) {
	s := open(b)
	text := strings.Repeat("Увлажняющий крем с гиалуроновой кислотой и пантенолом. ", 20)
	var last eventstore.Position
	const products, moves = 10_000, 16
	for n := 0; n < products; n += 100 {
		var writes []eventstore.Write
		for i := n; i < n+100; i++ {
			id := idOf(i)
			goods := eventstore.Write{Stream: catalog.ProductStream(id)}
			for _, e := range []domain.Event{
				catalog.ProductAdded{ID: id, Article: fmt.Sprint(i), Link: fmt.Sprint(i), At: noon},
				catalog.ProductDescribed{Text: catalog.ProductText{Name: fmt.Sprintf("Крем %d", i), Description: text, Composition: text}, At: noon},
				catalog.ProductPriced{Price: 4000, DiscountedPrice: 4000, At: noon}, catalog.ProductPictured{Pictures: []catalog.Picture{{Src: "/media/1.webp"}}, At: noon},
			} {
				goods.Events = append(goods.Events, eventstore.NewEvent{Data: e})
			}
			level := eventstore.Write{Stream: stock.Stream(id)}
			for m := range int64(moves) {
				level.Events = append(level.Events, eventstore.NewEvent{Data: stock.Received{ProductID: id, Quantity: 1, OnHand: m, At: noon}})
			}
			writes = append(writes, goods, level)
		}
		done, err := s.store.Append(b.Context(), eventstore.Append{Writes: writes})
		if err != nil {
			b.Fatal(err)
		}
		last = done.Position
	}
	look := func() time.Duration {
		began := time.Now()
		err := s.pasts.At(b.Context(), last, func(ctx context.Context, db *DB) error {
			var n int
			return db.QueryRow(ctx, "SELECT count(*) FROM catalog.product p JOIN catalog.category c ON true FULL JOIN stock.level s ON s.product_id = p.id").Scan(&n)
		})
		if err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	for b.Loop() {
		s.pasts.Close()
		b.ReportMetric(look().Seconds(), "s/first")
		b.ReportMetric(look().Seconds(), "s/again")
	}
}
