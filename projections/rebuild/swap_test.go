package rebuild

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/migrations/pgtest"
	"shop/projections"
)

// half is a row of one of the two tables of pair; both hold the same, and the version of the program that folded it.
type half struct {
	Product domain.ID `json:"product_id"`
	OnHand  int64     `json:"on_hand"`
	Version int       `json:"version"`
}

// wide is what half became in version 2.
type wide struct {
	Product domain.ID `json:"product_id"`
	OnHand  int64     `json:"on_hand"`
	Version int       `json:"version"`
	Note    string    `json:"note"`
}

// pair is a projection of two tables, so that a reader can tell whether it saw both of the same version. From version 2
// on they have columns more.
func pair(version int) projections.Projection {
	p := projections.Projection{Name: "pair", Version: version}
	for _, name := range []string{"one", "two"} {
		if version == 1 {
			p.Tables = append(p.Tables, pairTable(name, "", func(h *half, e stock.Received) { *h = half{e.ProductID, e.OnHand, version} }))
		} else {
			p.Tables = append(p.Tables, pairTable(name, ", note text NOT NULL, doubled bigint GENERATED ALWAYS AS (on_hand * 2) STORED",
				func(w *wide, e stock.Received) {
					*w = wide{Product: e.ProductID, OnHand: e.OnHand, Version: version, Note: "новое"}
				}))
		}
	}
	return p
}

func pairTable[R any](name, more string, set func(*R, stock.Received)) projections.Table[R] {
	return projections.Table[R]{
		Name: name, Key: "product_id", KeyType: "uuid",
		DDL:      "CREATE TABLE " + name + " (product_id uuid PRIMARY KEY, on_hand bigint NOT NULL, version integer NOT NULL" + more + ")",
		Indexes:  "CREATE INDEX ON " + name + " (on_hand)",
		Personal: []string{"on_hand"},
		Events:   []domain.Event{stock.Received{}},
		Keys:     keyAfter("stock-"),
		Fold: func(_ string, row *R, e eventstore.Event) bool {
			set(row, e.Data.(stock.Received))
			return true
		},
	}
}

func product(n int) domain.ID { return uuid.NewSHA1(uuid.Nil, []byte(fmt.Sprint(n))) }

// receive says how many pieces of a product there are.
func (r running) receive(t *testing.T, n int, onHand int64) eventstore.Position {
	t.Helper()
	return r.put(t, stock.Stream(product(n)), stock.Received{ProductID: product(n), OnHand: onHand, At: noon})
}

// readers read both tables all the time, by statements that stay prepared, and count what they should never see.
type readers struct {
	stop  chan struct{}
	group sync.WaitGroup
	mu    sync.Mutex
	wrong []string
	reads int
}

func (r running) read(t *testing.T, atLeast int) *readers {
	t.Helper()
	rs := &readers{stop: make(chan struct{})}
	ctx := context.WithoutCancel(t.Context())
	complain := func(format string, args ...any) {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		rs.wrong = append(rs.wrong, fmt.Sprintf(format, args...))
	}
	for _, sql := range []string{
		"SELECT count(*), count(*) FILTER (WHERE one.version <> two.version OR one.on_hand <> two.on_hand) FROM pair.one FULL JOIN pair.two USING (product_id)",
		"SELECT count(*), (count(DISTINCT v) - 1) * count(*) FROM (SELECT version AS v FROM pair.one UNION ALL SELECT version FROM pair.two) both_tables",
		"SELECT (to_json(o)->>'on_hand')::int8 * 0 + (SELECT count(*) FROM pair.two), 0 FROM pair.one o LIMIT 1",
	} {
		rs.group.Go(func() {
			for {
				select {
				case <-rs.stop:
					return
				default:
				}
				var rows, mixed int
				if err := r.db.QueryRow(ctx, sql).Scan(&rows, &mixed); err != nil {
					complain("a read failed: %v", err)
				} else if rows < atLeast || mixed != 0 {
					complain("a read saw %d rows, %d of them mixed", rows, mixed)
				}
				rs.mu.Lock()
				rs.reads++
				rs.mu.Unlock()
			}
		})
	}
	return rs
}

