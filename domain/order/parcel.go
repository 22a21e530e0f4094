package order

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"shop/domain"
)

// Refusals of what is done with an order's parcel.
var (
	ErrNotPackable   = domain.Refuse("order/not-packable", "Собрать можно только подтверждённый заказ")
	ErrNotPacked     = domain.Refuse("order/not-packed", "Заказ ещё не собран")
	ErrBadCarrier    = domain.Refuse("order/bad-carrier", "Укажите перевозчика с номером отправления или курьера")
	ErrBadTracking   = domain.Refuse("order/bad-tracking", "Номер отправления: от 4 до 40 латинских букв, цифр и дефисов")
	ErrPickup        = domain.Refuse("order/pickup", "Заказ забирает покупатель: передавать его некому")
	ErrNotHandedOver = domain.Refuse("order/not-handed-over", "Заказ ещё не передан в доставку")
	// ErrHandedOver: the goods must come back, or be delivered, first.
	ErrHandedOver = domain.Refuse("order/handed-over", "Заказ уже передан в доставку: сначала отметьте, что он не доставлен")
	// ErrDelivered: what was delivered comes back as returned goods.
	ErrDelivered = domain.Refuse("order/delivered", "Заказ уже доставлен: теперь его можно только вернуть")
	// ErrMoneyAwaited: the order completes when its money is recorded.
	ErrMoneyAwaited = domain.Refuse("order/money-awaited", "Заказ доставлен, но денег за него ещё нет: запишите оплату")
	ErrBadReason    = domain.Refuse("order/bad-reason", "Неизвестная причина")
	ErrBadDay       = domain.Refuse("order/bad-day", "День доставки не может быть в прошлом")
	ErrLongText     = domain.Refuse("order/long-text", "Не больше 200 знаков")
)

// NotDeliveredReasons are why a parcel may come back undelivered.
var NotDeliveredReasons = []string{"not_at_home", "no_answer", "refused", "wrong_address", "damaged", "no_time"}

// maxPackReason is in characters.
const maxPackReason = 200

