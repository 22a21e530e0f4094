package dataset

import (
	"context"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/domain/stock"
	"shop/eventstore"
)

// OrderLine is a row of the data set order-lines: a line of an order as it was placed. Money is in whole tenge.
type OrderLine struct {
	Position int64  `parquet:"position,delta" about:"Log position of the event."`
	OrderID  string `parquet:"order_id" about:"The order."`
	Number   int64  `parquet:"number" about:"Number of the order."`
	// Line counts from 1.
	Line            int32        `parquet:"line" about:"Line of the order, from 1."`
	PlacedAt        moment       `parquet:"placed_at,timestamp(microsecond),delta" about:"When the order was placed."`
	City            string       `parquet:"city,dict,optional" about:"City; «Другой город» for one that the shop does not know."`
	ProductID       string       `parquet:"product_id,dict" about:"The product."`
	Article         string       `parquet:"article,dict" about:"Article of the day."`
	Name            string       `parquet:"name,dict" about:"Name of the day."`
	Amount          int64        `parquet:"amount" about:"Pieces."`
	Price           domain.Money `parquet:"price" about:"List price of a piece, in tenge."`
	DiscountedPrice domain.Money `parquet:"discounted_price" about:"Price of a piece before the discount on the order, in tenge."`
	OrderDiscount   domain.Money `parquet:"order_discount" about:"Share of the discount on the order, in tenge."`
	Total           domain.Money `parquet:"total" about:"Tenge for the line after discounts."`
	Imported        bool         `parquet:"imported" about:"Placed in another shop."`
}

type orderLines struct {
	rowsOf[OrderLine]
	mask
}

func newOrderLines(o Options) source { return &orderLines{newRowsOf[OrderLine](), newMask(o)} }

func (l *orderLines) scanning() eventstore.Scanning {
	return eventstore.Scanning{Types: names(order.Placed{}), Closed: true}
}

