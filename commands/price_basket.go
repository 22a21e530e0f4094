package commands

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/pricing"
	"shop/domain/promocode"
	"shop/eventstore"
)

// Baskets answers POST /api/orders/calculate-price/.
type Baskets struct {
	Handler *Handler
	// Links lets lines name products by link. Nil: by id only.
	Links links
	// Secret keys the hashes that tell customers of a promo code apart; the one of Orders.
	Secret []byte
	// Secure marks the basket cookie for https alone.
	Secure bool
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

	// CustomerID is who is signed in; zero: a guest.
	CustomerID domain.ID

	// buyer tells customers of a promo code apart; empty before they have said who they are.
	buyer string
}

// Calculation is a priced basket as shoppers see it; the fields mean what they mean in domain.Calculation.
type Calculation struct {
	TotalSum             domain.Money  `json:"total_sum"`
	OrderDiscount        int64         `json:"order_discount"`
	DiscountedSum        domain.Money  `json:"discounted_sum"`
	IsDeliveryCalculated bool          `json:"is_delivery_calculated"`
	DeliveryPrice        domain.Money  `json:"delivery_price"`
	BonusSpent           domain.Money  `json:"bonus_spent"`
	TotalPaid            domain.Money  `json:"total_paid"`
	PayableNow           domain.Money  `json:"payable_now"`
	PayableOnDelivery    domain.Money  `json:"payable_on_delivery"`
	CanCreateOrder       bool          `json:"can_create_order"`
	MissingSum           domain.Money  `json:"missing_sum"`
	PromocodeError       *string       `json:"promocode_error"`
	RulesVersion         int64         `json:"rules_version"`
	Explanation          []domain.Step `json:"explanation"`
}

func shown(c domain.Calculation) Calculation {
	s := Calculation{
		TotalSum: c.TotalSum, OrderDiscount: c.OrderDiscount, DiscountedSum: c.DiscountedSum,
		IsDeliveryCalculated: c.IsDeliveryCalculated, DeliveryPrice: c.DeliveryPrice, BonusSpent: c.BonusSpent,
		TotalPaid: c.TotalPaid, PayableNow: c.PayableNow, PayableOnDelivery: c.PayableOnDelivery,
		CanCreateOrder: c.CanCreateOrder, MissingSum: c.MissingSum, RulesVersion: c.RulesVersion, Explanation: c.Explanation,
	}
	if c.PromocodeError != "" {
		s.PromocodeError = &c.PromocodeError
	}
	if s.Explanation == nil {
		s.Explanation = []domain.Step{}
	}
	return s
}

// Calculate is the endpoint.
func (b *Baskets) Calculate(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	asked := f.lines("products")
	p := PriceBasket{
		Promocode:     f.text("promocode", textRule{max: 64, null: true}),
		City:          f.text("city", textRule{max: 100, null: true}),
		DeliveryType:  f.deliveryType(),
		PaymentMethod: f.paymentMethod(true),
	}
	f.noBonuses()
	if err := f.done(); err != nil {
		return err
	}
	if p.Lines, err = identify(r.Context(), asked, b.Links); err != nil {
		return err
	}
	basketID, known := basketOf(r)
	if !known && len(p.Lines) > 0 {
		basketID = b.Handler.newID()
	}
	p.BasketID = basketID
	if p.CustomerID = CustomerOf(r.Context()); p.CustomerID != uuid.Nil {
		p.buyer = buyerOf(b.Secret, p.CustomerID, "")
	}
	calculation, position, err := b.Price(r.Context(), p)
	if position > 0 {
		written(w, position)
		if !known {
			http.SetCookie(w, &http.Cookie{
				Name: basketCookie, Value: p.BasketID.String(), Path: "/", MaxAge: 365 * 24 * 60 * 60,
				HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: b.Secure || r.TLS != nil,
			})
		}
	}
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, shown(calculation))
}

