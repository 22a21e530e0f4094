package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"shop/commands"
	"shop/commands/changes"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/eventstore/registry"
)

const (
	// bulkPrices is how many prices one change sets.
	bulkPrices = 10_000
	// shoppers place an order each every shopperPause: together 100 a second.
	shoppers, shopperPause = 20, 200 * time.Millisecond
)

// benchChanges measures a change of 10 000 prices and its undo, made in this process as by the command line, while shoppers order over
// HTTP from another: how long each takes, and what becomes of the checkouts.
func benchChanges(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-changes-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	base, sold, stop, err := sellPlenty(ctx, s, databaseURL, dir)
	if err != nil {
		return nil, err
	}
	defer stop()
	db, err := migrated(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	store := eventstore.Open(db, registry.New(), eventstore.Options{})
	defer store.Close()
	b := &changesBench{took: map[string][]time.Duration{}, checkouts: map[string][]time.Duration{}}
	b.changes = &changes.Changes{Handler: commands.New(store, commands.Options{}), Fields: changes.All()}
	if b.products, err = b.addProducts(ctx, sold); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: shoppers}}
	defer client.CloseIdleConnections()
	group, ctx := errgroup.WithContext(ctx)
	ordering, enough := context.WithCancel(ctx)
	for range shoppers {
		group.Go(func() (err error) {
			choose := wishes(sold)[0].choose
			every(ordering, shopperPause, func(int) {
				during, begin := b.now(), time.Now()
				if failed := placeOrder(ctx, client, base, choose()); failed != nil && err == nil {
					err = failed
				}
				b.note(b.checkouts, during, time.Since(begin))
			})
			return err
		})
	}
	before := loadAverage()
	group.Go(func() error {
		defer enough()
		return b.run(ctx, s)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	fmt.Printf("load average %s before, %s after\n\n", before, loadAverage())
	return b.results(), nil
}

// changesBench is what goes on, and how long it took.
type changesBench struct {
	changes  *changes.Changes
	products []string

	mu              sync.Mutex
	doing           string
	took, checkouts map[string][]time.Duration
}

// Phases of a round.
const alone, dry, applying, undoing, warming = "nothing else", "a dry run", "a change", "its undo", ""

func (b *changesBench) now() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.doing
}

func (b *changesBench) note(of map[string][]time.Duration, what string, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of[what] = append(of[what], took)
}

// during does something and counts the checkouts that begin meanwhile as its own.
func (b *changesBench) during(what string, do func() error) error {
	b.mu.Lock()
	b.doing = what
	b.mu.Unlock()
	begin := time.Now()
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	b.note(b.took, what, time.Since(begin))
	return nil
}

// run measures rounds of undisturbed checkouts, a dry run, a change and its undo.
func (b *changesBench) run(ctx context.Context, s settings) error {
	rest := func(what string, period time.Duration) error {
		return b.during(what, func() error {
			select {
			case <-time.After(period):
			case <-ctx.Done():
			}
			return ctx.Err()
		})
	}
	may := func(staff.Permission) bool { return true }
	if err := rest(warming, warmUp); err != nil {
		return err
	}
	for round := range s.rounds {
		proposal := changes.Proposal{Title: "Bench", May: may}
		for _, id := range b.products {
			proposal.Items = append(proposal.Items, changes.Asked{Thing: "product", ID: id, Field: "price", Now: json.RawMessage(fmt.Sprint(9_500 + round))})
		}
		var made changes.Answer
		for _, step := range []func() error{
			func() error { return rest(alone, s.period) },
			func() error {
				return b.during(dry, func() error { _, err := b.changes.DryRun(ctx, proposal); return err })
			},
			func() error { return rest(alone, s.period) },
			func() error {
				return b.during(applying, func() (err error) { made, err = b.changes.Propose(ctx, proposal); return err })
			},
			func() error { return rest(warming, s.period) }, // the read models catch up
			func() error {
				return b.during(undoing, func() error {
					_, err := b.changes.Undo(ctx, changes.Undoing{Change: made.ID, May: may})
					return err
				})
			},
			func() error { return rest(warming, s.period) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *changesBench) results() (results []result) {
	undisturbed := ms(quantile(b.checkouts[alone], .99))
	for _, what := range []string{dry, applying, undoing} {
		results = append(results, result{work: fmt.Sprintf("%s of %d prices", what, bulkPrices), product: ms(quantile(b.took[what], 1)), unit: "ms",
			note: fmt.Sprintf("the longest of %d", len(b.took[what]))})
		during := b.checkouts[what]
		p99 := ms(quantile(during, .99))
		results = append(results, result{work: "checkout beside " + what + ", p99", limit: undisturbed, product: p99, unit: "ms", ratio: p99 / undisturbed,
			note: fmt.Sprintf("limit: beside nothing else, of %d; p50 %.1f ms, %d checkouts", len(b.checkouts[alone]), ms(quantile(during, .5)), len(during))})
	}
	return results
}

// addProducts adds as many products as are missing to those that are sold.
func (b *changesBench) addProducts(ctx context.Context, sold []string) (all []string, err error) {
	all = append(all, sold...)
	_, err = b.changes.Handler.Do(ctx, false, func(u *commands.Unit) error {
		for i := len(all); i < bulkPrices; i++ {
			id := uuid.Must(uuid.NewV7())
			stream := commands.ProductStream(id)
			u.New(stream)
			put := catalog.PutProduct{
				ID: id, Article: fmt.Sprintf("BX-%05d", i), Link: fmt.Sprintf("bulk-%d", i), CategoryID: domain.ID{15: 1},
				Text: catalog.ProductText{Name: "Крем"}, Price: 9_000, DiscountedPrice: 9_000, At: u.At(),
			}
			if err := stream.Do(u, put); err != nil {
				return err
			}
			all = append(all, id.String())
		}
		return nil
	})
	return all, err
}