func (l *orderLines) take(_ context.Context, _ Log, events []eventstore.Event) error {
	for _, event := range events {
		placed := event.Data.(order.Placed)
		city := placed.City
		if !placed.Imported() {
			city = l.city(placed.City, &event)
		}
		for i, line := range placed.Calculation.Lines {
			err := l.add(at(placed.At), OrderLine{
				Position: int64(event.Position), OrderID: placed.ID.String(), Number: placed.Number, Line: int32(i + 1), PlacedAt: at(placed.At),
				City: city, ProductID: line.ProductID.String(), Article: line.Article, Name: line.Name, Amount: line.Amount,
				Price: line.Price, DiscountedPrice: line.DiscountedPrice, OrderDiscount: line.OrderDiscount, Total: line.Total,
				Imported: placed.Imported(),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *orderLines) rest() error { return nil }

// Basket is a row of the data set baskets: a pricing of a basket, a checkout that was refused, or that it became an order.
type Basket struct {
	Position int64  `parquet:"position,delta" about:"Log position of the event."`
	BasketID string `parquet:"basket_id" about:"The basket."`
	At       moment `parquet:"at,timestamp(microsecond),delta" about:"When it happened."`
	// Event is priced, checkout_refused or checked_out. OrderID is null but for the last, which has nothing of what was
	// priced; of a refused checkout the sums are TotalSum and TotalPaid.
	Event                string       `parquet:"event,dict" about:"priced, checkout_refused or checked_out."`
	OrderID              string       `parquet:"order_id,optional" about:"The order it became; null but for checked_out."`
	City                 string       `parquet:"city,dict,optional" about:"City; «Другой город» for one that the shop does not know."`
	DeliveryType         string       `parquet:"delivery_type,dict,optional" about:"DELIVERY or PICKUP."`
	PaymentMethod        string       `parquet:"payment_method,dict,optional" about:"CARD, KASPI_BILL or CASH."`
	Promocode            string       `parquet:"promocode,dict,optional" about:"Promo code that was given."`
	Lines                int32        `parquet:"lines,optional" about:"Different products."`
	Pieces               int64        `parquet:"pieces,optional" about:"Pieces of all products."`
	ListSum              domain.Money `parquet:"list_sum" about:"Tenge at list prices."`
	TotalSum             domain.Money `parquet:"total_sum" about:"Tenge before the discount on the order."`
	OrderDiscountPercent int64        `parquet:"order_discount_percent" about:"Percent off the order; 0 when none or a fixed promo code."`
	DiscountedSum        domain.Money `parquet:"discounted_sum" about:"Tenge after the discount on the order."`
	BonusSpent           domain.Money `parquet:"bonus_spent" about:"Tenge paid with bonuses."`
	DeliveryPrice        domain.Money `parquet:"delivery_price" about:"Tenge for delivery."`
	TotalPaid            domain.Money `parquet:"total_paid" about:"Tenge to pay in all."`
	CanCreateOrder       bool         `parquet:"can_create_order" about:"An order could be made."`
	// Reason says why no order could be made or was made; null when one could.
	Reason       string       `parquet:"reason,dict,optional" about:"Why no order could be made or was made; null when one could."`
	MissingSum   domain.Money `parquet:"missing_sum" about:"Tenge that lack to the least order."`
	RulesVersion int64        `parquet:"rules_version,optional" about:"Rules the price was made by."`
}

type baskets struct {
	rowsOf[Basket]
	mask
}

func newBaskets(o Options) source { return &baskets{newRowsOf[Basket](), newMask(o)} }

func (b *baskets) scanning() eventstore.Scanning {
	return eventstore.Scanning{Types: names(basket.Priced{}, basket.CheckoutRefused{}, basket.CheckedOut{})}
}

func (b *baskets) take(_ context.Context, _ Log, events []eventstore.Event) error {
	for _, event := range events {
		row := Basket{Position: int64(event.Position)}
		switch e := event.Data.(type) {
		case basket.Priced:
			c := e.Calculation
			row.BasketID, row.At, row.Event = e.BasketID.String(), at(e.At), "priced"
			row.City, row.DeliveryType, row.PaymentMethod, row.Promocode = b.city(e.Question.City, &event), string(e.Question.DeliveryType), string(e.Question.PaymentMethod), b.code(e.Question.Promocode, c.PromocodeError)
			row.Lines, row.Pieces = int32(len(c.Lines)), pieces(c.Lines)
			row.ListSum, row.TotalSum, row.OrderDiscountPercent, row.DiscountedSum = c.ListSum, c.TotalSum, c.OrderDiscount, c.DiscountedSum
			row.BonusSpent, row.DeliveryPrice, row.TotalPaid = c.BonusSpent, c.DeliveryPrice, c.TotalPaid
			row.CanCreateOrder, row.Reason, row.MissingSum, row.RulesVersion = c.CanCreateOrder, c.Reason, c.MissingSum, c.RulesVersion
		case basket.CheckoutRefused:
			row.BasketID, row.At, row.Event, row.Reason = e.BasketID.String(), at(e.At), "checkout_refused", e.Reason
			row.City, row.DeliveryType, row.PaymentMethod, row.Promocode = b.city(e.Question.City, &event), string(e.Question.DeliveryType), string(e.Question.PaymentMethod), b.refused(e.Question.Promocode, e.Reason)
			row.TotalSum, row.TotalPaid = e.TotalSum, e.TotalPaid
		case basket.CheckedOut:
			row.BasketID, row.At, row.Event, row.OrderID = e.BasketID.String(), at(e.At), "checked_out", e.OrderID.String()
		}
		if err := b.add(row.At, row); err != nil {
			return err
		}
	}
	return nil
}

func (b *baskets) rest() error { return nil }

func pieces(lines []domain.PricedLine) (n int64) {
	for _, l := range lines {
		n += l.Amount
	}
	return n
}

// StockMovement is a row of the data set stock-movements. OnHand and Reserved are the sums after it.
type StockMovement struct {
	Position  int64  `parquet:"position,delta" about:"Log position of the event."`
	At        moment `parquet:"at,timestamp(microsecond),delta" about:"When it happened."`
	ProductID string `parquet:"product_id,dict" about:"The product."`
	// Movement is received, adjusted, reserved, released or shipped.
	Movement string `parquet:"movement,dict" about:"received, adjusted, reserved, released or shipped."`
	// Quantity is positive but for an adjustment that found less.
	Quantity int64  `parquet:"quantity" about:"Pieces; below 0 where a count found less."`
	OnHand   int64  `parquet:"on_hand" about:"Pieces there after it."`
	Reserved int64  `parquet:"reserved" about:"Pieces of those reserved after it."`
	OrderID  string `parquet:"order_id,optional" about:"The order it was for; null when for none."`
	Cause    string `parquet:"cause,dict" about:"Kind of what caused it."`
	CauseRef string `parquet:"cause_ref,optional" about:"What caused it, such as an order."`
}

type stockMovements struct{ rowsOf[StockMovement] }

func newStockMovements(Options) source { return &stockMovements{newRowsOf[StockMovement]()} }

func (s *stockMovements) scanning() eventstore.Scanning {
	return eventstore.Scanning{Types: names(stock.Received{}, stock.Adjusted{}, stock.Reserved{}, stock.Released{}, stock.Shipped{})}
}

func (s *stockMovements) take(_ context.Context, _ Log, events []eventstore.Event) error {
	for _, event := range events {
		// All movements say the same of themselves, but for the order.
		var e stock.Reserved
		var movement string
		switch data := event.Data.(type) {
		case stock.Received:
			movement, e = "received", stock.Reserved{ProductID: data.ProductID, Quantity: data.Quantity, OnHand: data.OnHand, Reserved: data.Reserved, Cause: data.Cause, At: data.At}
		case stock.Adjusted:
			movement, e = "adjusted", stock.Reserved{ProductID: data.ProductID, Quantity: data.Quantity, OnHand: data.OnHand, Reserved: data.Reserved, Cause: data.Cause, At: data.At}
		case stock.Reserved:
			movement, e = "reserved", data
		case stock.Released:
			movement, e = "released", stock.Reserved(data)
		case stock.Shipped:
			movement, e = "shipped", stock.Reserved(data)
		}
		row := StockMovement{
			Position: int64(event.Position), At: at(e.At), ProductID: e.ProductID.String(), Movement: movement,
			Quantity: e.Quantity, OnHand: e.OnHand, Reserved: e.Reserved, Cause: e.Cause.Kind, CauseRef: e.Cause.Ref,
		}
		if e.OrderID != uuid.Nil {
			row.OrderID = e.OrderID.String()
		}
		if err := s.add(row.At, row); err != nil {
			return err
		}
	}
	return nil
}

func (s *stockMovements) rest() error { return nil }
