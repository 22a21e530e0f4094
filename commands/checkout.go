package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"shop/commands/payments"
	"shop/domain"
	"shop/domain/basket"
	"shop/domain/bonus"
	"shop/domain/document"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/domain/stock"
	"shop/eventstore"
)

const (
	keyScope = "orders"

	msgNoCash     = "Оплата наличными доступна только в городах с доставкой магазина"
	msgNotOffered = "Так оплатить сейчас нельзя. Выберите другой способ"
	msgEmpty      = "Товаров в корзине пока нет"
	msgScarce     = "Некоторых товаров осталось меньше, чем Вы хотите заказать"
)

// Numbers hands out order numbers.
type Numbers interface {
	Next(ctx context.Context) (int64, error)
}

// Orders places orders, takes and returns their money, and moves them forward for staff.
type Orders struct {
	Handler *Handler
	Numbers Numbers
	// Providers take the money; new payments are opened at the current one.
	Providers payments.Providers
	// Links lets lines name products by link. Nil: by id only.
	Links Links
	// Secret keys the hashes that tell customers of a promo code apart.
	Secret []byte
	// Books remember refunds on their way.
	Books payments.Books
	// Most is that of Baskets.
	Most int
	// Cities know the cities that may be named in clear. Nil: only those of the rules are.
	Cities Cities
	// Guests know the links of guests' orders. Nil: there are none.
	Guests guests
	// PublicURL is how browsers reach the shop.
	PublicURL string
	// Log records the failures of providers. Nil: nothing is logged.
	Log *slog.Logger
}

// Logger is Log, or a logger that drops everything.
func (o *Orders) Logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// Checkout asks for an order. The fields mean what they mean in the order's Placed.
type Checkout struct {
	// BasketID is zero when the order comes from no basket we know.
	BasketID domain.ID
	// UnsignedBasket is Unsigned of PriceBasket.
	UnsignedBasket bool
	// CustomerID is zero for a guest.
	CustomerID    domain.ID
	Lines         []Line
	Contact       order.Contact
	Address       order.Address
	DeliveryType  domain.DeliveryType
	PaymentMethod domain.PaymentMethod
	UseBrandBox   bool
	Promocode     string
	// SpendBonus is how many of the customer's bonuses pay, −1 as many as allowed. A guest has none.
	SpendBonus int64
	// Manual is what staff take off by hand, and Taken that they took the order; zero from a shopper.
	Manual domain.Manual
	Taken  order.Taken
	// Language is that of the order's letters; empty is Russian.
	Language string
	// ExpectedTotal is the TotalPaid the shopper saw; nil skips the check.
	ExpectedTotal *domain.Money
	// Key makes the request unrepeatable, Request is its digest. An empty key: every request is an order of its own.
	Key     string
	Request []byte
}

// Receipt is the answer to a Checkout.
type Receipt struct {
	ID     domain.ID    `json:"id"`
	Number int64        `json:"number"`
	Status order.Status `json:"status"`
	IsPaid bool         `json:"is_paid"`
	// TotalPaid is everything the order costs, PayableNow what the shop is paid before delivery.
	TotalPaid  domain.Money `json:"total_paid"`
	PayableNow domain.Money `json:"payable_now"`
	// PaymentURL is where to pay; empty when nothing is to be paid now.
	PaymentURL string `json:"payment_url,omitempty"`
}

// receiptOf is the receipt of an order as it stands, without an address to pay at.
func receiptOf(s order.State) Receipt {
	c := s.Placed.Calculation
	return Receipt{ID: s.Placed.ID, Number: s.Placed.Number, Status: s.Status, IsPaid: s.IsPaid(), TotalPaid: c.TotalPaid, PayableNow: c.PayableNow}
}