// Price answers a pricing and lets the basket remember it. Line errors are *Invalid, and remembered as well when
// every product is known. The position is 0 when there was nothing new to remember.
func (b *Baskets) Price(ctx context.Context, p PriceBasket) (_ domain.Calculation, _ eventstore.Position, err error) {
	ctx, end := begin(ctx, "price basket")
	defer end(&err)
	var q quote
	question := basket.Question{City: p.City, DeliveryType: p.DeliveryType, PaymentMethod: p.PaymentMethod, Promocode: promocode.Normal(p.Promocode)}
	position, err := b.Handler.Do(ctx, nil, func(u *Unit) error {
		remembered := basketStream(p.BasketID)
		refs := p.refs()
		if p.BasketID != uuid.Nil {
			refs = append(refs, remembered)
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		q = u.quote(p)
		if p.BasketID == uuid.Nil || q.senseless {
			return nil
		}
		return remembered.Do(u, basket.Price{BasketID: p.BasketID, Question: question, Calculation: q.Calculation, At: u.At()})
	})
	if err != nil {
		return domain.Calculation{}, 0, fmt.Errorf("price basket %s: %w", p.BasketID, err)
	}
	return q.Calculation, position, q.err()
}

// refs are the streams a price depends on.
func (p PriceBasket) refs() []Ref {
	refs := make([]Ref, 0, 2*len(p.Lines)+3)
	refs = append(refs, rulesStream())
	for _, l := range p.Lines {
		if l.ProductID != uuid.Nil {
			refs = append(refs, productStream(l.ProductID), stockStream(l.ProductID))
		}
	}
	if promocode.Normal(p.Promocode) != "" {
		refs = append(refs, promocodeStream(p.Promocode))
	}
	return refs
}

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
	terms := rulesStream().State(u)
	in := pricing.Input{
		Rules: terms.Rules, RulesVersion: terms.Version, City: p.City,
		DeliveryType: p.DeliveryType, PaymentMethod: p.PaymentMethod, At: u.At(),
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
		if l.ProductID == uuid.Nil || !productStream(l.ProductID).Exists(u) {
			wrong[i]["product"] = []string{msgOutOf}
			q.senseless = true
			continue
		}
		product := productStream(l.ProductID).State(u)
		free := stockStream(l.ProductID).State(u).Available(terms.Rules.MaxPerOrder)
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
			Amount: l.Amount, Price: product.Price, DiscountedPrice: product.DiscountedPrice,
		})
	}
	if code := promocode.Normal(p.Promocode); code != "" {
		state := promocodeStream(code).State(u)
		// The least sum is judged by the calculation; here only what no basket could change.
		in.Promocode = &pricing.Code{Code: code, Terms: state.Terms, Problem: state.Problem(p.buyer, state.Terms.MinSum, u.At())}
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

const basketCookie = "basket"

// basketOf is the basket a request's cookie names.
func basketOf(r *http.Request) (domain.ID, bool) {
	cookie, err := r.Cookie(basketCookie)
	if err != nil || len(cookie.Value) != 36 {
		return domain.ID{}, false
	}
	id, err := uuid.Parse(cookie.Value)
	return id, err == nil && id != uuid.Nil
}

func (f *form) deliveryType() domain.DeliveryType {
	word := f.choice("delivery_type", msgDelivery, false, string(domain.Delivery), string(domain.Pickup))
	if word == "" {
		return domain.Delivery
	}
	return domain.DeliveryType(word)
}

func (f *form) paymentMethod(null bool) domain.PaymentMethod {
	return domain.PaymentMethod(f.choice("payment_method", msgPayment, null, string(domain.Card), string(domain.KaspiBill), string(domain.Cash)))
}

// noBonuses refuses to spend bonuses: a guest has none.
func (f *form) noBonuses() {
	if f.bonuses("spend_bonus") != 0 {
		f.refuse("spend_bonus", msgBonus)
	}
}
