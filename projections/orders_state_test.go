package projections

import (
	"testing"
	"time"

	"shop/domain"
	"shop/domain/order"
)

func TestOrderFoldsItsParcel(t *testing.T) {
	t.Parallel()
	courier := domain.ID{9}
	placed := order.Placed{ID: domain.ID{8}, DeliveryType: domain.Delivery, PaymentMethod: domain.Cash, DeliveryDate: "2026-03-03", At: noon,
		Calculation: domain.Calculation{TotalPaid: 900, RulesVersion: 1}}
	then := func(events ...domain.Event) Order {
		o, ok := folded(t, orders, order.Stream(placed.ID), append([]domain.Event{placed, order.Approved{At: noon}, order.ProcessingStarted{At: noon}}, events...)...)
		if !ok {
			t.Fatal("the row went")
		}
		return o
	}
	packed, planned := order.Packed{At: noon}, order.CourierAssigned{Courier: courier, Day: "2026-03-03", At: noon}
	over := order.HandedOver{Courier: courier, Day: "2026-03-03", At: noon.Add(time.Hour)}
	if o := then(packed, planned); o.PackedAt == nil || o.Courier != courier || *o.CourierDay != "2026-03-03" || o.HandedOverAt != nil {
		t.Errorf("packed and planned: %+v", o)
	}
	if o := then(packed, planned, over); !o.HandedOverAt.Equal(over.At) || !o.UpdatedAt.Equal(over.At) {
		t.Errorf("handed over: %+v", o)
	}
	back := then(packed, over, order.NotDelivered{Reason: "refused", Day: "2026-03-05", At: noon})
	if back.HandedOverAt != nil || back.NotDelivered != "refused" || *back.DeliveryDate != "2026-03-05" || back.CourierDay != nil || back.PackedAt == nil {
		t.Errorf("came back: %+v", back)
	}
	if o := then(packed, over, order.NotDelivered{Reason: "refused", At: noon}); *o.DeliveryDate != "2026-03-03" {
		t.Errorf("no new day was agreed on, and it is %s", *o.DeliveryDate)
	}
	soap := domain.PricedLine{ProductID: domain.ID{7}, Amount: 1}
	other := order.LinesChanged{Calculation: domain.Calculation{Lines: []domain.PricedLine{soap}, TotalPaid: 900, RulesVersion: 1}, At: noon}
	if o := then(packed, planned, other); o.PackedAt != nil || o.Courier != courier {
		t.Errorf("other goods are packed: %+v", o)
	}
	posted := then(packed, order.HandedOver{Carrier: "kazpost", Tracking: "KZ-1234", At: noon}, order.Delivered{At: noon})
	if posted.Carrier != "kazpost" || posted.Tracking != "KZ-1234" || posted.CarrierName != "Казпочта" || posted.TrackingURL != "https://post.kz/mail/search/track/KZ-1234/detail" || posted.DeliveredAt == nil || posted.Status != order.StatusProcessing || posted.IsPaid {
		t.Errorf("delivered and unpaid: %+v", posted)
	}
}
