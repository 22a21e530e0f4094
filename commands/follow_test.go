package commands_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/settings"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// followed is a shop whose handler is shown the log by hand.
type followed struct {
	*testshop.Shop
	log *askedLog
	// elsewhere is another process.
	elsewhere *testshop.Shop
	shown     eventstore.Position
}

// askedLog counts questions, and lets something happen before an answer arrives.
type askedLog struct {
	countingLog
	meanwhile func()
	// read is how many events the last question was answered with.
	read int
}

func (l *askedLog) Load(ctx context.Context, from ...eventstore.From) (map[string][]eventstore.Event, error) {
	found, err := l.countingLog.Load(ctx, from...)
	l.read = 0
	for _, events := range found {
		l.read += len(events)
	}
	if act := l.meanwhile; act != nil {
		l.meanwhile = nil
		act()
	}
	return found, err
}

func follow(t *testing.T) *followed {
	t.Helper()
	s := testshop.Open(t)
	other := *s
	other.Use(s.Log)
	f := &followed{Shop: s, elsewhere: &other, log: &askedLog{countingLog: countingLog{Store: s.Log}}}
	s.Use(f.log)
	f.Handler.Observe(feed.Sight{Gap: true, Head: s.Head()})
	f.shown = s.Head()
	f.show(time.Now())
	return f
}

// show shows the handler what came into the log, as of a time.
func (f *followed) show(at time.Time) {
	f.T.Helper()
	events, err := f.Shop.Log.Read(f.T.Context(), eventstore.Query{After: f.shown, Range: -1})
	if err != nil {
		f.T.Fatal(err)
	}
	f.shown = f.Head()
	f.Handler.Observe(feed.Sight{Events: events, Head: f.shown})
	f.Handler.Observe(feed.Sight{Head: f.shown, At: at})
}

// asked is how often the log was asked since the last time.
func (f *followed) asked() int {
	n := f.log.loads
	f.log.loads = 0
	return n
}

func (f *followed) pays(product domain.ID, headers ...testshop.Header) domain.Money {
	f.T.Helper()
	return testshop.Read[commands.Calculation](f.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line(product, 1)}}, append(headers, f.mine())...)).TotalSum
}

// mine sends a basket that comes back.
func (f *followed) mine() testshop.Header {
	return testshop.WithBasket(shopapi.BasketCookie(f.Baskets.Secret, uuid.MustParse("0198c0de-0000-7000-8000-000000000001")))
}

func TestFollowedStatesAreNotAskedFor(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.show(time.Now())
	testshop.Equal(t, "price", f.pays(cream), 9_000)
	testshop.Equal(t, "questions of the first time", f.asked(), 1)
	for range 3 {
		f.show(time.Now())
		testshop.Equal(t, "price again", f.pays(cream), 9_000)
	}
	testshop.Equal(t, "questions later", f.asked(), 0)

	f.elsewhere.Reprice(cream, 8_000)
	f.show(time.Now())
	testshop.Equal(t, "price changed elsewhere", f.pays(cream), 8_000)
	testshop.Equal(t, "questions after the change", f.asked(), 0)
	f.Reprice(cream, 7_000)
	f.asked()
	f.show(time.Now())
	testshop.Equal(t, "price changed here", f.pays(cream), 7_000)
	testshop.Equal(t, "questions after our own change", f.asked(), 0)
}

