package bonus_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/bonus"
)

func TestAdjust(t *testing.T) {
	t.Parallel()
	gift := uuid.UUID{15: 77}
	adjust := func(amount domain.Money) bonus.Adjust {
		return bonus.Adjust{CustomerID: anna, ID: gift, Amount: amount, Reason: " за ожидание ", At: noon}
	}
	adjusted := func(amount, balance domain.Money) bonus.Adjusted {
		return bonus.Adjusted{CustomerID: anna, ID: gift, Amount: amount, Reason: "за ожидание", Balance: balance, At: noon}
	}
	given(t).When(adjust(500)).Then(adjusted(500, 500))
	given(t).When(adjust(0)).Refused(bonus.ErrBadAdjustment)
	given(t).When(adjust(bonus.MaxAdjustment + 1)).Refused(bonus.ErrBadAdjustment)
	given(t).When(adjust(-1)).Refused(bonus.ErrNotEnough)
	given(t).When(bonus.Adjust{CustomerID: anna, ID: gift, Amount: 1, Reason: " "}).Refused(bonus.ErrNoReason)
	given(t).When(bonus.Adjust{CustomerID: anna, ID: gift, Amount: 1, Reason: strings.Repeat("ж", bonus.MaxReason+1)}).Refused(bonus.ErrNoReason)
	rich := given(t, earned(first, 10_000, 300, 300))
	rich.When(adjust(-300)).Then(adjusted(-300, 0))
	rich.When(adjust(-301)).Refused(bonus.ErrNotEnough)

	// Asked again it is once; what it gave is spent like other bonuses, and an order's return leaves it alone.
	once := rich.Given(adjusted(500, 800))
	once.When(adjust(500)).Nothing()
	once.When(adjust(-900)).Nothing()
	once.When(spend(second, 800)).Then(spent(second, 800, 0))
	once.When(bonus.Revoke{OrderID: first, At: noon}).Then(revoked(first, 300, 500))
}
