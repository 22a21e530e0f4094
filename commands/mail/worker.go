package mail

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"shop/eventstore"
)

// Composer reads a letter's content from the log; the policy that requested the letter implements it.
type Composer interface {
	// Compose returns the recipient and content of the letter that an event causes. A nil content: no letter is sent, because
	// the person is erased or the letter would be out of date.
	Compose(ctx context.Context, kind Kind, stream string, version eventstore.Version) (to string, c Content, err error)
}

// Worker sends the letters of an outbox. Several workers may share one.
type Worker struct {
	Outbox   *Outbox
	Composer Composer
	Renderer *Renderer
	// Sender is the shop as it calls itself now; nil: as the renderer has it.
	Sender func(context.Context) (Shop, error)
	// Wording has the texts that staff changed; the zero one has none.
	Wording   Wording
	Transport Transport
	// Every is the pause between polls of an outbox with nothing due. Default 500ms.
	Every time.Duration
	// Lease is how long a letter in the hands of a process that died waits for another. Default 2m; it must be longer than a delivery takes.
	Lease time.Duration
	// Tries is how many attempts a letter gets. Default 16, which is some 8 hours.
	Tries int
	// Rate is how many letters a second are sent at most, over some seconds: mail servers bear no more, and a sale's
	// letters may wait while its orders do not. 0: no limit.
	Rate float64
	// Logger gets what went wrong. Default slog.Default().
	Logger *slog.Logger

	once         sync.Once
	sent, failed metric.Int64Counter
}

// At once a worker sends hand letters, of those it took.
const (
	hand  = 4
	taken = 16
	// grace is how long a delivery may continue after the worker was stopped.
	grace = 3 * time.Second
	// shortest and longest bound the pause before another attempt.
	shortest, longest = 10 * time.Second, time.Hour
	// keptSkipped is how long it is remembered that a letter was given up.
	keptSkipped = 30 * 24 * time.Hour
	// keptSent is how long it is remembered when a letter was sent; forgottenAtOnce is how many are then forgotten by one statement.
	keptSent        = 400 * 24 * time.Hour
	forgottenAtOnce = 5000
)

// Observe makes the worker's metrics, so that they are there before the first letter.
func (w *Worker) Observe() {
	w.once.Do(func() {
		meter := otel.Meter("shop/mail")
		// A valid constant name cannot fail; the value returned with an error does nothing and is safe.
		w.sent, _ = meter.Int64Counter("shop.mails.sent", metric.WithUnit("{mail}"), metric.WithDescription("Letters handed over, by kind"))
		w.failed, _ = meter.Int64Counter("shop.mails.failed", metric.WithUnit("{mail}"),
			metric.WithDescription("Attempts that failed, by kind and by what follows: retry or dead"))
	})
}

// Run sends letters until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	var swept time.Time
	for {
		begun := time.Now()
		n, err := w.Once(ctx)
		if err != nil && ctx.Err() == nil {
			w.log().ErrorContext(ctx, "send mails", "error", err)
		}
		if now := w.Outbox.now(); now.Sub(swept) > time.Hour {
			swept = now
			if _, err := w.Outbox.db.Exec(ctx, `DELETE FROM mail_jobs WHERE skipped_at < $1`, now.Add(-keptSkipped)); err != nil && ctx.Err() == nil {
				w.log().ErrorContext(ctx, "forget skipped mails", "error", err)
			}
			if err := w.Outbox.forgetSent(ctx, now.Add(-keptSent), forgottenAtOnce); err != nil && ctx.Err() == nil {
				w.log().ErrorContext(ctx, "forget sent mails", "error", err)
			}
			if err := w.Outbox.forgetPaces(ctx); err != nil && ctx.Err() == nil {
				w.log().ErrorContext(ctx, "forget who was written to", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(w.pause(n) - time.Since(begun)):
		}
	}
}

// pause is the time between the beginnings of two polls when the first found n letters: as long as n letters take at the rate,
// and at least Every when no more are due.
func (w *Worker) pause(n int) (pause time.Duration) {
	if w.Rate > 0 {
		pause = time.Duration(float64(n) / w.Rate * float64(time.Second))
	}
	if n < taken {
		pause = max(pause, orElse(w.Every, 500*time.Millisecond))
	}
	return pause
}

// Once makes one attempt at some of the letters that are due, and tells at how many.
func (w *Worker) Once(ctx context.Context) (int, error) {
	jobs, err := w.Outbox.claim(ctx, orElse(w.Lease, 2*time.Minute), taken)
	if err != nil {
		return 0, err
	}
	// Letters in the hand are finished; those still to come wait for their lease to end, or for another process.
	ending, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, end) })()
	failures := make([]error, len(jobs))
	var wait sync.WaitGroup
	slots := make(chan struct{}, hand)
	for i, j := range jobs {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() == nil {
				failures[i] = w.deliver(ending, j)
			} else {
				failures[i] = w.Outbox.again(ending, j, "", 0)
			}
		})
	}
	wait.Wait()
	return len(jobs), errors.Join(failures...)
}

