package replay

import (
	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/order"
	"shop/eventstore/skim"
)

// schemas are the newest schema versions that skimming understands; older ones say what it takes in the same words. Newer
// ones go the way of all events.
var schemas = map[string]int{order.Placed{}.EventType(): 7, basket.Priced{}.EventType(): 4}

// skimmed is an eventstore.Scanning's Skim: orders and baskets with no words in them and nothing personal. Whole calculations
// are those that a price is proved by; others have neither steps nor a basket's lines.
func skimmed(whole bool) func(typ string, schema int, payload []byte) any {
	return func(typ string, schema int, payload []byte) (event any) {
		if schema > schemas[typ] {
			return nil
		}
		s := skimmer{skim.Of(payload), whole, whole || typ == order.Placed{}.EventType()}
		switch typ {
		case order.Placed{}.EventType():
			event = s.placed()
		case basket.Priced{}.EventType():
			event = s.priced()
		}
		if s.Failed() {
			return nil
		}
		return event
	}
}

type skimmer struct {
	*skim.Skimmer
	steps, lines bool
}

func (s *skimmer) placed() (p order.Placed) {
	s.Members(func(name []byte) {
		switch string(name) {
		case "number":
			p.Number = s.Int()
		case "customer_id":
			p.CustomerID = s.id()
		case "city":
			p.City = s.Text()
		case "delivery_type":
			p.DeliveryType = domain.DeliveryType(s.Text())
		case "payment_method":
			p.PaymentMethod = domain.PaymentMethod(s.Text())
		case "calculation":
			p.Calculation = s.calculation()
		case "at":
			s.parsed(p.At.UnmarshalText)
		}
	})
	return p
}

func (s *skimmer) priced() (p basket.Priced) {
	s.Members(func(name []byte) {
		switch string(name) {
		case "basket_id":
			p.BasketID = s.id()
		case "question":
			p.Question = s.question()
		case "calculation":
			p.Calculation = s.calculation()
		case "at":
			s.parsed(p.At.UnmarshalText)
		}
	})
	return p
}

func (s *skimmer) question() (q basket.Question) {
	s.Members(func(name []byte) {
		switch string(name) {
		case "city":
			q.City = s.Text()
		case "delivery_type":
			q.DeliveryType = domain.DeliveryType(s.Text())
		case "payment_method":
			q.PaymentMethod = domain.PaymentMethod(s.Text())
		case "promocode":
			q.Promocode = s.Text()
		}
	})
	return q
}

func (s *skimmer) calculation() (c domain.Calculation) {
	s.Members(func(name []byte) {
		switch string(name) {
		case "lines":
			if s.lines {
				c.Lines = make([]domain.PricedLine, 0, 4)
				s.Elements(func() { c.Lines = append(c.Lines, s.line()) })
			}
		case "list_sum":
			c.ListSum = s.Int()
		case "total_sum":
			c.TotalSum = s.Int()
		case "scoped_sum":
			c.ScopedSum = s.Int()
		case "order_discount":
			c.OrderDiscount = s.Int()
		case "discounted_sum":
			c.DiscountedSum = s.Int()
		case "bonus_spent":
			c.BonusSpent = s.Int()
		case "delivery_price":
			c.DeliveryPrice = s.Int()
		case "is_delivery_calculated":
			c.IsDeliveryCalculated = s.Bool()
		case "total_paid":
			c.TotalPaid = s.Int()
		case "payable_now":
			c.PayableNow = s.Int()
		case "payable_on_delivery":
			c.PayableOnDelivery = s.Int()
		case "can_create_order":
			c.CanCreateOrder = s.Bool()
		case "missing_sum":
			c.MissingSum = s.Int()
		case "manual":
			c.Manual = s.manual()
		case "promocode_applied":
			c.PromocodeApplied = s.Text()
		case "promocode_error":
			c.PromocodeError = s.Text()
		case "reason":
			c.Reason = s.Text()
		case "rules_version":
			c.RulesVersion = s.Int()
		case "explanation":
			if s.steps {
				s.Elements(func() { c.Explanation = append(c.Explanation, s.step()) })
			}
		}
	})
	return c
}

func (s *skimmer) manual() (m domain.Manual) {
	s.Members(func(name []byte) {
		switch string(name) {
		case "percent":
			m.Percent = s.Int()
		case "reason":
			m.Reason = s.Text()
		case "amount":
			m.Amount = s.Int()
		}
	})
	return m
}

func (s *skimmer) line() (l domain.PricedLine) {
	s.Members(func(name []byte) {
		switch string(name) {
		case "product_id":
			l.ProductID = s.id()
		case "amount":
			l.Amount = s.Int()
		case "price":
			l.Price = s.Int()
		case "discounted_price":
			l.DiscountedPrice = s.Int()
		case "order_discount":
			l.OrderDiscount = s.Int()
		case "total":
			l.Total = s.Int()
		case "in_scope":
			l.InScope = s.Bool()
		}
	})
	return l
}

func (s *skimmer) step() (step domain.Step) {
	s.Members(func(name []byte) {
		switch string(name) {
		case "code":
			step.Code = s.Text()
		case "amount":
			step.Amount = s.Int()
		}
	})
	return step
}

func (s *skimmer) id() (id uuid.UUID) {
	s.parsed(id.UnmarshalText)
	return id
}

// parsed gives the text that comes next to whoever reads it.
func (s *skimmer) parsed(read func([]byte) error) {
	if text := s.Bytes(); !s.Failed() && read(text) != nil {
		s.Fail()
	}
}
