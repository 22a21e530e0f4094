package order

import (
	"slices"
	"time"

	"shop/domain"
)

// Refusals of order commands.
var (
	ErrUnknown       = domain.Refuse("order/unknown", "Заказ не найден")
	ErrAlreadyPlaced = domain.Refuse("order/already-placed", "Заказ уже оформлен")
	ErrNoLines       = domain.Refuse("order/no-lines", "В заказе нет товаров")
	// ErrCannotBeMade: the calculation says that no order can be made of it, such as below the minimum sum.
	ErrCannotBeMade = domain.Refuse("order/cannot-be-made", "Заказ с такими условиями оформить нельзя")
	ErrBadDelivery  = domain.Refuse("order/bad-delivery-type", "Неизвестный способ получения")
	ErrBadPayment   = domain.Refuse("order/bad-payment-method", "Неизвестный способ оплаты")

	ErrNothingToPay  = domain.Refuse("order/nothing-to-pay", "Этот заказ не нужно оплачивать онлайн")
	ErrAlreadyPaid   = domain.Refuse("order/already-paid", "Заказ уже оплачен")
	ErrNotPayable    = domain.Refuse("order/not-payable", "Этот заказ уже нельзя оплатить")
	ErrNotPaid       = domain.Refuse("order/not-paid", "Заказ ещё не оплачен")
	ErrPaymentIDUsed = domain.Refuse("order/payment-id-used", "Эта попытка оплаты уже завершена")
	ErrNoPaymentID   = domain.Refuse("order/no-payment-id", "Не указан платёж")
	ErrBadAmount     = domain.Refuse("order/bad-amount", "Сумма платежа должна быть больше нуля")

	ErrNotReceived   = domain.Refuse("order/not-received", "Подтвердить можно только полученный заказ")
	ErrNotApproved   = domain.Refuse("order/not-approved", "Собирать можно только подтверждённый заказ")
	ErrNotProcessing = domain.Refuse("order/not-processing", "Завершить можно только заказ, который собран")

	// ErrTooLateToCancel: a customer may cancel before APPROVED only.
	ErrTooLateToCancel = domain.Refuse("order/too-late-to-cancel", "Заказ уже подтверждён: чтобы отменить его, напишите нам")
	ErrCompleted       = domain.Refuse("order/completed", "Завершённый заказ отменить нельзя")
	ErrBadCanceller    = domain.Refuse("order/bad-canceller", "Неизвестно, кто отменяет заказ")

	ErrUnknownPayment = domain.Refuse("order/unknown-payment", "Такой платёж по заказу не поступал")
	ErrRefundTooMuch  = domain.Refuse("order/refund-too-much", "Вернуть можно не больше, чем поступило")
	// ErrNothingToReturn: the order is live and needs this money.
	ErrNothingToReturn = domain.Refuse("order/nothing-to-return", "Чтобы вернуть деньги, сначала отмените заказ")
	// ErrNoRefundID: a part of what a completed order costs can go back more than once.
	ErrNoRefundID = domain.Refuse("order/no-refund-id", "A refund of a part needs an id of its own.")

	// ErrImported: the order is of another shop's past, which is settled.
	ErrImported = domain.Refuse("order/imported", "Заказ перенесён из другого магазина, изменить его нельзя")
	// ErrNotOther: an order that our rules priced is no other shop's.
	ErrNotOther = domain.Refuse("order/not-other", "An imported order names its shop, its number there and no rules of ours.")
	// ErrBadStatus: no order ends like this.
	ErrBadStatus = domain.Refuse("order/bad-status", "An imported order has no such status.")

	// ErrNotGuest: the order belongs to another customer.
	ErrNotGuest   = domain.Refuse("order/not-guest", "Заказ уже принадлежит другому покупателю")
	ErrNoCustomer = domain.Refuse("order/no-customer", "A guest's order joins a customer.")
)

// ReasonNotConfirmed: nobody confirmed a guest's order in cash in time.
const ReasonNotConfirmed = "not_confirmed"

// ReasonAbandoned: nobody tried again to pay an order whose payment had failed, for as long as the rules keep guests' data.
const ReasonAbandoned = "abandoned"

// Payments without a provider.
const (
	// CashPaymentID is the money a courier takes when a CASH order is completed.
	CashPaymentID = "cash"
	// NoPaymentID pays an order that costs nothing, because discounts and bonuses cover it.
	NoPaymentID = "none"
)

