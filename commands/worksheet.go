package commands

import (
	"context"
	"fmt"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Note writes something beside the order that staff alone read.
func (o *Orders) Note(ctx context.Context, id domain.ID, text string) (eventstore.Position, error) {
	return Change(ctx, o.Handler, OrderStream(id), func(u *Unit) order.Command { return order.Note{Text: text, At: u.At()} })
}

// Tag replaces the words by which staff find the order.
func (o *Orders) Tag(ctx context.Context, id domain.ID, tags []string) (eventstore.Position, error) {
	return Change(ctx, o.Handler, OrderStream(id), func(u *Unit) order.Command { return order.Tag{Tags: tags, At: u.At()} })
}

// Assign gives the order to an account of staff; zero takes it away from everybody.
func (o *Orders) Assign(ctx context.Context, id, staffID domain.ID) (eventstore.Position, error) {
	return Change(ctx, o.Handler, OrderStream(id), func(u *Unit) order.Command { return order.Assign{StaffID: staffID, At: u.At()} })
}

// Possible names what may be done to an order now: approve, process, complete, cancel, pack,
// hand_over, deliver, not_deliver, refund, pay_by_hand, edit, return. It asks the order's own decider
// whether a command would change something. A refund is possible, as Refund has it, of a completed order that the shop holds
// money for; what may go back in one, and who may do it, is decided when it is asked for.
func (o *Orders) Possible(ctx context.Context, id domain.ID) ([]string, error) {
	s, err := See(ctx, o.Handler, OrderStream(id))
	if err != nil {
		return nil, fmt.Errorf("see order %s: %w", id, err)
	}
	at := o.Handler.Now()
	possible := []string{}
	for _, action := range []struct {
		name    string
		command order.Command
	}{
		{"approve", order.Approve{At: at}},
		{"process", order.StartProcessing{At: at}},
		{"complete", order.Complete{At: at}},
		{"cancel", order.Cancel{By: "staff", At: at}},
		{"pack", order.Pack{At: at}},
		{"hand_over", order.HandOver{Carrier: "-", Tracking: "0000", At: at}},
		{"deliver", order.Deliver{At: at}},
		{"not_deliver", order.NotDeliver{Reason: order.NotDeliveredReasons[0], At: at}},
	} {
		if events, err := order.Decider.Decide(action.command, s); err == nil && len(events) > 0 {
			possible = append(possible, action.name)
		}
	}
	if s.Status == order.StatusCompleted && !s.Imported && s.Captured() > byHand(s) {
		possible = append(possible, "refund")
	}
	if !s.Imported && s.Lacks() > 0 {
		possible = append(possible, "pay_by_hand")
	}
	if s.Editable() {
		possible = append(possible, "edit")
	}
	if s.Returnable() {
		possible = append(possible, "return")
	}
	return possible, nil
}
