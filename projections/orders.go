package projections

import (
	"slices"
	"time"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Orders are the orders, one row each, and the payments for them.
func Orders() Projection {
	return Projection{Name: "orders", Version: 11, Tables: []AnyTable{orders, orderPayments}}
}

// Order is a row of orders.orders. A zero CustomerID is a guest. Prices and names are those of the day it was placed.
type Order struct {
	ID         domain.ID    `json:"id"`
	Number     int64        `json:"number"`
	Status     order.Status `json:"status"`
	IsPaid     bool         `json:"is_paid"`
	CustomerID domain.ID    `json:"customer_id"`
	PersonID   domain.ID    `json:"person_id"`
	FirstName  string       `json:"customer_first_name"`
	LastName   string       `json:"customer_last_name"`
	Email      string       `json:"customer_email"`
	Phone      string       `json:"customer_phone"`
	// City is as the customer typed it; once it is forgotten who ordered, as PlainCity, which is a city that the shop knows.
	City          string               `json:"customer_city"`
	PlainCity     string               `json:"plain_city"`
	Street        string               `json:"customer_street"`
	House         string               `json:"customer_house"`
	Floor         string               `json:"customer_floor"`
	Apartment     string               `json:"customer_apartment"`
	Entrance      string               `json:"customer_entrance"`
	Comment       string               `json:"address_comment"`
	DeliveryType  domain.DeliveryType  `json:"delivery_type"`
	PaymentMethod domain.PaymentMethod `json:"payment_method"`
	UseBrandBox   bool                 `json:"use_brand_box"`

	TotalSum          domain.Money        `json:"total_sum"`
	OrderDiscount     int64               `json:"order_discount"`
	DiscountedSum     domain.Money        `json:"discounted_sum"`
	BonusSpent        domain.Money        `json:"bonus_spent"`
	DeliveryPrice     domain.Money        `json:"delivery_price"`
	TotalPaid         domain.Money        `json:"total_paid"`
	PayableNow        domain.Money        `json:"payable_now"`
	PayableOnDelivery domain.Money        `json:"payable_on_delivery"`
	Promocode         string              `json:"promocode"`
	RulesVersion      int64               `json:"rules_version"`
	Lines             []domain.PricedLine `json:"lines"`
	// Products are those of the lines, for searches.
	Products    []domain.ID   `json:"products"`
	Explanation []domain.Step `json:"explanation"`

	// DeliveryDate is the promised day, YYYY-MM-DD; nil when none is promised.
	DeliveryDate *string `json:"delivery_date" sql:"date"`
	// PayBefore is when the wait for money ends; nil when none is awaited.
	PayBefore *time.Time `json:"pay_before"`
	// ConfirmBefore is when the wait for staff to confirm the order ends; nil when it is not awaited or has no end.
	ConfirmBefore *time.Time `json:"confirm_before"`
	// PaymentID is the payment now awaited or last tried; empty before the first. Attempt counts from 1.
	PaymentID string `json:"payment_id"`
	Attempt   int    `json:"attempt"`
	// Money is what came for the order, payment by payment; Captured is what the shop holds of it, Owed what it is to
	// give back.
	Money    []Money      `json:"money"`
	Captured domain.Money `json:"captured"`
	Owed     domain.Money `json:"owed"`
	// OwedByHand is the part of Owed that came without a provider, so staff give it back and say so.
	OwedByHand domain.Money `json:"owed_by_hand"`
	// HandClaims are payments that staff recorded and a second person is still to confirm.
	HandClaims []order.HandPaymentClaimed `json:"hand_claims"`
	// RefundClaims are refunds that staff recorded and a second person is still to confirm; BackByOne is what single persons gave back.
	RefundClaims []order.HandRefundClaimed `json:"refund_claims"`
	BackByOne    domain.Money              `json:"back_by_one"`
	// Lacks is the money that the order still waits for.
	Lacks domain.Money `json:"lacks"`
	// ByHand are the prices that staff gave lines, Edits are the changes of lines, the oldest first.
	ByHand []order.HandPrice `json:"by_hand"`
	Edits  []Edit            `json:"edits"`
	// Returns are the goods that came back, GoodsBack is the money that they cost. ReturnAsked is the request to bring goods back that
	// is open, nil: none is; ReturnDeclined is why the shop declined the last one.
	Returns        []GoodsBack   `json:"returns"`
	GoodsBack      domain.Money  `json:"goods_back"`
	ReturnAsked    *order.Return `json:"return_asked"`
	ReturnDeclined string        `json:"return_declined"`
	// GivenBack is what went back of the price without goods.
	GivenBack   domain.Money `json:"given_back"`
	CompletedAt *time.Time   `json:"completed_at"`
	// Reason says why an order was cancelled or its payment refused; empty otherwise.
	Reason string `json:"reason"`
	// Tags are the words by which staff find the order; AssignedTo is the account of staff that has it, zero: nobody's.
	Tags       []string  `json:"tags"`
	AssignedTo domain.ID `json:"assigned_to"`
	// PackedAt, HandedOverAt and DeliveredAt are nil before; a parcel that came back is not handed over.
	PackedAt *time.Time `json:"packed_at"`
	// Carrier and Tracking, or the account Courier, are who has it; Courier may be planned before, for CourierDay, YYYY-MM-DD.
	Carrier  string `json:"carrier"`
	Tracking string `json:"tracking"`
	// CarrierName is what people call the carrier, TrackingURL its page of the parcel; empty where there is none.
	CarrierName  string     `json:"carrier_name"`
	TrackingURL  string     `json:"tracking_url"`
	Courier      domain.ID  `json:"courier"`
	CourierDay   *string    `json:"courier_day" sql:"date"`
	HandedOverAt *time.Time `json:"handed_over_at"`
	DeliveredAt  *time.Time `json:"delivered_at"`
	// NotDelivered is why it came back the last time; empty once it is handed over again.
	NotDelivered string `json:"not_delivered"`
	// History is every status of the order with its time, the oldest first.
	History   []Stage   `json:"history"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

var orders = Table[Order]{
	Name: "orders", Key: "id", KeyType: "uuid",
	DDL: createTable[Order]("orders", "id") + " WITH (fillfactor = 70)",
	Indexes: `
		CREATE INDEX orders_by_number ON orders (number);
		CREATE INDEX orders_awaiting_money ON orders (pay_before) WHERE status = 'RECEIVED' AND pay_before IS NOT NULL;
		CREATE INDEX orders_awaiting_staff ON orders (confirm_before) WHERE status = 'RECEIVED' AND confirm_before IS NOT NULL;
		CREATE INDEX orders_owing ON orders (id) WHERE owed > 0;
		CREATE INDEX orders_return_asked ON orders (id) WHERE return_asked IS NOT NULL;
		CREATE INDEX orders_claimed ON orders (id) WHERE hand_claims <> '[]' OR refund_claims <> '[]';
		CREATE INDEX orders_paid_in_parts ON orders (created_at DESC) WHERE jsonb_array_length(money) > 1;
		CREATE INDEX orders_of_guests ON orders (created_at) WHERE customer_id = '00000000-0000-0000-0000-000000000000' AND customer_email <> ''
			AND status IN ('COMPLETED', 'CANCELLED', 'REFUNDED', 'PAYMENT_ERR');
		CREATE INDEX orders_by_age ON orders (created_at DESC);
		CREATE INDEX orders_by_status ON orders (status, created_at DESC);
		CREATE INDEX orders_by_city ON orders (customer_city, created_at DESC);
		CREATE INDEX orders_by_sum ON orders (total_paid DESC, number DESC);
		CREATE INDEX orders_assigned ON orders (assigned_to, created_at DESC) WHERE assigned_to <> '00000000-0000-0000-0000-000000000000';
		CREATE INDEX orders_by_day ON orders (delivery_date, number);
		CREATE INDEX orders_of_courier ON orders (courier, courier_day) WHERE courier_day IS NOT NULL;
		CREATE INDEX orders_by_phone ON orders (right(customer_phone, 10) text_pattern_ops);
		CREATE INDEX orders_by_phone_end ON orders (reverse(right(customer_phone, 10)) text_pattern_ops);
		CREATE INDEX orders_by_email ON orders (lower(customer_email) text_pattern_ops);
		CREATE INDEX orders_by_name ON orders USING gin (lower(customer_last_name || ' ' || customer_first_name) gin_trgm_ops);
		CREATE INDEX orders_by_goods ON orders USING gin (products);
		CREATE INDEX orders_by_tag ON orders USING gin (tags) WHERE tags <> '[]';
		CREATE INDEX orders_of_customer ON orders (customer_id, created_at DESC) WHERE customer_id <> '00000000-0000-0000-0000-000000000000';
		-- The planner keeps samples of what an index is made of; those of persons would outlive an erasure.
		ALTER INDEX orders_by_phone ALTER COLUMN 1 SET STATISTICS 0;
		ALTER INDEX orders_by_phone_end ALTER COLUMN 1 SET STATISTICS 0;
		ALTER INDEX orders_by_email ALTER COLUMN 1 SET STATISTICS 0;
		ALTER INDEX orders_by_name ALTER COLUMN 1 SET STATISTICS 0`,
	Personal: []string{
		"customer_first_name", "customer_last_name", "customer_email", "customer_phone", "customer_city", "customer_street",
		"customer_house", "customer_floor", "customer_apartment", "customer_entrance", "address_comment",
	},
	Events: []domain.Event{
		order.Placed{}, order.PaymentRequested{}, order.Paid{}, order.PaymentFailed{}, order.PaymentExpired{},
		order.Approved{}, order.ProcessingStarted{}, order.Completed{}, order.Cancelled{}, order.Refunded{},
		order.Joined{}, order.Forgotten{}, order.Tagged{}, order.Assigned{}, order.LinesChanged{}, order.AddressChanged{},
		order.HandPaymentClaimed{}, order.HandPaymentWithdrawn{}, order.HandRefundClaimed{}, order.HandRefundWithdrawn{},
		order.ReturnRequested{}, order.ReturnDeclined{}, order.GoodsReturned{},
		order.Packed{}, order.CourierAssigned{}, order.HandedOver{}, order.Delivered{}, order.NotDelivered{},
	},
	Keys: keyAfter("order-"), Stream: streamOf("order-"),
	Fold: foldOrder,
}

func foldOrder(_ string, o *Order, event eventstore.Event) bool {
	switch e := event.Data.(type) {
	case order.Placed:
		*o = placedOrder(e)
	case order.PaymentRequested, order.Paid:
		o.Reason = ""
	case order.PaymentFailed:
		o.Reason = e.Reason
	case order.Cancelled:
		o.Reason = e.Reason
	case order.LinesChanged:
		o.price(e.Calculation)
		o.ByHand, o.Edits = append([]order.HandPrice{}, e.ByHand...), append(slices.Clip(o.Edits), Edit{e.Reason, e.At})
	case order.AddressChanged:
		o.move(e)
	case order.ReturnRequested:
		o.ReturnDeclined = ""
	case order.ReturnDeclined:
		o.ReturnDeclined = e.Reason
	case order.GoodsReturned:
		o.Returns = append(slices.Clip(o.Returns), GoodsBack{e.ReturnID, slices.Clone(e.Lines), e.Money, e.Reason, e.At})
	case order.Tagged:
		o.Tags = append([]string{}, e.Tags...)
	case order.Assigned:
		o.AssignedTo = e.StaffID
	case order.NotDelivered:
		if e.Day != "" {
			o.DeliveryDate = dayOrNil(e.Day)
		}
	case order.Forgotten:
		o.FirstName, o.LastName, o.Email, o.Phone = "", "", "", ""
		o.City, o.Street, o.House, o.Floor, o.Apartment, o.Entrance, o.Comment = o.PlainCity, "", "", "", "", "", ""
	}
	if o.ID == (domain.ID{}) {
		return false
	}
	if e, ok := event.Data.(order.Event); ok {
		o.UpdatedAt = e.When()
		o.take(order.Decider.Evolve(o.state(), e))
	}
	if last := len(o.History) - 1; last < 0 || o.History[last].Status != o.Status {
		o.History = append(slices.Clip(o.History), Stage{o.Status, o.UpdatedAt})
	}
	return true
}

// placedOrder is the row of an order that was just placed.
func placedOrder(e order.Placed) Order {
	o := Order{
		ID: e.ID, Number: e.Number, Status: order.StatusReceived, CustomerID: e.CustomerID, PersonID: e.PersonID,
		DeliveryType: e.DeliveryType, PaymentMethod: e.PaymentMethod, UseBrandBox: e.UseBrandBox,
		Tags: []string{}, ByHand: []order.HandPrice{}, Edits: []Edit{}, Returns: []GoodsBack{},
		PayBefore: timeOrNil(e.PayBefore), ConfirmBefore: timeOrNil(e.ConfirmBefore), CreatedAt: e.At,
	}
	o.price(e.Calculation)
	o.move(order.AddressChanged{Contact: e.Contact, City: e.City, Address: e.Address, DeliveryDate: e.DeliveryDate})
	return o
}

// price takes the order's price as it is now.
func (o *Order) price(c domain.Calculation) {
	o.TotalSum, o.OrderDiscount, o.DiscountedSum, o.BonusSpent = c.TotalSum, c.OrderDiscount, c.DiscountedSum, c.BonusSpent
	o.DeliveryPrice, o.TotalPaid, o.PayableNow, o.PayableOnDelivery = c.DeliveryPrice, c.TotalPaid, c.PayableNow, c.PayableOnDelivery
	o.Promocode, o.RulesVersion = c.PromocodeApplied, c.RulesVersion
	o.Lines, o.Explanation = append([]domain.PricedLine{}, c.Lines...), append([]domain.Step{}, c.Explanation...)
	o.Products = make([]domain.ID, len(c.Lines))
	for i, line := range c.Lines {
		o.Products[i] = line.ProductID
	}
}

// move takes another contact, address and promised day.
func (o *Order) move(e order.AddressChanged) {
	to := order.Placed{City: e.City, Address: e.Address}
	o.FirstName, o.LastName, o.Email, o.Phone = e.Contact.FirstName, e.Contact.LastName, e.Contact.Email, e.Contact.Phone
	o.City, o.PlainCity, o.Street, o.House = to.TypedCity(), e.City, e.Address.Street, e.Address.House
	o.Floor, o.Apartment, o.Entrance, o.Comment = e.Address.Floor, e.Address.Apartment, e.Address.Entrance, e.Address.Comment
	o.DeliveryDate = dayOrNil(e.DeliveryDate)
}
