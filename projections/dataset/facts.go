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
	Position int64  `parquet:"position,delta"`
	OrderID  string `parquet:"order_id"`
	Number   int64  `parquet:"number"`
	// Line counts from 1.
	Line            int32        `parquet:"line"`
	PlacedAt        moment       `parquet:"placed_at,timestamp(microsecond),delta"`
	City            string       `parquet:"city,dict,optional"`
	ProductID       string       `parquet:"product_id,dict"`
	Article         string       `parquet:"article,dict"`
	Name            string       `parquet:"name,dict"`
	Amount          int64        `parquet:"amount"`
	Price           domain.Money `parquet:"price"`
	DiscountedPrice domain.Money `parquet:"discounted_price"`
	OrderDiscount   domain.Money `parquet:"order_discount"`
	Total           domain.Money `parquet:"total"`
	Imported        bool         `parquet:"imported"`
}

type orderLines struct{ rowsOf[OrderLine] }

func newOrderLines(Options) source { return &orderLines{newRowsOf[OrderLine]()} }

func (l *orderLines) scanning() eventstore.Scanning {
	return eventstore.Scanning{Types: names(order.Placed{})}
}

func (l *orderLines) take(_ context.Context, _ Log, events []eventstore.Event) error {
	for _, event := range events {
		placed := event.Data.(order.Placed)
		for i, line := range placed.Calculation.Lines {
			err := l.add(at(placed.At), OrderLine{
				Position: int64(event.Position), OrderID: placed.ID.String(), Number: placed.Number, Line: int32(i + 1), PlacedAt: at(placed.At),
				City: placed.City, ProductID: line.ProductID.String(), Article: line.Article, Name: line.Name, Amount: line.Amount,
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
	Position int64  `parquet:"position,delta"`
	BasketID string `parquet:"basket_id"`
	At       moment `parquet:"at,timestamp(microsecond),delta"`
	// Event is priced, checkout_refused or checked_out. OrderID is null but for the last, which has nothing of what was
	// priced; of a refused checkout the sums are TotalSum and TotalPaid.
	Event                string       `parquet:"event,dict"`
	OrderID              string       `parquet:"order_id,optional"`
	City                 string       `parquet:"city,dict,optional"`
	DeliveryType         string       `parquet:"delivery_type,dict,optional"`
	PaymentMethod        string       `parquet:"payment_method,dict,optional"`
	Promocode            string       `parquet:"promocode,dict,optional"`
	Lines                int32        `parquet:"lines,optional"`
	Pieces               int64        `parquet:"pieces,optional"`
	ListSum              domain.Money `parquet:"list_sum"`
	TotalSum             domain.Money `parquet:"total_sum"`
	OrderDiscountPercent int64        `parquet:"order_discount_percent"`
	DiscountedSum        domain.Money `parquet:"discounted_sum"`
	BonusSpent           domain.Money `parquet:"bonus_spent"`
	DeliveryPrice        domain.Money `parquet:"delivery_price"`
	TotalPaid            domain.Money `parquet:"total_paid"`
	CanCreateOrder       bool         `parquet:"can_create_order"`
	// Reason says why no order could be made or was made; null when one could.
	Reason       string       `parquet:"reason,dict,optional"`
	MissingSum   domain.Money `parquet:"missing_sum"`
	RulesVersion int64        `parquet:"rules_version,optional"`
}

type baskets struct{ rowsOf[Basket] }

func newBaskets(Options) source { return &baskets{newRowsOf[Basket]()} }

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
			row.City, row.DeliveryType, row.PaymentMethod, row.Promocode = e.Question.City, string(e.Question.DeliveryType), string(e.Question.PaymentMethod), e.Question.Promocode
			row.Lines, row.Pieces = int32(len(c.Lines)), pieces(c.Lines)
			row.ListSum, row.TotalSum, row.OrderDiscountPercent, row.DiscountedSum = c.ListSum, c.TotalSum, c.OrderDiscount, c.DiscountedSum
			row.BonusSpent, row.DeliveryPrice, row.TotalPaid = c.BonusSpent, c.DeliveryPrice, c.TotalPaid
			row.CanCreateOrder, row.Reason, row.MissingSum, row.RulesVersion = c.CanCreateOrder, c.Reason, c.MissingSum, c.RulesVersion
		case basket.CheckoutRefused:
			row.BasketID, row.At, row.Event, row.Reason = e.BasketID.String(), at(e.At), "checkout_refused", e.Reason
			row.City, row.DeliveryType, row.PaymentMethod, row.Promocode = e.Question.City, string(e.Question.DeliveryType), string(e.Question.PaymentMethod), e.Question.Promocode
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
	Position  int64  `parquet:"position,delta"`
	At        moment `parquet:"at,timestamp(microsecond),delta"`
	ProductID string `parquet:"product_id,dict"`
	// Movement is received, adjusted, reserved, released or shipped.
	Movement string `parquet:"movement,dict"`
	// Quantity is positive but for an adjustment that found less.
	Quantity int64  `parquet:"quantity"`
	OnHand   int64  `parquet:"on_hand"`
	Reserved int64  `parquet:"reserved"`
	OrderID  string `parquet:"order_id,optional"`
	Cause    string `parquet:"cause,dict"`
	CauseRef string `parquet:"cause_ref,optional"`
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
