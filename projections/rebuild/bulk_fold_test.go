package rebuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/catalog"
	"shop/domain/change"
	"shop/domain/content"
	"shop/domain/customer"
	"shop/domain/document"
	"shop/domain/order"
	"shop/domain/post"
	"shop/domain/promocode"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/domain/round"
	"shop/domain/rules"
	"shop/domain/settings"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
	"shop/projections"
)

// withTallies is the shop's registry that knows the test's events too.
type withTallies struct{ *registry.Registry }

func (c withTallies) Encode(data any) (eventstore.Encoded, error) {
	switch e := data.(type) {
	case added, cleared:
		payload, err := json.Marshal(e)
		return eventstore.Encoded{Type: e.(domain.Event).EventType(), Schema: 1, Payload: payload}, err
	}
	return c.Registry.Encode(data)
}

func (c withTallies) Decode(name string, schema int, payload []byte) (any, error) {
	switch name {
	case "tally.added":
		var e added
		err := json.Unmarshal(payload, &e)
		return e, err
	case "tally.cleared":
		return cleared{}, nil
	}
	return c.Registry.Decode(name, schema, payload)
}

// past is a log that has something of everything.
type past struct {
	db    *pgxpool.Pool
	store *eventstore.Store
	head  eventstore.Position
}

// makePast appends some hundred events at random, of few streams, so that rows change often; times have nanoseconds,
// texts what must be quoted. One person of two is erased in the end.
func makePast(t *testing.T, seed uint64) past {
	t.Helper()
	db := pgtest.Open(t)
	store := eventstore.Open(db, withTallies{registry.New()}, eventstore.Options{})
	t.Cleanup(store.Close)
	random := rand.New(rand.NewPCG(seed, 1))
	n := func(most int) byte { return byte(1 + random.IntN(most)) }
	at := func() time.Time { return noon.Add(time.Duration(random.Int64N(int64(400 * time.Hour)))) }
	text := func() string {
		return []string{"", "Мыло «Ёлочка»", `тонкий "лоск" \ 50 % <b>&amp;</b>`, "строка\nи\tтабуляция", strings.Repeat("Aqua, Глицерин ", 1+random.IntN(300))}[random.IntN(5)]
	}
	persons := []domain.ID{uuid.New(), uuid.New()}
	picture := func() *catalog.Picture {
		if random.IntN(2) == 0 {
			return nil
		}
		return &catalog.Picture{Src: text(), Width: random.IntN(900), Sources: []catalog.Source{{Type: "image/avif", Srcset: text()}}}
	}
	article := func() post.Article {
		a := post.Article{Link: text(), Title: text(), HTML: text(), Picture: text(), PublishedAt: at()}
		if random.IntN(2) == 0 {
			a.Photo = &post.Photo{Width: random.IntN(900), Sources: []post.Source{{Type: "image/avif", Srcset: text()}}}
		}
		return a
	}
	make := []func() (string, domain.Event){
		func() (string, domain.Event) {
			p := id(n(9))
			return catalog.ProductStream(p), catalog.ProductAdded{ID: p, Article: text(), Link: text(), BrandID: id(n(3)), CategoryID: id(n(3)), At: at()}
		},
		func() (string, domain.Event) {
			return catalog.ProductStream(id(n(9))), catalog.ProductDescribed{Text: catalog.ProductText{Name: text(), Description: text(), Composition: text()}, At: at()}
		},
		func() (string, domain.Event) {
			return catalog.ProductStream(id(n(9))), catalog.ProductPriced{Price: random.Int64N(9000), DiscountedPrice: random.Int64N(9000), At: at()}
		},
		func() (string, domain.Event) {
			return catalog.ProductStream(id(n(9))), catalog.ProductMarked{Marks: []domain.ID{id(n(3)), id(n(3))}[:random.IntN(3)], At: at()}
		},
		func() (string, domain.Event) {
			e := catalog.ProductPictured{At: at()}
			if p := picture(); p != nil {
				e.Pictures = append(e.Pictures, *p)
			}
			return catalog.ProductStream(id(n(9))), e
		},
		func() (string, domain.Event) {
			return catalog.ProductStream(id(n(9))), catalog.ProductArchived{At: at()}
		},
		func() (string, domain.Event) {
			c := id(n(3))
			return catalog.CategoryStream(c), catalog.CategoryAdded{ID: c, Category: catalog.Category{Name: text(), ParentID: id(n(3)), Order: random.IntN(50), Picture: picture()}}
		},
		func() (string, domain.Event) { return catalog.CategoryStream(id(n(3))), catalog.CategoryArchived{} },
		func() (string, domain.Event) {
			b := id(n(3))
			return catalog.BrandStream(b), catalog.BrandAdded{ID: b, Brand: catalog.Brand{Name: text(), Logo: picture()}}
		},
		func() (string, domain.Event) {
			m := id(n(3))
			return catalog.MarkStream(m), catalog.MarkAdded{ID: m, Mark: catalog.Mark{Name: text(), Picture: picture()}}
		},
		func() (string, domain.Event) {
			p := id(n(9))
			return stock.Stream(p), stock.Received{ProductID: p, OnHand: random.Int64N(90), Reserved: random.Int64N(9), At: at()}
		},
		func() (string, domain.Event) {
			p := id(n(9))
			return stock.Stream(p), stock.Shipped{ProductID: p, OnHand: random.Int64N(90), At: at()}
		},
		func() (string, domain.Event) {
			o := id(n(20))
			e := order.Placed{ID: o, Number: random.Int64N(1e6), BasketID: id(n(6)), BasketSince: at(), PersonID: persons[random.IntN(2)], City: text(), Contact: order.Contact{FirstName: text(), Email: "a@example.com"},
				Address: order.Address{Street: text()}, DeliveryType: domain.Delivery, PaymentMethod: domain.Card, At: at()}
			for range random.IntN(4) {
				e.Calculation.Lines = append(e.Calculation.Lines, domain.PricedLine{ProductID: id(n(9)), Name: text(), Amount: int64(n(9)), Price: random.Int64N(9000)})
			}
			if random.IntN(2) == 0 {
				e.DeliveryDate, e.PayBefore = at().Format(time.DateOnly), at()
				e.Calculation.Explanation = []domain.Step{{Code: "list_prices", Label: text(), Amount: -5}}
			}
			return order.Stream(o), e
		},
		func() (string, domain.Event) {
			b := id(n(6))
			e := basket.Priced{BasketID: b, Question: basket.Question{City: text(), DeliveryType: domain.Delivery}, At: at()}
			if random.IntN(4) > 0 {
				e.Calculation = domain.Calculation{Lines: []domain.PricedLine{{ProductID: id(n(9)), Amount: 1}}, TotalPaid: random.Int64N(9000), CanCreateOrder: random.IntN(2) == 0}
			}
			return basket.Stream(b), e
		},
		func() (string, domain.Event) {
			b := id(n(6))
			return basket.Stream(b), basket.CheckoutRefused{BasketID: b, Question: basket.Question{City: text()}, Reason: basket.ReasonPromoInvalid, TotalPaid: random.Int64N(9000), At: at()}
		},
		func() (string, domain.Event) {
			b := id(n(6))
			return basket.Stream(b), basket.CheckedOut{BasketID: b, OrderID: id(n(20)), At: at()}
		},
		func() (string, domain.Event) {
			return order.Stream(id(n(20))), order.PaymentRequested{PaymentID: text(), PayBefore: at(), At: at()}
		},
		func() (string, domain.Event) {
			return order.Stream(id(n(20))), order.Paid{PaymentID: text(), At: at()}
		},
		func() (string, domain.Event) {
			return order.Stream(id(n(20))), order.Cancelled{By: "staff", Reason: text(), At: at()}
		},
		func() (string, domain.Event) { return order.Stream(id(n(20))), order.Completed{At: at()} },
		func() (string, domain.Event) {
			return settings.Stream, settings.Changed{Version: random.Int64N(90), Settings: settings.Settings{Email: text(), Holidays: []settings.Holiday{{Date: text()}}}, At: at()}
		},
		func() (string, domain.Event) {
			return rules.Stream, rules.Changed{Version: random.Int64N(90), Rules: rules.Default(), At: at()}
		},
		func() (string, domain.Event) {
			code := fmt.Sprint("A", n(4))
			e := promocode.Issued{Code: code, Terms: promocode.Terms{Kind: promocode.Fixed, Value: 500}}
			if random.IntN(2) == 0 {
				e.Terms.ValidUntil = at()
			}
			return promocode.Stream(code), e
		},
		func() (string, domain.Event) {
			code := fmt.Sprint("A", n(4))
			return promocode.Stream(code), promocode.Redeemed{Code: code, OrderID: id(n(20))}
		},
		func() (string, domain.Event) {
			e := content.Changed{Name: fmt.Sprint("block-", n(4)), Text: text(), At: at()}
			for range random.IntN(3) {
				e.Slides = append(e.Slides, content.Slide{URL: text(), File: text()})
			}
			return content.Stream(e.Name), e
		},
		func() (string, domain.Event) {
			name := document.Names[random.IntN(2)]
			if random.IntN(3) == 0 {
				return document.Stream(name), document.Withdrawn{Name: name, At: at()}
			}
			said := document.Text{Title: text(), HTML: text()}
			return document.Stream(name), document.Published{Name: name, Version: fmt.Sprint("2026-01-", n(9)), RU: said, KK: said, At: at()}
		},
		func() (string, domain.Event) {
			p := id(n(5))
			return post.Stream(p), post.Published{ID: p, Article: article(), At: at()}
		},
		func() (string, domain.Event) {
			p := id(n(5))
			return post.Stream(p), post.Changed{ID: p, Article: article(), At: at()}
		},
		func() (string, domain.Event) {
			p := id(n(5))
			return post.Stream(p), post.Unpublished{ID: p, At: at()}
		},
		func() (string, domain.Event) {
			e := review.Posted{ID: id(n(9)), ProductID: id(n(9)), PersonID: persons[random.IntN(2)], Rating: int64(n(5)), Content: text(), Pending: random.IntN(2) == 0,
				Author: review.Author{Name: text(), Email: "a@example.com"}, PhotoIDs: []domain.ID{id(n(3)), id(n(3))}[:random.IntN(3)], At: at()}
			return review.Stream(e.ID), e
		},
		func() (string, domain.Event) {
			r := id(n(9))
			return review.Stream(r), review.Answered{ID: r, Text: text(), At: at()}
		},
		func() (string, domain.Event) {
			r := id(n(9))
			return review.Stream(r), review.Hidden{ID: r, Reason: text(), At: at()}
		},
		func() (string, domain.Event) {
			c := persons[random.IntN(2)]
			return customer.Stream(c), customer.Registered{ID: c, Email: "a@example.com", Profile: customer.Profile{FirstName: text()}, At: at()}
		},
		func() (string, domain.Event) {
			p := id(n(3))
			return restock.Stream(p), restock.Subscribed{ProductID: p, CustomerID: id(n(5)), Place: random.Int64N(90), At: at()}
		},
		func() (string, domain.Event) {
			p := id(n(3))
			return restock.Stream(p), restock.Notified{ProductID: p, CustomerID: id(n(5)), At: at()}
		},
		func() (string, domain.Event) {
			c := id(n(5))
			return bonus.Stream(c), bonus.Earned{CustomerID: c, OrderID: id(n(20)), Amount: random.Int64N(90), Balance: random.Int64N(900), At: at()}
		},
		func() (string, domain.Event) {
			c := id(n(5))
			return bonus.Stream(c), bonus.Spent{CustomerID: c, OrderID: id(n(20)), Amount: random.Int64N(90), Balance: random.Int64N(900), At: at()}
		},
		func() (string, domain.Event) {
			p := id(n(3))
			return catalog.ProductStream(p), catalog.ProductShelved{ID: p, Shelf: fmt.Sprint("A-", n(4)), At: at()}
		},
		func() (string, domain.Event) {
			p := id(n(3))
			return catalog.ProductStream(p), catalog.ProductPriceTimed{TimedPrice: catalog.TimedPrice{Change: id(n(3)), EndsAt: at(), Price: 9, DiscountedPrice: 8}, At: at()}
		},
		func() (string, domain.Event) {
			p, line := id(n(3)), int64(n(9))
			e := catalog.ProductLowLineSet{ID: p, LowLine: &line, At: at()}
			if line == 0 {
				e.LowLine = nil
			}
			return catalog.ProductStream(p), e
		},
		func() (string, domain.Event) {
			p := id(n(3))
			return catalog.ProductStream(p), catalog.ProductCoded{ID: p, GTIN: fmt.Sprint("000000000000", n(9)), At: at()}
		},
		func() (string, domain.Event) {
			c := id(n(3))
			return change.Stream(c), change.Proposed{ID: c, Title: text(), By: text(), Items: 2, EndsAt: at(), At: at()}
		},
		func() (string, domain.Event) {
			item := change.Item{Thing: "product", ID: text(), Field: "price", Was: json.RawMessage("null"), Now: json.RawMessage("5")}
			return change.Stream(id(n(3))), change.ItemsListed{First: random.IntN(2), Items: []change.Item{item, item}, At: at()}
		},
		func() (string, domain.Event) {
			results := []change.Result{{Outcome: change.Done}, {Outcome: change.Conflict, Found: json.RawMessage("7"), Code: text()}}
			return change.Stream(id(n(3))), change.ItemsApplied{First: random.IntN(2), Results: results, At: at()}
		},
		func() (string, domain.Event) { return change.Stream(id(n(3))), change.Applied{At: at()} },
		func() (string, domain.Event) {
			c := id(n(5))
			return round.Stream(c, "2026-03-03"), round.Sorted{Courier: c, Day: "2026-03-03", Orders: []domain.ID{id(n(20))}, At: at()}
		},
		func() (string, domain.Event) {
			c := id(n(5))
			return round.Stream(c, "2026-03-03"), round.Settled{Courier: c, Day: "2026-03-03", Expected: random.Int64N(90), HandedIn: random.Int64N(90), Note: text(), At: at()}
		},
		func() (string, domain.Event) { return fmt.Sprint("tally-", n(6)), added{random.Int64N(9)} },
		func() (string, domain.Event) { return fmt.Sprint("tally-", n(6)), added{random.Int64N(9)} },
		func() (string, domain.Event) { return fmt.Sprint("tally-", n(6)), cleared{} },
	}
	for range 150 {
		var a eventstore.Append
		taken := map[string]bool{}
		for range 1 + random.IntN(9) {
			stream, e := make[random.IntN(len(make))]()
			if !taken[stream] {
				taken[stream] = true
				a.Writes = append(a.Writes, eventstore.Write{Stream: stream, Expected: eventstore.AnyVersion, Events: []eventstore.NewEvent{{Data: e}}})
			}
		}
		if _, err := store.Append(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.ErasePerson(t.Context(), persons[1]); err != nil {
		t.Fatal(err)
	}
	head, err := store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return past{db, store, head}
}

// live folds the log by the live path into the projection's own schema, leaving out some events.
func (l past) live(t *testing.T, p projections.Projection, skipped map[eventstore.Position]bool) {
	t.Helper()
	prepare(t, l.db, p)
	events, err := l.store.Read(t.Context(), eventstore.Query{Range: -1, Types: p.Types()})
	if err != nil {
		t.Fatal(err)
	}
	for len(events) > 0 {
		n := min(17, len(events)) // few new rows come as JSON, many by COPY
		if len(events)%2 == 0 {
			n = min(155, len(events))
		}
		var page []eventstore.Event
		for _, e := range events[:n] {
			if !skipped[e.Position] {
				page = append(page, e)
			}
		}
		apply(t, l.db, p, page...)
		events = events[n:]
	}
}

// places are saved in the database, so that a fill that failed goes on from what was committed.
const places = `CREATE TABLE place (range int PRIMARY KEY, at bigint NOT NULL, events bigint NOT NULL)`

func (l past) filling(t *testing.T, p projections.Projection) *foldTask {
	t.Helper()
	task := &foldTask{foldPart: foldPart{p, p.Name + "_next"}, upTo: l.head}
	err := pgx.BeginFunc(t.Context(), l.db, func(tx pgx.Tx) error {
		for _, sql := range []string{"DROP SCHEMA IF EXISTS " + task.schema + " CASCADE", "DROP TABLE IF EXISTS place", places} {
			if _, err := tx.Exec(t.Context(), sql); err != nil {
				return err
			}
		}
		return p.CreateTables(t.Context(), tx, task.schema)
	})
	if err != nil {
		t.Fatal(err)
	}
	task.waitWhilePaused = func(context.Context) error { return nil }
	task.save = func(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, events int64) error {
		_, err := tx.Exec(ctx, `INSERT INTO place VALUES ($1, $2, $3) ON CONFLICT (range) DO UPDATE SET at = excluded.at, events = place.events + excluded.events`, r, at, events)
		return err
	}
	return task
}

// again is what another process starts with after a crash.
func (l past) again(t *testing.T, task *foldTask) {
	t.Helper()
	task.reached = [eventstore.Ranges]eventstore.Position{}
	err := pgx.BeginFunc(t.Context(), l.db, func(tx pgx.Tx) error {
		// A commit that was on its way when its context ended counts.
		if _, err := tx.Exec(t.Context(), "LOCK TABLE place IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		rows, err := tx.Query(t.Context(), "SELECT range, at FROM place")
		if err != nil {
			return err
		}
		var r int
		var at eventstore.Position
		_, err = pgx.ForEachRow(rows, []any{&r, &at}, func() error { task.reached[r] = at; return nil })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// compare says where the filled tables differ from the live ones.
func (l past) compare(t *testing.T, p projections.Projection, task *foldTask) {
	t.Helper()
	for _, table := range p.Tables {
		live, filled := table.Definition().In(p.Name), table.Definition().In(task.schema)
		rows := pgtest.All[int64](t, l.db, "SELECT count(*) FROM "+live)
		if rows[0] == 0 && table.Definition().Name != "current" {
			t.Errorf("%s has no rows to compare", live)
		}
		differ := pgtest.All[string](t, l.db, fmt.Sprintf(`SELECT row_to_json(d)::text FROM (
			(SELECT 'live' AS side, l::text FROM %[1]s l EXCEPT ALL SELECT 'live', f::text FROM %[2]s f) UNION ALL
			(SELECT 'filled', f::text FROM %[2]s f EXCEPT ALL SELECT 'filled', l::text FROM %[1]s l)) d`, live, filled))
		if len(differ) > 0 {
			t.Errorf("%s differs:\n%s", live, strings.Join(differ[:min(4, len(differ))], "\n"))
		}
	}
	for r, at := range task.reached {
		if at != task.upTo {
			t.Errorf("%s: range %d is at %d, not %d", p.Name, r, at, task.upTo)
		}
	}
}

func everyProjection() []projections.Projection { return append(projections.All(), tallies()) }

func TestBulkFoldEqualsTheLivePath(t *testing.T) {
	t.Parallel()
	for seed, builder := range []Builder{
		{},
		{Memory: 1, window: 10, Workers: 1},
		{Memory: 20_000, Flush: time.Millisecond, window: 25, Workers: 3, Eager: true},
		{Memory: 1, window: 3, Workers: eventstore.Ranges, Eager: true},
	} {
		l := makePast(t, uint64(seed))
		builder.DB, builder.Store = l.db, l.store
		for _, p := range everyProjection() {
			l.live(t, p, nil)
			task := l.filling(t, p)
			if err := builder.foldInBulk(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			l.compare(t, p, task)
			events, err := l.store.Read(t.Context(), eventstore.Query{Range: -1, Types: p.Types()})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, pgtest.All[int64](t, l.db, "SELECT sum(events)::bigint FROM place"), int64(len(events)))
		}
	}
}

// A fill that ends anywhere goes on where it was saved, as often as need be.
func TestBulkFoldGoesOnWhereItWasSaved(t *testing.T) {
	t.Parallel()
	l := makePast(t, 7)
	random := rand.New(rand.NewPCG(7, 7))
	for _, p := range everyProjection() {
		l.live(t, p, nil)
		task := l.filling(t, p)
		save, crashed := task.save, errors.New("crashed")
		broken := 0
		for {
			ctx, cancel := context.WithCancel(t.Context())
			left := 1 + random.IntN(8) // saves until one fails or the context ends
			var mu sync.Mutex
			task.save = func(ctx context.Context, tx pgx.Tx, r int, at eventstore.Position, events int64) error {
				mu.Lock()
				defer mu.Unlock()
				if left--; left == 0 {
					return crashed
				}
				if err := save(ctx, tx, r, at, events); err != nil || left != 1 || random.IntN(3) > 0 {
					return err
				}
				cancel()
				return nil
			}
			builder := Builder{DB: l.db, Store: l.store, Memory: 1000, window: 40, Eager: true}
			err := builder.foldInBulk(ctx, task)
			cancel()
			if err == nil {
				break
			}
			if broken++; !errors.Is(err, crashed) && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			l.again(t, task)
		}
		if l.compare(t, p, task); broken == 0 && len(p.Types()) > 4 {
			t.Errorf("%s never broke", p.Name)
		}
	}
}

// A later upTo takes what was appended meanwhile; ranges may stand at different places.
func TestBulkFoldCatchesUp(t *testing.T) {
	t.Parallel()
	l := makePast(t, 8)
	builder := Builder{DB: l.db, Store: l.store, window: 30}
	for _, p := range everyProjection() {
		l.live(t, p, nil)
		task := l.filling(t, p)
		for _, upTo := range []eventstore.Position{l.head / 3, l.head / 2, l.head, l.head} {
			if task.upTo = upTo; upTo == l.head/2 {
				task.waitWhilePaused = func(context.Context) error { return errors.New("lost its lease") }
				if err := builder.foldInBulk(t.Context(), task); err == nil || !strings.Contains(err.Error(), "lost its lease") {
					t.Fatalf("got %v", err)
				}
				task.waitWhilePaused = func(context.Context) error { return nil }
				continue
			}
			if err := builder.foldInBulk(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
		l.compare(t, p, task)
	}
}

func TestBulkFoldLeavesSkippedEventsOut(t *testing.T) {
	t.Parallel()
	l := makePast(t, 9)
	builder := Builder{DB: l.db, Store: l.store}
	skipped := map[eventstore.Position]bool{}
	for at := range l.head {
		skipped[at] = at%5 == 0
	}
	for _, p := range []projections.Projection{projections.Orders(), projections.Catalog(), tallies()} {
		l.live(t, p, skipped)
		task := l.filling(t, p)
		task.skipped = skipped
		if err := builder.foldInBulk(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		l.compare(t, p, task)
	}
}

func TestBulkFoldNamesWhatItCannotFold(t *testing.T) {
	t.Parallel()
	l := makePast(t, 10)
	builder := Builder{DB: l.db, Store: l.store}
	stream := fmt.Sprint("tally-", 13)
	done, err := l.store.Append(t.Context(), eventstore.Append{Writes: []eventstore.Write{{Stream: stream, Expected: 0, Events: []eventstore.NewEvent{{Data: added{13}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	l.head = done.Position
	inFold, inKeys := tallies(), tallies()
	table := inFold.Tables[0].(projections.Table[tally])
	fold := table.Fold
	table.Fold = func(key string, row *tally, e eventstore.Event) bool {
		if e.Stream == stream {
			panic("unlucky")
		}
		return fold(key, row, e)
	}
	inFold.Tables = []projections.AnyTable{table}
	table = inKeys.Tables[0].(projections.Table[tally])
	keys := table.Keys
	table.Keys = func(e eventstore.Event) []string {
		if e.Stream == stream {
			panic("unlucky")
		}
		return keys(e)
	}
	inKeys.Tables = []projections.AnyTable{table}
	for _, p := range []projections.Projection{inFold, inKeys} {
		err := builder.foldInBulk(t.Context(), l.filling(t, p))
		if err == nil || !strings.Contains(err.Error(), "unlucky") || !strings.Contains(err.Error(), fmt.Sprintf("tally.added at position %d", done.Position)) {
			t.Errorf("got %v", err)
		}
	}
}

func TestBloomFilterForgetsNoKey(t *testing.T) {
	s := newBloomFilter()
	for n := range 10_000 {
		s.add(fmt.Sprint("in-", n))
	}
	wrong := 0
	for n := range 10_000 {
		if !s.has(fmt.Sprint("in-", n)) {
			t.Fatalf("key %d is lost", n)
		}
		if s.has(fmt.Sprint("out-", n)) {
			wrong++
		}
	}
	if wrong > 20 {
		t.Errorf("%d of 10000 strange keys are said to be in", wrong)
	}
}
