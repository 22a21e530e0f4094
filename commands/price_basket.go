package commands

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/eventstore"
)

// Baskets prices what shoppers would order.
type Baskets struct {
	Handler *Handler
	// Links lets lines name products by link. Nil: by id only.
	Links Links
	// Cities know the cities that may be named in clear. Nil: only those of the rules are.
	Cities Cities
	// Secret keys the hashes that tell customers of a promo code apart; the one of Orders.
	Secret []byte
	// Most is how many pricings and refused orders of a basket are remembered in an hour; 0: all. Orders has the same.
	Most int
}

// Line asks for Amount pieces of a product.
type Line struct {
	ProductID domain.ID
	Amount    int64
}

// PriceBasket asks what a basket costs. A zero BasketID is a basket of which nothing is remembered.
type PriceBasket struct {
	BasketID      domain.ID
	Lines         []Line
	Promocode     string
	City          string
	DeliveryType  domain.DeliveryType
	PaymentMethod domain.PaymentMethod
	// SpendBonus is how many of the customer's bonuses to spend, −1 as many as allowed. A guest has none.
	SpendBonus int64
	// Manual is what staff take off by hand; zero from a shopper.
	Manual domain.Manual

	// Unsigned: whoever sends the id may have made it up, so the basket is remembered only when the log knows it.
	Unsigned bool
	// CustomerID is the signed-in customer; zero: a guest.
	CustomerID domain.ID

	// buyer tells customers of a promo code apart; empty before they have said who they are. who is what their account says.
	buyer promocode.Buyer
	who   promocode.Standing
}

// Calculation is a priced basket as shoppers see it; the fields mean what they mean in domain.Calculation.
type Calculation struct {
	TotalSum             domain.Money `json:"total_sum"`
	OrderDiscount        int64        `json:"order_discount"`
	DiscountedSum        domain.Money `json:"discounted_sum"`
	IsDeliveryCalculated bool         `json:"is_delivery_calculated"`
	DeliveryPrice        domain.Money `json:"delivery_price"`
	BonusSpent           domain.Money `json:"bonus_spent"`
	TotalPaid            domain.Money `json:"total_paid"`
	PayableNow           domain.Money `json:"payable_now"`
	PayableOnDelivery    domain.Money `json:"payable_on_delivery"`
	CanCreateOrder       bool         `json:"can_create_order"`
	// Reason says why not; nil when an order can be created.
	Reason         *Reason       `json:"reason"`
	MissingSum     domain.Money  `json:"missing_sum"`
	PromocodeError *string       `json:"promocode_error"`
	RulesVersion   int64         `json:"rules_version"`
	Explanation    []domain.Step `json:"explanation"`
}

// Reason is why a basket is no order: Code is one of pricing's reasons, Text a Russian sentence.
type Reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// reasonOf is why no order can be created of a calculation, in words.
func reasonOf(c domain.Calculation) *Reason {
	if c.CanCreateOrder {
		return nil
	}
	texts := map[string]string{
		pricing.ReasonEmpty:           msgEmpty,
		pricing.ReasonCashUnavailable: msgNoCash,
		pricing.ReasonOutOfStock:      msgOutOf,
		pricing.ReasonNotEnoughStock:  msgScarce,
		pricing.ReasonBelowMinimum:    belowMinimum(c),
	}
	return &Reason{Code: c.Reason, Text: texts[c.Reason]}
}

func belowMinimum(c domain.Calculation) string {
	return fmt.Sprintf("Минимальная сумма заказа %s, не хватает %s", domain.Tenge(c.TotalSum+c.MissingSum), domain.Tenge(c.MissingSum))
}

// Shown is a calculation as shoppers see it.
func Shown(c domain.Calculation) Calculation {
	s := Calculation{
		TotalSum: c.TotalSum, OrderDiscount: c.OrderDiscount, DiscountedSum: c.DiscountedSum,
		IsDeliveryCalculated: c.IsDeliveryCalculated, DeliveryPrice: c.DeliveryPrice, BonusSpent: c.BonusSpent,
		TotalPaid: c.TotalPaid, PayableNow: c.PayableNow, PayableOnDelivery: c.PayableOnDelivery,
		CanCreateOrder: c.CanCreateOrder, Reason: reasonOf(c), MissingSum: c.MissingSum, RulesVersion: c.RulesVersion, Explanation: c.Explanation,
	}
	if c.PromocodeError != "" {
		problem := tellable(c.PromocodeError)
		s.PromocodeError = &problem
	}
	if s.Explanation == nil {
		s.Explanation = []domain.Step{}
	}
	return s
}

