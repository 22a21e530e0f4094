package reports_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/eventstore"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi/reports"
)

// visits build the events of baskets.
type visits struct {
	events []eventstore.Event
	last   byte
}

func (v *visits) add(stream string, events ...domain.Event) {
	for _, data := range events {
		v.events = append(v.events, eventstore.Event{Stream: stream, Slice: eventstore.SliceOf(stream), Type: data.EventType(), Data: data})
	}
}

// basket is a new visitor's basket of so much, priced on a day of March 2026.
func (v *visits) basket(day int, city string, total domain.Money, reason string) domain.ID {
	v.last++
	id := uuid.UUID{14: 1, 15: v.last}
	v.add(basket.Stream(id), basket.Priced{
		BasketID: id, At: onDay(day), Question: basket.Question{City: city, DeliveryType: domain.Delivery, PaymentMethod: domain.Card},
		Calculation: domain.Calculation{
			Lines: []domain.PricedLine{{Amount: 1}}, TotalPaid: total, IsDeliveryCalculated: city == "Алматы", Reason: reason, CanCreateOrder: reason == "",
		},
	})
	return id
}

// order is what such a basket becomes, a day later.
func (v *visits) order(day int, city string, total domain.Money, then ...domain.Event) {
	of := v.basket(day, city, total, "")
	id := uuid.UUID{14: 2, 15: v.last}
	v.add(basket.Stream(of), basket.CheckedOut{BasketID: of, OrderID: id, At: onDay(day + 1)})
	v.add(order.Stream(id), order.Placed{
		ID: id, BasketID: of, BasketSince: onDay(day), City: city, PaymentMethod: domain.Card, At: onDay(day + 1),
		Calculation: domain.Calculation{TotalPaid: total, RulesVersion: 1},
	})
	v.add(order.Stream(id), then...)
}

func onDay(day int) time.Time { return time.Date(2026, 3, day, 7, 0, 0, 0, time.UTC) }

// ask folds events into the funnel and asks a report of it.
func (v *visits) ask(t *testing.T, report reports.Report, questions ...reports.Question) []reports.Table {
	t.Helper()
	db := pgtest.Open(t)
	if _, err := rebuild.Prepare(t.Context(), db, projections.Funnel()); err != nil {
		t.Fatal(err)
	}
	err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error { return projections.Funnel().Apply(t.Context(), tx, v.events) })
	if err != nil {
		t.Fatal(err)
	}
	answers := make([]reports.Table, len(questions))
	for i, q := range questions {
		answers[i] = query(t, db, report, q)
	}
	return answers
}

func named(t testing.TB, name string) reports.Report {
	t.Helper()
	report, ok := reports.Named(name)
	if !ok {
		t.Fatalf("there is no report %s", name)
	}
	return report
}