// Checkout places an order: it and the reservations, the promo code's use, the bonuses, the payment and the basket's end are
// written together or not at all. A repeated key answers with the receipt of the first time. What the shopper must
// put right is *Invalid, another total than expected *Outdated.
func (o *Orders) Checkout(ctx context.Context, c Checkout) (_ Receipt, _ eventstore.Position, err error) {
	ctx, end := StartSpan(ctx, "place order")
	defer end(&err)
	id, person := o.Handler.NewID(), c.CustomerID
	if person == uuid.Nil {
		person = o.Handler.NewID() // a guest's order has a person of its own
	}
	var state order.State
	receipt, position, repeated, err := Once(ctx, o.Handler, c.key(), func() (receipt Receipt, _ eventstore.Position, err error) {
		position, err := o.Handler.Do(ctx, true, func(u *Unit) error {
			var err error
			receipt, err = o.place(u, id, person, receipt.Number, c)
			if err == nil {
				state = OrderStream(id).State(u)
			}
			return err
		})
		return receipt, position, err
	})
	if repeated {
		if err == nil {
			state, position, err = o.placed(ctx, receipt.ID)
		}
		if err != nil {
			return Receipt{}, 0, err
		}
	}
	if err != nil {
		err = tooManyOpen(err, id)
		return Receipt{}, 0, fmt.Errorf("place order: %w", errors.Join(err, o.noteRefusal(ctx, c, err)))
	}
	// The provider is asked after the order is written: a call that hangs holds up nobody's stock, and the amount that
	// it is asked for is the order's for ever.
	receipt.PaymentURL = o.addressOf(ctx, state)
	return receipt, position, nil
}

// noteRefusal lets a basket that something was in remember why it did not become an order. The answer to the shopper
// stands, whether that can be written or not.
func (o *Orders) noteRefusal(ctx context.Context, c Checkout, refusal error) error {
	var why *unplaceable
	if c.BasketID == uuid.Nil || !errors.As(refusal, &why) || why.reason == "" {
		return nil
	}
	remembered := BasketStream(c.BasketID)
	_, err := o.Handler.Do(ctx, false, func(u *Unit) error {
		follows := []Ref{RulesStream(), remembered}
		if promocode.Normal(c.Promocode) != "" {
			follows = append(follows, PromocodeStream(c.Promocode))
		}
		if err := u.Follow(follows...); err != nil {
			return err
		}
		if c.UnsignedBasket && !remembered.Exists(u) {
			return nil
		}
		question := o.question(u, c)
		if err := explained(u, c.BasketID, question, why.Calculation, o.Most); err != nil {
			return err
		}
		return remembered.Do(u, basket.RefuseCheckout{
			BasketID: c.BasketID, Question: question, Reason: why.reason, TotalSum: why.TotalSum, TotalPaid: why.TotalPaid, At: u.At(), Most: o.Most,
		})
	})
	if err != nil {
		return fmt.Errorf("note the refusal: %w", err)
	}
	return nil
}

// explained lets a basket that comes back for the first time with a checkout remember what that was priced at: its first
// pricing was not remembered, as nobody knew then whether it would come back.
func explained(u *Unit, id domain.ID, question basket.Question, priced domain.Calculation, most int) error {
	remembered := BasketStream(id)
	if !remembered.State(u).Since.IsZero() {
		return nil
	}
	return remembered.Do(u, basket.Price{BasketID: id, Question: question, Calculation: priced, At: u.At(), Most: most})
}

// question is what a checkout asks, as baskets remember it: a city that nobody knows stays out of it.
func (o *Orders) question(u *Unit, c Checkout) basket.Question {
	question := c.question()
	question.City = CityInClear(o.Cities, RulesStream().State(u).Rules, c.Address.City)
	question.Promocode = u.codeInClear(c.Promocode)
	return question
}

// question is what a checkout asks, as baskets remember it, but for what was typed: city and code.
func (c Checkout) question() basket.Question {
	return basket.Question{
		DeliveryType: c.DeliveryType, PaymentMethod: c.PaymentMethod, SpendBonus: c.SpendBonus,
	}
}

// key is the idempotency key of the checkout; empty without one.
func (c Checkout) key() eventstore.Key {
	return eventstore.Key{Scope: keyScope, Key: c.Key, Request: c.Request}
}

