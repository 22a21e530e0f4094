package catalog

import (
	"fmt"
	"time"

	"shop/domain"
)

// ErrPriceHeld refuses a price for a while over another: two could not both give back what was before.
var ErrPriceHeld = domain.Refuse("catalog/price-held", "Another change holds the price for a while.")

// TimedPrice says that the present prices are for a while. The zero value: they stay.
type TimedPrice struct {
	// Change is the change that set them and ends them.
	Change domain.ID `json:"change"`
	EndsAt time.Time `json:"ends_at"`
	// Price and DiscountedPrice are what comes back then.
	Price           domain.Money `json:"price"`
	DiscountedPrice domain.Money `json:"discounted_price"`
}

// ProductPriceTimed says that the prices of the event before it are for a while. The next prices end that, whoever sets them.
type ProductPriceTimed struct {
	TimedPrice
	At time.Time `json:"at"`
}

func (ProductPriceTimed) EventType() string { return "product.price-timed" }
func (ProductPriceTimed) isProductEvent()   {}

// TimePrice sets prices for a while.
type TimePrice struct {
	Price           domain.Money
	DiscountedPrice domain.Money
	// Change ends them at EndsAt.
	Change domain.ID
	EndsAt time.Time
	At     time.Time
}

func (TimePrice) isProductCommand() {}

func decideTimePrice(c TimePrice, p ProductState) ([]ProductEvent, error) {
	if err := checkPrices(c.Price, c.DiscountedPrice); err != nil {
		return nil, err
	}
	if err := p.Timed.freeFor(c.Change); err != nil {
		return nil, err
	}
	events := pricing(p, c.Price, c.DiscountedPrice, c.At)
	if len(events) == 0 {
		return nil, nil
	}
	timed := TimedPrice{Change: c.Change, EndsAt: c.EndsAt, Price: p.Price, DiscountedPrice: p.DiscountedPrice}
	return append(events, ProductPriceTimed{TimedPrice: timed, At: c.At}), nil
}

// freeFor refuses another change while the prices are for a while.
func (t TimedPrice) freeFor(change domain.ID) error {
	if t.Change == (domain.ID{}) || t.Change == change {
		return nil
	}
	return ErrPriceHeld.With(fmt.Sprintf("Another change holds the price until %s.", t.EndsAt.UTC().Format("2006-01-02 15:04 UTC")))
}

// PricesAt are the prices as far as is known now, at a time to come: those after the present ones end. It refuses a time at which
// they are still held.
func (p ProductState) PricesAt(at time.Time) (price, discounted domain.Money, err error) {
	switch {
	case p.Timed.Change == (domain.ID{}):
		return p.Price, p.DiscountedPrice, nil
	case p.Timed.EndsAt.After(at):
		return 0, 0, p.Timed.freeFor(domain.ID{})
	}
	return p.Timed.Price, p.Timed.DiscountedPrice, nil
}
