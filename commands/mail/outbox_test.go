package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/eventstore"
	"shop/migrations/pgtest"
)

// post is an outbox with a worker whose time stands still, and a transport that does as it is told.
type post struct {
	*Worker
	t    *testing.T
	db   *pgxpool.Pool
	time time.Time
	logs *bytes.Buffer

	mu   sync.Mutex
	sent []Message
	// answer decides a delivery; nil: it succeeds.
	answer func(m Message) error
}

func (p *post) Send(_ context.Context, m Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answer != nil {
		if err := p.answer(m); err != nil {
			return err
		}
	}
	p.sent = append(p.sent, m)
	return nil
}

// Compose writes to the person a stream is named after; nobody is behind an empty one.
func (p *post) Compose(_ context.Context, kind Kind, stream string, _ eventstore.Version) (string, Content, error) {
	switch stream {
	case "order-erased":
		return "", nil, nil
	case "order-broken":
		return "", nil, errors.New("the log cannot be read")
	}
	known, _ := kindOf(kind)
	return "anna@example.com", known.sample, nil
}

func open(t *testing.T) *post {
	t.Helper()
	p := &post{t: t, db: pgtest.Open(t), time: noon, logs: &bytes.Buffer{}}
	outbox, err := NewOutbox(p.db, bytes.Repeat([]byte("k"), 32), func() time.Time { return p.time })
	if err != nil {
		t.Fatal(err)
	}
	p.Worker = &Worker{Outbox: outbox, Composer: p, Renderer: dala, Transport: p, Tries: 3, Logger: slog.New(slog.NewTextHandler(p.logs, nil))}
	return p
}

func (p *post) enqueue(l Letter) {
	p.t.Helper()
	if err := p.Outbox.Enqueue(p.t.Context(), p.db, l); err != nil {
		p.t.Fatal(err)
	}
}

// event puts a letter for an event into the outbox.
func (p *post) event(id domain.ID, stream string) {
	p.t.Helper()
	e := eventstore.Event{ID: id, Stream: stream, Version: 1, RecordedAt: p.time}
	if err := p.Outbox.EnqueueCalls(p.t.Context(), p.db, []Call{{Kind: KindOrderPlaced, Event: e}}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *post) once(want int) {
	p.t.Helper()
	n, err := p.Once(p.t.Context())
	if err != nil || n != want {
		p.t.Fatalf("%d letters in hand, want %d: %v", n, want, err)
	}
}

func (p *post) rows() (n int) {
	p.t.Helper()
	if err := p.db.QueryRow(p.t.Context(), "SELECT count(*) FROM mail_jobs").Scan(&n); err != nil {
		p.t.Fatal(err)
	}
	return n
}

// remembered is a row of mail_sent.
type remembered struct {
	ID     domain.ID
	Kind   Kind
	SentAt time.Time
}

// remembers says which letters are known to be sent, the earliest first.
func (p *post) remembers(want ...remembered) {
	p.t.Helper()
	rows, err := p.db.Query(p.t.Context(), "SELECT id, kind, sent_at FROM mail_sent ORDER BY sent_at")
	if err != nil {
		p.t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowToStructByName[remembered])
	same := func(a, b remembered) bool { return a.ID == b.ID && a.Kind == b.Kind && a.SentAt.Equal(b.SentAt) }
	if err != nil || !slices.EqualFunc(got, want, same) {
		p.t.Errorf("%v are known to be sent, want %v: %v", got, want, err)
	}
}

func (p *post) list(all bool) []Entry {
	p.t.Helper()
	entries, err := p.Outbox.List(p.t.Context(), all)
	if err != nil {
		p.t.Fatal(err)
	}
	return entries
}

var (
	anna  = uuid.UUID{15: 9}
	reset = Letter{ID: uuid.UUID{15: 1}, Person: anna, To: "anna@example.com", Content: ResetCode{Name: "Анна", Code: "402817", Until: noon.Add(15 * time.Minute)}, Expires: noon.Add(15 * time.Minute)}
)

func TestALetterIsSentOnceAndLeavesOnlyItsTime(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.enqueue(reset)
	p.enqueue(reset) // a repeat by its id
	p.event(uuid.UUID{15: 2}, "order-1")
	p.event(uuid.UUID{15: 2}, "order-1")
	var stored string
	if err := p.db.QueryRow(t.Context(), "SELECT string_agg(j::text || encode(coalesce(sealed, ''), 'escape'), '') FROM mail_jobs j").Scan(&stored); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"402817", "anna", "Анна"} {
		if strings.Contains(stored, secret) {
			t.Errorf("%s waits readable", secret)
		}
	}
	p.once(2)
	p.once(0)
	if len(p.sent) != 2 || p.rows() != 0 {
		t.Fatalf("%d sent, %d rows", len(p.sent), p.rows())
	}
	p.remembers(remembered{uuid.UUID{15: 2}, KindOrderPlaced, noon}) // what no event called for is nobody's history
	for _, m := range p.sent {
		if m.To != "anna@example.com" {
			t.Errorf("to %s", m.To)
		}
		if m.Kind == KindResetCode && (m.ID != "00000000-0000-0000-0000-000000000001@shop.example" || !strings.Contains(m.Text, "402817")) {
			t.Errorf("%+v", m)
		}
		if m.Kind == KindOrderPlaced && m.ID != "00000000-0000-0000-0000-000000000002@shop.example" {
			t.Errorf("%+v", m)
		}
	}
}