func TestThatNothingWasSetYetIsRemembered(t *testing.T) {
	t.Parallel()
	f := follow(t)
	version := func() (found int64) {
		_, err := f.Handler.Do(t.Context(), false, func(u *commands.Unit) error {
			defer func() { found = commands.SettingsStream().State(u).Version }()
			return u.Follow(commands.SettingsStream())
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	f.show(time.Now())
	for range 3 {
		testshop.Equal(t, "settings", version(), 0)
	}
	testshop.Equal(t, "questions", f.asked(), 1)
	said := settings.Default()
	said.Email, said.LegalName, said.Address.RU = "hello@shop.example", "ТОО «Дала»", "Алматы, Абая 10"
	if _, err := (&commands.Settings{Handler: f.elsewhere.Handler}).Publish(t.Context(), said, nil); err != nil {
		t.Fatal(err)
	}
	f.show(time.Now())
	testshop.Equal(t, "settings that were changed elsewhere", version(), 1)
	testshop.Equal(t, "questions after the change", f.asked(), 0)

	// Anybody may ask for codes that there are not: they must not fill the memory.
	for range 2 {
		if _, err := f.Handler.Do(t.Context(), false, func(u *commands.Unit) error { return u.Follow(commands.PromocodeStream("NONE")) }); err != nil {
			t.Fatal(err)
		}
	}
	testshop.Equal(t, "questions for a code that there is not", f.asked(), 2)
}

func TestNoPriceIsOlderThanTheLagAllowed(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.show(time.Now())
	testshop.Equal(t, "price", f.pays(cream), 9_000)
	f.elsewhere.Reprice(cream, 8_000)
	f.show(time.Now().Add(-commands.MaxLag)) // the follower has died since
	f.elsewhere.Reprice(cream, 7_000)
	f.asked()
	testshop.Equal(t, "price by a follower that lags", f.pays(cream), 7_000)
	testshop.Equal(t, "questions", f.asked(), 1)
	f.elsewhere.Reprice(cream, 6_000)
	f.show(time.Now()) // and came back
	testshop.Equal(t, "price", f.pays(cream), 6_000)
	testshop.Equal(t, "questions", f.asked(), 0)
}

func TestWhatTheShopperHasSeenIsPriced(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.show(time.Now())
	testshop.Equal(t, "price", f.pays(cream), 9_000)
	position := f.elsewhere.Reprice(cream, 8_000)
	f.asked()
	seen := func(r *http.Request) { r.Header.Set("X-Min-Position", fmt.Sprint(position)) }
	f.Handler.Observe(feed.Sight{Head: f.shown, At: time.Now()})
	testshop.Equal(t, "price", f.pays(cream, seen), 8_000)
	testshop.Equal(t, "questions", f.asked(), 1)
}

func TestAStateOvertakenWhileItWasLoadedIsNotKept(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.show(time.Now())
	f.log.meanwhile = func() {
		f.elsewhere.Reprice(cream, 8_000)
		f.show(time.Now())
	}
	testshop.Equal(t, "price", f.pays(cream), 9_000) // as of the question
	f.show(time.Now())
	testshop.Equal(t, "price after it", f.pays(cream), 8_000)
}

func TestAStateLoadedAcrossAGapIsNotKept(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.show(time.Now())
	f.log.meanwhile = func() {
		f.elsewhere.Reprice(cream, 8_000)
		f.shown = f.Head()
		f.Handler.Observe(feed.Sight{Gap: true, Head: f.shown})
	}
	testshop.Equal(t, "price", f.pays(cream), 9_000)
	f.show(time.Now())
	testshop.Equal(t, "price after the gap", f.pays(cream), 8_000)
}

func TestAnEventThatDoesNotFollowDropsTheState(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.show(time.Now())
	testshop.Equal(t, "price", f.pays(cream), 9_000)
	f.elsewhere.Reprice(cream, 8_000)
	f.shown = f.Head() // shown to nobody
	f.elsewhere.Reprice(cream, 7_000)
	f.show(time.Now())
	testshop.Equal(t, "price", f.pays(cream), 7_000)
}

func TestErasureForgetsWhatWasFolded(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	receipt := f.Placed(testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", "CARD"))
	person := f.OrderOf(receipt.ID).Placed.PersonID
	remembered := func() string {
		state, _ := f.Handler.Remembered(order.Stream(receipt.ID)).(order.State)
		return state.Placed.Contact.Phone
	}
	testshop.Equal(t, "phone", remembered(), "+77012345678")
	if err := f.Shop.Log.ErasePerson(t.Context(), person); err != nil {
		t.Fatal(err)
	}
	f.Handler.Observe(feed.Sight{Erased: []uuid.UUID{person}})
	testshop.Equal(t, "phone after erasure", remembered(), "")
	f.Handler.KeepFromStart(commands.OrderStream(receipt.ID), order.State{PayBefore: time.Now()}, 1)
	testshop.Equal(t, "states kept from before", f.Handler.Remembered(order.Stream(receipt.ID)) == nil, true)
}

// TestOrdersThatAwaitNoMoneyAreNotRemembered: neither are their baskets, and thousands of both take what others could use.
func TestOrdersThatAwaitNoMoneyAreNotRemembered(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	remembered := func(method string) any {
		cookie := f.Basket(testshop.Fields{"products": []testshop.Fields{testshop.Line(cream, 1)}, "city": "Алматы", "payment_method": method})
		stream := basket.Stream(testshop.BasketID(cookie))
		if f.Handler.Remembered(stream) == nil {
			t.Errorf("%s: a basket that may be ordered is not remembered", method)
		}
		receipt := f.Placed(testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", method), testshop.WithBasket(cookie))
		f.show(time.Now())
		if f.Handler.Remembered(stream) != nil {
			t.Errorf("%s: a basket that was ordered is remembered", method)
		}
		return f.Handler.Remembered(order.Stream(receipt.ID))
	}
	if remembered("CASH") != nil {
		t.Error("an order that awaits no money is remembered")
	}
	if remembered("CARD") == nil {
		t.Error("an order that will be paid is not remembered")
	}
}

// TestAnErasureEmptiesOnlyWhatIsThePersons: another person's erasure, and one that may have gone unheard, cost a stock nothing.
func TestAnErasureEmptiesOnlyWhatIsThePersons(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.Promocode("TEN", promocode.Terms{Kind: promocode.Percent, Value: 10, UsesPerUser: 1})
	f.show(time.Now())
	checkout := testshop.Checkout(testshop.Line(cream, 1)).With("payment_method", "CARD")
	checkout["promocode"] = "TEN"
	anna := f.Placed(checkout)
	checkout["customer_phone"], checkout["customer_email"] = "+77019999999", "boris@example.kz"
	boris := f.Placed(checkout)
	f.pays(cream)
	f.show(time.Now())
	erased := f.OrderOf(anna.ID).Placed.PersonID
	if err := f.Shop.Log.ErasePerson(t.Context(), erased); err != nil {
		t.Fatal(err)
	}
	f.Handler.Observe(feed.Sight{Erased: []uuid.UUID{erased}})
	f.show(time.Now())
	f.asked()
	if f.Handler.Remembered(order.Stream(anna.ID)) != nil || f.Handler.Remembered(order.Stream(boris.ID)) == nil {
		t.Error("the order of one who was erased is remembered, or that of another is not")
	}
	testshop.Equal(t, "price", f.pays(cream), 9_000)
	testshop.Equal(t, "questions", f.asked(), 0)
	known, err := commands.See(t.Context(), f.Handler, commands.PromocodeStream("TEN"))
	if err != nil || !reflect.DeepEqual(known, f.CodeOf("TEN")) {
		t.Errorf("in memory %+v, in the log %+v, %v", known, f.CodeOf("TEN"), err)
	}
	f.Handler.Observe(feed.Sight{All: true})
	f.show(time.Now())
	if f.Handler.Remembered(order.Stream(boris.ID)) != nil || f.Handler.Follows(promocode.Stream("TEN")) {
		t.Error("personal fields of one who may have been erased are remembered")
	}
	if !f.Handler.Follows(stock.Stream(cream)) {
		t.Error("a stock is forgotten with persons")
	}
}

// TestAfterAGapOnlyTheTailIsAskedFor: states from before a gap are where asking begins, once.
func TestAfterAGapOnlyTheTailIsAskedFor(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.show(time.Now())
	testshop.Equal(t, "price", f.pays(cream), 9_000)
	f.elsewhere.Reprice(cream, 8_000)
	f.shown = f.Head()
	f.Handler.Observe(feed.Sight{Gap: true, Head: f.shown})
	f.show(time.Now())
	f.asked()
	testshop.Equal(t, "price after the gap", f.pays(cream), 8_000)
	testshop.Equal(t, "questions", f.asked(), 1)
	testshop.Equal(t, "events read", f.log.read, 1)
	testshop.Equal(t, "price again", f.pays(cream), 8_000)
	testshop.Equal(t, "questions again", f.asked(), 0)
}

func TestCheckoutFromOldStatesNeverOversells(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 2)
	f.show(time.Now())
	testshop.Equal(t, "price", f.pays(cream), 9_000)
	f.elsewhere.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	f.elsewhere.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	f.Handler.Observe(feed.Sight{Head: f.shown, At: time.Now()}) // it saw nothing of them
	f.Place(testshop.Checkout(testshop.Line(cream, 1))).Wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)
	testshop.EqualText(t, "stock", fmt.Sprint(f.StockOf(cream).Reserved), "2")
}

func TestARefusalIsNeverOfOldStates(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 1)
	f.show(time.Now())
	f.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	if _, err := (&commands.Stock{Handler: f.elsewhere.Handler}).Receive(t.Context(), cream, 1, ""); err != nil {
		t.Fatal(err)
	}
	f.Handler.Observe(feed.Sight{Head: f.shown, At: time.Now()})
	f.Placed(testshop.Checkout(testshop.Line(cream, 1)))
	testshop.Equal(t, "reserved", f.StockOf(cream).Reserved, 2)
}

func TestLinksAreRememberedWhileTheyHold(t *testing.T) {
	t.Parallel()
	f := follow(t)
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	f.show(time.Now())
	by := &countingLinks{linksOf: linksOf{"krem-" + cream.String(): cream}}
	f.Baskets.Links = by
	ask := testshop.Fields{"products": []testshop.Fields{testshop.Line("krem-"+cream.String(), 1)}}
	for range 3 {
		f.show(time.Now())
		testshop.Equal(t, "sum", testshop.Read[commands.Calculation](f.Price(ask, f.mine())).TotalSum, 9_000)
	}
	testshop.Equal(t, "questions", by.n, 1)
	f.show(time.Now().Add(-commands.MaxLag))
	f.Price(ask, f.mine())
	testshop.Equal(t, "questions of a follower that lags", by.n, 2)
	f.show(time.Now())
	by.linksOf = linksOf{}
	f.Handler.RememberLink("mylo", cream) // the product has another link by now
	f.Price(testshop.Fields{"products": []testshop.Fields{testshop.Line("mylo", 1)}}, f.mine()).
		Wants(400, `{"products":[{"product":["Товара нет в наличии"]}]}`)

	soap := f.elsewhere.Product(7_000, 7_000, 10)
	if _, err := (&commands.Catalog{Handler: f.elsewhere.Handler}).ArchiveProduct(t.Context(), cream, ""); err != nil {
		t.Fatal(err)
	}
	f.show(time.Now())
	by.linksOf = linksOf{"krem-" + cream.String(): soap} // it took the link of the archived one
	testshop.Equal(t, "sum", testshop.Read[commands.Calculation](f.Price(ask, f.mine())).TotalSum, 7_000)
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
	cream := f.elsewhere.Product(9_000, 9_000, 10)
	consumers := feed.New(f.Shop.Log, feed.Options{})
	consumers.Observe(f.Handler.Observe)
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
		position := f.elsewhere.Reprice(cream, price)
		for f.Handler.Head() < position {
			if time.Now().After(until) {
				t.Fatal("the change was never seen")
			}
			time.Sleep(time.Millisecond)
		}
		testshop.Equal(t, "price", f.pays(cream), price)
	}
	if !f.Handler.Follows(stock.Stream(cream)) {
		t.Error("the stock is not followed")
	}
}