// Decider is an order's life.
//
// Notifications of payments may come repeated, early, late and in any order. Money is recorded once per payment
// and receipt, whatever the order's status, because it is there; whether it approves the order or is to be given back follows
// from the status. A refusal counts only for the payment awaited now.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	if placed, ok := command.(Place); ok {
		return decidePlace(placed, s)
	}
	if imported, ok := command.(Import); ok {
		return decideImport(imported, s)
	}
	if !s.Exists() {
		return nil, ErrUnknown
	}
	if s.Imported && changesImported(command) {
		return nil, ErrImported
	}
	switch c := command.(type) {
	case Place, Import: // decided above, where there is no order yet
	case RequestPayment:
		return decideRequestPayment(c, s)
	case ConfirmPayment:
		return decideConfirmPayment(c, s)
	case FailPayment:
		if s.Status != StatusReceived || s.IsPaid() || c.PaymentID == "" || c.PaymentID != s.PaymentID {
			return nil, nil
		}
		return []Event{PaymentFailed(c)}, nil
	case ExpirePayment:
		if s.Status != StatusReceived || s.IsPaid() || s.PayBefore.IsZero() || c.At.Before(s.PayBefore) || len(s.HandClaims) > 0 {
			return nil, nil
		}
		return []Event{PaymentExpired(c)}, nil
	case ExpireConfirmation:
		if s.Status != StatusReceived || s.ConfirmBefore.IsZero() || c.At.Before(s.ConfirmBefore) || len(s.HandClaims) > 0 {
			return nil, nil
		}
		return []Event{Cancelled{By: "system", Reason: ReasonNotConfirmed, At: c.At}}, nil
	case Approve:
		return decideApprove(c, s)
	case StartProcessing:
		switch s.Status {
		case StatusProcessing:
			return nil, nil
		case StatusApproved:
			return []Event{ProcessingStarted(c)}, nil
		}
		return nil, ErrNotApproved
	case Complete:
		return decideComplete(c, s)
	case Cancel:
		return decideCancel(c, s)
	case Refund:
		return decideRefund(c, s)
	case Join:
		return decideJoin(c, s)
	case Forget:
		if s.Forgotten {
			return nil, nil
		}
		return forget(s, c.At), nil
	case Note:
		return decideNote(c, s)
	case MarkPayment:
		return decideMarkPayment(c, s)
	case Tag:
		return decideTag(c, s)
	case Assign:
		return decideAssign(c, s)
	case ForgetGuest:
		return decideForgetGuest(c, s)
	case ChangeLines, ChangeAddress:
		return decideEdit(command, s)
	case RequestReturn, DeclineReturn, ReturnGoods:
		return decideReturn(command, s)
	case RefundByHand, ConfirmHandRefund, WithdrawHandRefund:
		return decideHandRefund(command, s)
	case PayByHand, ConfirmHandPayment, WithdrawHandPayment:
		return decideHand(command, s)
	case Pack, AssignCourier, HandOver, Deliver, NotDeliver, PhotographDelivery, RemoveDeliveryPhotos:
		return decideParcel(c, s)
	}
	return nil, domain.UnknownCommand(command)
}

func decidePlace(c Place, s State) ([]Event, error) {
	p := c.Placed
	switch {
	case s.Exists():
		return nil, ErrAlreadyPlaced
	case len(p.Calculation.Lines) == 0:
		return nil, ErrNoLines
	case !p.Calculation.CanCreateOrder:
		return nil, ErrCannotBeMade
	case p.DeliveryType != domain.Delivery && p.DeliveryType != domain.Pickup:
		return nil, ErrBadDelivery
	case p.PaymentMethod != domain.Card && p.PaymentMethod != domain.KaspiBill && p.PaymentMethod != domain.Cash:
		return nil, ErrBadPayment
	}
	if p.PaymentMethod != domain.Cash && p.Calculation.TotalPaid == 0 {
		return []Event{p, Paid{PaymentID: NoPaymentID, At: p.At}, Approved{At: p.At}}, nil
	}
	return []Event{p}, nil
}

