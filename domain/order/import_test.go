package order_test

import (
	"testing"
	"time"

	"shop/domain"
	"shop/domain/order"
	"shop/domain/spec"
)

// theirs is an order of another shop's past.
func theirs(status order.Status) order.Import {
	was := time.Date(2017, 10, 2, 10, 56, 33, 0, time.UTC)
	return order.Import{
		Placed: order.Placed{
			ID: card.ID, Number: 100001, PersonID: card.PersonID, City: "São Paulo", DeliveryType: domain.Delivery, PaymentMethod: domain.Card,
			Calculation: domain.Calculation{Lines: []domain.PricedLine{{Article: "a", Amount: 1, Price: 9000, DiscountedPrice: 9000, Total: 9000}}, TotalSum: 9000, TotalPaid: 9000},
			At:          was,
		},
		Source: "olist", Number: "e481f51c", Status: status,
		Payments:   []order.Paid{{PaymentID: "1", Amount: 8000, At: was}, {PaymentID: "2", Amount: 2000, At: was}},
		ApprovedAt: was.Add(time.Hour), EndedAt: was.Add(48 * time.Hour), At: noon,
	}
}

func TestImportTellsTheWholeStory(t *testing.T) {
	t.Parallel()
	c := theirs(order.StatusCompleted)
	spec.For(t, order.Decider).Given().When(c).Then(
		c.Placed, order.Imported{Source: "olist", Number: "e481f51c", At: noon}, c.Payments[0], c.Payments[1], order.Approved{At: c.ApprovedAt},
		order.ProcessingStarted{At: c.ApprovedAt}, order.Completed{At: c.EndedAt})
	c.Status = order.StatusCancelled
	c.ApprovedAt = time.Time{}
	spec.For(t, order.Decider).Given().When(c).Then(
		c.Placed, order.Imported{Source: "olist", Number: "e481f51c", At: noon}, c.Payments[0], c.Payments[1], order.Cancelled{By: "system", At: c.EndedAt})
}

func TestImportEndsWhereItSays(t *testing.T) {
	t.Parallel()
	for _, status := range []order.Status{
		order.StatusReceived, order.StatusApproved, order.StatusProcessing, order.StatusPaymentErr, order.StatusCompleted, order.StatusCancelled, order.StatusRefunded,
	} {
		events, err := order.Decider.Decide(theirs(status), order.State{})
		if err != nil {
			t.Fatal(err)
		}
		var s order.State
		for _, e := range events {
			s = order.Decider.Evolve(s, e)
		}
		// 10 000 came for 9 000, and more was never given back: that was theirs to settle.
		if s.Status != status || len(s.Owed()) != 0 || !s.Imported {
			t.Errorf("%s: ended as %s, owed %v", status, s.Status, s.Owed())
		}
	}
}

func TestWhatIsImportedStaysAsItWas(t *testing.T) {
	t.Parallel()
	c := theirs(order.StatusProcessing)
	events, err := order.Decider.Decide(c, order.State{})
	if err != nil {
		t.Fatal(err)
	}
	given := spec.For(t, order.Decider).Given(events...)
	given.When(c).Nothing()
	given.When(order.Complete{At: noon}).Refused(order.ErrImported)
	given.When(order.Cancel{By: "staff", At: noon}).Refused(order.ErrImported)
	given.When(order.Forget{At: noon}).Then(order.Forgotten{At: noon})
	// What staff write beside it is theirs.
	given.When(order.Note{Text: "x", At: noon}).Then(order.Noted{PersonID: c.Placed.PersonID, Text: "x", At: noon})
	given.When(order.Tag{Tags: []string{"x"}, At: noon}).Then(order.Tagged{Tags: []string{"x"}, At: noon})
	given.When(order.Assign{StaffID: domain.ID{15: 9}, At: noon}).Then(order.Assigned{StaffID: domain.ID{15: 9}, At: noon})
}

func TestImportRefusesWhatIsOurs(t *testing.T) {
	t.Parallel()
	ours := theirs(order.StatusCompleted)
	ours.Placed.Calculation.RulesVersion = 1
	spec.For(t, order.Decider).Given().When(ours).Refused(order.ErrNotOther)
	spec.For(t, order.Decider).Given().When(theirs("LOST")).Refused(order.ErrBadStatus)
}
