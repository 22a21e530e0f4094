package shopapi

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity/signin"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/pricing"
	"shop/domain/staff"
	"shop/readapi/endpoint"
)

const (
	msgManual       = "Скидка вручную: целое число процентов от 0 до %d"
	msgManualReason = "Выберите причину скидки"
	msgConsent      = "Без согласия покупателя на обработку данных заказ не принимается"
	msgAccount      = "Такого покупателя нет"
	// wholeDiscount is the most that a role without a limit may take off.
	wholeDiscount = 100
)

// PhoneOrders lets staff take an order by phone. It asks for the fields that a shopper's order has, and answers as a shopper is
// answered: staff read it out.
type PhoneOrders struct {
	Orders  *commands.Orders
	Baskets *commands.Baskets
	// ConsentText is the version of the text on personal data that the customer agrees to, until a privacy policy is published.
	ConsentText string
}

// Routes adds its calls.
func (a PhoneOrders) Routes(r chi.Router, allowed endpoint.Guard) {
	r.Method("POST", "/api/staff/phone-orders/price", allowed(staff.ChangeOrders, a.price))
	r.Method("POST", "/api/staff/phone-orders", allowed(staff.ChangeOrders, a.place))
}

// mostOff is the most percent that a role may take off by hand.
func mostOff(role staff.Role) int64 {
	if most := role.Limits().Discount; most > 0 {
		return most
	}
	return wholeDiscount
}

// manual reads the discount by hand, within the limit of whoever is signed in.
func (f *form) manual(role staff.Role) (m domain.Manual) {
	most := mostOff(role)
	m.Percent, _ = f.whole("manual_percent")
	if m.Percent < 0 || m.Percent > most {
		f.refuse("manual_percent", fmt.Sprintf(msgManual, most))
	}
	m.Reason = f.text("manual_reason", textRule{max: 40, null: true})
	if m.Percent == 0 {
		return domain.Manual{}
	}
	if !pricing.ManualReason(m.Reason) {
		f.refuse("manual_reason", msgManualReason)
	}
	return m
}

// account reads which customer's account the order is for; zero: a guest's.
func (f *form) account() (id domain.ID) {
	text := f.text("customer_id", textRule{max: 36, null: true})
	if text == "" {
		return id
	}
	id, err := uuid.Parse(text)
	if err != nil {
		f.refuse("customer_id", msgAccount)
	}
	return id
}

// price is POST /api/staff/phone-orders/price/: what the order would cost, explained.
func (a PhoneOrders) price(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	role := staff.Role(signin.SessionOf(r.Context()).Account.Role)
	asked := f.lines("products")
	p := commands.PriceBasket{
		City: f.text("city", textRule{max: 100, null: true}), PaymentMethod: f.paymentMethod(true), DeliveryType: f.deliveryType(),
		Promocode: f.text("promocode", textRule{max: 64, null: true}), CustomerID: f.account(), Manual: f.manual(role),
	}
	if err := f.done(); err != nil {
		return err
	}
	if p.Lines, err = a.Orders.Handler.Identify(r.Context(), asked, a.Orders.Links); err != nil {
		return err
	}
	priced, _, _, err := a.Baskets.Price(r.Context(), p)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, commands.Shown(priced))
}

// place is POST /api/staff/phone-orders/: the order of somebody on the telephone.
func (a PhoneOrders) place(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	by := signin.SessionOf(r.Context()).Account
	agreed, err := commands.ConsentText(r.Context(), a.Orders.Handler, a.ConsentText)
	if err != nil {
		return err
	}
	asked := f.lines("products")
	c := commands.Checkout{
		Contact: f.contact(), PaymentMethod: f.paymentMethod(false), DeliveryType: f.deliveryType(), CustomerID: f.account(),
		Manual: f.manual(staff.Role(by.Role)), Taken: order.Taken{Channel: order.ByPhone, StaffID: by.ID, ConsentText: agreed},
	}
	if _, given := f.values["payment_method"]; !given {
		f.refuse("payment_method", msgPayment)
	}
	if _, given := f.values["delivery_type"]; !given {
		f.refuse("delivery_type", msgDelivery)
	}
	c.Address = f.address(c.DeliveryType == domain.Delivery)
	c.Promocode = f.text("promocode", textRule{max: 64, null: true})
	if total, given := f.whole("expected_total"); given {
		c.ExpectedTotal = &total
	}
	if !f.flag("consent") {
		f.refuse("consent", msgConsent)
	}
	if err := f.done(); err != nil {
		return err
	}
	if key != "" {
		c.Key = "phone " + by.ID.String() + " " + key // another person's key is another order
	}
	if c.Request, err = phoneDigest(asked, c); err != nil {
		return err
	}
	if c.Lines, err = a.Orders.Handler.Identify(r.Context(), asked, a.Orders.Links); err != nil {
		return err
	}
	receipt, position, err := a.Orders.Checkout(r.Context(), c)
	if errors.Is(err, commands.ErrSignedOut) { // it is the customer's account that is not open
		return commands.WrongField("customer_id", msgAccount)
	}
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusCreated, receipt)
}

// phoneDigest tells whether two requests ask the same.
func phoneDigest(asked []commands.NamedLine, c commands.Checkout) ([]byte, error) {
	text, err := json.Marshal(struct {
		Lines []commands.NamedLine
		commands.Checkout
	}{asked, c})
	if err != nil {
		return nil, fmt.Errorf("digest request: %w", err)
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}
