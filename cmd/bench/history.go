package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/rules"
	"shop/domain/stock"
	"shop/eventstore"
)

// history makes up a shop's past, the same for the same seed: goods are added and described once and priced now and
// then, the rules change twice a year, baskets are priced and most become orders, at the prices, rules and promo codes of
// the moment, and orders go their way over days while others come, some paid in cash, some in part with bonuses. People
// open accounts and come back; orders that some of them made as guests before join the account. Personal fields are sealed
// with a key per person as always.
type history struct {
	random *rand.Rand
	now    time.Time
	// pace is the mean time between two steps of all stories.
	pace       time.Duration
	categories []domain.ID
	brands     []domain.ID
	goods      []*good
	// newcomers have an account and did not order with it yet, customers did; guests ordered without one.
	newcomers, customers, guests []*shopper

	rules    rules.Rules
	rulesLog *stream
	version  int64
	codes    []code
	orders   int64
	// open are the stories that go on; each takes one step at a time.
	open  []func() bool
	queue []told
	n     int
}

// told is an event that waits to be written. What happens at one moment is one request.
type told struct {
	stream  string
	version int64
	at      time.Time
	event   domain.Event
}

// stream is one with its events counted.
type stream struct {
	name    string
	version int64
}

// good is a product with its stock.
type good struct {
	line             pricing.Line
	product, stock   *stream
	onHand, reserved int64
}

// shopper is who orders, as a guest until they open an account.
type shopper struct {
	contact order.Contact
	// account is zero for a guest, and the rest is of accounts.
	account      domain.ID
	log, bonuses *stream
	balance      domain.Money
	// asGuest are the orders that may still join the account.
	asGuest []*story
}

// code is a promo code with its stream.
type code struct {
	pricing.Code
	stream *stream
}

const (
	// openStories is how many baskets and orders are under way at once.
	openStories = 2000
	// rulesHold is how many steps the rules stay as they are, in a past of a million orders half a year.
	rulesHold = 800_000
	// firstOrder is the number before that of the first order.
	firstOrder = 100_000
	// knownGuests is how many guests may come again or open an account.
	knownGuests = 10_000
)

// cities are where orders go; a city is there as often as people order from it.
var cities = []string{
	"Алматы", "Алматы", "Алматы", "Алматы", "Алма-Ата", "Астана", "Астана", "Астана", "Шымкент", "Шымкент",
	"Караганда", "Актобе", "Тараз", "Павлодар", "Усть-Каменогорск", "Атырау",
}

func newHistory(began time.Time, pace time.Duration) *history {
	h := &history{random: rand.New(rand.NewPCG(1, 2)), now: began, pace: pace, rules: rules.Default(), rulesLog: &stream{name: rules.Stream}}
	h.rule(h.rules)
	for i, name := range []string{"Лицо", "Тело", "Волосы", "Руки и ноги", "Полость рта", "Мыло", "Макияж", "Для детей", "Для мужчин", "Дом", "Стирка", "Ароматы"} {
		id := h.id()
		h.categories = append(h.categories, id)
		h.add(&stream{name: catalog.CategoryStream(id)}, catalog.CategoryAdded{ID: id, Category: catalog.Category{Link: fmt.Sprintf("razdel-%d", i), Name: name, Order: i}, At: h.now})
	}
	for i := range 20 {
		id := h.id()
		h.brands = append(h.brands, id)
		h.add(&stream{name: catalog.BrandStream(id)}, catalog.BrandAdded{ID: id, Brand: catalog.Brand{Link: fmt.Sprintf("marka-%d", i), Name: fmt.Sprintf("Марка %d", i)}, At: h.now})
	}
	for i := range 1000 {
		h.product(i)
	}
	for _, c := range []pricing.Code{
		{Code: "WELCOME10", Terms: promocode.Terms{Kind: promocode.Percent, Value: 10}},
		{Code: "SPRING", Terms: promocode.Terms{Kind: promocode.Percent, Value: 7, MinSum: 10_000}},
		{Code: "MINUS1500", Terms: promocode.Terms{Kind: promocode.Fixed, Value: 1_500, MinSum: 12_000}},
	} {
		h.codes = append(h.codes, code{c, &stream{name: promocode.Stream(c.Code)}})
		h.add(h.codes[len(h.codes)-1].stream, promocode.Issued{Code: c.Code, Terms: c.Terms, At: h.now})
	}
	return h
}

// loadHistory appends at least n events.
func loadHistory(ctx context.Context, store *eventstore.Store, n int) error {
	h := newHistory(time.Date(2025, 1, 1, 6, 0, 0, 0, time.UTC), 30*time.Second)
	for h.n < n {
		h.step()
		if len(h.queue) >= 500 {
			if err := h.write(ctx, store); err != nil {
				return err
			}
		}
	}
	return h.write(ctx, store)
}

