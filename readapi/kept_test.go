package readapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/order"
	"shop/domain/post"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/projections"
	"shop/readapi"
	"shop/readapi/search"
)

// tell tells answers of events, as each projection's consumer would.
func tell(answers *readapi.Answers, events []eventstore.Event) {
	for _, p := range projections.All() {
		types := append(p.Types(), stock.Replenished{}.EventType(), stock.Depleted{}.EventType())
		var wanted []eventstore.Event
		for _, e := range events {
			if slices.Contains(types, e.Type) {
				wanted = append(wanted, e)
			}
		}
		if len(wanted) > 0 {
			answers.Changed(p.Name, wanted)
		}
	}
}

// fate is what may happen to a shop: random changes, decided as the deciders would.
type fate struct {
	*rand.Rand
	stocks map[domain.ID]stock.State
	added  byte
	// log is what happened so far.
	log *log
}

func (f *fate) product() domain.ID { return product(byte(1 + f.IntN(10+int(f.added)))) }

// change is one thing that happens.
func (f *fate) change() []eventstore.Event {
	l := f.log
	before := len(l.events)
	p := f.product()
	some := fmt.Sprint(f.IntN(1000))
	happens := func(events ...domain.Event) { l.add(catalog.ProductStream(p), events...) }
	switch f.IntN(40) {
	case 0:
		f.added++
		p = product(9 + f.added)
		// Under a link that another product has or had.
		g := shelf[f.IntN(len(shelf))]
		happens(catalog.ProductAdded{ID: p, Article: "N-" + some, Link: g.link, BrandID: brand(g.brand), CategoryID: category(g.category), At: today.AddDate(0, 0, -f.IntN(200))})
		if f.IntN(2) == 0 {
			happens(catalog.ProductDescribed{Text: catalog.ProductText{Name: "Крем " + some}, At: today}, catalog.ProductPriced{Price: 500, DiscountedPrice: 500, At: today})
		}
	case 1, 2:
		happens(catalog.ProductPriced{Price: 500, DiscountedPrice: 100 + int64(f.IntN(400)), At: today})
	case 3:
		happens(catalog.ProductDescribed{Text: catalog.ProductText{Name: "Крем " + some, Description: "Шампунь " + some}, At: today})
	case 4:
		happens(catalog.ProductArchived{At: today})
	case 5:
		happens(catalog.ProductRestored{At: today})
	case 6:
		happens(catalog.ProductMoved{BrandID: brand(byte(1 + f.IntN(4))), CategoryID: category(byte(11 + f.IntN(2))), At: today})
	case 7:
		happens(catalog.ProductMarked{Marks: []domain.ID{mark(1)}[:f.IntN(2)], At: today})
	case 8:
		c := byte(11 + f.IntN(2))
		l.add(catalog.CategoryStream(category(c)), catalog.CategoryChanged{Category: catalog.Category{Link: "razdel", Name: "Раздел " + some, ParentID: category(byte(1 + f.IntN(3)))}, At: today})
	case 9:
		l.add(catalog.CategoryStream(category(byte(1+f.IntN(3)))), catalog.CategoryArchived{At: today})
	case 10:
		l.add(catalog.BrandStream(brand(byte(1+f.IntN(4)))), catalog.BrandChanged{Brand: catalog.Brand{Link: "tilia", Name: "Марка " + some}, At: today})
	case 11:
		l.add(catalog.MarkStream(mark(1)), catalog.MarkChanged{Mark: catalog.Mark{Name: "Знак " + some}, At: today})
	case 12:
		l.add(rules.Stream, rules.Changed{Version: int64(2 + f.IntN(1000)), At: today, Rules: rules.Rules{MinimumSum: int64(f.IntN(9000)), MaxPerOrder: int64(1 + f.IntN(99)), NewDays: int64(1 + f.IntN(60))}})
	case 13:
		l.add(content.Stream("discount-text"), content.Changed{Name: "discount-text", Text: some, At: today})
	case 14, 15, 16:
		o := id(0xe1, byte(f.IntN(256)))
		l.add(order.Stream(o), order.Placed{ID: o, At: today, Calculation: domain.Calculation{Lines: []domain.PricedLine{{ProductID: p, Amount: 50}}}})
	case 17:
		p := id(0xf7, byte(1+f.IntN(4)))
		l.add(post.Stream(p), []domain.Event{
			post.Published{ID: p, Article: post.Article{Link: "kak-chitat-inci", Title: some, PublishedAt: today}},
			post.Changed{ID: p, Article: post.Article{Link: "znak-cosmos", Title: some, PublishedAt: today}},
			post.Unpublished{ID: p, At: today},
		}[f.IntN(3)])
	default:
		s := f.stocks[p]
		// To the last piece, and from none, as often as by one.
		counts := []int64{0, 1, s.OnHand + 1, max(0, s.OnHand-1)}
		events, err := stock.Decider.Decide(stock.Count{ProductID: p, OnHand: counts[f.IntN(len(counts))], At: today}, s)
		if err != nil {
			panic(err)
		}
		for _, e := range events {
			f.stocks[p] = stock.Decider.Evolve(f.stocks[p], e)
			l.add(stock.Stream(p), e)
		}
	}
	return l.events[before:]
}

