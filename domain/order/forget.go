package order

import (
	"time"

	"shop/domain"
)

// LinkFor is how long the link in a guest's letter opens the order after the order has ended.
const LinkFor = 90 * 24 * time.Hour

// Refusals of those who want a guest forgotten.
var (
	// ErrOpen: the shop needs the guest's name and address until the order has ended.
	ErrOpen = domain.Refuse("order/open", "Заказ ещё не завершён. Данные можно удалить, когда он выполнен или отменён")
	// ErrOfAccount: the order is forgotten with the account that it belongs to.
	ErrOfAccount = domain.Refuse("order/of-account", "Заказ принадлежит аккаунту: его данные удаляются вместе с аккаунтом")
)

// ForgetGuest asks to forget who made a guest's order that has ended. Repeating it adds nothing.
type ForgetGuest struct{ At time.Time }

func (ForgetGuest) isCommand() {}

func decideForgetGuest(c ForgetGuest, s State) ([]Event, error) {
	switch {
	case s.Forgotten:
		return nil, nil
	case s.CustomerID != domain.ID{}:
		return nil, ErrOfAccount
	case !s.Ended():
		return nil, ErrOpen
	}
	return forget(s, c.At), nil
}

// Ended says whether nothing more is to be done for the order. Money may still go back.
func (s State) Ended() bool {
	switch s.Status {
	case StatusCompleted, StatusCancelled, StatusRefunded:
		return true
	case StatusReceived, StatusApproved, StatusProcessing, StatusPaymentErr:
	}
	return false
}

// OpensByLink says whether the link in a guest's letter still opens the order: until LinkFor after its end, and not once it is
// forgotten who made it.
func (s State) OpensByLink(at time.Time) bool {
	return s.Exists() && !s.Forgotten && (!s.Ended() || at.Before(s.EndedAt.Add(LinkFor)))
}
