package shopapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

const (
	maxKeyLen = 200

	msgDelivery = "Выберите способ получения"
	msgPayment  = "Выберите способ оплаты"
	msgBonus    = "Войдите в аккаунт, чтобы потратить бонусы"
)

var errKey = &Refused{http.StatusBadRequest, "Заголовок Idempotency-Key: от 1 до 200 печатных символов"}

// Orders lets shoppers place, cancel and pay orders.
type Orders struct {
	Orders *commands.Orders
	guards Guards
}

func (a Orders) cookies() basketCookies { return basketCookies{a.Orders.Secret} }

// Routes adds its calls.
func (a Orders) Routes(r chi.Router, by Guards) {
	a.guards = by
	r.Method("POST", "/api/orders", by.Orders(by.Known(a.Place)))
	r.Method("POST", "/api/orders/{id}/cancellation", by.Pricings(by.Known(a.Cancel)))
	r.Method("POST", "/api/orders/{id}/payment", by.Pricings(by.Known(a.Pay)))
	r.Method("POST", "/api/orders/{id}/return", by.Pricings(by.Known(a.Return)))
}

// Place is POST /api/orders/.
func (a Orders) Place(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	asked := f.lines("products")
	c := commands.Checkout{Contact: f.contact(), PaymentMethod: f.paymentMethod(false), DeliveryType: f.deliveryType(), CustomerID: commands.CustomerOf(r.Context()), Language: commands.OriginOf(r.Context()).Language, Key: key}
	if _, given := f.values["payment_method"]; !given {
		f.refuse("payment_method", msgPayment)
	}
	if _, given := f.values["delivery_type"]; !given {
		f.refuse("delivery_type", msgDelivery)
	}
	c.Address = f.address(c.DeliveryType == domain.Delivery)
	c.UseBrandBox = f.flag("use_brand_box")
	c.Promocode = f.text("promocode", textRule{max: 64, null: true})
	if total, given := f.whole("expected_total"); given {
		c.ExpectedTotal = &total
	}
	c.SpendBonus = f.spendBonus(c.CustomerID)
	if err := f.done(); err != nil {
		return err
	}
	if c.Request, err = digest(asked, c); err != nil {
		return err
	}
	ctx := seen(r)
	if c.Lines, err = a.Orders.Handler.Identify(ctx, asked, a.Orders.Links); err != nil {
		return err
	}
	basket, signed := a.cookies().basketOf(r)
	c.BasketID, c.UnsignedBasket = basket, !signed
	var receipt commands.Receipt
	var position eventstore.Position
	err = a.guards.guessed(r, c.Promocode, func() (wrong bool, err error) {
		receipt, position, err = a.Orders.Checkout(ctx, c)
		return false, err
	})
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusCreated, receipt)
}

// idempotencyKey is the request's key; empty without the header.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	if len(values) > 1 || key == "" || len(key) > maxKeyLen || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", errKey
	}
	return key, nil
}

// digest tells whether two requests ask the same, however their JSON was written.
func digest(asked []commands.NamedLine, c commands.Checkout) ([]byte, error) {
	text, err := json.Marshal(struct {
		Lines []commands.NamedLine
		commands.Checkout
	}{asked, commands.Checkout{
		CustomerID: c.CustomerID, Contact: c.Contact, Address: c.Address, DeliveryType: c.DeliveryType, PaymentMethod: c.PaymentMethod,
		UseBrandBox: c.UseBrandBox, Promocode: c.Promocode, ExpectedTotal: c.ExpectedTotal,
		SpendBonus: c.SpendBonus,
	}})
	if err != nil {
		return nil, fmt.Errorf("digest request: %w", err)
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// spendBonus reads how many bonuses to spend: −1 is as many as allowed. A guest has none.
func (f *form) spendBonus(customer domain.ID) int64 {
	n := f.bonuses("spend_bonus")
	if n != 0 && customer == uuid.Nil {
		f.refuse("spend_bonus", msgBonus)
		return 0
	}
	return n
}

// ownOrder is the order of a request's path, with what may show that it is the shopper's.
func (a Orders) ownOrder(r *http.Request) (commands.OwnOrder, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return commands.OwnOrder{}, order.ErrUnknown
	}
	basket, _ := a.cookies().basketOf(r)
	return commands.OwnOrder{ID: id, Key: letterKey(r), BasketID: basket}, nil
}

// letterKeyHeader carries the key of a letter's link: addresses stand in logs of proxies. Pages of before sent ?key=.
const letterKeyHeader = "X-Letter-Key"

// letterKey is the key of a letter's link; empty without one.
func letterKey(r *http.Request) string {
	if key := r.Header.Get(letterKeyHeader); key != "" {
		return key
	}
	return r.URL.Query().Get("key")
}

// Cancel is POST /api/orders/{id}/cancellation/: a shopper gives up an order that was not approved yet.
func (a Orders) Cancel(w http.ResponseWriter, r *http.Request) error {
	return a.change(w, r, a.Orders.CancelOwn)
}

// Pay is POST /api/orders/{id}/payment/: where to pay.
func (a Orders) Pay(w http.ResponseWriter, r *http.Request) error {
	return a.change(w, r, a.Orders.PayOwn)
}

func (a Orders) change(w http.ResponseWriter, r *http.Request, do func(context.Context, commands.OwnOrder) (commands.Receipt, eventstore.Position, error)) error {
	asked, err := a.ownOrder(r)
	if err != nil {
		return err
	}
	receipt, position, err := do(r.Context(), asked)
	if err != nil {
		return err
	}
	written(w, position)
	return answer(w, http.StatusOK, receipt)
}
