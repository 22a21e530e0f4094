package commands

import (
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// BenchmarkCalculate prices a basket of five lines that did not change.
func BenchmarkCalculate(b *testing.B) {
	s := openShop(b)
	var lines []fields
	for range 5 {
		lines = append(lines, lineOf(s.product(9_000, 9_000, 10), 1))
	}
	ask := fields{"products": lines, "city": "Алматы"}
	mine := withBasket(s.price(ask).Result().Cookies()[0].Value)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := s.baskets.Calculate(httptest.NewRecorder(), post(b.Context(), ask, mine)); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkCheckout places orders of two lines: of products of their own, or all of the same.
func BenchmarkCheckout(b *testing.B) {
	for _, products := range []int{2, 200} {
		b.Run(fmt.Sprint("products=", products), func(b *testing.B) {
			s := openShop(b)
			var orders []fields
			for range products / 2 {
				orders = append(orders, checkout(lineOf(s.product(9_000, 9_000, 1_000_000), 1), lineOf(s.product(9_000, 9_000, 1_000_000), 1)))
			}
			var n atomic.Int64
			b.SetParallelism(16)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := int(n.Add(1))
					r := post(b.Context(), orders[i%len(orders)], withKey(fmt.Sprint(i)))
					if err := s.orders.Place(httptest.NewRecorder(), r); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
		})
	}
}