// Packed: all goods of the order are in its parcel.
type Packed struct {
	// Reason says why the goods were not checked one by one; empty when each was scanned.
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// CourierAssigned planned the order for a courier of the shop and a day; a zero courier took it from everybody.
type CourierAssigned struct {
	Courier domain.ID `json:"courier,omitzero"`
	// Day is YYYY-MM-DD in Almaty, empty without a courier.
	Day string    `json:"day,omitempty"`
	At  time.Time `json:"at"`
}

// HandedOver gave the parcel to a carrier or to a courier of the shop. A later one corrects it.
type HandedOver struct {
	// Carrier is one of [Carriers] or a name, empty for a courier of the shop; Tracking is the carrier's number of the parcel.
	Carrier  string `json:"carrier,omitempty"`
	Tracking string `json:"tracking,omitempty"`
	// Courier is an account of staff; zero for a carrier. Day is when the courier goes, YYYY-MM-DD in Almaty.
	Courier domain.ID `json:"courier,omitzero"`
	Day     string    `json:"day,omitempty"`
	At      time.Time `json:"at"`
}

// Delivered: the customer has the goods.
type Delivered struct {
	At time.Time `json:"at"`
}

// NotDelivered: the parcel came back to the shop.
type NotDelivered struct {
	// Reason is one of [NotDeliveredReasons].
	Reason string `json:"reason"`
	// Day is the new promised day, YYYY-MM-DD in Almaty; empty when none was agreed on.
	Day string    `json:"day,omitempty"`
	At  time.Time `json:"at"`
}

func (Packed) EventType() string          { return "order.packed" }
func (CourierAssigned) EventType() string { return "order.courier-assigned" }
func (HandedOver) EventType() string      { return "order.handed-over" }
func (Delivered) EventType() string       { return "order.delivered" }
func (NotDelivered) EventType() string    { return "order.not-delivered" }

func (Packed) isEvent()          {}
func (CourierAssigned) isEvent() {}
func (HandedOver) isEvent()      {}
func (Delivered) isEvent()       {}
func (NotDelivered) isEvent()    {}

func (e Packed) When() time.Time          { return e.At }
func (e CourierAssigned) When() time.Time { return e.At }
func (e HandedOver) When() time.Time      { return e.At }
func (e Delivered) When() time.Time       { return e.At }
func (e NotDelivered) When() time.Time    { return e.At }

// Pack says that all goods are in the parcel; it starts the order when nobody did. Reason as in [Packed].
type Pack struct {
	Reason string
	At     time.Time
}

// AssignCourier plans the order for a courier and a day; a zero courier takes it from everybody.
type AssignCourier struct {
	Courier domain.ID
	Day     string
	At      time.Time
}

// HandOver gives the parcel to a carrier with a tracking number, or to a courier. Repeating it adds nothing; other details
// correct the former ones until the parcel is delivered.
type HandOver struct {
	Carrier, Tracking string
	Courier           domain.ID
	At                time.Time
}

// Deliver says that the customer has the goods. The order completes with it, or later with its money.
type Deliver struct{ At time.Time }

// NotDeliver says that the parcel came back to the shop.
type NotDeliver struct {
	Reason string
	Day    string
	At     time.Time
}

func (Pack) isCommand()          {}
func (AssignCourier) isCommand() {}
func (HandOver) isCommand()      {}
func (Deliver) isCommand()       {}
func (NotDeliver) isCommand()    {}

// Parcel is how far the order's goods are on their way. The zero value is not packed.
type Parcel struct {
	// PackedAt, HandedOverAt and DeliveredAt are zero before. A parcel that came back is packed and not handed over.
	PackedAt, HandedOverAt, DeliveredAt time.Time
	// Carrier and Tracking, or Courier, are whom it was handed over to last; Courier may be planned before. Day is the courier's.
	Carrier, Tracking string
	Courier           domain.ID
	Day               string
	// NotDelivered is why it came back the last time, NewDay the day agreed on then; empty once it is handed over again.
	NotDelivered, NewDay string
}

// Packed says whether all goods are in the parcel.
func (p Parcel) Packed() bool { return !p.PackedAt.IsZero() }

// HandedOver says whether the goods have left the shop, whether or not they arrived.
func (p Parcel) HandedOver() bool { return !p.HandedOverAt.IsZero() }

// Delivered says whether the customer has the goods.
func (p Parcel) Delivered() bool { return !p.DeliveredAt.IsZero() }

// Unpacked is the parcel after its goods changed: they have to be checked again. What is planned stays.
func (p Parcel) Unpacked() Parcel {
	p.PackedAt = time.Time{}
	return p
}

func decideParcel(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Pack:
		return decidePack(c, s)
	case AssignCourier:
		return decideAssignCourier(c, s)
	case HandOver:
		return decideHandOver(c, s)
	case Deliver:
		return decideDeliver(c, s)
	case NotDeliver:
		return decideNotDeliver(c, s)
	case PhotographDelivery, RemoveDeliveryPhotos:
		return decidePhotos(c, s)
	default:
		return nil, domain.UnknownCommand(command)
	}
}

func decidePack(c Pack, s State) ([]Event, error) {
	reason := strings.TrimSpace(c.Reason)
	packed := Packed{Reason: reason, At: c.At}
	switch {
	case utf8.RuneCountInString(reason) > maxPackReason:
		return nil, ErrLongText
	case s.Parcel.Packed() && s.Status == StatusProcessing:
		return nil, nil
	case s.Status == StatusApproved:
		return []Event{ProcessingStarted{At: c.At}, packed}, nil
	case s.Status == StatusProcessing:
		return []Event{packed}, nil
	}
	return nil, ErrNotPackable
}

func decideAssignCourier(c AssignCourier, s State) ([]Event, error) {
	if c.Courier == (domain.ID{}) {
		c.Day = ""
	}
	switch {
	case s.Parcel.Delivered():
		return nil, ErrDelivered
	case s.Parcel.HandedOver():
		return nil, ErrHandedOver
	case s.Status != StatusApproved && s.Status != StatusProcessing:
		return nil, ErrNotPackable
	case s.Placed.DeliveryType == domain.Pickup:
		return nil, ErrPickup
	case c.Courier == s.Parcel.Courier && c.Day == s.Parcel.Day:
		return nil, nil
	case c.Courier != (domain.ID{}) && !fromToday(c.Day, c.At):
		return nil, ErrBadDay
	}
	return []Event{CourierAssigned(c)}, nil
}