func decideImport(c Import, s State) ([]Event, error) {
	p := c.Placed
	switch {
	case s.Exists():
		return nil, nil
	case len(p.Calculation.Lines) == 0:
		return nil, ErrNoLines
	case c.Source == "" || c.Number == "" || !p.Imported():
		return nil, ErrNotOther
	}
	events := []Event{p, Imported{Source: c.Source, Number: c.Number, At: c.At}}
	last := p.At
	then := func(at time.Time) time.Time {
		if !at.IsZero() {
			last = at
		}
		return last
	}
	for _, paid := range c.Payments {
		events = append(events, paid)
	}
	switch c.Status {
	case StatusApproved, StatusProcessing, StatusCompleted, StatusRefunded:
		events = append(events, Approved{At: then(c.ApprovedAt)})
	case StatusCancelled:
		if !c.ApprovedAt.IsZero() {
			events = append(events, Approved{At: then(c.ApprovedAt)})
		}
	case StatusReceived, StatusPaymentErr:
	}
	switch c.Status {
	case StatusReceived, StatusApproved:
	case StatusPaymentErr:
		events = append(events, PaymentFailed{At: then(c.EndedAt)})
	case StatusProcessing:
		events = append(events, ProcessingStarted{At: then(c.ShippedAt)})
	case StatusCompleted:
		events = append(events, ProcessingStarted{At: then(c.ShippedAt)}, Completed{At: then(c.EndedAt)})
	case StatusCancelled, StatusRefunded:
		events = append(events, Cancelled{By: "system", At: then(c.EndedAt)})
		if c.Status == StatusRefunded {
			for _, paid := range c.Payments {
				events = append(events, Refunded{PaymentID: paid.PaymentID, Amount: paid.Amount, At: last})
			}
		}
	default:
		return nil, ErrBadStatus
	}
	return events, nil
}

func decideRequestPayment(c RequestPayment, s State) ([]Event, error) {
	switch {
	case c.PaymentID == "":
		return nil, ErrNoPaymentID
	case c.PaymentID == s.PaymentID && s.Status != StatusPaymentErr, s.captured(c.PaymentID), s.captured(NoPaymentID):
		return nil, nil
	case s.Placed.PaymentMethod == domain.Cash:
		return nil, ErrNothingToPay
	case s.IsPaid():
		return nil, ErrAlreadyPaid
	case s.Lacks() == 0:
		return nil, ErrNotPayable
	case s.opened(c.PaymentID):
		return nil, ErrPaymentIDUsed
	}
	return []Event{PaymentRequested{
		PaymentID: c.PaymentID, Provider: c.Provider, Attempt: s.Attempt + 1,
		Amount: s.Lacks(), PayBefore: c.PayBefore, At: c.At,
	}}, nil
}

func decideConfirmPayment(c ConfirmPayment, s State) ([]Event, error) {
	switch {
	case c.PaymentID == "":
		return nil, ErrNoPaymentID
	case s.knows(c.PaymentID, c.Receipt), s.captured(NoPaymentID) && c.Amount == 0:
		return nil, nil
	case c.Amount < 1:
		return nil, ErrBadAmount
	}
	return received(s, Paid{PaymentID: c.PaymentID, Receipt: c.Receipt, Amount: c.Amount, At: c.At}), nil
}

func decideJoin(c Join, s State) ([]Event, error) {
	switch s.CustomerID {
	case c.CustomerID:
		if c.CustomerID == (domain.ID{}) {
			return nil, ErrNoCustomer
		}
		return nil, nil
	case domain.ID{}:
		return []Event{Joined(c)}, nil
	}
	return nil, ErrNotGuest
}

func decideApprove(c Approve, s State) ([]Event, error) {
	switch {
	case s.Status == StatusApproved:
		return nil, nil
	case s.Status == StatusReceived && s.Placed.PaymentMethod == domain.Cash,
		s.MoneyCameLate():
		return []Event{Approved(c)}, nil
	case s.Status == StatusReceived, s.Status == StatusPaymentErr:
		return nil, ErrNotPaid
	}
	return nil, ErrNotReceived
}

func decideComplete(c Complete, s State) ([]Event, error) {
	switch s.Status {
	case StatusCompleted:
		return nil, nil
	case StatusProcessing:
		if s.AwaitsMoney() {
			return nil, ErrMoneyAwaited // who has it says so: nobody makes it up
		}
		var events []Event
		if s.Parcel.Packed() && !s.Parcel.Delivered() {
			events = append(events, Delivered(c))
		}
		if rest := s.Due() - s.Captured() - s.waiting(); s.Placed.PaymentMethod == domain.Cash && rest > 0 {
			// The courier handed the goods over and took the money.
			events = append(events, Paid{PaymentID: CashPaymentID, Amount: rest, At: c.At})
		}
		return append(events, Completed(c)), nil
	}
	return nil, ErrNotProcessing
}

func decideCancel(c Cancel, s State) ([]Event, error) {
	switch c.By {
	case "customer", "staff", "system":
	default:
		return nil, ErrBadCanceller
	}
	switch s.Status {
	case StatusCancelled, StatusRefunded:
		return nil, nil
	case StatusCompleted:
		return nil, ErrCompleted
	case StatusApproved, StatusProcessing:
		if c.By == "customer" {
			return nil, ErrTooLateToCancel
		}
	case StatusReceived, StatusPaymentErr:
	}
	if err := s.Parcel.leaves(); err != nil {
		return nil, err
	}
	return []Event{Cancelled(c)}, nil
}