func TestALetterIsWrittenWithItsTransaction(t *testing.T) {
	t.Parallel()
	p := open(t)
	undone := errors.New("undone")
	err := pgx.BeginFunc(t.Context(), p.db, func(tx pgx.Tx) error {
		if err := p.Outbox.Enqueue(t.Context(), tx, reset); err != nil {
			return err
		}
		return undone
	})
	if !errors.Is(err, undone) || p.rows() != 0 {
		t.Errorf("%v, %d rows", err, p.rows())
	}
}

func TestWhatFailsForNowIsTriedAgainLaterAndLater(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.answer = func(Message) error { return errors.New("452 4.2.2 while sending") }
	p.event(uuid.UUID{15: 2}, "order-1")
	var pauses []time.Duration
	for attempt := range 3 {
		p.once(1)
		p.once(0) // not at once
		if attempt == 2 {
			break
		}
		entry := p.list(true)[0]
		if entry.State != Waiting || entry.Attempts != attempt+1 || entry.Error != "452 4.2.2 while sending" {
			t.Errorf("%+v", entry)
		}
		pauses = append(pauses, entry.DueAt.Sub(p.time))
		p.time = entry.DueAt
	}
	if pauses[0] < 5*time.Second || pauses[0] > 15*time.Second || pauses[1] < 10*time.Second || pauses[1] > 30*time.Second {
		t.Errorf("pauses %v", pauses)
	}
	dead := p.list(false)
	if len(dead) != 1 || dead[0].State != Dead || dead[0].Stream != "order-1" {
		t.Fatalf("%+v", dead)
	}
	p.time = p.time.AddDate(0, 0, 7)
	p.once(0)

	// Staff have mended the cause.
	p.answer = nil
	if n, err := p.Outbox.Retry(t.Context(), uuid.UUID{15: 3}); err != nil || n != 0 {
		t.Errorf("another's: %d, %v", n, err)
	}
	if n, err := p.Outbox.Retry(t.Context(), dead[0].ID); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	p.once(1)
	if len(p.sent) != 1 || p.rows() != 0 {
		t.Errorf("%d sent, %d rows", len(p.sent), p.rows())
	}
	if pauseAfter(1000) > 2*longest || pauseAfter(1000) < longest/2 || pauseAfter(0) > 2*shortest {
		t.Error("pauses without bounds")
	}
}

func TestWhatIsRefusedForGoodIsDeadAtOnce(t *testing.T) {
	t.Parallel()
	p := open(t)
	server := listen(t)
	server.answer = func(verb, line string) string {
		if verb == "RCPT" {
			return "550 5.1.1 " + line + " is unknown"
		}
		return ""
	}
	p.Transport = dial(t, server.start().url(""))
	p.enqueue(reset)
	p.once(1)
	dead := p.list(false)
	if len(dead) != 1 || dead[0].Attempts != 1 || dead[0].Error != "rejected: 550 5.1.1 while sending SMTP RCPT TO command" {
		t.Fatalf("%+v", dead)
	}
	for _, secret := range []string{"anna", "Анна", "402817"} {
		if strings.Contains(p.logs.String(), secret) {
			t.Errorf("the log has %s: %s", secret, p.logs)
		}
	}
	if !strings.Contains(p.logs.String(), "550 5.1.1") {
		t.Errorf("the log says %s", p.logs)
	}
	depth, err := DepthOf(t.Context(), p.db)
	if err != nil || depth != (Depth{Dead: 1}) {
		t.Errorf("%+v, %v", depth, err)
	}

	if found, err := p.Outbox.Skip(t.Context(), dead[0].ID, "staff:cli", "mistyped"); err != nil || !found {
		t.Errorf("%v, %v", found, err)
	}
	if found, _ := p.Outbox.Skip(t.Context(), dead[0].ID, "staff:cli", "again"); found {
		t.Error("given up twice")
	}
	var sealed []byte
	var by string
	if err := p.db.QueryRow(t.Context(), "SELECT sealed, skipped_by FROM mail_jobs").Scan(&sealed, &by); err != nil || sealed != nil || by != "staff:cli" {
		t.Errorf("%q, %s, %v", sealed, by, err)
	}
	if n, _ := p.Outbox.Retry(t.Context(), uuid.Nil); n != 0 || len(p.list(false)) != 0 || p.list(true)[0].Reason != "mistyped" {
		t.Errorf("%d, %+v", n, p.list(true))
	}
}