func decideHandOver(c HandOver, s State) ([]Event, error) {
	p := s.Parcel
	c.Carrier, c.Tracking = strings.TrimSpace(c.Carrier), strings.TrimSpace(c.Tracking)
	switch {
	case p.Delivered() || s.Status == StatusCompleted:
		return nil, ErrDelivered
	case !p.Packed() || s.Status != StatusProcessing:
		return nil, ErrNotPacked
	case s.Placed.DeliveryType == domain.Pickup:
		return nil, ErrPickup
	case (c.Carrier == "") == (c.Courier == domain.ID{}), utf8.RuneCountInString(c.Carrier) > 40, c.Carrier == "" && c.Tracking != "":
		return nil, ErrBadCarrier
	case c.Carrier != "" && !isTracking(c.Tracking):
		return nil, ErrBadTracking
	case p.HandedOver() && p.Carrier == c.Carrier && p.Tracking == c.Tracking && p.Courier == c.Courier:
		return nil, nil
	}
	over := HandedOver{Carrier: c.Carrier, Tracking: c.Tracking, Courier: c.Courier, At: c.At}
	if c.Courier != (domain.ID{}) {
		over.Day = c.At.In(domain.Almaty).Format(time.DateOnly)
		if p.Courier == c.Courier {
			over.Day = max(over.Day, p.Day)
		}
	}
	return []Event{over}, nil
}

func decideDeliver(c Deliver, s State) ([]Event, error) {
	p := s.Parcel
	switch {
	case p.Delivered(), s.Status == StatusCompleted:
		return nil, nil
	case s.Placed.DeliveryType == domain.Pickup && (!p.Packed() || s.Status != StatusProcessing):
		return nil, ErrNotPacked
	case s.Status != StatusProcessing, s.Placed.DeliveryType != domain.Pickup && !p.HandedOver():
		return nil, ErrNotHandedOver
	}
	events := []Event{Delivered(c)}
	if s.IsPaid() {
		events = append(events, Completed(c))
	}
	return events, nil
}

func decideNotDeliver(c NotDeliver, s State) ([]Event, error) {
	p := s.Parcel
	switch {
	case p.Delivered(), s.Status == StatusCompleted:
		return nil, ErrDelivered
	case !p.HandedOver() && p.NotDelivered != "" && p.NotDelivered == c.Reason && p.NewDay == c.Day:
		return nil, nil
	case !p.HandedOver() || s.Status != StatusProcessing:
		return nil, ErrNotHandedOver
	case !slices.Contains(NotDeliveredReasons, c.Reason):
		return nil, ErrBadReason
	case c.Day != "" && !fromToday(c.Day, c.At):
		return nil, ErrBadDay
	}
	return []Event{NotDelivered(c)}, nil
}

// leaves refuses to cancel an order whose goods are not in the shop.
func (p Parcel) leaves() error {
	switch {
	case p.Delivered():
		return ErrDelivered
	case p.HandedOver():
		return ErrHandedOver
	}
	return nil
}

// AwaitsMoney says that the customer has the goods and the shop has not all of its money: the order stays open.
func (s State) AwaitsMoney() bool {
	return s.Status == StatusProcessing && s.Parcel.Delivered() && !s.IsPaid()
}

// after is the parcel after an event of the order.
func (p Parcel) after(event Event) Parcel {
	switch e := event.(type) {
	case Packed:
		p.PackedAt = e.At
	case CourierAssigned:
		p.Courier, p.Day = e.Courier, e.Day
	case HandedOver:
		p.Carrier, p.Tracking, p.Courier, p.Day = e.Carrier, e.Tracking, e.Courier, e.Day
		p.HandedOverAt, p.NotDelivered, p.NewDay = e.At, "", ""
	case Delivered:
		p.DeliveredAt = e.At
	case NotDelivered:
		p = Parcel{PackedAt: p.PackedAt, NotDelivered: e.Reason, NewDay: e.Day}
	default: // the others say nothing of it
	}
	return p
}

// fromToday says whether a day is one, and not before that of a moment in Almaty.
func fromToday(day string, at time.Time) bool {
	_, err := time.Parse(time.DateOnly, day)
	return err == nil && day >= at.In(domain.Almaty).Format(time.DateOnly)
}

func isTracking(number string) bool {
	return len(number) >= 4 && len(number) <= 40 && !strings.ContainsFunc(number, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
