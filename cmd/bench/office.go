package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi/staff"
)

const (
	// officeOrders is how many orders the office's list is measured on, officeTimes how often each search is asked.
	officeOrders = 100_000
	// officeProducts is how many products the shop has; the orders are of the first soldProducts.
	officeProducts, soldProducts = 10_000, 600
	officeTimes                  = 100
	// confirmed is how many orders are confirmed in one go, together how many of them at the same time, as the call does.
	confirmed = 100
	together  = 16
)

// benchOffice measures the office's list of orders on 100 000 of them, which the real fold wrote, and how long it takes until 100
// orders that are confirmed in one go are in the read models.
func benchOffice(ctx context.Context, db *pgxpool.Pool, _ settings) ([]result, error) {
	store := eventstore.Open(db, registry.New(), eventstore.Options{Logger: slog.New(slog.DiscardHandler)})
	defer store.Close()
	model := projections.Orders()
	goods := projections.Catalog()
	if _, err := rebuild.Prepare(ctx, db, model, goods); err != nil {
		return nil, err
	}
	if err := fillGoods(ctx, db, goods); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := fillOffice(ctx, db, model); err != nil {
		return nil, err
	}
	fmt.Printf("%d orders folded in %s; load average %s\n\n", officeOrders, time.Since(began).Round(time.Second), loadAverage())
	results, err := searches(ctx, staff.Shop{DB: db})
	if err != nil {
		return nil, err
	}
	done, err := benchConfirm(ctx, db, store, model)
	return append(results, done), err
}

// loadAverage is that of the last minute, as the machine says it; empty where it says nothing.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

var (
	officeFirst  = []string{"Анна", "Айгерим", "Олег", "Данияр", "Светлана", "Ержан", "Мадина", "Игорь", "Жанна", "Тимур"}
	officeLast   = []string{"Ким", "Сатпаева", "Смирнов", "Ахметов", "Иванова", "Нурланов", "Касымова", "Петров", "Оспанова", "Цой", "Бекова", "Юсупов"}
	officeCities = []string{"Алматы", "Алматы", "Алматы", "Астана", "Шымкент", "Караганда"}
	officeGoods  = []string{"Крем для лица", "Мыло с лавандой", "Шампунь", "Масло арганы", "Бальзам для губ", "Сыворотка", "Скраб", "Гель для душа"}
)

// placedOrder is the n-th order of the past, made by chance that repeats.
func placedOrder(random *rand.Rand, n int64, at time.Time) order.Placed {
	total := domain.Money(7000 + 100*random.IntN(500))
	method := []domain.PaymentMethod{domain.Card, domain.Cash, domain.KaspiBill}[random.IntN(3)]
	city := officeCities[random.IntN(len(officeCities))]
	lines := make([]domain.PricedLine, 1+random.IntN(4))
	for i := range lines {
		n := random.IntN(soldProducts)
		lines[i] = domain.PricedLine{
			ProductID: officeProduct(n), Article: articleOf(n), Name: nameOf(n), Amount: int64(1 + random.IntN(3)),
		}
	}
	id := uuid.Must(uuid.NewV7())
	return order.Placed{
		ID: id, Number: firstOrder + n, PersonID: id,
		Contact: order.Contact{
			FirstName: officeFirst[random.IntN(len(officeFirst))], LastName: fmt.Sprintf("%s%s", officeLast[random.IntN(len(officeLast))], strings.Repeat("а", random.IntN(2))),
			Email: fmt.Sprintf("buyer%d@example.kz", n), Phone: fmt.Sprintf("+77%09d", 10_000_000+n*7919%900_000_000),
		},
		City: city, Address: order.Address{City: city, Street: "проспект Абая", House: "10"}, DeliveryType: domain.Delivery, PaymentMethod: method,
		Calculation:  domain.Calculation{Lines: lines, TotalSum: total, DiscountedSum: total, TotalPaid: total, PayableNow: total, RulesVersion: 1, CanCreateOrder: true},
		DeliveryDate: at.AddDate(0, 0, 1).Format(time.DateOnly), At: at,
	}
}

func officeProduct(n int) uuid.UUID { return uuid.UUID{14: byte(n >> 8), 15: byte(n)} }
func articleOf(n int) string        { return fmt.Sprintf("DL-%05d", 10_000+n) }
func nameOf(n int) string           { return fmt.Sprintf("%s %d", officeGoods[n%len(officeGoods)], n) }

