package demo

import (
	"context"
	"fmt"
	"time"

	"shop/cmd/shop/app"
	"shop/commands"
	"shop/commands/fulfilment"
	"shop/commands/importer"
	"shop/commands/merchant"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
)

// shelfOf is where the demo keeps its nth product.
func shelfOf(n int) string { return fmt.Sprintf("%c-%02d-%d", 'A'+n/40%26, n/4%10+1, n%4+1) }

// furnishDesks lets every desk of the office show something: shelves, parcels in each state, a courier's day, and goods that come
// back. Without an account of a courier there is no courier's day.
func furnishDesks(ctx context.Context, s *app.Shop, placed []commands.Receipt) error {
	goods, err := Goods()
	if err != nil {
		return err
	}
	ctx = as(ctx, "system:demo")
	if packer, err := s.Accounts.Find(ctx, emailOf(staff.Warehouse)); err == nil {
		ctx = as(ctx, "staff:"+packer.ID.String())
	}
	shelves := &commands.Catalog{Handler: s.Handler}
	places := make([]place, len(goods))
	for n, g := range goods {
		places[n] = place{importer.ProductID(g.Article), shelfOf(n)}
	}
	err = allOf(ctx, places, func(ctx context.Context, p place) error {
		_, err := shelves.Shelve(ctx, p.product, p.shelf)
		return err
	})
	if err != nil {
		return err
	}
	orders, err := s.Orders()
	if err != nil {
		return err
	}
	d := desks{orders: orders, parcels: fulfilment.Parcels{Orders: orders}, today: s.Clock().In(domain.Almaty).Format(time.DateOnly)}
	if courier, err := s.Accounts.Find(ctx, emailOf(staff.Courier)); err == nil {
		d.courier = courier.ID
	}
	// The newest are those that are still on their way.
	for i := len(placed) - 1; i >= 0 && (d.sent < mostSent || d.returned < mostReturned); i-- {
		if err := d.furnish(ctx, placed[i].ID); err != nil {
			return fmt.Errorf("order %d: %w", placed[i].Number, err)
		}
	}
	return nil
}

// place is where a product is.
type place struct {
	product domain.ID
	shelf   string
}

// How many orders the demo's desks move, and how many goods come back.
const (
	mostSent     = 24
	mostReturned = 4
)

type desks struct {
	orders         *commands.Orders
	parcels        fulfilment.Parcels
	courier        domain.ID
	today          string
	sent, returned int
}

// furnish takes one order further, by turns.
func (d *desks) furnish(ctx context.Context, id domain.ID) error {
	state, err := commands.See(ctx, d.orders.Handler, commands.OrderStream(id))
	if err != nil {
		return err
	}
	switch {
	case (state.Status == order.StatusApproved || state.Status == order.StatusProcessing) && d.sent < mostSent:
		d.sent++
		return d.send(ctx, id, state, d.sent)
	case state.Status == order.StatusCompleted && state.Returnable() && d.returned < mostReturned:
		d.returned++
		return d.bringBack(ctx, id, state, d.returned)
	}
	return nil
}

// send leaves every fourth order to be packed, and takes the others to a courier's day or a carrier.
func (d *desks) send(ctx context.Context, id domain.ID, state order.State, turn int) error {
	if turn%4 == 0 {
		return nil
	}
	if _, err := d.parcels.Pack(ctx, id, nil, "демо"); err != nil || state.Placed.DeliveryType == domain.Pickup || turn%4 == 1 {
		return err
	}
	if turn%4 == 2 || d.courier == (domain.ID{}) {
		_, err := d.parcels.HandOver(ctx, id, order.HandOver{Carrier: order.Carriers[0].Code, Tracking: fmt.Sprintf("KZ%09d", state.Placed.Number)})
		return err
	}
	if _, err := d.parcels.Assign(ctx, id, d.courier, d.today); err != nil || turn%3 == 0 {
		return err
	}
	if _, err := d.parcels.HandOver(ctx, id, order.HandOver{Courier: d.courier}); err != nil || turn%3 == 1 {
		return err
	}
	if turn < mostSent/2 {
		_, err := d.parcels.Arrive(as(ctx, "staff:"+d.courier.String()), d.courier, id, order.Desk)
		return err
	}
	_, err := d.parcels.Fail(as(ctx, "staff:"+d.courier.String()), d.courier, id, order.NotDeliveredReasons[0], "")
	return err
}

// bringBack lets every other customer ask to bring goods back, and takes those of the others.
func (d *desks) bringBack(ctx context.Context, id domain.ID, state order.State, turn int) error {
	desk, line := &merchant.Orders{Orders: d.orders}, state.Placed.Calculation.Lines[0]
	if turn%2 == 1 {
		_, err := desk.RequestReturn(as(ctx, "guest"), id, []order.AskedLine{{ProductID: line.ProductID, Amount: 1}}, "Не подошёл оттенок")
		return err
	}
	_, err := desk.TakeBack(ctx, id, merchant.Return{Lines: []order.BackLine{{ProductID: line.ProductID, Amount: 1}}, Reason: "Не подошёл"})
	return err
}