// step lets one of the open stories go on.
func (h *history) step() {
	for len(h.open) < openStories {
		h.open = append(h.open, h.story())
	}
	i := h.random.IntN(len(h.open))
	h.now = h.now.Add(time.Duration(h.random.Int64N(2 * int64(h.pace))))
	if h.random.IntN(rulesHold) == 0 {
		h.changeRules()
	}
	if h.random.IntN(2000) == 0 {
		h.price(h.goods[h.random.IntN(len(h.goods))])
	}
	if !h.open[i]() {
		h.open[i] = h.open[len(h.open)-1]
		h.open = h.open[:len(h.open)-1]
	}
}

// write appends what is queued, all at once; the order within each stream stays.
func (h *history) write(ctx context.Context, store *eventstore.Store) error {
	var a eventstore.Append
	at := map[string]int{}
	for _, t := range h.queue {
		i, ok := at[t.stream]
		if !ok {
			i = len(a.Writes)
			at[t.stream] = i
			a.Writes = append(a.Writes, eventstore.Write{Stream: t.stream, Expected: eventstore.AnyVersion})
		}
		a.Writes[i].Events = append(a.Writes[i].Events, eventstore.NewEvent{Data: t.event})
	}
	h.queue = h.queue[:0]
	a.At = h.now
	a.Metadata = eventstore.Metadata{CorrelationID: h.id().String(), Actor: "guest", Trace: trace}
	_, err := store.Append(ctx, a)
	return err
}

const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func (h *history) add(to *stream, e domain.Event) {
	to.version++
	h.n++
	h.queue = append(h.queue, told{to.name, to.version, h.now, e})
}

