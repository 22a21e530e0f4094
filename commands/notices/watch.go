package notices

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Trouble is something that goes wrong at the moment and that no event tells of.
type Trouble struct {
	Cause Cause
	// Subject names it while it lasts: a product, a refund, an event, a letter.
	Subject string
	About   About
}

// Troubles looks for what goes wrong; the read side implements it.
type Troubles interface {
	Troubles(ctx context.Context) ([]Trouble, error)
}

const (
	// watchEvery is the pause between two looks.
	watchEvery = 30 * time.Second
	// singly is how many troubles of a cause that began at the same moment are told one by one; of more, one is told for all.
	singly = 5
)

// Watch announces a trouble when it begins, and forgets it when it ends.
type Watch struct {
	Board    *Board
	Troubles Troubles
	Logger   *slog.Logger
}

// Run watches until ctx ends.
func (w Watch) Run(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		if err := w.Once(ctx); err != nil && ctx.Err() == nil {
			w.Logger.ErrorContext(ctx, "nobody looks what goes wrong", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Once looks once. What goes wrong already when a shop begins to tell its staff is told to nobody.
func (w Watch) Once(ctx context.Context) error {
	found, err := w.Troubles.Troubles(ctx)
	if err != nil {
		return err
	}
	causes, subjects := make([]string, len(found)), make([]string, len(found))
	for i, t := range found {
		causes[i], subjects[i] = string(t.Cause), t.Subject
	}
	now := w.Board.now()
	return pgx.BeginFunc(ctx, w.Board.db, func(tx pgx.Tx) error {
		var first bool
		if err := tx.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM notice_troubles WHERE cause = 'watched')`).Scan(&first); err != nil {
			return fmt.Errorf("look what went wrong: %w", err)
		}
		_, err := tx.Exec(ctx, `DELETE FROM notice_troubles WHERE cause <> 'watched' AND (cause, subject) NOT IN (SELECT * FROM unnest($1::text[], $2::text[]))`, causes, subjects)
		if err != nil {
			return fmt.Errorf("forget what went wrong: %w", err)
		}
		rows, err := tx.Query(ctx, `INSERT INTO notice_troubles (cause, subject, since) SELECT cause, subject, $3::timestamptz FROM unnest($1::text[], $2::text[]) AS t (cause, subject)
			UNION ALL SELECT 'watched', '', $3::timestamptz ON CONFLICT DO NOTHING RETURNING cause || ' ' || subject`, causes, subjects, now)
		if err != nil {
			return fmt.Errorf("keep what goes wrong: %w", err)
		}
		begun, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("keep what goes wrong: %w", err)
		}
		if first {
			return nil
		}
		return w.Board.Announce(ctx, tx, noticesOf(found, begun, now))
	})
}

// noticesOf are those of the troubles that began.
func noticesOf(found []Trouble, begun []string, now time.Time) []Notice {
	new := make(map[string]bool, len(begun))
	for _, one := range begun {
		new[one] = true
	}
	of := map[Cause][]Notice{}
	for _, t := range found {
		if new[string(t.Cause)+" "+t.Subject] {
			id := uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%s %s %d", t.Cause, t.Subject, now.UnixNano()))
			of[t.Cause] = append(of[t.Cause], Notice{ID: id, Cause: t.Cause, About: t.About, At: now})
		}
	}
	var all []Notice
	for _, c := range Causes {
		some := of[c]
		if len(some) > singly {
			some[0].About.More = len(some) - 1
			some = some[:1]
		}
		all = append(all, some...)
	}
	return all
}
