package policies

import (
	"shop/commands/mail"
	"shop/domain"
	"shop/domain/order"
)

// afterwards writes of what was done with an order after it was placed, from the order before it, after it and now. Nil: the news is
// outdated, or none.
func afterwards(e order.Event, before, then, now order.State, about mail.Order) mail.Content {
	over := now.Status == order.StatusCancelled || now.Status == order.StatusRefunded
	switch e := e.(type) {
	case order.LinesChanged:
		if !over {
			return mail.OrderChanged{
				Order: about, Changes: mail.Changes(e.Before, e.Calculation.Lines), Reason: e.Reason, Lacks: now.Lacks(), Owed: owed(then),
			}
		}
	case order.HandedOver:
		// Another courier on the same day is no news, and a parcel whose details were corrected has a letter of its own.
		other := before.Parcel.HandedOver() && before.Parcel.Carrier == "" && e.Carrier == "" && before.Parcel.Day == e.Day
		if p := now.Parcel; over || other || p.Delivered() || !p.HandedOverAt.Equal(e.At) {
			return nil
		}
		letter := mail.OrderHandedOver{Order: about, Day: e.Day}
		if e.Carrier != "" {
			carrier := order.CarrierOf(e.Carrier)
			letter.Carrier, letter.Tracking, letter.TrackingURL = carrier.Name, e.Tracking, carrier.TrackingURL(e.Tracking)
		}
		return letter
	case order.GoodsReturned:
		letter := mail.GoodsReturned{Order: about, Granted: e.RequestID != (domain.ID{}), Owed: owed(then), Bonuses: e.Bonuses}
		for _, l := range e.Lines {
			letter.Back = append(letter.Back, mail.BackLine{Name: nameOf(then, l.ProductID), Amount: l.Amount})
		}
		return letter
	case order.ReturnDeclined:
		return mail.ReturnDeclined{Order: about, Reason: e.Reason}
	default:
	}
	return nil
}

// owed is the money that has to go back.
func owed(s order.State) (sum domain.Money) {
	for _, payment := range s.Owed() {
		sum += payment.Amount
	}
	return sum
}

// nameOf is what a product is called in an order.
func nameOf(s order.State, product domain.ID) string {
	for _, l := range s.Placed.Calculation.Lines {
		if l.ProductID == product {
			return l.Name
		}
	}
	return ""
}
