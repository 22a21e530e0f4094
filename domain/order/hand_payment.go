package order

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"shop/domain"
)

// HandMethod is how money came that no provider reported.
type HandMethod string

const (
	Transfer HandMethod = "TRANSFER"
	KaspiQR  HandMethod = "KASPI_QR"
	// Desk is cash that staff took, at the desk or at the door.
	Desk HandMethod = "CASH"
)

// HandMethods are all there are.
var HandMethods = []HandMethod{Transfer, KaspiQR, Desk}

// handPrefix begins the payment id of money that staff recorded; the reference follows.
const handPrefix = "hand:"

// MaxReference bounds the reference of a payment by hand, in characters.
const MaxReference = 100

// Refusals of money that staff record.
var (
	ErrBadHandMethod = domain.Refuse("order/bad-hand-method", "Неизвестно, как пришли деньги")
	ErrBadReference  = domain.Refuse("order/bad-reference", "Номер платежа — от 1 до 100 знаков")
	// ErrReferenceUsed: the order knows a payment of this reference, recorded or waiting.
	ErrReferenceUsed = domain.Refuse("order/reference-used", "Платёж с таким номером по этому заказу уже записан")
	// ErrHandTooMuch: more than the order lacks would be an overpayment that nobody made.
	ErrHandTooMuch = domain.Refuse("order/hand-too-much", "Это больше, чем осталось оплатить по заказу")
	// ErrNoClaim: no payment of this reference waits for a second person.
	ErrNoClaim = domain.Refuse("order/no-claim", "Такой платёж подтверждения не ждёт")
	// ErrSamePerson: who recorded a payment cannot confirm it.
	ErrSamePerson = domain.Refuse("order/same-person", "Подтвердить платёж должен другой сотрудник")
	// ErrByHand: the money came without a provider and goes back without one.
	ErrByHand = domain.Refuse("order/by-hand", "Эти деньги приняли вручную: верните их вручную и отметьте возврат")
	// ErrBackAlready: the provider, or somebody by hand, was faster; what waits for a second person is to be withdrawn.
	ErrBackAlready = domain.Refuse("order/back-already", "Эти деньги покупателю уже вернули: отмените запись о возврате")
	// ErrNotByHand: a provider has the money, so the provider gives it back.
	ErrNotByHand = domain.Refuse("order/not-by-hand", "Этот платёж принял провайдер: верните его через него")
)

// HandPaymentClaimed says that somebody of the staff saw money whose sum needs a second person. It is no money yet.
type HandPaymentClaimed struct {
	Reference string       `json:"reference"`
	Method    HandMethod   `json:"method"`
	Amount    domain.Money `json:"amount"`
	// By is the actor who saw the money, as in the metadata of events.
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// HandPaymentWithdrawn took a claim back before it was confirmed.
type HandPaymentWithdrawn struct {
	Reference string    `json:"reference"`
	By        string    `json:"by"`
	At        time.Time `json:"at"`
}

func (c HandPaymentClaimed) claimed() string { return c.Reference }

func (HandPaymentClaimed) EventType() string   { return "order.hand-payment-claimed" }
func (HandPaymentWithdrawn) EventType() string { return "order.hand-payment-withdrawn" }
func (HandPaymentClaimed) isEvent()            {}
func (HandPaymentWithdrawn) isEvent()          {}

func (c HandPaymentClaimed) When() time.Time   { return c.At }
func (e HandPaymentWithdrawn) When() time.Time { return e.At }

// ByHand says how staff took a payment that no provider reported. The zero value: a provider reported it, or a courier of before
// schema 3 took it.
type ByHand struct {
	Method HandMethod `json:"method"`
	// By is the actor who recorded the money, ConfirmedBy the second person; empty where none was needed.
	By          string `json:"by"`
	ConfirmedBy string `json:"confirmed_by,omitempty"`
}

// PayByHand records money that came without a provider: its method, its reference in the shop's own books, and who saw it. A sum
// above ConfirmAbove waits for a second person, together with what was recorded by one person before; 0: no sum waits.
type PayByHand struct {
	Reference    string
	Method       HandMethod
	Amount       domain.Money
	By           string
	ConfirmAbove domain.Money
	At           time.Time
}

// ConfirmHandPayment is the second person's word for a claim: its money is recorded.
type ConfirmHandPayment struct {
	Reference string
	By        string
	At        time.Time
}

// WithdrawHandPayment takes a claim back.
type WithdrawHandPayment struct {
	Reference string
	By        string
	At        time.Time
}

func (PayByHand) isCommand()           {}
func (ConfirmHandPayment) isCommand()  {}
func (WithdrawHandPayment) isCommand() {}

// HandPaymentID is the payment id of money that staff recorded by a reference.
func HandPaymentID(reference string) string { return handPrefix + strings.TrimSpace(reference) }

// TakenByHand says whether a payment's money came without a provider, so that no provider can give it back.
func TakenByHand(payment string) bool { return strings.HasPrefix(payment, handPrefix) }

// claim is what one person said of money, which waits for a second person under its reference.
type claim interface{ claimed() string }

// claimOf finds what waits by its reference.
func claimOf[C claim](waiting []C, reference string) (found C, waits bool) {
	at := slices.IndexFunc(waiting, func(c C) bool { return c.claimed() == strings.TrimSpace(reference) })
	if at < 0 {
		return found, false
	}
	return waiting[at], true
}

// endClaim is what still waits when the claim of a reference ended; nil for nothing.
func endClaim[C claim](waiting []C, reference string) []C {
	left := slices.DeleteFunc(slices.Clone(waiting), func(c C) bool { return c.claimed() == reference })
	if len(left) == 0 {
		return nil
	}
	return left
}

// waiting is the money that waits for a second person.
func (s State) waiting() (sum domain.Money) {
	for _, c := range s.HandClaims {
		sum += c.Amount
	}
	return sum
}

// byOne is the money that single persons recorded, whatever became of it: a large sum in parts needs two persons as well.
func (s State) byOne() (sum domain.Money) {
	for _, p := range s.Payments {
		if p.ByHand.Method != "" && p.ByHand.ConfirmedBy == "" {
			sum += p.Amount
		}
	}
	return sum
}

// Lacks is the money that the order still waits for, payments that wait for a second person apart; 0 of an order that ended
// without being completed.
func (s State) Lacks() domain.Money {
	switch s.Status {
	case StatusCancelled, StatusRefunded:
		return 0
	case StatusReceived, StatusApproved, StatusProcessing, StatusPaymentErr, StatusCompleted:
	}
	return max(0, s.Due()-s.GivenBack-s.Captured())
}

func decideHand(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case PayByHand:
		return decidePayByHand(c, s)
	case ConfirmHandPayment:
		return decideConfirmByHand(c, s)
	case WithdrawHandPayment:
		claim, waits := claimOf(s.HandClaims, c.Reference)
		if !waits {
			return nil, ErrNoClaim
		}
		return []Event{HandPaymentWithdrawn{Reference: claim.Reference, By: c.By, At: c.At}}, nil
	default:
		return nil, domain.UnknownCommand(command)
	}
}