// Price answers a pricing and lets the basket remember it. Line errors are *Invalid, and remembered as well when
// every product is known. The position is 0 when there was nothing new to remember; known is whether the basket is one of ours.
func (b *Baskets) Price(ctx context.Context, p PriceBasket) (_ domain.Calculation, _ eventstore.Position, known bool, err error) {
	ctx, end := StartSpan(ctx, "price basket")
	defer end(&err)
	if p.CustomerID != uuid.Nil {
		p.buyer = BuyerOf(b.Secret, p.CustomerID, order.Contact{})
	}
	var q quote
	question := basket.Question{DeliveryType: p.DeliveryType, PaymentMethod: p.PaymentMethod}
	position, err := b.Handler.Do(ctx, false, func(u *Unit) error {
		remembered := BasketStream(p.BasketID)
		refs := p.refs()
		if p.BasketID != uuid.Nil {
			refs = append(refs, remembered)
		}
		if err := u.Follow(refs...); err != nil {
			return err
		}
		if err := u.AtOneMoment(p.products()...); err != nil {
			return err
		}
		if err := u.followCode(&p); err != nil {
			return err
		}
		q = u.quote(p)
		known = p.BasketID != uuid.Nil && (!p.Unsigned || remembered.Exists(u))
		if !known || q.senseless {
			return nil
		}
		question.City = CityInClear(b.Cities, RulesStream().State(u).Rules, p.City)
		question.Promocode = u.codeInClear(p.Promocode)
		return remembered.Do(u, basket.Price{BasketID: p.BasketID, Question: question, Calculation: q.Calculation, At: u.At(), Most: b.Most})
	})
	if err != nil {
		return domain.Calculation{}, 0, false, fmt.Errorf("price basket %s: %w", p.BasketID, err)
	}
	return q.Calculation, position, known, q.err()
}

// Make names a new basket. Nobody can have written to it yet, so its first command asks the log nothing.
func (b *Baskets) Make() domain.ID {
	id := b.Handler.NewID()
	b.Handler.memory.begin(BasketStream(id))
	return id
}

// codeInClear is how the log names the promo code of a basket in clear: as it is called where there is one, and basket.UnknownCode for
// all else that somebody typed, which may be about them. No code stays none. The code's stream is one that u follows.
func (u *Unit) codeInClear(typed string) string {
	code := promocode.Normal(typed)
	if code != "" && !PromocodeStream(code).Exists(u) {
		return basket.UnknownCode
	}
	return code
}

// followCode finds out what the basket's promo code asks for: categories of the goods, and what the customer's account says.
func (u *Unit) followCode(p *PriceBasket) error {
	code := promocode.Normal(p.Promocode)
	if code == "" {
		return nil
	}
	given := PromocodeStream(code).State(u)
	var ids []domain.ID
	for _, l := range p.Lines {
		if l.ProductID != uuid.Nil {
			ids = append(ids, l.ProductID)
		}
	}
	if err := u.FollowScope(given.Terms.Scope, ids...); err != nil {
		return err
	}
	needed := given.ForGroups() || RulesStream().State(u).Rules.PromocodeProof && given.NeedsProof()
	if p.CustomerID == uuid.Nil || !needed {
		return nil
	}
	who := CustomerStream(p.CustomerID)
	if err := u.Follow(who); err != nil {
		return err
	}
	p.who = standing(who.State(u))
	return nil
}

// standing is what an account says of its customer.
func standing(s customer.State) promocode.Standing {
	return promocode.Standing{Proved: s.Verified, Groups: s.Groups}
}

// refs are the streams a price depends on.
func (p PriceBasket) refs() []Ref {
	refs := make([]Ref, 0, 2*len(p.Lines)+4)
	refs = append(refs, RulesStream())
	for _, l := range p.Lines {
		if l.ProductID != uuid.Nil {
			refs = append(refs, ProductStream(l.ProductID), StockStream(l.ProductID))
		}
	}
	if promocode.Normal(p.Promocode) != "" {
		refs = append(refs, PromocodeStream(p.Promocode))
	}
	if p.spends() {
		refs = append(refs, BonusStream(p.CustomerID))
	}
	return refs
}

