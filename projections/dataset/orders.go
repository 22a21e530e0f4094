package dataset

import (
	"cmp"
	"context"
	"slices"

	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Order is a row of the data set orders: an order as it stood when the run ended. An order that changes later is
// written again by a later run; the row with the highest position counts. Money is in whole tenge.
type Order struct {
	// Position is that of the last event of the order that the row knows of.
	Position int64  `parquet:"position" about:"Log position of the last event the row knows of."`
	OrderID  string `parquet:"order_id" about:"The order."`
	Number   int64  `parquet:"number" about:"Number as customers know it."`
	Status   string `parquet:"status,dict" about:"Where the order stands."`
	IsPaid   bool   `parquet:"is_paid" about:"The money is there."`
	// Person is who ordered: an account, or a guest, who is another person in each order.
	Person     string `parquet:"person" about:"Who ordered: an account, or a guest, who is another person in each order; a pseudonym when masked."`
	IsCustomer bool   `parquet:"is_customer" about:"The person has an account."`
	// The personal fields are null when masked, and when the person is erased.
	FirstName string `parquet:"first_name,optional" about:"Null when masked or forgotten."`
	LastName  string `parquet:"last_name,optional" about:"Null when masked or forgotten."`
	Email     string `parquet:"email,optional" about:"Null when masked or forgotten."`
	Phone     string `parquet:"phone,optional" about:"Null when masked or forgotten."`
	Street    string `parquet:"street,optional" about:"Null when masked or forgotten."`
	House     string `parquet:"house,optional" about:"Null when masked or forgotten."`
	Apartment string `parquet:"apartment,optional" about:"Null when masked or forgotten."`
	Comment   string `parquet:"comment,optional" about:"Null when masked or forgotten."`

	City                 string       `parquet:"city,dict,optional" about:"City; «Другой город» for one that the shop does not know. As the customer wrote it when unmasked."`
	DeliveryType         string       `parquet:"delivery_type,dict" about:"DELIVERY or PICKUP."`
	PaymentMethod        string       `parquet:"payment_method,dict" about:"CARD, KASPI_BILL or CASH."`
	UseBrandBox          bool         `parquet:"use_brand_box" about:"Wanted in a box of the brand."`
	Lines                int32        `parquet:"lines" about:"Different products."`
	Pieces               int64        `parquet:"pieces" about:"Pieces of all products."`
	ListSum              domain.Money `parquet:"list_sum" about:"Tenge at list prices."`
	TotalSum             domain.Money `parquet:"total_sum" about:"Tenge at the prices of the day, before the discount on the order."`
	OrderDiscountPercent int64        `parquet:"order_discount_percent" about:"Percent off the order; 0 when none or a fixed promo code."`
	DiscountedSum        domain.Money `parquet:"discounted_sum" about:"Tenge after the discount on the order."`
	BonusSpent           domain.Money `parquet:"bonus_spent" about:"Tenge paid with bonuses."`
	DeliveryPrice        domain.Money `parquet:"delivery_price" about:"Tenge for delivery."`
	TotalPaid            domain.Money `parquet:"total_paid" about:"Tenge to pay in all."`
	// Captured is the money the shop holds, after what was Refunded.
	Captured  domain.Money `parquet:"captured" about:"Tenge the shop holds, after refunds."`
	Refunded  domain.Money `parquet:"refunded" about:"Tenge given back."`
	Promocode string       `parquet:"promocode,dict,optional" about:"Promo code that was applied."`
	// RulesVersion is null for an order of another shop.
	RulesVersion int64  `parquet:"rules_version,optional" about:"Rules the price was made by; null for an order of another shop."`
	Imported     bool   `parquet:"imported" about:"Placed in another shop."`
	Source       string `parquet:"source,dict,optional" about:"The other shop."`
	SourceNumber string `parquet:"source_number,optional" about:"Number in the other shop."`
	PlacedAt     moment `parquet:"placed_at,timestamp(microsecond)" about:"When it was placed."`
	PaidAt       moment `parquet:"paid_at,timestamp(microsecond),optional" about:"When it was last paid."`
	CompletedAt  moment `parquet:"completed_at,timestamp(microsecond),optional" about:"When it was completed."`
	CancelledAt  moment `parquet:"cancelled_at,timestamp(microsecond),optional" about:"When it was cancelled."`
	// DeliveryDate is the promised day.
	DeliveryDate int32 `parquet:"delivery_date,date,optional" about:"Promised day."`
}

// maxOrders is how many orders that changed are kept folded, some 2 KiB each. Of more, the half that changed longest
// ago is written early; an order of those that changes once more is read back and gets a second row.
const maxOrders = 50_000

type orders struct {
	rowsOf[Order]
	mask
	max     int
	changed map[string]*foldedOrder
}

// foldedOrder is a row and what of the order's state the next event needs.
type foldedOrder struct {
	row   Order
	state order.State
	// city is the order's in clear.
	city string
}

func newOrders(o Options) source {
	return &orders{newRowsOf[Order](), newMask(o), maxOrders, map[string]*foldedOrder{}}
}

func (o *orders) scanning() eventstore.Scanning {
	return eventstore.Scanning{Closed: o.hides(), Types: names(order.Placed{}, order.PaymentRequested{}, order.Paid{}, order.PaymentFailed{}, order.PaymentExpired{},
		order.Approved{}, order.ProcessingStarted{}, order.Completed{}, order.Cancelled{}, order.Refunded{}, order.Joined{}, order.Imported{}, order.Forgotten{},
		order.LinesChanged{}, order.AddressChanged{}, order.GoodsReturned{})}
}

func (o *orders) take(ctx context.Context, log Log, events []eventstore.Event) error {
	if err := o.readBack(ctx, log, events); err != nil {
		return err
	}
	for _, event := range events {
		f := o.changed[event.Stream]
		if f == nil {
			f = &foldedOrder{}
			o.changed[event.Stream] = f
		}
		o.fold(f, event)
	}
	if len(o.changed) <= o.max {
		return nil
	}
	return o.write(len(o.changed) - o.max/2)
}

// readBack loads the orders that events change and that are not known here: placed before this run, or written early.
func (o *orders) readBack(ctx context.Context, log Log, events []eventstore.Event) error {
	first := map[string]eventstore.Version{}
	var from []eventstore.From
	for _, event := range events {
		_, met := first[event.Stream]
		if _, known := o.changed[event.Stream]; known || met {
			continue
		}
		if first[event.Stream] = event.Version; event.Version > 1 {
			from = append(from, eventstore.From{Stream: event.Stream})
		}
	}
	if len(from) == 0 {
		return nil
	}
	before, err := log.Load(ctx, from...)
	if err != nil {
		return err
	}
	for stream, events := range before {
		f := &foldedOrder{}
		for _, event := range events[:min(len(events), int(first[stream]-1))] { // versions count from 1
			o.fold(f, event)
		}
		o.changed[stream] = f
	}
	return nil
}

// placeOf is the city of an order: unmasked what was typed. The files of other shops name cities, and nobody typed them here.
func (o *orders) placeOf(e order.Placed, event *eventstore.Event) string {
	switch {
	case !o.hides():
		return e.TypedCity()
	case e.Imported():
		return e.City
	}
	return o.city(e.City, event)
}

func (o *orders) fold(f *foldedOrder, event eventstore.Event) {
	row := &f.row
	switch e := event.Data.(type) {
	case order.Placed:
		*row = Order{
			OrderID: e.ID.String(), Number: e.Number, Person: o.either(e.CustomerID, e.PersonID),
			City: o.placeOf(e, &event), DeliveryType: string(e.DeliveryType), PaymentMethod: string(e.PaymentMethod), UseBrandBox: e.UseBrandBox,
			Imported: e.Imported(),
			PlacedAt: at(e.At), DeliveryDate: day(e.DeliveryDate),
		}
		row.price(e.Calculation)
		f.city = e.City
		if !o.hides() {
			row.FirstName, row.LastName, row.Email, row.Phone = e.Contact.FirstName, e.Contact.LastName, e.Contact.Email, e.Contact.Phone
			row.Street, row.House, row.Apartment, row.Comment = e.Address.Street, e.Address.House, e.Address.Apartment, e.Address.Comment
		}
	case order.LinesChanged:
		row.price(e.Calculation)
	case order.AddressChanged:
		o.move(row, e, &event)
		f.city = e.City
	case order.Paid:
		row.PaidAt = at(e.At)
	case order.Completed:
		row.CompletedAt = at(e.At)
	case order.Cancelled:
		row.CancelledAt = at(e.At)
	case order.Refunded:
		row.Refunded += e.Amount
	case order.Joined:
		row.Person = o.person(e.CustomerID.String())
	case order.Imported:
		row.Source, row.SourceNumber = e.Source, e.Number
	case order.Forgotten:
		if !o.hides() {
			row.City = f.city
		}
		row.FirstName, row.LastName, row.Email, row.Phone, row.Street, row.House, row.Apartment, row.Comment = "", "", "", "", "", "", "", ""
	case order.PaymentRequested, order.PaymentFailed, order.PaymentExpired, order.Approved, order.ProcessingStarted, order.GoodsReturned: // the state knows
	}
	if e, ok := event.Data.(order.Event); ok {
		f.state = order.Decider.Evolve(f.state, e)
	}
	// The lines and the contact are not needed any more.
	total := f.state.Placed.Calculation.TotalPaid
	f.state.Placed = order.Placed{Calculation: domain.Calculation{TotalPaid: total}}
	row.Position, row.Status, row.IsPaid, row.Captured = int64(event.Position), string(f.state.Status), f.state.IsPaid(), f.state.Captured()
	row.IsCustomer = f.state.CustomerID != domain.ID{}
}

// price takes the order's price as it is now.
func (row *Order) price(c domain.Calculation) {
	row.Lines, row.Pieces, row.ListSum, row.TotalSum, row.OrderDiscountPercent = int32(len(c.Lines)), pieces(c.Lines), c.ListSum, c.TotalSum, c.OrderDiscount
	row.DiscountedSum, row.BonusSpent, row.DeliveryPrice, row.TotalPaid = c.DiscountedSum, c.BonusSpent, c.DeliveryPrice, c.TotalPaid
	row.Promocode, row.RulesVersion = c.PromocodeApplied, c.RulesVersion
}

// move takes another contact, address and promised day.
func (o *orders) move(row *Order, e order.AddressChanged, event *eventstore.Event) {
	to := order.Placed{City: e.City, Address: e.Address, Calculation: domain.Calculation{RulesVersion: row.RulesVersion}}
	row.City, row.DeliveryDate = o.placeOf(to, event), day(e.DeliveryDate)
	if o.hides() {
		return
	}
	row.FirstName, row.LastName, row.Email, row.Phone = e.Contact.FirstName, e.Contact.LastName, e.Contact.Email, e.Contact.Phone
	row.Street, row.House, row.Apartment, row.Comment = e.Address.Street, e.Address.House, e.Address.Apartment, e.Address.Comment
}

// write writes the n orders that changed longest ago, and lets go of them.
func (o *orders) write(n int) error {
	oldest := make([]string, 0, len(o.changed))
	for stream := range o.changed {
		oldest = append(oldest, stream)
	}
	slices.SortFunc(oldest, func(a, b string) int { return cmp.Compare(o.changed[a].row.Position, o.changed[b].row.Position) })
	for _, stream := range oldest[:n] {
		row := o.changed[stream].row
		delete(o.changed, stream)
		if row.OrderID == "" { // its stream begins with something else
			continue
		}
		if err := o.add(row.PlacedAt, row); err != nil {
			return err
		}
	}
	return nil
}

func (o *orders) rest() error { return o.write(len(o.changed)) }
