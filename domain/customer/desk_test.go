package customer_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain/customer"
)

func TestStaffNoteACustomer(t *testing.T) {
	t.Parallel()
	given(t, registered).When(customer.Note{Text: " любит позвонить ", At: noon}).Then(customer.Noted{ID: id, Text: "любит позвонить", At: noon})
	given(t, registered).When(customer.Note{Text: " "}).Refused(customer.ErrEmptyNote)
	given(t, registered).When(customer.Note{Text: strings.Repeat("ж", 2001)}).Refused(customer.ErrEmptyNote)
	given(t, registered, leaving).When(customer.Note{Text: "x"}).Refused(customer.ErrErased)
	given(t).When(customer.Note{Text: "x"}).Refused(customer.ErrUnknown)
}

// TestAnErasureTakesTwo: nobody proposes and confirms alone.
func TestAnErasureTakesTwo(t *testing.T) {
	t.Parallel()
	dana, erlan := uuid.UUID{15: 50}, uuid.UUID{15: 51}
	propose := customer.ProposeErasure{By: dana, Reason: " просил письмом ", At: noon}
	proposed := customer.ErasureProposed{ID: id, By: dana, Reason: "просил письмом", At: noon}
	withdrawn := customer.ErasureWithdrawn{ID: id, By: erlan, At: noon}
	confirm := func(by uuid.UUID, open int64) customer.ConfirmErasure {
		return customer.ConfirmErasure{By: by, OpenOrders: open, At: noon}
	}
	given(t, registered).When(propose).Then(proposed)
	given(t, registered).When(customer.ProposeErasure{By: dana, Reason: " "}).Refused(customer.ErrEmptyNote)
	given(t, registered).When(customer.ProposeErasure{Reason: "x"}).Refused(customer.ErrNobody)
	given(t, registered).When(confirm(erlan, 0)).Refused(customer.ErrNotProposed)
	given(t, registered).When(customer.WithdrawErasure{By: dana}).Nothing()

	waiting := given(t, registered, proposed)
	waiting.When(propose).Refused(customer.ErrProposed)
	waiting.When(customer.ProposeErasure{By: erlan, Reason: "x"}).Refused(customer.ErrProposed)
	waiting.When(confirm(dana, 0)).Refused(customer.ErrSamePerson)
	waiting.When(confirm(uuid.UUID{}, 0)).Refused(customer.ErrNobody)
	waiting.When(confirm(erlan, 1)).Refused(customer.ErrOpenOrders)
	confirmed := customer.ErasureConfirmed{ID: id, ProposedBy: dana, By: erlan, At: noon}
	requested := customer.ErasureRequested{ID: id, By: "staff", At: noon}
	waiting.When(confirm(erlan, 0)).Then(confirmed, requested)
	waiting.When(customer.WithdrawErasure{By: erlan, At: noon}).Then(withdrawn)
	waiting.Given(withdrawn).When(confirm(erlan, 0)).Refused(customer.ErrNotProposed)
	waiting.Given(withdrawn).When(propose).Then(proposed)
	// The customer may leave by themselves meanwhile.
	waiting.When(customer.RequestErasure{By: "customer", At: noon}).Then(leaving)
	if s := waiting.Given(confirmed, requested).State(); !s.Leaving || s.ProposedBy != (uuid.UUID{}) {
		t.Errorf("%+v", s)
	}
	given(t, registered, leaving).When(propose).Refused(customer.ErrErased)
}
