package eventstore

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
)

// claiming is an append of one event to a stream of its own that claims of quotas.
func claiming(owner uuid.UUID, claims ...Claim) Append {
	for i := range claims {
		claims[i].Owner = owner
	}
	return Append{Writes: []Write{{Stream: "order-" + owner.String(), Events: []NewEvent{{Data: happened{N: 1}}}}}, Claims: claims}
}

// ending is an append that ends an owner's claims.
func ending(owner uuid.UUID) Append {
	return Append{
		Writes: []Write{{Stream: "order-" + owner.String(), Expected: AnyVersion, Events: []NewEvent{{Data: happened{N: 2}}}}}, Yields: []uuid.UUID{owner},
	}
}

func TestAQuotaBearsWhatItBears(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	phone := func(amount int64) Claim {
		return Claim{Quota: []byte("phone of anna...."), Amount: amount, MostOwners: 2, MostAmount: 10, Exact: true}
	}
	first, second, third := uuid.New(), uuid.New(), uuid.New()
	refused := func(a Append, owner uuid.UUID) {
		t.Helper()
		before, _ := s.Head(ctx)
		var full *QuotaFull
		if _, err := s.Append(ctx, a); !errors.As(err, &full) {
			t.Fatalf("append: %v", err)
		}
		if _, its := full.Of(owner); !its || len(full.Claims) != 1 {
			t.Errorf("full of %+v", full.Claims)
		}
		if events, err := s.Stream(ctx, "order-"+owner.String(), 0, 0); err != nil || len(events) != 0 {
			t.Errorf("%d events are written, %v", len(events), err)
		}
		if after, _ := s.Head(ctx); after != before {
			t.Errorf("the head went from %d to %d", before, after)
		}
	}
	taken := func(all ...Append) {
		t.Helper()
		if _, err := s.Append(ctx, all...); err != nil {
			t.Fatal(err)
		}
	}
	refused(claiming(first, phone(11)), first)
	taken(claiming(first, phone(4)))
	refused(claiming(second, phone(7)), second)
	taken(claiming(second, phone(6)))
	refused(claiming(third, phone(0)), third)
	// Another quota is another matter; none of an owner's claims counts when one does not fit.
	other := Claim{Quota: []byte("phone of boris..."), Amount: 1, MostOwners: 1}
	refused(claiming(third, other, phone(1)), third)
	taken(ending(first))
	taken(claiming(third, other, phone(4)))
	// Ended and claimed again in one append.
	again := ending(third)
	again.Claims = []Claim{phone(3)}
	again.Claims[0].Owner = third
	taken(again)
	// Together: both or none.
	taken(ending(second), ending(third))
	a, b, c := uuid.New(), uuid.New(), uuid.New()
	var full *QuotaFull
	if _, err := s.Append(ctx, claiming(a, phone(5)), claiming(b, phone(9)), claiming(c, phone(5))); !errors.As(err, &full) {
		t.Fatalf("three together: %v", err)
	}
	if _, its := full.Of(b); !its || len(full.Claims) != 1 {
		t.Errorf("full of %+v, want the second only", full.Claims)
	}
	taken(claiming(a, phone(5)), claiming(c, phone(5)))
	var rows int
	if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM eventstore.claims").Scan(&rows); err != nil || rows != 2 {
		t.Errorf("%d claims are kept, %v", rows, err)
	}
}

// TestManyWhoClaimAtOnce: two stores are two processes; whoever meets, no more pass than the quota bears, and others' do.
func TestManyWhoClaimAtOnce(t *testing.T) {
	t.Parallel()
	one, ctx := openStore(t), t.Context()
	two := Open(one.pool, one.codec, Options{})
	t.Cleanup(two.Close)
	var passed, others atomic.Int64
	var all sync.WaitGroup
	for i := range 60 {
		store := []*Store{one, two}[i%2]
		all.Go(func() {
			claim := Claim{Quota: []byte("phone of anna...."), Amount: 1, MostOwners: 5, Exact: true}
			if i%3 == 0 {
				claim.Quota = fmt.Appendf(nil, "phone of guest %02d", i)
			}
			_, err := store.Append(ctx, claiming(uuid.New(), claim))
			var full *QuotaFull
			switch {
			case err == nil && i%3 == 0:
				others.Add(1)
			case err == nil:
				passed.Add(1)
			case !errors.As(err, &full) || i%3 == 0:
				t.Errorf("append %d: %v", i, err)
			}
		})
	}
	all.Wait()
	if passed.Load() != 5 || others.Load() != 20 {
		t.Errorf("%d and %d others passed", passed.Load(), others.Load())
	}
}
