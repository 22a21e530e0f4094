package readapi_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/readapi"
)

// Words that a large catalog is made of.
var (
	kinds = []string{"Крем для лица", "Крем для рук", "Шампунь для волос", "Бальзам для губ", "Мыло твёрдое", "Гель для душа", "Сыворотка для лица", "Зубная паста", "Дезодорант",
		"Масло для тела", "Скраб для тела", "Тоник для лица", "Маска для волос", "Кондиционер для волос", "Гель для стирки", "Средство для мытья посуды", "Свеча", "Соль для ванны"}
	plants = []string{"лаванда", "ромашка", "облепиха", "берёза", "мята", "шалфей", "роза", "календула", "крапива", "полынь", "хвоя", "можжевельник", "апельсин", "лимон", "малина", "мёд",
		"молоко", "уголь", "глина", "ниацинамид", "кофеин", "вербена", "огурец", "кокос", "миндаль", "олива", "инжир", "слива", "груша", "липа"}
	syllables = []string{"ва", "ле", "ми", "ро", "ста", "ни", "ко", "ду", "ра", "фи", "лю", "те", "га", "пе", "ша", "зо", "бри", "кла", "сто", "вер"}
	latin     = []string{"al", "be", "co", "di", "en", "fla", "gly", "hex", "ino", "lan", "myr", "nia", "ol", "pro", "que", "ros", "sal", "tri", "ura", "vit"}
)

// largeShop is a shop with so many products, whose words are spread as in a real one: few that everything is called, many that
// are rare.
func largeShop(tb testing.TB, products int) *pgxpool.Pool {
	tb.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	coin := func(from []string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(from[r.IntN(len(from))])
		}
		return b.String()
	}
	var rare, inci []string
	for range 12_000 {
		rare = append(rare, coin(syllables, 2+r.IntN(3)))
	}
	for range 3_000 {
		inci = append(inci, coin(latin, 3+r.IntN(3)))
	}
	uid := func(kind byte, n int) domain.ID {
		return domain.ID{0: kind, 6: 0x40, 8: 0x80, 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)}
	}
	// A few ingredients are in nearly everything.
	some := func(of []string, n int) []string {
		var out []string
		for range n {
			out = append(out, of[int(float64(len(of))*r.Float64()*r.Float64()*r.Float64())])
		}
		return out
	}
	var l log
	l.add(rules.Stream, rules.Changed{Version: 1, At: today, Rules: rules.Rules{MaxPerOrder: 99, NewDays: 30}})
	for i, k := range kinds {
		l.add(catalog.CategoryStream(uid(0xc1, i)), catalog.CategoryAdded{ID: uid(0xc1, i), Category: catalog.Category{Link: fmt.Sprint("c", i), Name: k}, At: today})
	}
	for i := range 200 {
		l.add(catalog.BrandStream(uid(0xb1, i)), catalog.BrandAdded{ID: uid(0xb1, i), Brand: catalog.Brand{Link: fmt.Sprint("b", i), Name: coin(latin, 2) + fmt.Sprint("x", i)}, At: today})
	}
	for i := range products {
		kind, id := r.IntN(len(kinds)), uid(0xa1, i)
		at := today.Add(-time.Duration(r.IntN(1000)) * time.Hour)
		l.add(catalog.ProductStream(id),
			catalog.ProductAdded{ID: id, Article: fmt.Sprintf("AB-%05d", i), Link: fmt.Sprint("p", i), BrandID: uid(0xb1, r.IntN(200)), CategoryID: uid(0xc1, kind), At: at},
			catalog.ProductDescribed{At: at, Text: catalog.ProductText{
				Name:        fmt.Sprintf("%s с %s «%s %s»", kinds[kind], plants[r.IntN(len(plants))], plants[r.IntN(len(plants))], rare[r.IntN(len(rare))]),
				Description: strings.Join(some(rare, 30), " ") + " для ежедневного ухода",
				Composition: "Aqua, Glycerin, " + some([]string{"Tocopherol", "Panthenol", "Urea", "Niacinamide"}, 1)[0] + ", " + strings.Join(some(inci, 25), ", "), PackageSize: fmt.Sprint(50*(1+r.IntN(8)), " мл"),
			}},
			catalog.ProductPriced{Price: 5000, DiscountedPrice: 5000, At: at})
		if r.IntN(10) > 0 {
			l.add(stock.Stream(id), stock.Received{ProductID: id, Quantity: 5, OnHand: 5, At: at})
		}
		l.add(order.Stream(uid(0xe1, i)), order.Placed{ID: uid(0xe1, i), Number: int64(i), At: today.AddDate(0, 0, -r.IntN(80)),
			Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: uid(0xa1, r.IntN(products)), Amount: 1}}}})
	}
	db, _ := open(tb, nil)
	for events := range slices.Chunk(l.events, 5000) {
		project(tb, db, events)
	}
	if _, err := db.Exec(context.Background(), "ANALYZE"); err != nil {
		tb.Fatal(err)
	}
	return db
}

// searches are what shoppers type, of each kind.
var searches = []string{
	"крем", "шампунь", "крем для рук", "мыло с лавандой", "облепихой", "зубная паста мята", "шампуни для волос 200 мл", "ромашк", "гель для душа", "свеч",
	"шмпунь", "дизодорант", "кандиционер для волос", "сыворотка с ниоцинамидом", "облепеха", "ifvgeym", "rhtv lkz her", "vskj", "shampun", "krem dlya ruk",
	"AB-00123", "ab001", "niacinamide", "aqua", "glycerin niacinamide", "niasinamide", "ванилести", "крем ромашка облепиха мята лимон", "абракадабра несусветная", "тоник для лица роза 100 мл",
}

// BenchmarkSearch answers searches in a shop of 10 000 products, none from memory: go test ./readapi -run - -bench Search
func BenchmarkSearch(b *testing.B) {
	shop := routes(largeShop(b, 10_000), readapi.Fresh{Positions: standing(1 << 60)}, nil)
	for _, text := range searches { // plans and caches
		get(b, shop, "/api/products/?search="+url.QueryEscape(text))
	}
	var took []time.Duration
	slowest := map[string]time.Duration{}
	for b.Loop() {
		for _, text := range searches {
			start := time.Now()
			if w := get(b, shop, "/api/products/?search="+url.QueryEscape(text)); w.Code != 200 {
				b.Fatalf("%s: %d %s", text, w.Code, w.Body)
			}
			d := time.Since(start)
			took = append(took, d)
			slowest[text] = max(slowest[text], d)
		}
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "ms-p50")
	b.ReportMetric(at(0.95), "ms-p95")
	b.ReportMetric(at(0.99), "ms-p99")
	slices.SortFunc(searches, func(a, b string) int { return int(slowest[b] - slowest[a]) })
	for _, text := range searches[:5] {
		b.Logf("%v %s", slowest[text].Round(time.Millisecond), text)
	}
}
