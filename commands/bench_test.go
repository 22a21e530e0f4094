package commands_test

import (
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"shop/commands/shopapi"
	"shop/commands/testshop"
)

// BenchmarkCalculate prices a basket of five lines that did not change.
func BenchmarkCalculate(b *testing.B) {
	s := testshop.Open(b)
	var lines []testshop.Fields
	for range 5 {
		lines = append(lines, testshop.Line(s.Product(9_000, 9_000, 10), 1))
	}
	ask := testshop.Fields{"products": lines, "city": "Алматы"}
	mine := testshop.WithBasket(s.Basket(ask))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := (shopapi.Baskets{Baskets: s.Baskets}).Calculate(httptest.NewRecorder(), testshop.Post(b.Context(), ask, mine)); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkCheckout places orders of two lines: of products of their own, or all of the same.
func BenchmarkCheckout(b *testing.B) {
	for _, products := range []int{2, 200} {
		b.Run(fmt.Sprint("products=", products), func(b *testing.B) {
			s := testshop.Open(b)
			var orders []testshop.Fields
			for range products / 2 {
				orders = append(orders, testshop.Checkout(testshop.Line(s.Product(9_000, 9_000, 1_000_000), 1), testshop.Line(s.Product(9_000, 9_000, 1_000_000), 1)))
			}
			var n atomic.Int64
			b.SetParallelism(16)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := int(n.Add(1))
					r := testshop.Post(b.Context(), orders[i%len(orders)], testshop.WithKey(fmt.Sprint(i)))
					if err := (shopapi.Orders{Orders: s.Orders}).Place(httptest.NewRecorder(), r); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
		})
	}
}
