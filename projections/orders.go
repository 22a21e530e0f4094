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
	DeliveryDate *string `json:"delivery_date"`
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
	CourierDay   *string    `json:"courier_day"`
	HandedOverAt *time.Time `json:"handed_over_at"`
	DeliveredAt  *time.Time `json:"delivered_at"`
	// NotDelivered is why it came back the last time; empty once it is handed over again.
	NotDelivered string `json:"not_delivered"`
	// History is every status of the order with its time, the oldest first.
	History   []Stage   `json:"history"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Edit is a change of an order's lines.
type Edit struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// GoodsBack is goods that came back at a time.
type GoodsBack struct {
	ID     domain.ID            `json:"id"`
	Lines  []order.ReturnedLine `json:"lines"`
	Money  domain.Money         `json:"money"`
	Reason string               `json:"reason"`
	At     time.Time            `json:"at"`
}

// Stage is a status and when the order came to it.
type Stage struct {
	Status order.Status `json:"status"`
	At     time.Time    `json:"at"`
}

// Money is captured money, less what was given back.
type Money struct {
	PaymentID string       `json:"payment_id"`
	Receipt   string       `json:"receipt,omitempty"`
	Amount    domain.Money `json:"amount"`
	Refunded  domain.Money `json:"refunded"`
	// ByHand says how staff took it; absent when a provider did.
	ByHand order.ByHand `json:"by_hand,omitzero"`
}

var orders = Table[Order]{
	Name: "orders", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE orders (
		id                  uuid        PRIMARY KEY,
		number              bigint      NOT NULL,
		status              text        NOT NULL,
		is_paid             boolean     NOT NULL,
		customer_id         uuid        NOT NULL,
		person_id           uuid        NOT NULL,
		customer_first_name text        NOT NULL,
		customer_last_name  text        NOT NULL,
		customer_email      text        NOT NULL,
		customer_phone      text        NOT NULL,
		customer_city       text        NOT NULL,
		plain_city          text        NOT NULL,
		customer_street     text        NOT NULL,
		customer_house      text        NOT NULL,
		customer_floor      text        NOT NULL,
		customer_apartment  text        NOT NULL,
		customer_entrance   text        NOT NULL,
		address_comment     text        NOT NULL,
		delivery_type       text        NOT NULL,
		payment_method      text        NOT NULL,
		use_brand_box       boolean     NOT NULL,
		total_sum           bigint      NOT NULL,
		order_discount      bigint      NOT NULL,
		discounted_sum      bigint      NOT NULL,
		bonus_spent         bigint      NOT NULL,
		delivery_price      bigint      NOT NULL,
		total_paid          bigint      NOT NULL,
		payable_now         bigint      NOT NULL,
		payable_on_delivery bigint      NOT NULL,
		promocode           text        NOT NULL,
		rules_version       bigint      NOT NULL,
		lines               jsonb       NOT NULL,
		products            uuid[]      NOT NULL,
		explanation         jsonb       NOT NULL,
		delivery_date       date,
		pay_before          timestamptz,
		confirm_before      timestamptz,
		payment_id          text        NOT NULL,
		attempt             integer     NOT NULL,
		money               jsonb       NOT NULL,
		captured            bigint      NOT NULL,
		owed                bigint      NOT NULL,
		owed_by_hand        bigint      NOT NULL,
		hand_claims         jsonb       NOT NULL,
		refund_claims       jsonb       NOT NULL,
		back_by_one         bigint      NOT NULL,
		lacks               bigint      NOT NULL,
		by_hand             jsonb       NOT NULL,
		edits               jsonb       NOT NULL,
		returns             jsonb       NOT NULL,
		goods_back          bigint      NOT NULL,
		return_asked        jsonb,
		return_declined     text        NOT NULL,
		given_back          bigint      NOT NULL,
		completed_at        timestamptz,
		reason              text        NOT NULL,
		tags                jsonb       NOT NULL,
		assigned_to         uuid        NOT NULL,
		packed_at           timestamptz,
		carrier             text        NOT NULL,
		tracking            text        NOT NULL,
		carrier_name        text        NOT NULL,
		tracking_url        text        NOT NULL,
		courier             uuid        NOT NULL,
		courier_day         date,
		handed_over_at      timestamptz,
		delivered_at        timestamptz,
		not_delivered       text        NOT NULL,
		history             jsonb       NOT NULL,
		created_at          timestamptz NOT NULL,
		updated_at          timestamptz NOT NULL
	) WITH (fillfactor = 70)`,
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
		order.Joined{}, order.Forgotten{}, order.Tagged{}, order.Assigned{},
		order.HandPaymentClaimed{}, order.HandPaymentWithdrawn{}, order.HandRefundClaimed{}, order.HandRefundWithdrawn{}, order.LinesChanged{}, order.AddressChanged{},
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
	case order.PaymentRequested:
		o.Reason, o.UpdatedAt = "", e.At
	case order.Paid:
		o.Reason, o.UpdatedAt = "", e.At
	case order.PaymentFailed:
		o.Reason, o.UpdatedAt = e.Reason, e.At
	case order.PaymentExpired:
		o.UpdatedAt = e.At
	case order.Approved:
		o.UpdatedAt = e.At
	case order.ProcessingStarted:
		o.UpdatedAt = e.At
	case order.Completed:
		o.UpdatedAt = e.At
	case order.Cancelled:
		o.Reason, o.UpdatedAt = e.Reason, e.At
	case order.Refunded:
		o.UpdatedAt = e.At
	case order.LinesChanged:
		o.price(e.Calculation)
		o.ByHand, o.Edits = append([]order.HandPrice{}, e.ByHand...), append(slices.Clip(o.Edits), Edit{e.Reason, e.At})
		o.UpdatedAt = e.At
	case order.AddressChanged:
		o.move(e)
	case order.ReturnRequested:
		o.ReturnDeclined, o.UpdatedAt = "", e.At
	case order.ReturnDeclined:
		o.ReturnDeclined, o.UpdatedAt = e.Reason, e.At
	case order.GoodsReturned:
		o.Returns = append(slices.Clip(o.Returns), GoodsBack{e.ReturnID, slices.Clone(e.Lines), e.Money, e.Reason, e.At})
		o.UpdatedAt = e.At
	case order.HandRefundClaimed:
		o.UpdatedAt = e.At
	case order.HandRefundWithdrawn:
		o.UpdatedAt = e.At
	case order.HandPaymentClaimed:
		o.UpdatedAt = e.At
	case order.HandPaymentWithdrawn:
		o.UpdatedAt = e.At
	case order.Joined:
		o.UpdatedAt = e.At
	case order.Tagged:
		o.Tags, o.UpdatedAt = append([]string{}, e.Tags...), e.At
	case order.Assigned:
		o.AssignedTo, o.UpdatedAt = e.StaffID, e.At
	case order.Packed:
		o.UpdatedAt = e.At
	case order.CourierAssigned:
		o.UpdatedAt = e.At
	case order.HandedOver:
		o.UpdatedAt = e.At
	case order.Delivered:
		o.UpdatedAt = e.At
	case order.NotDelivered:
		o.UpdatedAt = e.At
		if day := e.Day; day != "" {
			o.DeliveryDate = &day
		}
	case order.Forgotten:
		o.FirstName, o.LastName, o.Email, o.Phone = "", "", "", ""
		o.City, o.Street, o.House, o.Floor, o.Apartment, o.Entrance, o.Comment = o.PlainCity, "", "", "", "", "", ""
		o.UpdatedAt = e.At
	}
	if o.ID == (domain.ID{}) {
		return false
	}
	if e, ok := event.Data.(order.Event); ok {
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
		ID: e.ID, Number: e.Number, Status: order.StatusReceived,
		CustomerID: e.CustomerID, PersonID: e.PersonID,
		FirstName: e.Contact.FirstName, LastName: e.Contact.LastName, Email: e.Contact.Email, Phone: e.Contact.Phone,
		City: e.TypedCity(), PlainCity: e.City, Street: e.Address.Street, House: e.Address.House, Floor: e.Address.Floor,
		Apartment: e.Address.Apartment, Entrance: e.Address.Entrance, Comment: e.Address.Comment,
		DeliveryType: e.DeliveryType, PaymentMethod: e.PaymentMethod, UseBrandBox: e.UseBrandBox,
		Tags: []string{}, HandClaims: []order.HandPaymentClaimed{}, RefundClaims: []order.HandRefundClaimed{}, ByHand: []order.HandPrice{}, Edits: []Edit{}, Returns: []GoodsBack{},
		PayBefore: timeOrNil(e.PayBefore), ConfirmBefore: timeOrNil(e.ConfirmBefore), CreatedAt: e.At, UpdatedAt: e.At,
	}
	o.price(e.Calculation)
	if day := e.DeliveryDate; day != "" { // a copy, so that the row does not hold on to the event
		o.DeliveryDate = &day
	}
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
	if o.DeliveryDate = nil; e.DeliveryDate != "" {
		day := e.DeliveryDate
		o.DeliveryDate = &day
	}
	o.UpdatedAt = e.At
}