// TestKeptAnswersAreTheReadModels lets a shop live and holds, after everything that happens, each answer from memory
// against the same answer made anew.
func TestKeptAnswersAreTheReadModels(t *testing.T) {
	t.Parallel()
	db, anew := open(t, history())
	fresh := readapi.Fresh{Positions: standing(1 << 60)}
	answers := readapi.NewAnswers(1<<20, func() time.Time { return today })
	kept := routes(db, fresh, answers)

	f := &fate{Rand: rand.New(rand.NewPCG(1, 2)), stocks: map[domain.ID]stock.State{}, log: afterHistory()}
	for _, e := range history() {
		if e, ok := e.Data.(stock.Event); ok {
			switch e := e.(type) {
			case stock.Received:
				f.stocks[e.ProductID] = stock.Decider.Evolve(f.stocks[e.ProductID], e)
			case stock.Reserved:
				f.stocks[e.ProductID] = stock.Decider.Evolve(f.stocks[e.ProductID], e)
			}
		}
	}
	addresses := []string{
		"/api/products/", "/api/products/?brief=true", "/api/products/?limit=2", "/api/products/?limit=2&offset=2", "/api/products/?ordering=price&limit=3", "/api/products/?is_new=true",
		"/api/products/?category_id=litso", "/api/products/?brand_id=tilia", "/api/products/?search=" + url.QueryEscape("крем"), "/api/products/?search=norden",
		"/api/products/popular/?limit=3", "/api/products/ostara-niacinamide-serum/similar/",
		"/api/categories/", "/api/categories/litso/", "/api/categories/razdel/", "/api/brands/", "/api/brands/?category_id=litso", "/api/brands/tilia/",
		"/api/rules/", "/api/content/find/discount-text/", "/api/blog/posts/", "/api/blog/posts/?limit=1&offset=1", "/api/blog/posts/znak-cosmos/",
	}
	for _, g := range shelf {
		addresses = append(addresses, "/api/products/"+g.link+"/", "/api/products/"+g.link+"/stock/", "/api/products/"+product(g.n).String()+"/")
	}
	for step := range 300 {
		events := f.change()
		project(t, db, events)
		tell(answers, events)
		// Not all of them each time, so that some are kept over several changes.
		for _, address := range addresses {
			if f.IntN(2) > 0 {
				continue
			}
			want, got := get(t, anew, address), get(t, kept, address)
			if got.Code != want.Code || got.Body.String() != want.Body.String() {
				t.Fatalf("step %d, %v: %s\n got %d %s\nwant %d %s", step, events, address, got.Code, got.Body, want.Code, want.Body)
			}
		}
	}
}

// TestTrafficLeavesTheRestAlone: what is sold changes the answers that show it, and no others.
func TestTrafficLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	db, _ := open(t, history())
	answers := readapi.NewAnswers(1<<20, func() time.Time { return today })
	products := readapi.Products{DB: db, Now: func() time.Time { return today }, Index: search.New(db)}
	var made atomic.Int64
	list := answers.Endpoint(func(r *http.Request) (*readapi.Reply, error) {
		made.Add(1)
		return products.List(r)
	})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := list(w, r); err != nil {
			t.Error(err)
		}
	})
	const page = "/api/products/?limit=2" // deo and serum
	sold := func(p byte, onHand, reserved int64) []eventstore.Event {
		l := afterHistory()
		l.add(stock.Stream(product(p)), stock.Reserved{ProductID: product(p), Quantity: 1, OnHand: onHand, Reserved: reserved, At: today})
		if onHand == reserved {
			l.add(stock.Stream(product(p)), stock.Depleted{ProductID: product(p), At: today})
		}
		return l.events
	}
	back := afterHistory()
	back.add(stock.Stream(product(2)), stock.Received{ProductID: product(2), Quantity: 1, OnHand: 6, Reserved: 5, At: today}, stock.Replenished{ProductID: product(2), Available: 1, At: today})
	get(t, h, page)
	for _, c := range []struct {
		what   string
		events []eventstore.Event
		makes  int64
	}{
		{"goods that are not on the page are sold", sold(6, 200, 1), 0},
		{"goods on the page are sold", sold(7, 8, 1), 1},
		{"goods that are not on the page are sold out", sold(2, 5, 5), 1},
		{"goods that are not on the page are back", back.events, 1},
	} {
		before := made.Load()
		project(t, db, c.events)
		tell(answers, c.events)
		get(t, h, page)
		get(t, h, page)
		if n := made.Load() - before; n != c.makes {
			t.Errorf("%s: the list was made %d times, want %d", c.what, n, c.makes)
		}
	}
}
