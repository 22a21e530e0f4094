package order

import (
	"slices"
	"time"

	"shop/domain"
)

// MaxDeliveryPhotos is how many photos of its hand-over an order has at most.
const MaxDeliveryPhotos = 4

// ErrManyPhotos: the order has MaxDeliveryPhotos.
var ErrManyPhotos = domain.Refuse("order/many-photos", "К заказу добавлено уже 4 фотографии")

// DeliveryPhotographed: the courier took a photo of the hand-over, or of why there was none. The picture itself is in the album, owned
// by the order.
type DeliveryPhotographed struct {
	PhotoID domain.ID `json:"photo_id"`
	At      time.Time `json:"at"`
}

// DeliveryPhotosRemoved took all photos out of the order; its files go with it.
type DeliveryPhotosRemoved struct {
	ID       domain.ID   `json:"id"`
	PhotoIDs []domain.ID `json:"photo_ids"`
	At       time.Time   `json:"at"`
}

func (DeliveryPhotographed) EventType() string  { return "order.delivery-photographed" }
func (DeliveryPhotosRemoved) EventType() string { return "order.delivery-photos-removed" }
func (DeliveryPhotographed) isEvent()           {}
func (DeliveryPhotosRemoved) isEvent()          {}

func (e DeliveryPhotographed) When() time.Time  { return e.At }
func (e DeliveryPhotosRemoved) When() time.Time { return e.At }

// PhotographDelivery adds a photo of the hand-over. Repeating it adds nothing.
type PhotographDelivery struct {
	PhotoID domain.ID
	At      time.Time
}

// RemoveDeliveryPhotos takes all photos out of the order; an order without any is left as it is.
type RemoveDeliveryPhotos struct{ At time.Time }

func (PhotographDelivery) isCommand()   {}
func (RemoveDeliveryPhotos) isCommand() {}

func decidePhotos(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case PhotographDelivery:
		switch {
		case s.Forgotten:
			return nil, ErrNoPerson
		case slices.Contains(s.DeliveryPhotos, c.PhotoID):
			return nil, nil
		case !s.Parcel.HandedOver():
			return nil, ErrNotHandedOver
		case len(s.DeliveryPhotos) >= MaxDeliveryPhotos:
			return nil, ErrManyPhotos
		}
		return []Event{DeliveryPhotographed(c)}, nil
	case RemoveDeliveryPhotos:
		return withoutPhotos(s, c.At), nil
	default:
		return nil, domain.UnknownCommand(command)
	}
}

// withoutPhotos removes the photos of an order that has some.
func withoutPhotos(s State, at time.Time) []Event {
	if len(s.DeliveryPhotos) == 0 {
		return nil
	}
	return []Event{DeliveryPhotosRemoved{ID: s.Placed.ID, PhotoIDs: s.DeliveryPhotos, At: at}}
}

// forget forgets who ordered; a photo of the door goes with the address.
func forget(s State, at time.Time) []Event {
	return append(withoutPhotos(s, at), Forgotten{At: at})
}

func evolvePhotos(s State, event Event) State {
	switch e := event.(type) {
	case DeliveryPhotographed:
		s.DeliveryPhotos = append(slices.Clip(s.DeliveryPhotos), e.PhotoID)
	case DeliveryPhotosRemoved:
		s.DeliveryPhotos = nil
	default: // the others say nothing of it
	}
	return s
}