// forward checks that nothing goes back: what a reader saw once, a later read shows too.
func (rs *readers) forward(t *testing.T, r running) {
	rs.group.Go(func() {
		for last := int64(0); ; {
			select {
			case <-rs.stop:
				return
			default:
			}
			var sum int64
			err := r.db.QueryRow(context.WithoutCancel(t.Context()), "SELECT sum(on_hand)::bigint FROM pair.one").Scan(&sum)
			if err != nil || sum < last {
				rs.mu.Lock()
				rs.wrong = append(rs.wrong, fmt.Sprintf("a read saw %d after %d, %v", sum, last, err))
				rs.mu.Unlock()
			}
			last = sum
		}
	})
}

func (rs *readers) done(t *testing.T) {
	t.Helper()
	close(rs.stop)
	rs.group.Wait()
	if len(rs.wrong) > 0 {
		t.Errorf("%d of %d reads were wrong: %s", len(rs.wrong), rs.reads, strings.Join(rs.wrong[:min(3, len(rs.wrong))], "; "))
	}
	if rs.reads < 100 {
		t.Errorf("only %d reads: nothing is proved", rs.reads)
	}
}

func TestReadersNoticeNeitherSwapsNorRollbacks(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	const products = 200
	var last eventstore.Position
	for n := range products {
		last = r.receive(t, n, 1)
	}
	r.wait(t, p.Name, last)
	rs := r.read(t, products)
	rs.forward(t, r)
	writing, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 1; writing.Err() == nil; n++ {
			last = r.receive(t, n%products, int64(n))
		}
	})
	builder := r.builder(p)
	for range 4 {
		b, err := r.rebuild(t, p)
		if err != nil {
			t.Fatal(err)
		}
		if !b.Report.Equal() || b.Report.Compared != 2*products || b.LockTime > swapLockTimeout+time.Second {
			t.Errorf("build: locked for %s, report %+v", b.LockTime, b.Report)
		}
		for range 2 {
			back, err := builder.Rollback(t.Context(), p.Name)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("swap locked %s, rollback locked %s, took %s", b.LockTime, back.LockTime, back.Took)
		}
	}
	stop()
	writer.Wait()
	r.wait(t, p.Name, last)
	rs.done(t)
	r.equal(t, p)
	expect(t, pgtest.All[string](t, r.db, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'pair%' ORDER BY 1"), "pair", "pair_old")
}

// equal says that the live read model is what the log makes of it.
func (r running) equal(t *testing.T, p projections.Projection) {
	t.Helper()
	b, err := r.run(t, p, BuildOptions{Kind: Verify})
	if err != nil {
		t.Fatal(err)
	}
	if !b.Report.Equal() || b.Report.Compared == 0 {
		t.Errorf("the live read model is not what the log makes of it: %+v", b.Report)
	}
}

func TestDeployingAnotherVersionWhileTheOldOneRuns(t *testing.T) {
	t.Parallel()
	old, now := pair(1), pair(2)
	r := follow(t, old)
	const products = 200
	var last eventstore.Position
	for n := range products {
		last = r.receive(t, n, 1)
	}
	r.wait(t, old.Name, last)
	rs := r.read(t, products)
	var written atomic.Int64
	writing, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 0; writing.Err() == nil; n++ {
			written.Store(int64(r.receive(t, n%products, int64(n))))
		}
	})
	// Two processes of the new version start at once.
	var starting sync.WaitGroup
	for range 2 {
		starting.Go(func() {
			if _, err := r.builder(now).Deploy(t.Context(), now); err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	fresh := r.start(t, now)
	expect(t, pgtest.All[int](t, r.db, "SELECT DISTINCT version FROM pair.one"), 2)

	// A process of the old version that starts again leaves the newer tables alone.
	changed, err := r.builder(old).Deploy(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, changed)
	until := written.Load() + 20 // the old feed shall have events to keep its hands off
	eventually(t, "more events", func() bool { return written.Load() > until })
	stop()
	writer.Wait()
	last = eventstore.Position(written.Load())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := fresh.WaitFor(ctx, now.Name, last); err != nil {
		t.Fatal(err)
	}
	r.wait(t, old.Name, last) // the old process's readers may wait for it as ever
	expect(t, pgtest.All[int](t, r.db, "SELECT DISTINCT version FROM pair.two"), 2)
	expect(t, pgtest.All[int64](t, r.db, "SELECT count(*) FROM eventstore.dead_letters"), 0)
	expect(t, pgtest.All[string](t, r.db, "SELECT role || version FROM projections.models ORDER BY 1"), "live2", "previous1")
	r.equal(t, now)

	// Back to the old version: its processes go on, from where its tables stood.
	back, err := r.builder(now).Rollback(t.Context(), now.Name)
	if err != nil || back.Version != 1 {
		t.Fatalf("rollback: %+v, %v", back, err)
	}
	last = r.receive(t, 0, 77)
	r.wait(t, old.Name, last)
	expect(t, pgtest.All[int](t, r.db, "SELECT DISTINCT version FROM pair.one"), 1)
	r.equal(t, old)
	rs.done(t)
}

func TestRollback(t *testing.T) {
	t.Parallel()
	p := pair(1)
	r := follow(t, p)
	builder := r.builder(p)
	if _, err := builder.Rollback(t.Context(), p.Name); !errors.Is(err, ErrNoPrevious) {
		t.Errorf("a rollback to nothing: %v", err)
	}
	r.wait(t, p.Name, r.receive(t, 1, 5))
	if _, err := r.db.Exec(t.Context(), "UPDATE pair.one SET on_hand = 99"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.rebuild(t, p); err != nil {
		t.Fatal(err)
	}
	expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM pair.one"), 5)
	r.wait(t, p.Name, r.receive(t, 2, 6))
	// What was live comes back as it was, with what happened since, and goes on.
	for _, want := range []int64{99, 5, 99} {
		done, err := builder.Rollback(t.Context(), p.Name)
		if err != nil {
			t.Fatal(err)
		}
		if done.Took <= 0 || done.LockTime <= 0 || done.LockTime > done.Took {
			t.Errorf("times of a rollback: %+v", done)
		}
		expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM pair.one WHERE on_hand <> 6"), want)
		expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM pair.one WHERE on_hand = 6"), 6)
	}
	r.wait(t, p.Name, r.receive(t, 3, 7))
	expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM pair.one ORDER BY 1"), 6, 7, 99)
	models, err := builder.Models(t.Context())
	if err != nil || len(models) != 2 || models[0].Role != "live" || models[1].Role != "previous" || models[1].ReplacedAt.IsZero() || models[1].Position == 0 {
		t.Errorf("models %+v, %v", models, err)
	}
}

// What was parked when the tables were replaced is missing in them, and is parked again when they come back.
func TestRollbackBringsDeadLettersBack(t *testing.T) {
	t.Parallel()
	p := pair(1)
	unlucky := p
	table := p.Tables[0].(projections.Table[half])
	table.Fold = func(key string, h *half, e eventstore.Event) bool {
		if e.Data.(stock.Received).OnHand == 13 {
			panic("unlucky")
		}
		return p.Tables[0].(projections.Table[half]).Fold(key, h, e)
	}
	unlucky.Tables = []projections.AnyTable{table, p.Tables[1]}
	r := follow(t, unlucky)
	r.receive(t, 1, 12)
	bad := r.receive(t, 1, 13)
	r.wait(t, p.Name, bad)
	const parked = "SELECT position FROM eventstore.dead_letters"
	expect(t, pgtest.All[int64](t, r.db, parked), int64(bad))
	if _, err := r.rebuild(t, p); err != nil {
		t.Fatal(err)
	}
	expect(t, pgtest.All[int64](t, r.db, parked))
	behind := r.receive(t, 1, 14)
	r.wait(t, p.Name, behind)
	if _, err := r.builder(p).Rollback(t.Context(), p.Name); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the event behind is parked again", func() bool { return len(pgtest.All[int64](t, r.db, parked)) == 2 })
	expect(t, pgtest.All[int64](t, r.db, parked+" ORDER BY 1"), int64(bad), int64(behind))
	expect(t, pgtest.All[int64](t, r.db, "SELECT on_hand FROM pair.one"), 12)
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}