// placed is an order as the log has it, and a position by which all of it is in the log.
func (o *Orders) placed(ctx context.Context, id domain.ID) (order.State, eventstore.Position, error) {
	events, err := o.Handler.Events(ctx, eventstore.From{Stream: order.Stream(id)})
	if err != nil {
		return order.State{}, 0, fmt.Errorf("find order %s: %w", id, err)
	}
	state, position := order.Decider.Initial, eventstore.Position(0)
	for _, e := range events[order.Stream(id)] {
		position = max(position, e.Position)
		if event, ok := e.Data.(order.Event); ok {
			state = order.Decider.Evolve(state, event)
		}
	}
	return state, position, nil
}

// place decides over all streams of a checkout. A number of 0 asks for one; a later attempt keeps the first's.
func (o *Orders) place(u *Unit, id, person domain.ID, number int64, c Checkout) (Receipt, error) {
	receipt := Receipt{Number: number}
	p := PriceBasket{
		BasketID: c.BasketID, Lines: c.Lines, Promocode: c.Promocode, City: c.Address.City,
		DeliveryType: c.DeliveryType, PaymentMethod: c.PaymentMethod, CustomerID: c.CustomerID, buyer: BuyerOf(o.Secret, c.CustomerID, c.Contact),
		SpendBonus: c.SpendBonus, Manual: c.Manual,
	}
	if !o.Providers.Offers(c.PaymentMethod) {
		return receipt, WrongField("payment_method", msgNotOffered)
	}
	refs, remembered := append(p.refs(), SettingsStream(), DocumentStream(document.Offer)), BasketStream(c.BasketID)
	if c.BasketID != uuid.Nil {
		refs = append(refs, remembered)
	}
	who := CustomerStream(c.CustomerID)
	if c.CustomerID != uuid.Nil {
		refs = append(refs, who)
	}
	if err := u.Follow(refs...); err != nil {
		return receipt, err
	}
	if err := u.AtOneMoment(p.products()...); err != nil {
		return receipt, err
	}
	if c.CustomerID != uuid.Nil {
		if !who.State(u).Open() {
			return receipt, ErrSignedOut
		}
		u.Assert(who) // nobody orders in an account that was closed before the order is written: an erasure finds all orders before it
		p.who = standing(who.State(u))
	}
	if err := u.followCode(&p); err != nil {
		return receipt, err
	}
	q := u.quote(p)
	if reason, err := q.placeable(c); err != nil {
		return receipt, &unplaceable{reason, q.Calculation, err}
	}
	if receipt.Number == 0 {
		var err error
		if receipt.Number, err = o.Numbers.Next(u.ctx); err != nil {
			return receipt, fmt.Errorf("next order number: %w", err)
		}
	}

	if c.BasketID != uuid.Nil {
		if err := explained(u, c.BasketID, o.question(u, c), q.Calculation, 0); err != nil {
			return receipt, err
		}
	}
	made := OrderStream(id)
	u.New(made)
	placed := o.placedBy(u, c, q)
	placed.ID, placed.Number, placed.PersonID = id, receipt.Number, person
	if err := o.carryOut(u, made, placed, c, p, q); err != nil {
		return receipt, err
	}
	if s := made.State(u); s.Unconfirmed() {
		u.claims = o.openOrders(u.ctx, RulesStream().State(u).Rules, s)
	}
	receipt = receiptOf(made.State(u))
	return receipt, u.Remember(c.key(), receipt)
}

// placedBy is what a checkout says of its order, at the price it was quoted.
func (o *Orders) placedBy(u *Unit, c Checkout, q quote) order.Placed {
	var since time.Time
	if c.BasketID != uuid.Nil {
		since = BasketStream(c.BasketID).State(u).Since
	}
	terms, said := RulesStream().State(u).Rules, SettingsStream().State(u).Settings
	placed := order.Placed{
		BasketID: c.BasketID, BasketSince: since, CustomerID: c.CustomerID, Contact: c.Contact,
		City: CityInClear(o.Cities, terms, c.Address.City), Address: c.Address, DeliveryType: c.DeliveryType, PaymentMethod: c.PaymentMethod,
		UseBrandBox: c.UseBrandBox, Calculation: q.Calculation, Taken: c.Taken, OfferVersion: DocumentStream(document.Offer).State(u).Or(said.OfferVersion), Language: c.Language, At: u.At(),
	}
	if q.IsDeliveryCalculated && c.DeliveryType == domain.Delivery {
		placed.DeliveryDate = said.DeliveryDate(u.At(), terms.SameDayUntil)
	}
	if q.PayableNow > 0 {
		placed.PayBefore = terms.PayBefore(c.PaymentMethod, u.At())
	}
	if c.CustomerID == uuid.Nil {
		placed.ConfirmBefore = terms.ConfirmBefore(c.PaymentMethod, u.At())
	}
	return placed
}

