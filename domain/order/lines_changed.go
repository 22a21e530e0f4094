package order

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
)

// MaxReason bounds what staff or customers say about a change, in characters.
const MaxReason = 500

// Refusals of a change of what was ordered.
var (
	// ErrNotEditable: the goods are not held for the order, or are on their way already.
	ErrNotEditable = domain.Refuse("order/not-editable", "Состав и адрес меняют, пока заказ не передан и не завершён")
	// ErrLastLine: an order without lines is a cancelled one.
	ErrLastLine    = domain.Refuse("order/last-line", "Последний товар убрать нельзя: отмените заказ")
	ErrUnexplained = domain.Refuse("order/unexplained", "Укажите причину, не длиннее 500 знаков")
	// ErrOvertaken: somebody else changed the order since it was read.
	ErrOvertaken = domain.Refuse("order/overtaken", "Заказ тем временем изменили")
	ErrNoStreet  = domain.Refuse("order/no-street", "Для доставки укажите улицу и дом")
	// ErrNoCash: couriers of others take no money for the shop.
	ErrNoCash  = domain.Refuse("order/no-cash", "Оплата наличными доступна только в городах с доставкой магазина")
	ErrNoCity  = domain.Refuse("order/no-city", "Укажите город")
	ErrBadDate = domain.Refuse("order/bad-date", "День доставки — дата, не раньше сегодняшней")
)

// HandPrice is a line's price of one piece that staff gave it.
type HandPrice struct {
	ProductID domain.ID    `json:"product_id"`
	Price     domain.Money `json:"price"`
	// List and Was are the list price and the price to pay that the line has without it.
	List   domain.Money `json:"list"`
	Was    domain.Money `json:"was"`
	Reason string       `json:"reason"`
}

// UsedCode is the promo code that an order was placed with, and its terms of that day: what a price depends on.
type UsedCode struct {
	Code   string       `json:"code"`
	Kind   string       `json:"kind"`
	Value  int64        `json:"value"`
	MinSum domain.Money `json:"min_sum"`
	// MaxDiscount and the scope are those of the code's terms.
	MaxDiscount domain.Money `json:"max_discount,omitempty"`
	domain.Scope
}

// LinesChanged gave the order other lines, or its lines and its delivery another price. The calculation replaces the former one. It
// is made by the rules version that the order was placed by, and everything else that it depends on is here too.
type LinesChanged struct {
	Number int64 `json:"number"`
	// City is as in Placed.
	City          string               `json:"city"`
	DeliveryType  domain.DeliveryType  `json:"delivery_type"`
	PaymentMethod domain.PaymentMethod `json:"payment_method"`
	Calculation   domain.Calculation   `json:"calculation"`
	// ByHand are the prices that staff gave lines, all that hold now.
	ByHand []HandPrice `json:"by_hand,omitempty"`
	// Promocode is the code that may bring a discount; nil: none may.
	Promocode *UsedCode `json:"promocode,omitempty"`
	Reason    string    `json:"reason"`
	// Before are the lines of before, and PlacedAt is when the order was placed, for whoever adds up goods by day.
	Before   []domain.PricedLine `json:"before"`
	PlacedAt time.Time           `json:"placed_at"`
	At       time.Time           `json:"at"`
}

// AddressChanged gave the order another contact, address or promised day. The former ones are replaced as a whole.
type AddressChanged struct {
	// PersonID is the order's, whose key seals contact and address.
	PersonID domain.ID `json:"person_id"`
	Contact  Contact   `json:"contact"`
	Address  Address   `json:"address"`
	// City and DeliveryDate are as in Placed.
	City         string    `json:"city"`
	DeliveryDate string    `json:"delivery_date,omitempty"`
	Reason       string    `json:"reason,omitempty"`
	At           time.Time `json:"at"`
}

// Personal seals contact and address under the key of the order's person.
func (a AddressChanged) Personal() domain.Personal {
	return domain.Personal{Person: a.PersonID, Fields: []string{"contact", "address", "reason"}}
}

func (LinesChanged) EventType() string   { return "order.lines-changed" }
func (AddressChanged) EventType() string { return "order.address-changed" }
func (LinesChanged) isEvent()            {}
func (AddressChanged) isEvent()          {}

func (e LinesChanged) When() time.Time   { return e.At }
func (a AddressChanged) When() time.Time { return a.At }

// ChangeLines replaces what was ordered, at a price that is calculated already. The same lines at the same price add nothing.
type ChangeLines struct {
	Calculation domain.Calculation
	ByHand      []HandPrice
	Promocode   *UsedCode
	// City is what the price was calculated for, as in Placed.
	City   string
	Reason string
	At     time.Time
}

// ChangeAddress replaces contact, address and promised day. The same ones add nothing.
type ChangeAddress struct {
	Contact      Contact
	Address      Address
	City         string
	DeliveryDate string
	Reason       string
	At           time.Time
}

func (ChangeLines) isCommand()   {}
func (ChangeAddress) isCommand() {}

