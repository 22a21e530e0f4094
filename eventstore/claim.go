package eventstore

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/eventstore/call"
)

// Claim takes a share of a quota for an owner, in the append's own transaction, until an append yields for the owner. An
// append whose claims do not fit is refused with *QuotaFull. Claims are no history: they exist only while their owner holds something.
type Claim struct {
	// Quota names the bounded thing: a keyed hash of some bytes, as claims are stored beside the log in clear.
	Quota []byte
	Owner uuid.UUID
	// Amount is the share, 0 or more.
	Amount int64
	// MostOwners is how many owners may share the quota, MostAmount how much they may hold together; 0: no bound.
	MostOwners, MostAmount int64
	// Exact: other appends wait for the quota while this one commits. Without it no append waits, and simultaneous appends of
	// several processes may exceed the bounds a little.
	Exact bool
}

// QuotaFull: a quota does not bear what the append claims of it. Nothing was written.
type QuotaFull struct {
	// Claims are those that do not fit.
	Claims []Claim
}

func (e *QuotaFull) Error() string { return "a quota is full" }

// Of is the claim of an owner that does not fit; false when the owner has none.
func (e *QuotaFull) Of(owner uuid.UUID) (Claim, bool) {
	i := slices.IndexFunc(e.Claims, func(c Claim) bool { return c.Owner == owner })
	if i < 0 {
		return Claim{}, false
	}
	return e.Claims[i], true
}

// holding is the used part of a quota.
type holding struct{ owners, amount int64 }

// bound is a bound where 0 is none.
func bound(most int64) int64 {
	if most <= 0 {
		return math.MaxInt64
	}
	return most
}

// fit adds claims to the used part, owner by owner: all claims of an owner, or none of them. It returns the claims that do not fit.
func fit(claims []Claim, held map[string]holding) (full []Claim) {
	for len(claims) > 0 {
		n := 1
		for n < len(claims) && claims[n].Owner == claims[0].Owner {
			n++
		}
		fits := true
		for _, c := range claims[:n] {
			if h := held[string(c.Quota)]; h.owners+1 > bound(c.MostOwners) || h.amount+c.Amount > bound(c.MostAmount) {
				full, fits = append(full, c), false
			}
		}
		for _, c := range claims[:n] {
			if h := held[string(c.Quota)]; fits {
				held[string(c.Quota)] = holding{h.owners + 1, h.amount + c.Amount}
			}
		}
		claims = claims[n:]
	}
	return full
}

// claimColumns are the claims of a group as arrays for unnest.
type claimColumns struct {
	quotas                  [][]byte
	exact                   []bool
	mostOwners, mostAmounts []int64
	of                      []int32 // place of the quota, from 1
	owners                  [][16]byte
	amounts                 []int64
	yields                  [][16]byte
}

func (c claimColumns) addTo(p *call.Parameters) {
	p.Bytes(c.quotas).Bools(c.exact).Int8s(c.mostOwners).Int8s(c.mostAmounts).Int4s(c.of).UUIDs(c.owners).Int8s(c.amounts).UUIDs(c.yields)
}

// any says whether there is anything to do.
func (c claimColumns) any() bool { return len(c.of) > 0 || len(c.yields) > 0 }

// claimsOf lays the claims of appends out. An append that yields for an owner takes back what those before it claimed.
func claimsOf(members ...*pending) claimColumns {
	var claims []Claim
	yields := map[uuid.UUID]bool{}
	for _, p := range members {
		for _, owner := range p.yields {
			yields[owner] = true
			claims = slices.DeleteFunc(claims, func(c Claim) bool { return c.Owner == owner })
		}
		claims = append(claims, p.claims...)
	}
	var c claimColumns
	for owner := range yields {
		c.yields = append(c.yields, owner)
	}
	slices.SortFunc(c.yields, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	// In one order everywhere, as they are locked.
	slices.SortStableFunc(claims, func(a, b Claim) int {
		return cmp.Or(bytes.Compare(a.Quota, b.Quota), bytes.Compare(a.Owner[:], b.Owner[:]))
	})
	for _, one := range claims {
		last := len(c.quotas) - 1
		if last < 0 || !bytes.Equal(c.quotas[last], one.Quota) {
			c.quotas, c.exact = append(c.quotas, one.Quota), append(c.exact, false)
			c.mostOwners, c.mostAmounts = append(c.mostOwners, math.MaxInt64), append(c.mostAmounts, math.MaxInt64)
			last++
		}
		c.exact[last] = c.exact[last] || one.Exact
		c.mostOwners[last] = min(c.mostOwners[last], bound(one.MostOwners))
		c.mostAmounts[last] = min(c.mostAmounts[last], bound(one.MostAmount))
		c.of, c.owners, c.amounts = append(c.of, int32(last+1)), append(c.owners, one.Owner), append(c.amounts, one.Amount)
	}
	return c
}

const (
	callAppendClaiming = `SELECT outcome, versions, positions FROM eventstore.append_claiming(
		$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)`
	countClaims = `SELECT owners, amounts FROM eventstore.claimed($1, $2, $3)`
	writeClaims = `SELECT eventstore.claim($1, $2, $3, $4, $5)`
)

// count asks what others hold of the quotas; those that are to be exact stay locked.
func (c claimColumns) count(look *pgx.Batch, held map[string]holding) {
	if len(c.quotas) == 0 {
		return
	}
	look.Queue(countClaims, c.quotas, c.exact, c.owners).QueryRow(func(row pgx.Row) error {
		var owners, amounts []int64
		if err := row.Scan(&owners, &amounts); err != nil {
			return err
		}
		for i, quota := range c.quotas {
			held[string(quota)] = holding{owners[i], amounts[i]}
		}
		return nil
	})
}

// write ends and makes claims.
func (c claimColumns) write(batch *pgx.Batch) {
	if c.any() {
		batch.Queue(writeClaims, c.yields, c.quotas, c.of, c.owners, c.amounts)
	}
}
