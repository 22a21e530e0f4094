package order_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/domain/order"
	"shop/domain/spec"
)

func TestStaffNoteAnOrder(t *testing.T) {
	t.Parallel()
	placed := spec.For(t, order.Decider).Given(cash)
	placed.When(order.Note{Text: " Звонить после шести\n", At: noon}).Then(order.Noted{PersonID: cash.PersonID, Text: "Звонить после шести", At: noon})
	placed.When(order.Note{Text: " \n"}).Refused(order.ErrEmptyNote)
	placed.When(order.Note{Text: strings.Repeat("ж", order.MaxNote+1)}).Refused(order.ErrLongNote)
	placed.Given(order.Forgotten{At: noon}).When(order.Note{Text: "x"}).Refused(order.ErrNoPerson)
	spec.For(t, order.Decider).When(order.Note{Text: "x"}).Refused(order.ErrUnknown)
}

func TestStaffTagAnOrder(t *testing.T) {
	t.Parallel()
	placed := spec.For(t, order.Decider).Given(cash)
	tagged := order.Tagged{Tags: []string{"подарок", "срочно"}, At: noon}
	placed.When(order.Tag{Tags: []string{" Срочно", "подарок"}, At: noon}).Then(tagged)
	placed.Given(tagged).When(order.Tag{Tags: []string{"подарок", "срочно"}, At: noon}).Then()
	placed.Given(tagged).When(order.Tag{At: noon}).Then(order.Tagged{Tags: []string{}, At: noon})
	for _, bad := range [][]string{{""}, {"a", "A "}, {strings.Repeat("ж", order.MaxTag+1)}, strings.Split("abcdefghijk", "")} {
		placed.When(order.Tag{Tags: bad}).Refused(order.ErrBadTag)
	}
}

func TestAnOrderIsSomebodys(t *testing.T) {
	t.Parallel()
	placed, anna := spec.For(t, order.Decider).Given(cash), uuid.UUID{15: 9}
	assigned := order.Assigned{StaffID: anna, At: noon}
	placed.When(order.Assign{StaffID: anna, At: noon}).Then(assigned)
	placed.When(order.Assign{At: noon}).Then()
	placed.Given(assigned).When(order.Assign{StaffID: anna, At: noon}).Then()
	placed.Given(assigned).When(order.Assign{At: noon}).Then(order.Assigned{At: noon})
}