// carryOut lets each aggregate decide in turn: the order is placed, each stock reserves, the promo code is redeemed, the
// bonuses are spent, the basket ends, and the payment is asked for.
func (o *Orders) carryOut(u *Unit, made Stream[order.Command, order.Event, order.State], placed order.Placed, c Checkout, p PriceBasket, q quote) error {
	id := placed.ID
	if err := made.Do(u, order.Place{Placed: placed}); err != nil {
		return err
	}
	for _, l := range c.Lines {
		reserve := stock.Reserve{ProductID: l.ProductID, OrderID: id, Quantity: l.Amount, At: u.At()}
		if err := StockStream(l.ProductID).Do(u, reserve); err != nil {
			return err
		}
	}
	if code := q.PromocodeApplied; code != "" {
		redeem := promocode.Redeem{
			Code: code, OrderID: id, PersonID: placed.PersonID, Buyer: p.buyer, Who: p.who, TotalSum: q.TotalSum, Discount: q.TotalSum - q.DiscountedSum - q.Manual.Amount, At: u.At(),
		}
		if err := PromocodeStream(code).Do(u, redeem); err != nil {
			var refusal *domain.Refusal
			if errors.As(err, &refusal) {
				return &unplaceable{basket.ReasonPromoInvalid, q.Calculation, WrongField("promocode", tellable(refusal.Message))}
			}
			return err
		}
	}
	if q.BonusSpent > 0 {
		spend := bonus.Spend{CustomerID: c.CustomerID, OrderID: id, Amount: q.BonusSpent, At: u.At()}
		if err := BonusStream(c.CustomerID).Do(u, spend); err != nil {
			return err
		}
	}
	if c.BasketID != uuid.Nil {
		if err := BasketStream(c.BasketID).Do(u, basket.CheckOut{BasketID: c.BasketID, OrderID: id, At: u.At()}); err != nil {
			return err
		}
	}
	if q.PayableNow > 0 {
		ask := order.RequestPayment{PaymentID: payments.ID(id, 1), Provider: o.Providers.Current.Name(), PayBefore: placed.PayBefore, At: u.At()}
		if err := made.Do(u, ask); err != nil {
			return err
		}
	}
	return nil
}

// placeable says why no order can be made of the quote, by its name and to the shopper; nil when one can. The reason is
// empty when the lines make no sense.
func (q quote) placeable(c Checkout) (reason string, err error) {
	if err := q.err(); err != nil {
		if q.senseless {
			return "", err
		}
		return q.Reason, err
	}
	if q.PromocodeError != "" {
		return basket.ReasonPromoInvalid, WrongField("promocode", tellable(q.PromocodeError))
	}
	switch q.Reason {
	case pricing.ReasonEmpty:
		return q.Reason, WrongField("products", msgEmpty)
	case pricing.ReasonCashUnavailable:
		return q.Reason, WrongField("payment_method", msgNoCash)
	}
	if !q.CanCreateOrder {
		return q.Reason, ErrBelowMinimum.With(belowMinimum(q.Calculation))
	}
	if c.ExpectedTotal != nil && *c.ExpectedTotal != q.TotalPaid {
		return basket.ReasonPriceChanged, &Outdated{Calculation: Shown(q.Calculation)}
	}
	return "", nil
}

// unplaceable: no order can be made of what the basket holds; the error is what the shopper is told.
type unplaceable struct {
	reason string
	domain.Calculation
	error
}

func (e *unplaceable) Unwrap() error { return e.error }