// state is what the row says of the order, as far as events change it. The order itself decides what becomes of its
// status and money, so that the two cannot disagree.
func (o *Order) state() order.State {
	s := order.State{Status: o.Status, CustomerID: o.CustomerID, PaymentID: o.PaymentID, Attempt: o.Attempt, HandClaims: o.HandClaims, RefundClaims: o.RefundClaims, BackByOne: o.BackByOne}
	s.Placed.Calculation.TotalPaid = o.TotalPaid
	s.Imported, s.Parcel = o.RulesVersion == 0, o.parcel()
	s.ReturnAsked, s.GoodsBack, s.GivenBack = o.ReturnAsked, o.GoodsBack, o.GivenBack
	if o.CompletedAt != nil {
		s.CompletedAt = *o.CompletedAt
	}
	if o.PayBefore != nil {
		s.PayBefore = *o.PayBefore
	}
	if o.ConfirmBefore != nil {
		s.ConfirmBefore = *o.ConfirmBefore
	}
	for _, m := range o.Money {
		s.Payments = append(s.Payments, order.Payment{ID: m.PaymentID, Receipt: m.Receipt, Amount: m.Amount, Refunded: m.Refunded, ByHand: m.ByHand})
	}
	return s
}

func (o *Order) take(s order.State) {
	o.Status, o.CustomerID, o.PaymentID, o.Attempt = s.Status, s.CustomerID, s.PaymentID, s.Attempt
	o.takeParcel(s.Parcel)
	o.IsPaid, o.Captured, o.Owed, o.OwedByHand = s.IsPaid(), s.Captured(), 0, 0
	for _, p := range s.Owed() {
		o.Owed += p.Amount
		if order.TakenByHand(p.ID) {
			o.OwedByHand += p.Amount
		}
	}
	o.HandClaims, o.Lacks = append([]order.HandPaymentClaimed{}, s.HandClaims...), s.Lacks()
	o.RefundClaims, o.BackByOne = append([]order.HandRefundClaimed{}, s.RefundClaims...), s.BackByOne
	o.ReturnAsked, o.GoodsBack, o.GivenBack, o.CompletedAt = s.ReturnAsked, s.GoodsBack, s.GivenBack, timeOrNil(s.CompletedAt)
	o.Money = make([]Money, len(s.Payments))
	for i, p := range s.Payments {
		o.Money[i] = Money{PaymentID: p.ID, Receipt: p.Receipt, Amount: p.Amount, Refunded: p.Refunded, ByHand: p.ByHand}
	}
	// Shown only while money, or staff, is awaited.
	o.PayBefore, o.ConfirmBefore = nil, nil
	if s.Status == order.StatusReceived && !o.IsPaid {
		o.PayBefore = timeOrNil(s.PayBefore)
	}
	if s.Status == order.StatusReceived {
		o.ConfirmBefore = timeOrNil(s.ConfirmBefore)
	}
}
