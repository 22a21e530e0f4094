package accounts

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations/pgtest"
)

// looksSent counts the statements that look for tokens.
type looksSent struct{ atomic.Int64 }

func (n *looksSent) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "FROM customer_tokens WHERE token = ") {
		n.Add(1)
	}
	return ctx
}

func (n *looksSent) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestEachRequestOfManyIsOfItsOwnAccount: hundreds of requests ask at once, each with a token of its own, and share their looks. A
// third is of sign-ins that are ended meanwhile, a third of sign-ins that have run out.
func TestEachRequestOfManyIsOfItsOwnAccount(t *testing.T) {
	t.Parallel()
	db, ctx := pgtest.Open(t), t.Context()
	var sent looksSent
	config := db.Config()
	config.ConnConfig.Tracer, config.MaxConns = &sent, 2
	counted, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer counted.Close()
	now := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	a := New(counted, Options{Secret: make([]byte, 32), Clock: func() time.Time { return now }})
	const people = 300
	tokens, ids := make([]string, people), make([]uuid.UUID, people)
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		for i := range people {
			ids[i] = uuid.New()
			if _, err := tx.Exec(ctx, "INSERT INTO customer_accounts (id, email, password, created_at, opened_at) VALUES ($1, $2, 'x', now(), now())", ids[i], []byte(fmt.Sprint(i))); err != nil {
				return err
			}
			var err error
			if tokens[i], err = a.Issue(ctx, tx, ids[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	runOut := func(i int) bool { return i%3 == 1 }
	for i := range people {
		if runOut(i) {
			if _, err := db.Exec(ctx, "UPDATE customer_tokens SET ends_at = $2 WHERE account = $1", ids[i], now); err != nil {
				t.Fatal(err)
			}
		}
	}
	holds := func(i int, want bool) {
		id, err := a.Holder(ctx, tokens[i])
		if want && (err != nil || id != ids[i]) {
			t.Errorf("request %d is of %s, not of %s: %v", i, id, ids[i], err)
		}
		if !want && (!errors.Is(err, ErrNoToken) || id != uuid.Nil) {
			t.Errorf("request %d, whose sign-in has ended, is of %s: %v", i, id, err)
		}
	}
	// While the connections are taken, the requests gather.
	var taken []*pgxpool.Conn
	for range 2 {
		conn, err := counted.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, conn)
	}
	var all sync.WaitGroup
	for i := range people {
		all.Go(func() { holds(i, !runOut(i)) })
	}
	for a.looks.Waiting() < people/2 {
		runtime.Gosched()
	}
	for _, conn := range taken {
		conn.Release()
	}
	all.Wait()
	if n := sent.Load(); n > people/10 {
		t.Errorf("%d requests took %d statements", people, n)
	}
	// What was ended before a request came is refused, whoever else asks at that moment.
	for i := range people {
		all.Go(func() {
			ends := i%3 == 2
			if ends {
				if n, err := a.EndSessions(ctx, ids[i], ""); err != nil || n != 1 {
					t.Errorf("end of sign-in %d: %d, %v", i, n, err)
				}
			}
			holds(i, !ends && !runOut(i))
		})
	}
	all.Wait()
}
