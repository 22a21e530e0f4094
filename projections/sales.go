package projections

import (
	"time"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Sales are facts for analysts: what was sold, when, where and for how much, who came back, who waited for what. Nobody
// is named in them. Amounts are whole tenge, days are those of Almaty.
func Sales() Projection {
	return Projection{Name: "sales", Version: 2, Rest: analyticRest, Tables: []AnyTable{sales, salesLines, goods, soldProducts, soldCategories, soldBrands, waits, bonusDays}}
}

// Sale is a row of sales.orders: an order and what became of its money.
type Sale struct {
	ID       domain.ID `json:"id"`
	Number   int64     `json:"number"`
	PlacedAt time.Time `json:"placed_at"`
	// Day is YYYY-MM-DD, Month its first.
	Day   string `json:"day" sql:"date"`
	Month string `json:"month" sql:"date"`
	// Buyer tells customers apart: an account, or whom the files of another shop call the same. Zero: a guest, who may be
	// anybody.
	Buyer         domain.ID            `json:"buyer"`
	City          string               `json:"city"`
	PaymentMethod domain.PaymentMethod `json:"payment_method"`
	DeliveryType  domain.DeliveryType  `json:"delivery_type"`
	Promocode     string               `json:"promocode"`
	Status        order.Status         `json:"status"`
	// Counts: the order was not cancelled or refunded, and its payment did not fail.
	Counts        bool         `json:"counts"`
	ListSum       domain.Money `json:"list_sum"`
	TotalSum      domain.Money `json:"total_sum"`
	DiscountedSum domain.Money `json:"discounted_sum"`
	BonusSpent    domain.Money `json:"bonus_spent"`
	DeliveryPrice domain.Money `json:"delivery_price"`
	TotalPaid     domain.Money `json:"total_paid"`
	// Captured is the money that the shop holds, Refunded what it gave back; Returned is what the order cost and costs no more: given
	// back, but not as paid in excess, or of goods that came back.
	Captured domain.Money `json:"captured"`
	Refunded domain.Money `json:"refunded"`
	Returned domain.Money `json:"returned"`
	// Revenue is TotalPaid less Returned of an order that counts, 0 of any other.
	Revenue domain.Money `json:"revenue"`
}

var sales = Table[Sale]{
	Name: "orders", Key: "id", KeyType: "uuid",
	DDL: createTable[Sale]("orders", "id") + " WITH (fillfactor = 80)",
	Indexes: `
		CREATE INDEX orders_lost ON orders (day) INCLUDE (id) WHERE NOT counts;
		CREATE INDEX orders_of_buyer ON orders (buyer, placed_at, number) INCLUDE (day, month, revenue) WHERE counts AND buyer <> '00000000-0000-0000-0000-000000000000'`,
	Events: []domain.Event{
		order.Placed{}, order.PaymentRequested{}, order.Paid{}, order.PaymentFailed{}, order.PaymentExpired{},
		order.Approved{}, order.ProcessingStarted{}, order.Completed{}, order.Cancelled{}, order.Refunded{}, order.Joined{},
		order.LinesChanged{}, order.AddressChanged{}, order.GoodsReturned{},
	},
	Keys: keyAfter("order-"), Stream: streamOf("order-"),
	Fold: foldSale,
}

func foldSale(_ string, s *Sale, event eventstore.Event) bool {
	// The order itself decides its status, of a single payment with all the money.
	state := order.State{Status: s.Status}
	state.Placed.Calculation.TotalPaid = s.TotalPaid
	switch e := event.Data.(type) {
	case order.Placed:
		*s = Sale{
			ID: e.ID, Number: e.Number, PlacedAt: e.At, Day: dayOf(e.At), Month: monthOf(e.At), Buyer: e.CustomerID, City: e.City,
			PaymentMethod: e.PaymentMethod, DeliveryType: e.DeliveryType,
		}
		s.price(e.Calculation)
		if e.Imported() {
			s.Buyer = e.PersonID
		}
	case order.Paid:
		s.Captured += e.Amount
	case order.Refunded:
		state.Payments = []order.Payment{{ID: e.PaymentID, Amount: s.Captured}}
		s.Captured, s.Refunded = s.Captured-e.Amount, s.Refunded+e.Amount
		if !e.Excess {
			s.Returned += e.Amount
		}
	case order.LinesChanged:
		s.price(e.Calculation)
		s.City = e.City
	case order.AddressChanged:
		s.City = e.City
	case order.GoodsReturned:
		s.Returned += e.Money
	case order.Joined:
		s.Buyer = e.CustomerID
	}
	if s.ID == (domain.ID{}) {
		return false
	}
	if e, ok := event.Data.(order.Event); ok {
		s.Status = order.Decider.Evolve(state, e).Status
	}
	s.Counts, s.Revenue = countsAs(s.Status), 0
	if s.Counts {
		s.Revenue = s.TotalPaid - s.Returned
	}
	return true
}

// price takes the order's sums as they are now.
func (s *Sale) price(c domain.Calculation) {
	s.Promocode, s.ListSum, s.TotalSum, s.DiscountedSum = c.PromocodeApplied, c.ListSum, c.TotalSum, c.DiscountedSum
	s.BonusSpent, s.DeliveryPrice, s.TotalPaid = c.BonusSpent, c.DeliveryPrice, c.TotalPaid
}

// countsAs says whether an order of a status is a sale.
func countsAs(status order.Status) bool {
	switch status {
	case order.StatusReceived, order.StatusApproved, order.StatusProcessing, order.StatusCompleted:
		return true
	case order.StatusPaymentErr, order.StatusCancelled, order.StatusRefunded:
	}
	return false
}
