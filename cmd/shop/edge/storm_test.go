package edge

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/app"
	"shop/cmd/shop/pages"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/payments"
	"shop/commands/policies"
	"shop/commands/shopapi"
	"shop/commands/staffapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/migrations/pgtest"
	"shop/readapi"
)

// stormOrders is how many orders the storm meets.
const stormOrders = 240

// TestStormOfNotifications: whatever a provider does with its notifications and answers, at the end every tenge that
// it captured is an order's or was given back, and no two books disagree.
func TestStormOfNotifications(t *testing.T) {
	t.Parallel()
	const seed = 20260303
	c := openCloud(t, seed)
	var moved atomic.Int64
	start := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	clock := func() time.Time { return start.Add(time.Duration(moved.Load())) }
	c.now = clock

	// Two processes on one log.
	config, err := app.ReadConfig(shoptest.Env("SHOP_DATABASE_URL", pgtest.URL(t), "SHOP_DATA_DIR", t.TempDir(), "SHOP_KEY_FILE", shoptest.KeyFile(t), "SHOP_DATABASE_CONNS", "12",
		"SHOP_PAYMENTS", "cloudpayments", "SHOP_CLOUDPAYMENTS_URL", c.server.URL, "SHOP_CLOUDPAYMENTS_PUBLIC_ID", "pk_test",
		"SHOP_CLOUDPAYMENTS_SECRET", c.secret, "SHOP_PUBLIC_URL", "https://shop.example", "SHOP_SMTP_URL", "folder"))
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := pages.LoadPages(shoptest.Built, "Дала", "https://shop.example", shoptest.Quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	shops, sites, orders := make([]*app.Shop, 2), make([]*Site, 2), make([]*commands.Orders, 2)
	for i := range shops {
		s, err := app.OpenShop(ctx, config, shoptest.Quiet, clock)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close(context.Background()) })
		if orders[i], err = s.Orders(); err != nil {
			t.Fatal(err)
		}
		accounts := s.Accounts
		shops[i] = s
		sites[i] = &Site{Config: s.Config, Log: shoptest.Quiet, Pages: drawn, Orders: orders[i], Baskets: &commands.Baskets{}, Staff: accounts,
			StaffOrders: &staffapi.Orders{}, StaffParcels: &staffapi.Parcels{}, StaffReviews: &staffapi.Reviews{}}
	}
	handlers := []http.Handler{sites[0].Routes(), sites[1].Routes()}
	var turn atomic.Int64
	c.tell = func(l letter) (int, int) {
		w := httptest.NewRecorder()
		handlers[turn.Add(1)%2].ServeHTTP(w, l.request())
		return replyOf(w)
	}

	// All orders are one e-mail's.
	shopRules := &commands.Rules{Handler: shops[0].Handler}
	now, err := shopRules.Show(ctx)
	if err != nil {
		t.Fatal(err)
	}
	now.Rules.GuestOpenOrders, now.Rules.GuestOpenPieces = 0, 0
	if _, err := shopRules.Change(ctx, now.Rules, now.Version); err != nil {
		t.Fatal(err)
	}
	stocked := func(article string, price domain.Money, pieces int64) domain.ID {
		return testshop.Stock(t, shops[0].Handler, article, price, pieces)
	}
	goods := []domain.ID{stocked("MK-1", 9000, 300), stocked("MK-2", 12000, 60), stocked("MK-3", 8000, 1000)}
	if _, err := (&commands.Promocodes{Handler: shops[0].Handler}).Issue(ctx, "STORM", promocode.Terms{Kind: promocode.Percent, Value: 10, Uses: 40}); err != nil {
		t.Fatal(err)
	}

	// The storm: shoppers, payers, staff, the provider's mail and forgers all at once.
	ids := make([]uuid.UUID, stormOrders)
	var placing, storm sync.WaitGroup
	var forged, placed atomic.Int64
	over := make(chan struct{})
	for worker := range 4 {
		placing.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(worker)))
			for n := worker; n < stormOrders; n += 4 {
				o := orders[n%2]
				asked := commands.Checkout{
					Lines:   []commands.Line{{ProductID: goods[r.IntN(3)], Amount: 1 + r.Int64N(2)}},
					Contact: order.Contact{FirstName: "Айгуль", LastName: "С", Email: "a@example.kz", Phone: fmt.Sprintf("+7701%07d", n)},
					Address: order.Address{City: "Алматы", Street: "Абая", House: "1"}, DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
				}
				if n%5 == 0 {
					asked.PaymentMethod = domain.KaspiBill
				}
				if n%7 == 0 {
					asked.Promocode = "STORM"
				}
				receipt, _, err := o.Checkout(ctx, asked)
				if err != nil {
					if status, _, ok := shopapi.Problem(err); !ok || status >= 500 {
						t.Errorf("checkout: %v", err)
					}
					continue
				}
				placed.Add(1)
				ids[n] = receipt.ID
				payment := payments.ID(receipt.ID, 1)
				c.payer(payment)
				switch n % 6 {
				case 0: // a shopper who tries again
					if again, _, err := o.Pay(ctx, receipt.ID); err == nil && again.PaymentURL != "" {
						for attempt := 1; attempt < 4; attempt++ {
							c.payer(payments.ID(receipt.ID, attempt))
						}
					}
				case 1:
					o.Cancel(ctx, receipt.ID, "customer", "")
				case 2:
					o.Cancel(ctx, receipt.ID, "staff", "шторм")
				}
				if n%10 == 3 {
					sent, taken := c.forge(payment, receipt.TotalPaid)
					forged.Add(int64(sent))
					for _, what := range taken {
						t.Errorf("forged notification was not refused: %s", what)
					}
				}
			}
		})
	}
	for range 3 {
		storm.Go(func() {
			for {
				if !c.deliver() {
					select {
					case <-over:
						return
					case <-time.After(time.Millisecond):
					}
				}
			}
		})
	}
	placing.Wait()
	close(over)
	storm.Wait()

	// Some orders go all the way, and some of those come back, a part of them.
	parts := map[uuid.UUID]domain.Money{}
	for n, id := range ids {
		if n%4 != 3 || id == uuid.Nil {
			continue
		}
		o := orders[n%2]
		if _, err := o.Process(ctx, id); err != nil {
			continue
		}
		if _, err := o.Complete(ctx, id); err != nil {
			t.Errorf("complete: %v", err)
		}
		if n%8 == 3 {
			parts[id] = 1000
			o.Refund(ctx, id, 1000, "soap was broken") // when it fails, a policy goes on with it
		}
	}

	accounts := make([]*policies.Reconcile, len(shops))
	for i, o := range orders {
		accounts[i] = &policies.Reconcile{Orders: o, Clock: clock, Logger: shoptest.Quiet}
	}

	// Hours pass. Half of them are bad as well.
	rounds := 14
	for round := range rounds {
		if round == rounds/2 {
			c.mu.Lock()
			c.calm = true
			c.mu.Unlock()
		}
		moved.Add(int64(time.Duration(round+1) * 20 * time.Minute))
		for c.deliver() {
			if round >= rounds/2 { // in calm weather, what cannot be taken now waits for the next round
				break
			}
		}
		if err := shops[0].CatchUp(ctx, terminal.World{Stderr: io.Discard}, "orders"); err != nil {
			t.Fatal(err)
		}
		var working sync.WaitGroup
		for i, s := range shops {
			facts := readapi.Facts{DB: s.Pool}
			o := orders[i]
			for _, once := range []func(context.Context) error{
				policies.AskPayments{Orders: o, Open: app.OpenPayments{Facts: facts, Provider: "cloudpayments"}, Books: o.Books, Clock: clock, Logger: shoptest.Quiet}.Once,
				policies.GiveBack{Orders: o, Owing: facts, Debts: o.Books, Clock: clock, Logger: shoptest.Quiet}.Once,
				policies.ExpirePayments{Orders: o, Due: facts, Clock: clock, Logger: shoptest.Quiet}.Once,
				accounts[i].Once,
			} {
				working.Go(func() {
					if err := once(ctx); err != nil && round >= rounds/2 { // while the weather is bad, a statement cannot be read
						t.Errorf("policy: %v", err)
					}
				})
			}
		}
		working.Wait()
	}

	// The books.
	c.mu.Lock()
	defer c.mu.Unlock()
	var captured, refunded, kept domain.Money
	statuses := map[order.Status]int{}
	held := map[domain.ID]int64{}
	codes, twice := 0, 0
	byOrder := map[uuid.UUID][]*bill{}
	for invoice, b := range c.bills {
		id, ok := payments.OrderOf(invoice)
		if !ok {
			t.Fatalf("a bill of %q", invoice)
		}
		byOrder[id] = append(byOrder[id], b)
		captured, refunded = captured+b.captured(), refunded+b.refunded()
		if len(b.charges) > 1 {
			twice++
		}
	}
	known := map[uuid.UUID]bool{}
	for _, id := range ids {
		if id == uuid.Nil {
			continue
		}
		known[id] = true
		s := stateOf(t, shops[0].Store, id)
		statuses[s.Status]++
		truth := map[string]*charge{}
		for _, b := range byOrder[id] {
			for _, paid := range b.charges {
				truth[fmt.Sprint(b.invoice, " ", paid.transaction)] = paid
			}
		}
		for _, m := range s.Payments {
			name := m.ID + " " + m.Receipt
			paid := truth[name]
			if paid == nil || paid.amount != m.Amount || paid.refunded != m.Refunded {
				t.Errorf("order %d, payment %s: the log has %d less %d, the provider %+v", s.Placed.Number, name, m.Amount, m.Refunded, paid)
			}
			delete(truth, name)
		}
		for name, paid := range truth {
			t.Errorf("order %d, %s: %d captured as %s and not in the log", s.Placed.Number, s.Status, paid.amount, name)
		}
		want := domain.Money(0)
		switch s.Status {
		case order.StatusApproved, order.StatusProcessing, order.StatusCompleted:
			want = s.Due() - parts[id]
		case order.StatusReceived:
			t.Errorf("order %d still waits after hours", s.Placed.Number)
		}
		if s.Captured() != want {
			t.Errorf("order %d is %s: the shop holds %d, want %d", s.Placed.Number, s.Status, s.Captured(), want)
		}
		kept += s.Captured()
		if s.HoldsGoods() {
			for _, l := range s.Placed.Calculation.Lines {
				held[l.ProductID] += l.Amount
			}
		}
		if s.Placed.Calculation.PromocodeApplied != "" && (s.HoldsGoods() || s.Status == order.StatusCompleted) {
			codes++
		}
	}
	for id := range byOrder {
		if !known[id] {
			t.Errorf("a bill of an order that nobody placed: %s", id)
		}
	}
	if captured != kept+refunded {
		t.Errorf("captured %d, but paid orders hold %d and %d was given back", captured, kept, refunded)
	}
	for _, product := range goods {
		level := fold(t, shops[0].Store, stock.Stream(product), stock.Decider.Initial, stock.Decider.Evolve)
		if level.Reserved != held[product] {
			t.Errorf("%d pieces are reserved, orders hold %d", level.Reserved, held[product])
		}
	}
	if code := fold(t, shops[0].Store, promocode.Stream("STORM"), promocode.Decider.Initial, promocode.Decider.Evolve); code.Uses > int64(codes) {
		t.Errorf("the code is used %d times, by %d orders", code.Uses, codes)
	}
	var open int
	if err := shops[0].Pool.QueryRow(ctx, "SELECT count(*) FROM payment_refunds WHERE done_at IS NULL").Scan(&open); err != nil || open != 0 {
		t.Errorf("%d refunds are open, %v", open, err)
	}
	t.Logf("%d orders %v; captured %d = orders %d + given back %d; %d bills were paid twice; %d letters, %d lost, %d forged, %d failed calls",
		placed.Load(), statuses, captured, kept, refunded, twice, c.sent, c.lost, forged.Load(), c.failed)
	if twice < 3 || c.lost < 10 || c.failed < 10 || statuses[order.StatusApproved] < 10 || statuses[order.StatusRefunded] < 5 || statuses[order.StatusPaymentErr] < 5 || len(parts) < 1 {
		t.Error("that was no storm")
	}
}

// fold is an aggregate by the log alone.
func fold[S any, E domain.Event](t *testing.T, log *eventstore.Store, stream string, state S, evolve func(S, E) S) S {
	t.Helper()
	loaded, err := log.Load(t.Context(), eventstore.From{Stream: stream})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range loaded[stream] {
		state = evolve(state, e.Data.(E))
	}
	return state
}

func stateOf(t *testing.T, log *eventstore.Store, id uuid.UUID) order.State {
	t.Helper()
	return fold(t, log, order.Stream(id), order.Decider.Initial, order.Decider.Evolve)
}