// fillGoods folds the products.
func fillGoods(ctx context.Context, db *pgxpool.Pool, model projections.Projection) error {
	at := time.Now().UTC()
	var events []eventstore.Event
	for n := range officeProducts {
		id := officeProduct(n)
		for v, e := range []domain.Event{
			catalog.ProductAdded{ID: id, Article: articleOf(n), At: at}, catalog.ProductDescribed{Text: catalog.ProductText{Name: nameOf(n)}, At: at},
		} {
			events = append(events, eventstore.Event{
				ID: uuid.Must(uuid.NewV7()), Stream: catalog.ProductStream(id), Version: eventstore.Version(v + 1), Type: e.EventType(), RecordedAt: at, Data: e,
			})
		}
	}
	for part := range slices.Chunk(events, 1000) {
		if err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error { return model.Apply(ctx, tx, part) }); err != nil {
			return err
		}
	}
	_, err := db.Exec(ctx, "VACUUM ANALYZE catalog.product")
	return err
}

// fillOffice folds the past of two years: nine orders of ten are over, the last ones are at work.
func fillOffice(ctx context.Context, db *pgxpool.Pool, model projections.Projection) error {
	const batch = 500
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same past each time
	now := time.Now().UTC()
	for n := int64(0); n < officeOrders; {
		var events []eventstore.Event
		for range batch {
			n++
			at := now.Add(-time.Duration(officeOrders-n) * 2 * 365 * 24 * time.Hour / officeOrders)
			placed := placedOrder(random, n, at)
			history := []order.Event{placed}
			switch {
			case n > officeOrders-400: // today's
			case n > officeOrders-2_000:
				history = append(history, order.Approved{At: at})
			case random.IntN(10) == 0:
				history = append(history, order.Cancelled{By: "customer", At: at})
			case placed.PaymentMethod == domain.Cash:
				history = append(history, order.Approved{At: at}, order.ProcessingStarted{At: at}, order.Completed{At: at})
			default:
				paid := order.Paid{PaymentID: placed.ID.String() + "-1", Receipt: fmt.Sprint(n), Amount: placed.Calculation.TotalPaid, At: at}
				history = append(history, order.PaymentRequested{PaymentID: paid.PaymentID, Provider: "cloudpayments", Attempt: 1, Amount: paid.Amount, PayBefore: at.Add(time.Hour), At: at},
					paid, order.Approved{At: at}, order.ProcessingStarted{At: at}, order.Completed{At: at})
			}
			for v, e := range history {
				events = append(events, eventstore.Event{
					ID: uuid.Must(uuid.NewV7()), Stream: order.Stream(placed.ID), Version: eventstore.Version(v + 1), Type: e.EventType(), RecordedAt: at, Data: e,
				})
			}
		}
		if err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error { return model.Apply(ctx, tx, events) }); err != nil {
			return err
		}
	}
	_, err := db.Exec(ctx, "VACUUM ANALYZE orders.orders, orders.payments")
	return err
}

