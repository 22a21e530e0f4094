package commands

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"shop/domain"
	"shop/domain/order"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// followed is a shop whose handler is shown the log by hand.
type followed struct {
	*testShop
	log *askedLog
	// elsewhere is another process.
	elsewhere *testShop
	shown     eventstore.Position
}

// askedLog counts questions, and lets something happen before an answer arrives.
type askedLog struct {
	countingLog
	meanwhile func()
}

func (l *askedLog) Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error) {
	found, err := l.countingLog.Load(ctx, from...)
	if act := l.meanwhile; act != nil {
		l.meanwhile = nil
		act()
	}
	return found, err
}

func follow(t *testing.T) *followed {
	t.Helper()
	s := openShop(t)
	other := *s
	other.use(s.log)
	f := &followed{testShop: s, elsewhere: &other, log: &askedLog{countingLog: countingLog{Store: s.log}}}
	s.use(f.log)
	f.handler.Observe(feed.Sight{Gap: true, Head: s.head()})
	f.shown = s.head()
	f.show(time.Now())
	return f
}

// show shows the handler what came into the log, as of a time.
func (f *followed) show(at time.Time) {
	f.t.Helper()
	events, err := f.testShop.log.Read(f.t.Context(), eventstore.Query{After: f.shown, Range: -1})
	if err != nil {
		f.t.Fatal(err)
	}
	f.shown = f.head()
	f.handler.Observe(feed.Sight{Events: events, Head: f.shown})
	f.handler.Observe(feed.Sight{Head: f.shown, At: at})
}

// asked is how often the log was asked since the last time.
func (f *followed) asked() int {
	n := f.log.loads
	f.log.loads = 0
	return n
}

func (f *followed) pays(product domain.ID, headers ...header) domain.Money {
	f.t.Helper()
	return read[Calculation](f.price(fields{"products": []fields{lineOf(product, 1)}}, append(headers, withBasket(someBasket))...)).TotalSum
}

const someBasket = "0198c0de-0000-7000-8000-000000000001"

func (s *testShop) reprice(product domain.ID, price domain.Money) eventstore.Position {
	s.t.Helper()
	position, err := (&Catalog{Handler: s.handler}).PriceProduct(s.t.Context(), product, price, price)
	if err != nil {
		s.t.Fatal(err)
	}
	return position
}

func TestFollowedStatesAreNotAskedFor(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	f.show(time.Now())
	equal(t, "price", f.pays(cream), 9_000)
	equal(t, "questions of the first time", f.asked(), 1)
	for range 3 {
		f.show(time.Now())
		equal(t, "price again", f.pays(cream), 9_000)
	}
	equal(t, "questions later", f.asked(), 0)

	f.elsewhere.reprice(cream, 8_000)
	f.show(time.Now())
	equal(t, "price changed elsewhere", f.pays(cream), 8_000)
	equal(t, "questions after the change", f.asked(), 0)
	f.reprice(cream, 7_000)
	f.asked()
	f.show(time.Now())
	equal(t, "price changed here", f.pays(cream), 7_000)
	equal(t, "questions after our own change", f.asked(), 0)
}

func TestNoPriceIsOlderThanTheLagAllowed(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	f.show(time.Now())
	equal(t, "price", f.pays(cream), 9_000)
	f.elsewhere.reprice(cream, 8_000)
	f.show(time.Now().Add(-maxLag)) // the follower has died since
	f.elsewhere.reprice(cream, 7_000)
	f.asked()
	equal(t, "price by a follower that lags", f.pays(cream), 7_000)
	equal(t, "questions", f.asked(), 1)
	f.elsewhere.reprice(cream, 6_000)
	f.show(time.Now()) // and came back
	equal(t, "price", f.pays(cream), 6_000)
	equal(t, "questions", f.asked(), 0)
}

func TestWhatTheShopperHasSeenIsPriced(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	f.show(time.Now())
	equal(t, "price", f.pays(cream), 9_000)
	position := f.elsewhere.reprice(cream, 8_000)
	f.asked()
	seen := func(r *http.Request) { r.Header.Set("X-Min-Position", fmt.Sprint(position)) }
	f.handler.Observe(feed.Sight{Head: f.shown, At: time.Now()})
	equal(t, "price", f.pays(cream, seen), 8_000)
	equal(t, "questions", f.asked(), 1)
}

func TestAStateOvertakenWhileItWasLoadedIsNotKept(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	f.show(time.Now())
	f.log.meanwhile = func() {
		f.elsewhere.reprice(cream, 8_000)
		f.show(time.Now())
	}
	equal(t, "price", f.pays(cream), 9_000) // as of the question
	f.show(time.Now())
	equal(t, "price after it", f.pays(cream), 8_000)
}

func TestAStateLoadedAcrossAGapIsNotKept(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	f.show(time.Now())
	f.log.meanwhile = func() {
		f.elsewhere.reprice(cream, 8_000)
		f.shown = f.head()
		f.handler.Observe(feed.Sight{Gap: true, Head: f.shown})
	}
	equal(t, "price", f.pays(cream), 9_000)
	f.show(time.Now())
	equal(t, "price after the gap", f.pays(cream), 8_000)
}