func query(t testing.TB, db *pgxpool.Pool, report reports.Report, q reports.Question) (found reports.Table) {
	t.Helper()
	err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) (err error) {
		if _, err := tx.Exec(t.Context(), "SET LOCAL search_path TO funnel; SET LOCAL work_mem TO '64MB'; SET LOCAL jit TO off", pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		found, err = report.Query(context.WithoutCancel(t.Context()), tx, q)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A march of visitors, every reason among them.
func march() *visits {
	v := &visits{}
	paid := order.Paid{PaymentID: "p1", Amount: 10}
	v.basket(2, "Алматы", 1, pricing.ReasonBelowMinimum)
	v.basket(2, "Алматы", 2, pricing.ReasonOutOfStock)
	v.basket(2, "Астана", 4, "")
	v.basket(2, "Алматы", 8, "")
	tried := v.basket(2, "Алматы", 16, "")
	v.add(basket.Stream(tried), basket.CheckoutRefused{BasketID: tried, Question: basket.Question{City: "Алматы"}, Reason: basket.ReasonPromoInvalid, TotalPaid: 16, At: onDay(2)})
	v.order(2, "Алматы", 10)
	v.order(2, "Алматы", 10, order.PaymentFailed{PaymentID: "p1"})
	v.order(3, "Алматы", 10, order.PaymentExpired{})
	v.order(3, "Алматы", 10, order.Cancelled{})
	v.order(3, "Астана", 10, paid)
	v.order(9, "Алматы", 10, order.PaymentFailed{PaymentID: "p1"}, paid, order.Completed{}) // a payment retried counts once
	v.order(9, "Алматы", 10, paid, order.Completed{}, order.Refunded{PaymentID: "p1", Amount: 10})
	v.basket(20, "Алматы", 32, "") // the youngest pricing: open
	return v
}

func TestFunnelCountsEveryBasketOnceWithItsReason(t *testing.T) {
	t.Parallel()
	found := march().ask(t, named(t, "funnel"), reports.Question{By: reports.ByMonth})[0]

	loss := func(baskets, money int64, reasons ...reports.FunnelReason) reports.FunnelLoss {
		return reports.FunnelLoss{Baskets: baskets, Money: money, Reasons: append([]reports.FunnelReason{}, reasons...)}
	}
	want := []reports.FunnelStep{
		{"priced", "Priced", 13, 133, 1000, loss(2, 3, reports.FunnelReason{"below_minimum", "Below the minimum sum", 1, 1}, reports.FunnelReason{"out_of_stock", "Out of stock", 1, 2})},
		{"orderable", "Could order", 11, 130, 846, loss(3, 44, reports.FunnelReason{"delivery_unknown", "Delivery price unknown", 1, 4},
			reports.FunnelReason{"left", "Simply left", 1, 8}, reports.FunnelReason{"open", "Still open", 1, 32})},
		{"tried", "Checkout tried", 8, 86, 615, loss(1, 16, reports.FunnelReason{"promo_invalid", "Promo code did not hold", 1, 16})},
		{"placed", "Placed", 7, 70, 538, loss(4, 40, reports.FunnelReason{"payment_refused", "Payment refused", 1, 10}, reports.FunnelReason{"expired", "Payment not made in time", 1, 10},
			reports.FunnelReason{"cancelled", "Cancelled", 1, 10}, reports.FunnelReason{"open", "Still open", 1, 10})},
		{"paid", "Paid", 3, 30, 231, loss(1, 10, reports.FunnelReason{"open", "Still open", 1, 10})},
		{"completed", "Completed", 2, 20, 154, loss(1, 10, reports.FunnelReason{"refunded", "Refunded after completion", 1, 10})},
	}
	if !reflect.DeepEqual(found.Steps, want) {
		t.Errorf("steps\n%+v\nwant\n%+v", found.Steps, want)
	}
	row := reports.Row{"month": "2026-03", "priced": int64(13), "orderable": int64(11), "tried": int64(8), "placed": int64(7), "paid": int64(3), "completed": int64(2),
		"money": int64(133), "kept": int64(10), "lost": int64(71)}
	if !reflect.DeepEqual(found.Rows, []reports.Row{row}) {
		t.Errorf("rows %v\nwant %v", found.Rows, row)
	}
}

func TestFunnelOverTimeAndNarrowed(t *testing.T) {
	t.Parallel()
	answers := march().ask(t, named(t, "funnel"), reports.Question{By: reports.ByDay}, reports.Question{By: reports.ByWeek, From: "2026-03-03", To: "2026-03-09"},
		reports.Question{By: reports.ByDay, Filters: map[reports.Filter]string{reports.City: "Астана", reports.Payment: "CARD"}})
	// An order counts on the day its basket began, whenever it was placed and paid.
	for i, want := range []string{
		"[2026-03-02 7/2/0 2026-03-03 3/3/0 2026-03-09 2/2/2 2026-03-20 1/0/0]",
		"[2026-03-02 3/3/0 2026-03-09 2/2/2]",
		"[2026-03-02 1/0/0 2026-03-03 1/1/0]",
	} {
		var got []string
		for _, row := range answers[i].Rows {
			day := row["day"]
			if day == nil {
				day = row["week"]
			}
			got = append(got, fmt.Sprintf("%v %v/%v/%v", day, row["priced"], row["placed"], row["completed"]))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

func TestLossesOverTime(t *testing.T) {
	t.Parallel()
	found := march().ask(t, named(t, "losses"), reports.Question{By: reports.ByWeek, To: "2026-03-02"})[0]
	want := []reports.Row{
		{"week": "2026-03-02", "step": "Priced", "step_id": "priced", "reason": "Below the minimum sum", "reason_id": "below_minimum", "baskets": int64(1), "money": int64(1)},
		{"week": "2026-03-02", "step": "Priced", "step_id": "priced", "reason": "Out of stock", "reason_id": "out_of_stock", "baskets": int64(1), "money": int64(2)},
		{"week": "2026-03-02", "step": "Could order", "step_id": "orderable", "reason": "Delivery price unknown", "reason_id": "delivery_unknown", "baskets": int64(1), "money": int64(4)},
		{"week": "2026-03-02", "step": "Could order", "step_id": "orderable", "reason": "Simply left", "reason_id": "left", "baskets": int64(1), "money": int64(8)},
		{"week": "2026-03-02", "step": "Checkout tried", "step_id": "tried", "reason": "Promo code did not hold", "reason_id": "promo_invalid", "baskets": int64(1), "money": int64(16)},
		{"week": "2026-03-02", "step": "Placed", "step_id": "placed", "reason": "Still open", "reason_id": "open", "baskets": int64(1), "money": int64(10)},
		{"week": "2026-03-02", "step": "Placed", "step_id": "placed", "reason": "Payment refused", "reason_id": "payment_refused", "baskets": int64(1), "money": int64(10)},
	}
	if !reflect.DeepEqual(found.Rows, want) {
		t.Errorf("%v\nwant %v", found.Rows, want)
	}
}

// Whatever happens: what is lost at the steps, and what is kept at the last, is every basket once.
func TestFunnelStepsAddUp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	v := &visits{}
	const baskets = 200
	for range baskets {
		day, total := 1+random.IntN(20), domain.Money(1+random.IntN(1000))
		if random.IntN(2) == 0 {
			v.basket(day, "Алматы", total, []string{"", pricing.ReasonBelowMinimum, pricing.ReasonOutOfStock, "unheard_of"}[random.IntN(4)])
			continue
		}
		var then []domain.Event
		for range random.IntN(5) {
			then = append(then, []domain.Event{
				order.PaymentRequested{PaymentID: "p"}, order.PaymentFailed{PaymentID: "p"}, order.PaymentExpired{}, order.Paid{PaymentID: "p", Amount: total},
				order.Cancelled{}, order.Completed{}, order.Refunded{PaymentID: "p", Amount: total},
			}[random.IntN(7)])
		}
		v.order(day, "Алматы", total, then...)
	}
	found := v.ask(t, named(t, "funnel"), reports.Question{By: reports.ByDay})[0]
	steps := found.Steps.([]reports.FunnelStep)
	var lost, money, priced int64
	for i, s := range steps {
		lost, money = lost+s.Lost.Baskets, money+s.Lost.Money
		var n, m int64
		for _, r := range s.Lost.Reasons {
			n, m = n+r.Baskets, m+r.Money
		}
		if n != s.Lost.Baskets || m != s.Lost.Money {
			t.Errorf("%s: the reasons are %d baskets of %d, not %+v", s.Step, n, m, s.Lost)
		}
		if i > 0 && (s.Baskets != steps[i-1].Baskets-steps[i-1].Lost.Baskets || s.Money != steps[i-1].Money-steps[i-1].Lost.Money) {
			t.Errorf("%s has %d baskets, the step before %+v", s.Step, s.Baskets, steps[i-1])
		}
	}
	last := steps[len(steps)-1]
	if lost+last.Baskets-last.Lost.Baskets != baskets || steps[0].Baskets != baskets || money+last.Money-last.Lost.Money != steps[0].Money {
		t.Errorf("%d lost and %d completed of %d", lost, last.Baskets-last.Lost.Baskets, baskets)
	}
	for _, row := range found.Rows {
		priced += row["priced"].(int64)
	}
	if priced != baskets {
		t.Errorf("the days have %d baskets of %d", priced, baskets)
	}
}

// go test ./readapi/reports -run '^$' -bench Funnel -benchtime 5x
func BenchmarkFunnel(b *testing.B) {
	db := pgtest.Open(b)
	if _, err := rebuild.Prepare(b.Context(), db, projections.Funnel()); err != nil {
		b.Fatal(err)
	}
	const made = `INSERT INTO funnel.%s SELECT gen_random_uuid(), '2022-01-01'::date + n %% 1400, %s,
		(ARRAY['', '', '', 'below_minimum', 'out_of_stock', 'expired', 'cancelled'])[1 + n %% 7], 5000 + n %% 90000, %s
		FROM generate_series(1, 1000000) n`
	for _, sql := range []string{
		fmt.Sprintf(made, "baskets", "1 + n % 3", "(ARRAY['Алматы', 'Астана', 'Шымкент'])[1 + n % 3], 'CARD', now() - n * interval '1 minute'"),
		fmt.Sprintf(made, "orders", "4 + n % 3", "0, (ARRAY['Алматы', 'Астана', 'Шымкент'])[1 + n % 3], 'CARD'"),
		"CHECKPOINT", "VACUUM ANALYZE funnel.baskets", "VACUUM ANALYZE funnel.orders",
	} {
		if _, err := db.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range []reports.Question{{By: reports.ByMonth}, {By: reports.ByDay}, {By: reports.ByMonth, Filters: map[reports.Filter]string{reports.City: "Астана"}}} {
		b.Run(fmt.Sprint(q.By, q.Filters), func(b *testing.B) {
			for b.Loop() {
				if found := query(b, db, named(b, "funnel"), q); len(found.Rows) == 0 {
					b.Fatal("no rows")
				}
			}
		})
	}
}