// searches measures what the office asks for, one after the other.
func searches(ctx context.Context, shop staff.Shop) ([]result, error) {
	yes, no := true, false
	now := time.Now()
	day := now.Format(time.DateOnly)
	asks := []struct {
		work string
		of   func(n int) staff.OrderSearch
	}{
		{"the newest orders", func(int) staff.OrderSearch { return staff.OrderSearch{} }},
		{"the 5 000th page of one status, at most offset", func(int) staff.OrderSearch { return staff.OrderSearch{Statuses: []string{"COMPLETED"}, Offset: 10_000} }},
		{"at work", func(int) staff.OrderSearch {
			return staff.OrderSearch{Statuses: []string{"RECEIVED", "APPROVED", "PROCESSING", "PAYMENT_ERR"}}
		}},
		{"cancelled", func(int) staff.OrderSearch { return staff.OrderSearch{Statuses: []string{"CANCELLED"}} }},
		{"paid", func(int) staff.OrderSearch { return staff.OrderSearch{Paid: &yes} }},
		{"not paid", func(int) staff.OrderSearch { return staff.OrderSearch{Paid: &no} }},
		{"by method", func(int) staff.OrderSearch { return staff.OrderSearch{PaymentMethod: "KASPI_BILL"} }},
		{"by city, one of six", func(int) staff.OrderSearch { return staff.OrderSearch{City: "Шымкент"} }},
		{"by a city that is rare", func(int) staff.OrderSearch { return staff.OrderSearch{City: "Талгар"} }},
		{"promised for today", func(int) staff.OrderSearch { return staff.OrderSearch{DayFrom: day, DayTo: day, Sort: "day"} }},
		{"placed this month", func(int) staff.OrderSearch {
			return staff.OrderSearch{PlacedFrom: now.AddDate(0, -1, 0).Format(time.DateOnly)}
		}},
		{"the dearest", func(int) staff.OrderSearch { return staff.OrderSearch{Sort: "dearest"} }},
		{"with a tag", func(int) staff.OrderSearch { return staff.OrderSearch{Tag: "срочно"} }},
		{"somebody's own", func(int) staff.OrderSearch { return staff.OrderSearch{AssignedTo: uuid.UUID{15: 1}} }},
		{"owed money", func(int) staff.OrderSearch { return staff.OrderSearch{Owing: true} }},
		{"by number", func(n int) staff.OrderSearch { return staff.OrderSearch{Query: fmt.Sprint(firstOrder + 1 + n*997)} }},
		{"by phone", func(n int) staff.OrderSearch {
			return staff.OrderSearch{Query: fmt.Sprintf("8 7%09d", 10_000_000+int64(n+1)*7919%900_000_000)}
		}},
		{"by the last four digits of a phone", func(n int) staff.OrderSearch { return staff.OrderSearch{Query: fmt.Sprintf("%04d", n*97%10_000)} }},
		{"by e-mail", func(n int) staff.OrderSearch {
			return staff.OrderSearch{Query: fmt.Sprintf("buyer%d@example.kz", n*991+1)}
		}},
		{"by name", func(n int) staff.OrderSearch {
			return staff.OrderSearch{Query: officeLast[n%len(officeLast)] + " " + officeFirst[n%len(officeFirst)]}
		}},
		{"by a misspelt name", func(n int) staff.OrderSearch {
			return staff.OrderSearch{Query: []string{"Сатпоева", "Смернов", "Ахмитов", "Оспонова"}[n%4]}
		}},
		{"by article", func(n int) staff.OrderSearch { return staff.OrderSearch{Query: fmt.Sprintf("DL-%05d", 10_000+n*5%600)} }},
		{"by words of a product", func(n int) staff.OrderSearch {
			return staff.OrderSearch{Query: []string{"лавандой", "аргана", "бальзам для губ"}[n%3]}
		}},
	}
	var results []result
	for _, ask := range asks {
		var took []time.Duration
		var count int64
		for n := range officeTimes {
			f := ask.of(n)
			f.Limit = 50
			began := time.Now()
			found, err := shop.SearchOrders(ctx, f, true)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", ask.work, err)
			}
			took, count = append(took, time.Since(began)), max(count, found.Count)
		}
		results = append(results, result{
			work: "orders: " + ask.work, product: float64(quantile(took, 0.99).Microseconds()) / 1000, unit: "ms p99",
			note: fmt.Sprintf("p50 %.1f ms; at most %d found; load %s (asked: p99 ≤ 50 ms)", float64(quantile(took, 0.5).Microseconds())/1000, count, loadAverage()),
		})
	}
	return results, nil
}

// benchConfirm measures 100 orders in cash from the press of the button until the read model has them all, five times.
func benchConfirm(ctx context.Context, db *pgxpool.Pool, store *eventstore.Store, model projections.Projection) (result, error) {
	orders := &commands.Orders{Handler: commands.New(store, commands.Options{})}
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same orders each time
	var took []time.Duration
	err := withFeed(ctx, db, store, []projections.Projection{model}, func(consumers *feed.Feed) error {
		for round := range 5 {
			ids := make([]uuid.UUID, confirmed)
			var last eventstore.Position
			for i := range ids {
				placed := placedOrder(random, int64(officeOrders+1+round*confirmed+i), time.Now().UTC())
				placed.PaymentMethod, ids[i] = domain.Cash, placed.ID
				appended, err := store.Append(ctx, eventstore.Append{Writes: []eventstore.Write{{
					Stream: order.Stream(placed.ID), Events: []eventstore.NewEvent{{ID: uuid.Must(uuid.NewV7()), Data: placed}},
				}}})
				if err != nil {
					return err
				}
				last = appended.Position
			}
			if err := consumers.WaitFor(ctx, model.Name, last); err != nil {
				return err
			}
			began := time.Now()
			positions := make([]eventstore.Position, len(ids))
			group, acting := errgroup.WithContext(ctx)
			group.SetLimit(together)
			for i, id := range ids {
				group.Go(func() (err error) { positions[i], err = orders.Approve(acting, id); return err })
			}
			if err := group.Wait(); err != nil {
				return err
			}
			for _, p := range positions {
				last = max(last, p)
			}
			if err := consumers.WaitFor(ctx, model.Name, last); err != nil {
				return err
			}
			took = append(took, time.Since(began))
		}
		return nil
	})
	return result{
		work: "confirm 100 orders in one go, until the list has them", product: float64(quantile(took, 1).Milliseconds()), unit: "ms at most",
		note: fmt.Sprintf("p50 %d ms of %d rounds; load %s (asked: ≤ 2 000 ms)", quantile(took, 0.5).Milliseconds(), len(took), loadAverage()),
	}, err
}
