package projections

import (
	"time"

	"shop/domain/order"
)

// parcel is what the row says of the order's parcel.
func (o *Order) parcel() order.Parcel {
	p := order.Parcel{
		PackedAt: timeOrZero(o.PackedAt), HandedOverAt: timeOrZero(o.HandedOverAt), DeliveredAt: timeOrZero(o.DeliveredAt),
		Carrier: o.Carrier, Tracking: o.Tracking, Courier: o.Courier, NotDelivered: o.NotDelivered,
	}
	if o.CourierDay != nil {
		p.Day = *o.CourierDay
	}
	return p
}

func (o *Order) takeParcel(p order.Parcel) {
	o.PackedAt, o.HandedOverAt, o.DeliveredAt = timeOrNil(p.PackedAt), timeOrNil(p.HandedOverAt), timeOrNil(p.DeliveredAt)
	o.Carrier, o.Tracking, o.Courier, o.NotDelivered = p.Carrier, p.Tracking, p.Courier, p.NotDelivered
	carrier := order.CarrierOf(p.Carrier)
	o.CarrierName, o.TrackingURL = carrier.Name, carrier.TrackingURL(p.Tracking)
	o.CourierDay = nil
	if day := p.Day; day != "" {
		o.CourierDay = &day
	}
}

// timeOrZero is the zero time where there is none.
func timeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