// products are those that the basket's prices are of. A change of several prices shows in it whole or not at all.
func (p PriceBasket) products() []Ref {
	var refs []Ref
	for _, l := range p.Lines {
		if l.ProductID != uuid.Nil {
			refs = append(refs, ProductStream(l.ProductID))
		}
	}
	return refs
}

// spends says whether bonuses are asked to pay.
func (p PriceBasket) spends() bool { return p.SpendBonus != 0 && p.CustomerID != uuid.Nil }

// quote is a priced basket with what is wrong with its lines.
type quote struct {
	domain.Calculation
	// wrong has an entry per line of the request; nil when every line is good.
	wrong []LineError
	// senseless: a line names no product of ours, or one twice, or more pieces than any order may hold. Nothing to
	// learn from.
	senseless bool
}

func (q quote) err() error {
	if q.wrong == nil {
		return nil
	}
	return &Invalid{Fields: map[string]any{"products": q.wrong}}
}

// quote prices the basket from loaded streams. Lines that cannot be had are priced all the same, so that the
// basket may remember what was wanted; the calculation then says why there is no order in it.
func (u *Unit) quote(p PriceBasket) quote {
	var q quote
	terms := RulesStream().State(u)
	in := pricing.Input{
		Rules: terms.Rules, RulesVersion: terms.Version, City: p.City,
		DeliveryType: p.DeliveryType, PaymentMethod: p.PaymentMethod, Manual: p.Manual, At: u.At(),
	}
	var scope domain.Scope
	if code := promocode.Normal(p.Promocode); code != "" {
		scope = PromocodeStream(code).State(u).Terms.Scope
	}
	wrong := make([]LineError, len(p.Lines))
	seen := make(map[domain.ID]bool, len(p.Lines))
	reason := ""
	for i, l := range p.Lines {
		if wrong[i] = (LineError{}); seen[l.ProductID] && l.ProductID != uuid.Nil {
			wrong[i]["product"] = []string{msgRepeated}
			q.senseless = true
			continue
		}
		seen[l.ProductID] = true
		if l.ProductID == uuid.Nil || !ProductStream(l.ProductID).Exists(u) {
			wrong[i]["product"] = []string{msgOutOf}
			q.senseless = true
			continue
		}
		product := ProductStream(l.ProductID).State(u)
		free := StockStream(l.ProductID).State(u).Available(terms.Rules.MaxPerOrder)
		q.senseless = q.senseless || l.Amount > terms.Rules.MaxPerOrder
		switch {
		case !product.Sellable() || free <= 0:
			wrong[i]["product"] = []string{msgOutOf}
			reason = pricing.ReasonOutOfStock
		case l.Amount > free:
			wrong[i]["product"] = []string{fmt.Sprintf(msgNotEnough, free)}
			wrong[i]["amount"] = free
			if reason == "" {
				reason = pricing.ReasonNotEnoughStock
			}
		}
		in.Lines = append(in.Lines, pricing.Line{
			ProductID: l.ProductID, Article: product.Article, Name: product.Text.Name, Link: product.Link, Picture: product.MainPicture(),
			Amount: l.Amount, Price: product.Price, DiscountedPrice: product.DiscountedPrice, InScope: u.InScope(scope, l.ProductID),
		})
	}
	if code := promocode.Normal(p.Promocode); code != "" {
		state := PromocodeStream(code).State(u)
		// The least sum is judged by the calculation; here only what no basket could change.
		problem := state.Problem(p.buyer, p.who, state.Terms.MinSum, u.At())
		if problem == "" && terms.Rules.PromocodeProof && state.NeedsProof() && !p.who.Proved {
			problem = promocode.ErrNotProved.Message
		}
		in.Promocode = &pricing.Code{Code: code, Terms: state.Terms, Problem: problem}
	}
	if p.spends() {
		in.SpendBonus, in.BonusBalance = p.SpendBonus, BonusStream(p.CustomerID).State(u).Spendable()
	}
	q.Calculation = pricing.Calculate(in)
	if q.senseless || reason != "" {
		q.wrong = wrong
	}
	if reason != "" {
		q.CanCreateOrder, q.Reason = false, reason
	}
	return q
}
