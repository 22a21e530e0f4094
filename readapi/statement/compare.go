package statement

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"shop/domain"
)

// Difference is money on which the shop and the provider do not agree.
type Difference struct {
	// Side is where it is: ours, theirs, or both with another amount.
	Side      Side         `json:"side"`
	Kind      Kind         `json:"kind"`
	PaymentID string       `json:"payment_id"`
	Receipt   string       `json:"receipt"`
	Ours      domain.Money `json:"ours"`
	Theirs    domain.Money `json:"theirs"`
	// Row is the row in the file; 0: none.
	Row int `json:"row"`
}

// Side is where money is.
type Side string

const (
	// OnlyOurs has no row in the file, OnlyTheirs is not in the shop, Other is in both with different sums.
	OnlyOurs   Side = "only-ours"
	OnlyTheirs Side = "only-theirs"
	Other      Side = "other-amount"
)

// Compared is what a comparison found.
type Compared struct {
	// Same counts the rows on which both agree, SameSum is what came by them less what went back.
	Same    int
	SameSum domain.Money
	// Others are by side and row.
	Differences []Difference
}

// Compare holds rows of a file against what the shop has. Money of the shop outside of the time from (inclusive) until (exclusive)
// may have a row, and needs none: both clocks differ a little around midnight. Each line is used once.
func Compare(ours, theirs []Line, from, until time.Time) Compared {
	used := make([]bool, len(ours))
	var found Compared
	rest := theirs
	// First those that agree in all, then those that have the same name alone.
	for _, sums := range []bool{true, false} {
		var left []Line
		for _, row := range rest {
			i := slices.IndexFunc(ours, func(l Line) bool { return l.is(row) && (!sums || l.Amount == row.Amount) })
			for i >= 0 && used[i] {
				next := slices.IndexFunc(ours[i+1:], func(l Line) bool { return l.is(row) && (!sums || l.Amount == row.Amount) })
				if next < 0 {
					i = -1
					break
				}
				i += 1 + next
			}
			if i < 0 {
				left = append(left, row)
				continue
			}
			used[i] = true
			if sums {
				found.Same++
				found.SameSum += signed(row)
				continue
			}
			found.Differences = append(found.Differences, Difference{Other, row.Kind, cmp.Or(ours[i].PaymentID, row.PaymentID), row.Receipt, ours[i].Amount, row.Amount, row.Row})
		}
		rest = left
	}
	for _, row := range rest {
		found.Differences = append(found.Differences, Difference{OnlyTheirs, row.Kind, row.PaymentID, row.Receipt, 0, row.Amount, row.Row})
	}
	for i, l := range ours {
		if !used[i] && !l.At.Before(from) && l.At.Before(until) {
			found.Differences = append(found.Differences, Difference{OnlyOurs, l.Kind, l.PaymentID, l.Receipt, l.Amount, 0, 0})
		}
	}
	slices.SortStableFunc(found.Differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Row, b.Row), cmp.Compare(a.PaymentID, b.PaymentID))
	})
	return found
}

// is says whether two lines are about the same money: by receipt where both have one, else by bill.
func (l Line) is(other Line) bool {
	switch {
	case l.Kind != other.Kind:
		return false
	case l.Receipt != "" && other.Receipt != "":
		return l.Receipt == other.Receipt
	}
	return l.PaymentID != "" && strings.EqualFold(l.PaymentID, other.PaymentID)
}

func signed(l Line) domain.Money {
	if l.Kind == Refunded {
		return -l.Amount
	}
	return l.Amount
}