// A process may die, or lose its database, after the server took the letter and before the outbox knows.
func TestACrashAfterTheDeliveryRepeatsTheSameLetter(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.event(uuid.UUID{15: 2}, "order-1")
	server := listen(t)
	server.start()
	transport := dial(t, server.url(""))
	ctx, crash := context.WithCancel(t.Context())
	jobs, err := p.Outbox.claim(ctx, 2*time.Minute, 1)
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}
	p.Transport = sendThen{transport, crash}
	if err := p.deliver(ctx, jobs[0]); err == nil {
		t.Fatal("the outbox knows of the delivery in spite of the crash")
	}
	if len(server.all()) != 1 || p.rows() != 1 {
		t.Fatalf("%d sent, %d rows", len(server.all()), p.rows())
	}
	p.remembers()

	p.Transport = transport
	p.once(0) // the lease of the dead one
	p.time = p.time.Add(2 * time.Minute)
	p.once(1)
	mails := server.all()
	if len(mails) != 2 || p.rows() != 0 {
		t.Fatalf("%d sent, %d rows", len(mails), p.rows())
	}
	p.remembers(remembered{uuid.UUID{15: 2}, KindOrderPlaced, noon.Add(2 * time.Minute)})
	first, _, _ := alternatives(t, mails[0].data)
	second, _, _ := alternatives(t, mails[1].data)
	for _, same := range []string{"Message-Id", "Date", "Subject"} {
		if first.Get(same) == "" || first.Get(same) != second.Get(same) {
			t.Errorf("%s: %q and %q", same, first.Get(same), second.Get(same))
		}
	}
}

// sendThen does something right after a delivery.
type sendThen struct {
	Transport
	then func()
}

func (s sendThen) Send(ctx context.Context, m Message) error {
	err := s.Transport.Send(ctx, m)
	s.then()
	return err
}