func TestAnEventThatDoesNotFollowDropsTheState(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	f.show(time.Now())
	equal(t, "price", f.pays(cream), 9_000)
	f.elsewhere.reprice(cream, 8_000)
	f.shown = f.head() // shown to nobody
	f.elsewhere.reprice(cream, 7_000)
	f.show(time.Now())
	equal(t, "price", f.pays(cream), 7_000)
}

func TestErasureForgetsWhatWasFolded(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	receipt := f.placed(checkout(lineOf(cream, 1)))
	person := f.orderOf(receipt.ID).Placed.PersonID
	remembered := func() string {
		known, _ := f.handler.memory.private.Peek(order.Stream(receipt.ID))
		state, _ := known.state.(order.State)
		return state.Placed.Contact.Phone
	}
	equal(t, "phone", remembered(), "+77012345678")
	if err := f.testShop.log.ErasePerson(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	f.handler.Observe(feed.Sight{Gap: true})
	equal(t, "phone after erasure", remembered(), "")
	f.handler.memory.keep(orderStream(receipt.ID), order.State{}, 1, 0)
	equal(t, "states kept from before", f.handler.memory.private.Contains(order.Stream(receipt.ID)), false)
}

func TestCheckoutFromOldStatesNeverOversells(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 2)
	f.show(time.Now())
	equal(t, "price", f.pays(cream), 9_000)
	f.elsewhere.placed(checkout(lineOf(cream, 1)))
	f.elsewhere.placed(checkout(lineOf(cream, 1)))
	f.handler.Observe(feed.Sight{Head: f.shown, At: time.Now()}) // it saw nothing of them
	f.place(checkout(lineOf(cream, 1))).wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)
	equalText(t, "stock", fmt.Sprint(f.stockOf(cream).Reserved), "2")
}

func TestARefusalIsNeverOfOldStates(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 1)
	f.show(time.Now())
	f.placed(checkout(lineOf(cream, 1)))
	if _, err := (&Stock{f.elsewhere.handler}).Receive(t.Context(), cream, 1, ""); err != nil {
		t.Fatal(err)
	}
	f.handler.Observe(feed.Sight{Head: f.shown, At: time.Now()})
	f.placed(checkout(lineOf(cream, 1)))
	equal(t, "reserved", f.stockOf(cream).Reserved, 2)
}

func TestLinksAreRememberedWhileTheyHold(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	f.show(time.Now())
	by := &countingLinks{linksOf: linksOf{"krem-" + cream.String(): cream}}
	f.baskets.Links = by
	ask := fields{"products": []fields{lineOf("krem-"+cream.String(), 1)}}
	for range 3 {
		f.show(time.Now())
		equal(t, "sum", read[Calculation](f.price(ask, withBasket(someBasket))).TotalSum, 9_000)
	}
	equal(t, "questions", by.n, 1)
	f.show(time.Now().Add(-maxLag))
	f.price(ask, withBasket(someBasket))
	equal(t, "questions of a follower that lags", by.n, 2)
	f.show(time.Now())
	by.linksOf = linksOf{}
	f.handler.links.Add("mylo", cream) // the product has another link by now
	f.price(fields{"products": []fields{lineOf("mylo", 1)}}, withBasket(someBasket)).
		wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)

	soap := f.elsewhere.product(7_000, 7_000, 10)
	if _, err := (&Catalog{Handler: f.elsewhere.handler}).ArchiveProduct(t.Context(), cream, ""); err != nil {
		t.Fatal(err)
	}
	f.show(time.Now())
	by.linksOf = linksOf{"krem-" + cream.String(): soap} // it took the link of the archived one
	equal(t, "sum", read[Calculation](f.price(ask, withBasket(someBasket))).TotalSum, 7_000)
}

type countingLinks struct {
	linksOf
	n int
}

func (l *countingLinks) ProductsByLink(ctx context.Context, links []string) (map[string]domain.ID, error) {
	l.n++
	return l.linksOf.ProductsByLink(ctx, links)
}

// TestTwoProcessesFollowEachOther is with real feeds: what one changes the other prices without asking.
func TestTwoProcessesFollowEachOther(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.product(9_000, 9_000, 10)
	consumers := feed.New(f.testShop.log, feed.Options{})
	consumers.Observe(f.handler.Observe)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- consumers.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("feed: %v", err)
		}
	})
	until := time.Now().Add(time.Minute)
	for price := domain.Money(8_000); price > 7_990; price-- {
		position := f.elsewhere.reprice(cream, price)
		for f.handler.memory.sight.Load().Head < position {
			if time.Now().After(until) {
				t.Fatal("the change was never seen")
			}
			time.Sleep(time.Millisecond)
		}
		equal(t, "price", f.pays(cream), price)
	}
	if _, ok := f.handler.memory.shared.Peek(stock.Stream(cream)); !ok {
		t.Error("the stock is not followed")
	}
}
