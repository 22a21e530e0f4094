package mail

import "shop/domain"

type (
	// OrderChanged: the shop changed lines or prices of an order.
	OrderChanged struct {
		Order
		Changes []LineChange
		// Reason is what staff say about it.
		Reason string
		// Lacks is what is still to be paid, Owed what goes back.
		Lacks, Owed domain.Money
	}
	// OrderHandedOver: the parcel left the shop, with a carrier or with a courier of the shop.
	OrderHandedOver struct {
		Order
		// Carrier is what people call it, empty for the shop's courier. TrackingURL is empty where no page is known.
		Carrier, Tracking, TrackingURL string
		// Day is when the courier comes, YYYY-MM-DD; empty for a carrier.
		Day string
	}
	// GoodsReturned: goods are back with the shop. Granted: the customer had asked for it.
	GoodsReturned struct {
		Order
		Granted bool
		Back    []BackLine
		// Owed is the money that goes back, Bonuses what is on the account once more.
		Owed, Bonuses domain.Money
	}
	// ReturnDeclined is the shop's no to a customer's request.
	ReturnDeclined struct {
		Order
		Reason string
	}
)

// LineChange is what became of a line; an amount of 0: it was not there, or is not any more. Prices are of one piece.
type LineChange struct {
	Name                    string
	Before, After           int64
	PriceBefore, PriceAfter domain.Money
}

// BackLine is how many pieces of a product came back.
type BackLine struct {
	Name   string
	Amount int64
}

// Changes are what became of lines, those that are gone last.
func Changes(before, after []domain.PricedLine) (changes []LineChange) {
	was := map[domain.ID]domain.PricedLine{}
	for _, l := range before {
		was[l.ProductID] = l
	}
	for _, l := range after {
		old := was[l.ProductID]
		delete(was, l.ProductID)
		if old.Amount != l.Amount || old.DiscountedPrice != l.DiscountedPrice {
			changes = append(changes, LineChange{l.Name, old.Amount, l.Amount, old.DiscountedPrice, l.DiscountedPrice})
		}
	}
	for _, l := range before {
		if _, gone := was[l.ProductID]; gone {
			changes = append(changes, LineChange{Name: l.Name, Before: l.Amount, PriceBefore: l.DiscountedPrice})
		}
	}
	return changes
}

// ToPay says whether the shop waits for money: the courier takes cash.
func (o OrderChanged) ToPay() bool { return o.Lacks > 0 && o.Payment != domain.Cash }

func (OrderChanged) Kind() Kind    { return KindOrderChanged }
func (OrderHandedOver) Kind() Kind { return KindOrderHandedOver }
func (GoodsReturned) Kind() Kind   { return KindGoodsReturned }
func (ReturnDeclined) Kind() Kind  { return KindReturnDeclined }