func plainReference(reference string) (string, error) {
	reference = strings.TrimSpace(reference)
	if n := utf8.RuneCountInString(reference); n < 1 || n > MaxReference || !utf8.ValidString(reference) || strings.ContainsFunc(reference, unicode.IsControl) {
		return "", ErrBadReference
	}
	return reference, nil
}

func decidePayByHand(c PayByHand, s State) ([]Event, error) {
	reference, err := plainReference(c.Reference)
	if err != nil {
		return nil, err
	}
	_, waits := claimOf(s.HandClaims, reference)
	switch {
	case !slices.Contains(HandMethods, c.Method):
		return nil, ErrBadHandMethod
	case c.Amount < 1:
		return nil, ErrBadAmount
	case waits, s.captured(HandPaymentID(reference)):
		return nil, ErrReferenceUsed
	case s.Status == StatusCancelled, s.Status == StatusRefunded:
		return nil, ErrNotPayable
	case s.Lacks() == 0:
		return nil, ErrAlreadyPaid
	case c.Amount > s.Lacks()-s.waiting():
		return nil, ErrHandTooMuch.With("Осталось оплатить " + domain.Tenge(max(0, s.Lacks()-s.waiting())))
	case c.ConfirmAbove > 0 && s.byOne()+c.Amount > c.ConfirmAbove:
		return []Event{HandPaymentClaimed{Reference: reference, Method: c.Method, Amount: c.Amount, By: c.By, At: c.At}}, nil
	}
	return received(s, Paid{
		PaymentID: HandPaymentID(reference), Amount: c.Amount, ByHand: ByHand{Method: c.Method, By: c.By}, At: c.At,
	}), nil
}

func decideConfirmByHand(c ConfirmHandPayment, s State) ([]Event, error) {
	claim, waits := claimOf(s.HandClaims, c.Reference)
	switch {
	case !waits:
		return nil, ErrNoClaim
	case claim.By == c.By:
		return nil, ErrSamePerson
	}
	return received(s, Paid{
		PaymentID: HandPaymentID(claim.Reference), Amount: claim.Amount,
		ByHand: ByHand{Method: claim.Method, By: claim.By, ConfirmedBy: c.By}, At: c.At,
	}), nil
}

// received is money that came, and the order's approval or completion when it is all that the order waited for.
func received(s State, paid Paid) []Event {
	if s.Status == StatusReceived && evolve(s, paid).IsPaid() {
		return []Event{paid, Approved{At: paid.At}}
	}
	if s.AwaitsMoney() && evolve(s, paid).IsPaid() {
		return []Event{paid, Completed{At: paid.At}}
	}
	return []Event{paid}
}

// evolveHand folds what staff said of money; a claim ends with its money or with its withdrawal.
func evolveHand(s State, event Event) State {
	var reference string
	switch e := event.(type) {
	case HandPaymentClaimed:
		s.HandClaims = append(slices.Clip(s.HandClaims), e)
		return s
	case HandPaymentWithdrawn:
		reference = e.Reference
	case Paid:
		if e.ByHand.Method == "" {
			return s
		}
		reference = strings.TrimPrefix(e.PaymentID, handPrefix)
	default:
		return s
	}
	s.HandClaims = endClaim(s.HandClaims, reference)
	return s
}