// Editable says whether lines, contact and address may still change: the goods are held, and with the shop.
func (s State) Editable() bool {
	return s.HoldsGoods() && !s.Imported && !s.Forgotten && !s.Parcel.HandedOver() && !s.Parcel.Delivered()
}

func plainReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n < 1 || n > MaxReason {
		return "", ErrUnexplained
	}
	return reason, nil
}

func decideEdit(command Command, s State) ([]Event, error) {
	if !s.Editable() {
		return nil, ErrNotEditable
	}
	switch c := command.(type) {
	case ChangeLines:
		return decideChangeLines(c, s)
	case ChangeAddress:
		return decideChangeAddress(c, s)
	default:
		return nil, domain.UnknownCommand(command)
	}
}

func decideChangeLines(c ChangeLines, s State) ([]Event, error) {
	reason, err := plainReason(c.Reason)
	switch {
	case len(c.Calculation.Lines) == 0:
		return nil, ErrLastLine
	case c.Calculation.Equal(s.Placed.Calculation):
		return nil, nil
	case err != nil:
		return nil, err
	}
	changed := LinesChanged{
		Number: s.Placed.Number, City: c.City, DeliveryType: s.Placed.DeliveryType, PaymentMethod: s.Placed.PaymentMethod,
		Calculation: c.Calculation, ByHand: c.ByHand, Promocode: c.Promocode, Reason: reason,
		Before: s.Placed.Calculation.Lines, PlacedAt: s.Placed.At, At: c.At,
	}
	if s.Status == StatusReceived && s.Placed.PaymentMethod != domain.Cash && evolve(s, changed).IsPaid() {
		return []Event{changed, Approved{At: c.At}}, nil // what came already is enough now
	}
	return []Event{changed}, nil
}

func decideChangeAddress(c ChangeAddress, s State) ([]Event, error) {
	if s.Placed.DeliveryType == domain.Delivery {
		switch {
		case strings.TrimSpace(c.Address.City) == "":
			return nil, ErrNoCity
		case strings.TrimSpace(c.Address.Street) == "" || strings.TrimSpace(c.Address.House) == "":
			return nil, ErrNoStreet
		}
	}
	if c.DeliveryDate != "" && c.DeliveryDate != s.Placed.DeliveryDate {
		if _, err := time.Parse(time.DateOnly, c.DeliveryDate); err != nil || c.DeliveryDate < c.At.In(domain.Almaty).Format(time.DateOnly) {
			return nil, ErrBadDate
		}
	}
	p := s.Placed
	if c.Contact == p.Contact && c.Address == p.Address && c.City == p.City && c.DeliveryDate == p.DeliveryDate {
		return nil, nil
	}
	return []Event{AddressChanged{
		PersonID: p.PersonID, Contact: c.Contact, Address: c.Address, City: c.City, DeliveryDate: c.DeliveryDate,
		Reason: strings.TrimSpace(c.Reason), At: c.At,
	}}, nil
}

// evolveEdit folds a change of what was ordered into the order as it stands: what Placed says of it is replaced, so that nobody reads
// a price or an address of before.
func evolveEdit(s State, event Event) State {
	switch e := event.(type) {
	case LinesChanged:
		s.Placed.Calculation, s.ByHand, s.Code, s.Edited = e.Calculation, e.ByHand, e.Promocode, true
		if !sameGoods(e.Before, e.Calculation.Lines) {
			s.Parcel = s.Parcel.Unpacked()
		}
	case AddressChanged:
		s.Placed.Contact, s.Placed.Address, s.Placed.City, s.Placed.DeliveryDate = e.Contact, e.Address, e.City, e.DeliveryDate
	default: // the others say nothing of it
	}
	return s
}

// sameGoods says whether two lists of lines have the same pieces, whatever they cost.
func sameGoods(a, b []domain.PricedLine) bool {
	pieces := map[domain.ID]int64{}
	for _, l := range a {
		pieces[l.ProductID] += l.Amount
	}
	for _, l := range b {
		pieces[l.ProductID] -= l.Amount
	}
	for _, n := range pieces {
		if n != 0 {
			return false
		}
	}
	return true
}

// HandPriceOf is the price that staff gave a product's line; false when they gave none.
func (s State) HandPriceOf(product domain.ID) (HandPrice, bool) {
	at := slices.IndexFunc(s.ByHand, func(p HandPrice) bool { return p.ProductID == product })
	if at < 0 {
		return HandPrice{}, false
	}
	return s.ByHand[at], true
}

// AwaitsPayment says whether the payment that was opened last is still to be paid: the first one, or the difference after lines
// were changed.
func (s State) AwaitsPayment() bool {
	switch s.Status {
	case StatusReceived, StatusApproved, StatusProcessing, StatusCompleted:
		return s.PaymentID != "" && s.Lacks() > 0 && s.asked == s.Lacks() && !s.captured(s.PaymentID)
	case StatusPaymentErr, StatusCancelled, StatusRefunded:
	}
	return false
}

// MayAskForMoney says whether a payment may be opened at a provider for what the order lacks.
func (s State) MayAskForMoney() bool {
	return s.Placed.PaymentMethod != domain.Cash && !s.Imported && s.Lacks() > 0
}
