package policies

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands/payments"
	"shop/eventstore"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// opened is a read model with payments that were requested at a time.
type opened struct {
	books payments.Books
	at    map[string]time.Time
}

func (o opened) PaymentsToAsk(ctx context.Context, since, first, now time.Time, limit int) (due []OpenPayment, err error) {
	for id, at := range o.at {
		var asked int
		var next time.Time
		err := o.books.Pool.QueryRow(ctx, "SELECT coalesce(max(asked), 0), coalesce(max(next_at), $2) FROM payment_questions WHERE payment_id = $1", id, at).Scan(&asked, &next)
		if err != nil {
			return nil, err
		}
		if !at.Before(since) && !at.After(first) && !next.After(now) && len(due) < limit {
			due = append(due, OpenPayment{id, asked})
		}
	}
	return due, nil
}

// bank counts questions and is down.
type bank struct{ asked map[string][]time.Duration }

type bankAt struct {
	bank
	since time.Duration
}

func (b bankAt) Ask(_ context.Context, id string) (eventstore.Position, error) {
	b.asked[id] = append(b.asked[id], b.since)
	return 0, errors.New("bank is down")
}

// TestQuestionsGrowRareAndOutliveTheProcess: every look is by a policy that remembers nothing, and two look at once.
func TestQuestionsGrowRareAndOutliveTheProcess(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	o := opened{books: payments.Books{Pool: pgtest.Open(t)}, at: map[string]time.Time{uuid.NewString() + "-1": start}}
	b := bank{asked: map[string][]time.Duration{}}
	for since := time.Duration(0); since < 11*24*time.Hour; since += 30 * time.Second {
		for range 2 {
			p := AskPayments{Orders: bankAt{b, since}, Open: o, Books: o.books, Clock: func() time.Time { return start.Add(since) }, Logger: slog.New(slog.DiscardHandler)}
			if since > 2*time.Hour && since%(15*time.Minute) != 0 {
				continue
			}
			if err := p.Once(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(b.asked) != 1 {
		t.Fatalf("asked for %d payments", len(b.asked))
	}
	for _, asked := range b.asked {
		if asked[0] != time.Minute {
			t.Errorf("first asked after %s", asked[0])
		}
		for i := 2; i < len(asked); i++ {
			before, pause := asked[i-1]-asked[i-2], asked[i]-asked[i-1]
			if pause < before || pause > 6*time.Hour+15*time.Minute {
				t.Errorf("question %d came after %s, the one before after %s", i+1, pause, before)
			}
		}
		if last := asked[len(asked)-1]; len(asked) < 20 || len(asked) > 40 || last > 5*24*time.Hour {
			t.Errorf("asked %d times, last after %s", len(asked), last)
		}
	}
	var left int
	if err := o.books.Pool.QueryRow(t.Context(), "SELECT count(*) FROM payment_questions").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d plans are left of what nobody asks for, %v", left, err)
	}
}

// TestTwoProcessesAskOnce: whoever plans the question asks it.
func TestTwoProcessesAskOnce(t *testing.T) {
	t.Parallel()
	books := payments.Books{Pool: pgtest.Open(t)}
	at := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	won := make(chan bool, 8)
	for range cap(won) {
		go func() {
			mine, err := books.Ask(t.Context(), "p-1", 0, at)
			won <- mine && err == nil
		}()
	}
	winners := 0
	for range cap(won) {
		if <-won {
			winners++
		}
	}
	if winners != 1 {
		t.Errorf("%d asked", winners)
	}
}
