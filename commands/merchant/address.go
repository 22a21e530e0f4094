package merchant

import (
	"context"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// Address is where and to whom an order should go.
type Address struct {
	// Version is that of the order that the change was made of; 0: any.
	Version eventstore.Version `json:"version"`
	Contact order.Contact      `json:"contact"`
	Address order.Address      `json:"address"`
	// DeliveryDate is the promised day; empty: by the rules when the city changes, else as it is.
	DeliveryDate string `json:"delivery_date"`
	Reason       string `json:"reason"`
}

// msgOtherCity is why a delivery costs something else.
const msgOtherCity = "Другой город доставки"

// ChangeAddress gives an order another contact, address or promised day. In another city the delivery costs what the order's own
// rules say, and what that makes of the sum is asked for or given back. The e-mail stays that of the order when none is given.
func (o *Orders) ChangeAddress(ctx context.Context, id domain.ID, c Address) (eventstore.Position, error) {
	owes := false
	position, err := o.change(ctx, id, c.Version, func(u *unit) error {
		terms, err := u.rulesOf(ctx)
		if err != nil {
			return err
		}
		p := u.was.Placed
		city, day := commands.CityInClear(u.Orders.Orders.Cities, terms, c.Address.City), p.DeliveryDate
		if p.DeliveryType != domain.Delivery {
			city = p.City
		}
		if city != p.City {
			_, served := terms.DeliveryTo(city)
			if !served && p.PaymentMethod == domain.Cash {
				return order.ErrNoCash
			}
			if day = ""; served {
				day = commands.SettingsStream().State(u.Unit).Settings.DeliveryDate(u.At(), commands.RulesStream().State(u.Unit).Rules.SameDayUntil)
			}
		}
		if c.DeliveryDate != "" {
			day = c.DeliveryDate
		}
		contact := c.Contact
		if contact.Email == "" {
			contact.Email = p.Contact.Email
		}
		change := order.ChangeAddress{Contact: contact, Address: c.Address, City: city, DeliveryDate: day, Reason: c.Reason, At: u.At()}
		if err := u.order.Do(u.Unit, change); err != nil || city == p.City {
			return err
		}
		in, err := u.input(ctx)
		if err != nil {
			return err
		}
		in.City = city
		u.keepLines(&in)
		if err := u.reprice(in, u.was.ByHand, city, msgOtherCity); err != nil {
			return err
		}
		owes = len(u.order.State(u.Unit).Owed()) > 0
		return nil
	})
	if err == nil && owes {
		position = o.giveBack(ctx, id, position)
	}
	return position, err
}