func TestWorkersShareAnOutbox(t *testing.T) {
	t.Parallel()
	p := open(t)
	for n := range 100 {
		p.event(uuid.UUID{0: byte(n), 15: 2}, "order-1")
	}
	other := &Worker{Outbox: p.Outbox, Composer: p, Renderer: dala, Transport: p}
	var wait sync.WaitGroup
	for _, w := range []*Worker{p.Worker, other, p.Worker, other} {
		wait.Go(func() {
			for {
				n, err := w.Once(t.Context())
				if err != nil {
					t.Error(err)
				}
				if n == 0 || err != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	ids := map[string]bool{}
	for _, m := range p.sent {
		ids[m.ID] = true
	}
	if len(p.sent) != 100 || len(ids) != 100 || p.rows() != 0 {
		t.Errorf("%d sent, %d different, %d rows", len(p.sent), len(ids), p.rows())
	}
}

func TestErasedAndExpiredLettersVanish(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.event(uuid.UUID{15: 2}, "order-erased")
	p.once(1)
	if len(p.sent) != 0 || p.rows() != 0 {
		t.Errorf("erased: %d sent, %d rows", len(p.sent), p.rows())
	}

	p.enqueue(reset)
	farewell := Letter{To: "anna@example.com", Content: AccountErased{Name: "Анна", Orders: 1}}
	p.enqueue(farewell)
	if err := p.Outbox.Forget(t.Context(), p.db, anna); err != nil {
		t.Fatal(err)
	}
	p.once(1)
	if len(p.sent) != 1 || p.sent[0].Kind != KindAccountErased || p.rows() != 0 {
		t.Errorf("forgotten: %+v, %d rows", p.sent, p.rows())
	}

	p.enqueue(reset)
	p.time = reset.Expires
	p.once(0)
	if len(p.sent) != 1 || p.rows() != 0 {
		t.Errorf("expired: %+v, %d rows", p.sent, p.rows())
	}
}

func TestWhatCannotBeWrittenIsNoSilence(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.event(uuid.UUID{15: 2}, "order-broken")
	p.once(1)
	if entry := p.list(true)[0]; entry.State != Waiting || entry.Error != "the log cannot be read" {
		t.Errorf("%+v", entry)
	}
	if err := p.Outbox.Enqueue(t.Context(), p.db, Letter{To: "anna", Content: Welcome{}}); err == nil || p.rows() != 1 {
		t.Errorf("%v", err)
	}

	// Sealed by another shop.
	stranger, err := NewOutbox(p.db, bytes.Repeat([]byte("x"), 32), func() time.Time { return p.time })
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Enqueue(t.Context(), p.db, reset); err != nil {
		t.Fatal(err)
	}
	p.once(1)
	if len(p.sent) != 0 || p.list(true)[0].Error == "" {
		t.Errorf("%+v", p.list(true))
	}
}

func TestRunSendsWhatComesAndStops(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.Every = 5 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Run(ctx) }()
	p.enqueue(reset)
	for began := time.Now(); p.rows() > 0 && time.Since(began) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-ended
	if len(p.sent) != 1 {
		t.Errorf("%+v", p.sent)
	}
}

func TestALetterSentAgainKeepsItsFirstTime(t *testing.T) {
	t.Parallel()
	p := open(t)
	for range 2 { // whoever reads the log may die before saying how far, and then calls for it once more
		p.event(uuid.UUID{15: 2}, "order-1")
		p.once(1)
		p.time = p.time.Add(time.Hour)
	}
	p.event(uuid.UUID{15: 3}, "order-erased")
	p.once(1)
	p.remembers(remembered{uuid.UUID{15: 2}, KindOrderPlaced, noon})
}

func TestWhatWasSentIsForgottenInTheEnd(t *testing.T) {
	t.Parallel()
	p := open(t)
	for n := range byte(6) {
		p.event(uuid.UUID{15: n + 1}, "order-1")
		p.once(1)
		p.time = p.time.Add(24 * time.Hour)
	}
	if err := p.Outbox.forgetSent(t.Context(), noon.Add(5*24*time.Hour), 2); err != nil {
		t.Fatal(err)
	}
	p.remembers(remembered{uuid.UUID{15: 6}, KindOrderPlaced, noon.Add(5 * 24 * time.Hour)})

	p.time = p.time.Add(401 * 24 * time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Run(ctx) }()
	for left, began := 1, time.Now(); left > 0 && time.Since(began) < time.Minute; {
		if err := p.db.QueryRow(t.Context(), "SELECT count(*) FROM mail_sent").Scan(&left); err != nil {
			t.Error(err)
			break
		}
	}
	cancel()
	<-ended
	p.remembers()
}

func TestTheBeginningIsRemembered(t *testing.T) {
	t.Parallel()
	p := open(t)
	for range 2 {
		at, err := p.Outbox.Started(t.Context())
		if err != nil || !at.Equal(noon) {
			t.Errorf("%v, %v", at, err)
		}
		p.time = p.time.Add(time.Hour)
	}
}

func TestWhoWaitsForACodeIsWrittenToFirst(t *testing.T) {
	t.Parallel()
	p := open(t)
	for i := range taken {
		p.event(uuid.UUID{14: 1, 15: byte(i)}, fmt.Sprint("order-", i))
	}
	p.time = p.time.Add(time.Minute)
	p.enqueue(reset)
	p.once(taken)
	sent := slices.ContainsFunc(p.sent, func(m Message) bool { return strings.Contains(m.Text, "402817") })
	if !sent {
		t.Errorf("the code was not among the first %d letters; %d letters of orders had come before it", taken, taken)
	}
}

func TestLettersKeepToTheRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate    float64
		letters int
		want    time.Duration
	}{
		{0, taken, 0}, {20, taken, 800 * time.Millisecond}, {1, taken, 16 * time.Second},
		{0, 5, 500 * time.Millisecond}, {20, 5, 500 * time.Millisecond}, {20, 15, 750 * time.Millisecond}, {1, 5, 5 * time.Second}, {1, 0, 500 * time.Millisecond},
	} {
		if got := (&Worker{Rate: c.rate}).pause(c.letters); got != c.want {
			t.Errorf("%d letters at %v a second take %v, want %v", c.letters, c.rate, got, c.want)
		}
	}
}