func decideRefund(c Refund, s State) ([]Event, error) {
	at := s.capture(c.PaymentID, c.Receipt, c.Amount)
	switch {
	case at < 0:
		return nil, ErrUnknownPayment
	case s.Payments[at].net() == 0, c.RefundID != "" && slices.Contains(s.refunds, c.RefundID):
		return nil, nil
	case c.Amount < 1:
		return nil, ErrBadAmount
	case c.Amount > s.Payments[at].net():
		return nil, ErrRefundTooMuch
	}
	refunded := Refunded{RefundID: c.RefundID, PaymentID: c.PaymentID, Receipt: s.Payments[at].Receipt, Amount: c.Amount, At: c.At}
	switch s.Status {
	case StatusCancelled, StatusRefunded:
		return []Event{refunded}, nil
	}
	for _, owed := range s.Owed() {
		if owed.ID == c.PaymentID && owed.Receipt == refunded.Receipt && c.Amount <= owed.Amount {
			refunded.Excess = true
			return []Event{refunded}, nil
		}
	}
	switch {
	case !c.Reported && s.Status != StatusCompleted:
		return nil, ErrNothingToReturn
	case c.RefundID == "" && c.Amount < s.Payments[at].net():
		return nil, ErrNoRefundID
	}
	return []Event{refunded}, nil
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Placed:
		s.Placed, s.Status, s.CustomerID, s.PayBefore, s.ConfirmBefore = e, StatusReceived, e.CustomerID, e.PayBefore, e.ConfirmBefore
	case PaymentRequested:
		s.PaymentID, s.Attempt, s.asked = e.PaymentID, e.Attempt, e.Amount
		if s.Status == StatusPaymentErr { // a bill for a difference changes no status
			s.Status = StatusReceived
		}
		if !e.PayBefore.IsZero() {
			s.PayBefore = e.PayBefore
		}
		s.tried = append(slices.Clip(s.tried), attempt{e.PaymentID, e.Provider})
	case Paid:
		s.Payments = append(slices.Clip(s.Payments), Payment{
			ID: e.PaymentID, Receipt: e.Receipt, Provider: s.ProviderOf(e.PaymentID), Amount: e.Amount, ByHand: e.ByHand,
		})
		s = evolveHand(s, e)
	case LinesChanged, AddressChanged:
		s = evolveEdit(s, event)
	case ReturnRequested, ReturnDeclined, GoodsReturned:
		s = evolveReturn(s, event)
	case HandPaymentClaimed, HandPaymentWithdrawn:
		s = evolveHand(s, event)
	case HandRefundClaimed, HandRefundWithdrawn:
		s = evolveHandRefund(s, event)
	case PaymentFailed, PaymentExpired:
		s.Status = StatusPaymentErr
	case Approved:
		s.Status = StatusApproved
	case ProcessingStarted:
		s.Status = StatusProcessing
	case Completed:
		s.Status, s.EndedAt, s.CompletedAt = StatusCompleted, e.At, e.At
	case Cancelled:
		s.Status, s.EndedAt = StatusCancelled, e.At
	case Refunded:
		s.Payments = slices.Clone(s.Payments)
		if at := s.capture(e.PaymentID, e.Receipt, e.Amount); at >= 0 {
			s.Payments[at].Refunded += e.Amount
		}
		s = evolveHandRefund(s, e)
		if e.RefundID != "" {
			s.refunds = append(slices.Clip(s.refunds), e.RefundID)
		}
		if !e.Excess {
			s.priceBack += e.Amount
		}
		if !e.Excess && s.Status == StatusCompleted {
			s.GivenBack += e.Amount
		}
		if !e.Excess && s.Captured() == 0 && s.endsWithoutMoney() {
			s.Status, s.EndedAt = StatusRefunded, e.At
		}
	case Joined:
		s.CustomerID, s.ConfirmBefore = e.CustomerID, time.Time{} // no guest's any more: the e-mail is proved
	case Imported:
		s.Imported = true
	case Tagged:
		s.Tags = e.Tags
	case Assigned:
		s.AssignedTo = e.StaffID
	case Packed, CourierAssigned, HandedOver, Delivered, NotDelivered:
		s.Parcel = s.Parcel.after(e)
	case DeliveryPhotographed, DeliveryPhotosRemoved:
		s = evolvePhotos(s, event)
	case Noted, PaymentMarked: // read by staff, decide nothing
	case Forgotten:
		// States are kept in memory; this one holds nobody's name there either.
		s.Placed.Contact, s.Placed.Address, s.Forgotten = Contact{}, Address{}, true
	}
	return s
}