func (h *history) id() domain.ID {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(h.random.Uint32())
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

func (h *history) pick(of ...string) string { return of[h.random.IntN(len(of))] }

func (h *history) rule(r rules.Rules) {
	h.rules = r
	h.version++
	h.add(h.rulesLog, rules.Changed{Version: h.version, Rules: r, At: h.now})
}

// changeRules moves the sums that discounts and delivery begin at; lists of other versions stay as they are.
func (h *history) changeRules() {
	r := rules.Default()
	more := 1000 * h.random.Int64N(6)
	r.Tiers[0].From += more
	r.Tiers[1].Percent = 8 + h.random.Int64N(4)
	r.MinimumSum += 500 * h.random.Int64N(4)
	r.Delivery[0].Price += 100 * h.random.Int64N(5)
	r.Delivery[0].FreeFrom += more
	h.rule(r)
}

func (h *history) product(n int) {
	id, name := h.id(), h.pick("Крем для лица", "Шампунь", "Мыло ручной работы", "Бальзам для губ", "Масло для тела")+fmt.Sprintf(" «Серия %d»", n)
	g := &good{
		line: pricing.Line{
			ProductID: id, Article: fmt.Sprintf("KA-%05d", n), Name: name, Link: fmt.Sprintf("tovar-%d", n), Picture: fmt.Sprintf("/media/%s.webp", id),
		},
		product: &stream{name: catalog.ProductStream(id)}, stock: &stream{name: stock.Stream(id)},
	}
	h.goods = append(h.goods, g)
	h.add(g.product, catalog.ProductAdded{
		ID: id, Article: g.line.Article, Link: g.line.Link, BrandID: h.brands[n%len(h.brands)], CategoryID: h.categories[h.random.IntN(len(h.categories))], At: h.now,
	})
	h.add(g.product, catalog.ProductDescribed{Text: catalog.ProductText{
		Name: name, Description: strings.Repeat("Мягко очищает и увлажняет кожу. ", 20), Composition: strings.Repeat("Aqua, Glycerin, Sodium Olivate, ", 12),
		Expires: "24 месяца", PackageSize: "150 мл", MadeIn: "Казахстан",
	}, At: h.now})
	h.price(g)
	h.receive(g)
}

func (h *history) receive(g *good) {
	g.onHand += 5000
	h.add(g.stock, stock.Received{ProductID: g.line.ProductID, Quantity: 5000, OnHand: g.onHand, Reserved: g.reserved, Cause: stock.Cause{Kind: "receipt"}, At: h.now})
}

// person is somebody new.
func (h *history) person() *shopper {
	return &shopper{contact: order.Contact{
		FirstName: h.pick("Айгерим", "Мария", "Данияр"), LastName: h.pick("Сейткали", "Иванова", "Ким"), Email: h.id().String()[:18] + "@example.com", Phone: "+77011234567",
	}}
}

// buyer is who orders: a guest, somebody for the first time with their account, or somebody who did before.
func (h *history) buyer() *shopper {
	switch n := h.random.IntN(10); {
	case n >= 6 && len(h.customers) > 0:
		return h.customers[h.random.IntN(len(h.customers))]
	case n >= 3 && len(h.newcomers) > 0:
		who := taken(&h.newcomers, h.random.IntN(len(h.newcomers)))
		h.customers = append(h.customers, who)
		return who
	case n == 0 && len(h.guests) > 0:
		return h.guests[h.random.IntN(len(h.guests))]
	}
	if len(h.guests) == knownGuests {
		taken(&h.guests, h.random.IntN(knownGuests))
	}
	h.guests = append(h.guests, h.person())
	return h.guests[len(h.guests)-1]
}

// taken takes one out; the last takes its place.
func taken(from *[]*shopper, i int) *shopper {
	all := *from
	last := len(all) - 1
	who := all[i]
	all[i] = all[last]
	*from = all[:last]
	return who
}

// registration is an account that somebody opens, some of them guests of before; most prove their e-mail, and then what they
// ordered as guests is theirs.
func (h *history) registration() func() bool {
	var who *shopper
	steps := []func() bool{func() bool {
		if who = h.person(); len(h.guests) > 0 && h.random.IntN(3) == 0 {
			who = taken(&h.guests, h.random.IntN(len(h.guests)))
		}
		who.account = h.id()
		who.log, who.bonuses = &stream{name: customer.Stream(who.account)}, &stream{name: bonus.Stream(who.account)}
		h.add(who.log, customer.Registered{
			ID: who.account, Email: who.contact.Email, ConsentText: "2026-01", At: h.now,
			Profile: customer.Profile{FirstName: who.contact.FirstName, LastName: who.contact.LastName, Phone: who.contact.Phone},
		})
		h.newcomers = append(h.newcomers, who)
		return true
	}}
	proves := h.random.IntN(8) > 0
	return inTurn(append(steps, func() bool {
		if proves {
			h.add(who.log, customer.EmailVerified{ID: who.account, Email: who.contact.Email, At: h.now})
			for _, s := range who.asGuest {
				s.join()
			}
		}
		who.asGuest = nil
		return true
	}))
}

// purchase is a basket and the order it becomes.
func (h *history) purchase() func() bool {
	s := &story{history: h, id: h.id(), basketID: h.id(), goods: make([]*good, 1+h.random.IntN(3)), amounts: make([]int64, 3)}
	for i := range s.goods {
		s.goods[i], s.amounts[i] = h.goods[h.random.IntN(len(h.goods))], 1+h.random.Int64N(4)
	}
	s.order, s.basket = &stream{name: order.Stream(s.id)}, &stream{name: basket.Stream(s.basketID)}
	s.question = basket.Question{
		City: cities[h.random.IntN(len(cities))], DeliveryType: domain.Delivery, PaymentMethod: []domain.PaymentMethod{domain.Card, domain.Card, domain.KaspiBill}[h.random.IntN(3)],
	}
	if h.random.IntN(8) == 0 {
		s.question.DeliveryType = domain.Pickup
	}
	if _, served := h.rules.DeliveryTo(s.question.City); served && s.question.DeliveryType == domain.Delivery && h.random.IntN(4) == 0 {
		s.question.PaymentMethod = domain.Cash
	}
	if h.random.IntN(6) == 0 {
		s.code = &h.codes[h.random.IntN(len(h.codes))]
		s.question.Promocode = s.code.Code.Code
	}
	steps := []func() bool{s.price(len(s.goods))}
	if h.random.IntN(3) == 0 {
		steps = append([]func() bool{s.price(1)}, steps...)
	}
	if h.random.IntN(6) == 0 {
		return inTurn(steps)
	}
	steps = append(steps, s.place)
	switch n := h.random.IntN(10); {
	case n == 0 && !s.inCash():
		return inTurn(append(steps, func() bool {
			h.add(s.order, order.PaymentExpired{At: h.now})
			s.release("payment_expired")
			return true
		}))
	case n <= 1:
		return inTurn(append(steps, func() bool {
			h.add(s.order, order.Cancelled{By: "customer", Reason: "Передумал", At: h.now})
			s.release("cancellation")
			return true
		}))
	}
	return inTurn(append(steps, s.pay, s.process, s.complete))
}

// story is what is known of a basket and its order.
type story struct {
	*history
	id, basketID  domain.ID
	order, basket *stream
	goods         []*good
	amounts       []int64
	question      basket.Question
	code          *code
	// since is when the basket was first priced.
	since time.Time
	// who orders; nil before that. customer is whose order it is, zero: a guest's. spends: they pay with bonuses as far as
	// they may.
	who       *shopper
	customer  domain.ID
	spends    bool
	placed    domain.Calculation
	payment   string
	completed bool
}

func (s *story) price(n int) func() bool {
	return func() bool {
		if s.since.IsZero() {
			s.since = s.now
		}
		s.add(s.basket, basket.Priced{BasketID: s.basketID, Question: s.question, Calculation: s.calculate(n), At: s.now})
		return true
	}
}
