package order_test

import (
	"testing"

	"shop/domain"
	"shop/domain/order"
)

func TestADeliveryIsPhotographed(t *testing.T) {
	t.Parallel()
	one := domain.ID{15: 71}
	add := order.PhotographDelivery{PhotoID: one, At: noon}
	added := order.DeliveryPhotographed{PhotoID: one, At: noon}
	ready := given(t, cash, approved, processing, packed)
	ready.When(add).Refused(order.ErrNotHandedOver)
	gone := ready.Given(toAzat)
	gone.When(add).Then(added)
	gone.Given(added).When(add).Nothing()
	gone.Given(delivered).When(add).Then(added)
	full := gone
	for i := range byte(order.MaxDeliveryPhotos) {
		full = full.Given(order.DeliveryPhotographed{PhotoID: domain.ID{15: 80 + i}, At: noon})
	}
	full.When(add).Refused(order.ErrManyPhotos)

	removed := order.DeliveryPhotosRemoved{ID: cash.ID, PhotoIDs: []domain.ID{one}, At: noon}
	gone.Given(added).When(order.RemoveDeliveryPhotos{At: noon}).Then(removed)
	gone.Given(added, removed).When(order.RemoveDeliveryPhotos{At: noon}).Nothing()
	gone.Given(added, removed).When(add).Then(added)

	// Whoever forgets the customer forgets the picture of the door.
	ended := gone.Given(added, delivered, completed)
	ended.When(order.ForgetGuest{At: noon}).Then(removed, order.Forgotten{At: noon})
	ended.When(order.Forget{At: noon}).Then(removed, order.Forgotten{At: noon})
	ended.Given(removed, order.Forgotten{At: noon}).When(add).Refused(order.ErrNoPerson)
}
