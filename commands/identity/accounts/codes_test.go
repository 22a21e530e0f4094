package accounts

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"shop/migrations/pgtest"
)

// Two batches that name the same customers in another order must not wait for each other.
func TestEmailsAreLockedInOneOrder(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	a := New(db, Options{Secret: make([]byte, 32)})
	var emails []string
	for i := range 100 {
		emails = append(emails, fmt.Sprintf("buyer%d@shop.example", i))
	}
	backwards := slices.Clone(emails)
	slices.Reverse(backwards)
	var group errgroup.Group
	for _, order := range [][]string{emails, backwards, emails, backwards} {
		group.Go(func() error {
			for range 50 {
				if err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error { return a.LockEmails(t.Context(), tx, order) }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}