// deliver makes one attempt at a letter. Its error is of the outbox; that of the letter is kept with it.
func (w *Worker) deliver(ctx context.Context, j job) error {
	w.Observe()
	of := metric.WithAttributes(attribute.String("kind", string(j.Kind)))
	tries := w.Tries
	if tries <= 0 {
		tries = 16
	}
	wanted, err := w.attempt(ctx, j)
	var early *tooEarly
	if errors.As(err, &early) {
		return w.Outbox.hold(ctx, j, early.until)
	}
	if err == nil {
		if wanted {
			w.sent.Add(ctx, 1, of)
		}
		return w.Outbox.finish(ctx, j, wanted)
	}
	var rejected *Rejected
	dead := errors.As(err, &rejected) || j.Attempts >= tries
	follows := "retry"
	if dead {
		follows = "dead"
	}
	w.failed.Add(ctx, 1, of, metric.WithAttributes(attribute.String("follows", follows)))
	w.log().WarnContext(ctx, "a mail was not sent", "mail", j.ID, "kind", j.Kind, "attempt", j.Attempts, "follows", follows, "error", err)
	if dead {
		return w.Outbox.bury(ctx, j, err.Error())
	}
	return w.Outbox.again(ctx, j, err.Error(), pauseAfter(j.Attempts))
}

// attempt sends a letter; wanted is false when nobody is to get it.
func (w *Worker) attempt(ctx context.Context, j job) (wanted bool, err error) {
	var to string
	var c Content
	if j.Stream != nil {
		to, c, err = w.Composer.Compose(ctx, j.Kind, *j.Stream, *j.Version)
	} else {
		to, c, err = w.Outbox.open(j)
	}
	if err != nil || c == nil {
		return false, err
	}
	said, _ := languageOf(c)
	if p, may := said.(paced); may && p.Paced() {
		if err := w.Outbox.pace(ctx, j, to); err != nil {
			return false, err
		}
	}
	renderer, err := w.Wording.with(ctx, w.Renderer, c, time.Time{})
	if err != nil {
		return false, err
	}
	if w.Sender != nil {
		if renderer.Shop, err = w.Sender(ctx); err != nil {
			return false, err
		}
	}
	m, err := renderer.Message(j.ID, j.CreatedAt, to, c)
	if err != nil {
		return false, err
	}
	return true, w.Transport.Send(ctx, m)
}

// pauseAfter doubles from attempt to attempt, and is spread so that what failed together is not tried together.
func pauseAfter(attempts int) time.Duration {
	pause := longest
	if attempts < 20 {
		pause = min(longest, shortest<<max(0, attempts-1))
	}
	return pause/2 + rand.N(pause)
}

func (w *Worker) log() *slog.Logger {
	if w.Logger == nil {
		return slog.Default()
	}
	return w.Logger
}

func orElse(d, fallback time.Duration) time.Duration {
	if d <= 0 {
		return fallback
	}
	return d
}
