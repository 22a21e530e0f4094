package promocode_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"shop/domain/promocode"
	"shop/domain/spec"
)

// A customer is told by account, e-mail and phone together, and by the hash that uses of schema 1 have.
func TestOneOfAccountEmailAndPhoneIsEnoughToTellABuyer(t *testing.T) {
	t.Parallel()
	once := promocode.Issued{Code: "WELCOME10", Terms: promocode.Terms{Kind: promocode.Percent, Value: 10, UsesPerUser: 1}, At: noon}
	first := promocode.Buyer{Account: "a1", Email: "e1", Phone: "p1"}
	used := promocode.Redeemed{Code: "WELCOME10", OrderID: orderID(1), PersonID: uuid.UUID{15: 9}, Buyer: first, Discount: 1_000, At: noon}
	again := func(b promocode.Buyer) promocode.Redeem {
		return promocode.Redeem{Code: "WELCOME10", OrderID: orderID(2), PersonID: uuid.UUID{15: 8}, Buyer: b, TotalSum: 10_000, Discount: 1_000, At: noon}
	}
	subject := spec.For(t, promocode.Decider).Given(once, used)
	for _, same := range []promocode.Buyer{{Account: "a1"}, {Email: "e1"}, {Phone: "p1"}, {Account: "a2", Email: "e2", Phone: "p1"}, {Account: "a2", Email: "e1", Phone: "p2"}} {
		subject.When(again(same)).Refused(promocode.ErrUsedByYou)
	}
	other := promocode.Buyer{Account: "a2", Email: "e2", Phone: "p2"}
	subject.When(again(other)).Then(promocode.Redeemed{
		Code: "WELCOME10", OrderID: orderID(2), PersonID: uuid.UUID{15: 8}, Buyer: other, Discount: 1_000, At: noon,
	})
	// Given back, it can be used again; erased, it counts for the code and for nobody.
	subject.Given(promocode.Returned{Code: "WELCOME10", OrderID: orderID(1), At: noon}).When(again(first)).Then(promocode.Redeemed{
		Code: "WELCOME10", OrderID: orderID(2), PersonID: uuid.UUID{15: 8}, Buyer: first, Discount: 1_000, At: noon,
	})
	erased := used
	erased.Buyer = promocode.Buyer{}
	forgotten := spec.For(t, promocode.Decider).Given(once, erased)
	if s := forgotten.State(); s.Uses != 1 {
		t.Errorf("%d uses", s.Uses)
	}
	old := promocode.Redeemed{Code: "WELCOME10", OrderID: orderID(1), Customer: "p1", Discount: 1_000, At: noon}
	spec.For(t, promocode.Decider).Given(once, old).When(again(promocode.Buyer{Email: "e2", Phone: "p1"})).Refused(promocode.ErrUsedByYou)
	if p := used.Personal(); p.Person != used.PersonID || !slices.Equal(p.Fields, []string{"buyer"}) {
		t.Errorf("%+v", p)
	}
}
