package policies

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"time"

	"shop/commands/payments"
	"shop/eventstore"
)

// ledger has statements, and notes what it was asked and told.
type ledger struct {
	mu      sync.Mutex
	asked   []string
	settled []string
	lines   []payments.Notification
	broken  map[string]error
}

func (l *ledger) Accounts() []string { return []string{"new", "former"} }

func (l *ledger) Statement(_ context.Context, account string, since, until time.Time) ([]payments.Notification, error) {
	l.asked = append(l.asked, account+" "+until.Sub(since).String())
	if account == "former" {
		return nil, l.broken[account]
	}
	return l.lines, nil
}

func (l *ledger) Settle(_ context.Context, n payments.Notification) (eventstore.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settled = append(l.settled, string(n.Outcome)+" "+n.Receipt)
	return 0, l.broken[n.Receipt]
}

func TestReconcileGoesBackAsFarAsNeeded(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	away := errors.New("away")
	l := &ledger{broken: map[string]error{"former": away}, lines: []payments.Notification{
		{PaymentID: "p", Outcome: payments.Refunded, Receipt: "1"}, {PaymentID: "p", Outcome: payments.Paid, Receipt: "2"}, {PaymentID: "p", Outcome: payments.Paid, Receipt: "3"},
	}}
	p := &Reconcile{Orders: l, Clock: func() time.Time { return at }, Logger: slog.New(slog.DiscardHandler)}
	look := func(want error, asked ...string) {
		t.Helper()
		l.asked = nil
		if err := p.Once(t.Context()); !errors.Is(err, want) {
			t.Errorf("error is %v", err)
		}
		if !reflect.DeepEqual(l.asked, asked) {
			t.Errorf("asked %q, want %q", l.asked, asked)
		}
		at = at.Add(10 * time.Minute)
	}
	look(away, "new 120h0m0s", "former 120h0m0s") // one that is away does not send the other back
	if want := []string{"paid 2", "paid 3", "refunded 1"}; !reflect.DeepEqual(l.settled, want) {
		t.Errorf("settled %q, want %q", l.settled, want)
	}
	l.broken = map[string]error{"3": away}
	look(nil, "new 2h10m0s", "former 120h0m0s")
	l.broken = nil
	look(nil, "new 2h20m0s", "former 2h10m0s") // a line that could not be settled comes again
	look(nil, "new 2h10m0s", "former 2h10m0s")
}
