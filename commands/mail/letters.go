package mail

import (
	"time"

	"shop/domain"
)

// Kind names a sort of letter, its template and its row in the outbox. It never changes.
type Kind string

const (
	KindOrderPlaced     Kind = "order-placed"
	KindOrderApproved   Kind = "order-approved"
	KindOrderProcessing Kind = "order-processing"
	KindOrderCompleted  Kind = "order-completed"
	KindOrderCancelled  Kind = "order-cancelled"
	KindOrderRefunded   Kind = "order-refunded"
	KindOrderChanged    Kind = "order-changed"
	KindOrderHandedOver Kind = "order-handed-over"
	KindGoodsReturned   Kind = "goods-returned"
	KindReturnDeclined  Kind = "return-declined"
	KindPaymentFailed   Kind = "payment-failed"
	KindPaymentExpired  Kind = "payment-expired"
	KindVerifyEmail     Kind = "verify-email"
	KindWelcome         Kind = "welcome"
	KindResetCode       Kind = "reset-code"
	KindResetTries      Kind = "reset-tries"
	KindRegistered      Kind = "already-registered"
	KindPasswordChanged Kind = "password-changed"
	KindEmailRequested  Kind = "email-change-requested"
	KindEmailChanged    Kind = "email-changed"
	KindNewDevice       Kind = "new-device"
	KindAccountErased   Kind = "account-erased"
	KindRestocked       Kind = "restocked"
	KindReviewAnswered  Kind = "review-answered"
	KindStaffNotice     Kind = "staff-notice"
)

// Content is what a letter of one kind says. Names of persons are first names, and may be empty.
type Content interface{ Kind() Kind }

// Order has the fields that every letter about an order shows.
type Order struct {
	// Name is the customer's first name; empty where the address is not proved.
	Name string
	// Unproved: nobody has shown that the address is the customer's, so it may be anybody's.
	Unproved bool
	Number   int64
	// URL shows the order, PayURL its button to pay. ForgetURL is where a guest has the shop forget who made it; empty for a
	// customer's order.
	URL, PayURL, ForgetURL string
	Lines                  []domain.PricedLine
	// Explanation are the steps to Total.
	Explanation []domain.Step
	Total       domain.Money
	// PayableNow is paid to the shop, PayableOnDelivery to the courier.
	PayableNow, PayableOnDelivery domain.Money
	Payment                       domain.PaymentMethod
	Delivery                      domain.DeliveryType
	// City and Address say where to; Address is one line, empty for a pick-up.
	City, Address string
	// DeliveryDate is the promised day, YYYY-MM-DD; empty when none is promised.
	DeliveryDate string
	// PayBefore is when an unpaid order expires; zero when nothing is awaited.
	PayBefore time.Time
	// Calculated: the delivery's price is known; else the courier company takes it.
	Calculated bool
}

type (
	// OrderPlaced confirms a new order.
	OrderPlaced struct{ Order }
	// OrderApproved: the money came, or staff confirmed a cash order.
	OrderApproved struct {
		Order
		Paid bool
	}
	// OrderProcessing and OrderCompleted are the steps that follow.
	OrderProcessing struct{ Order }
	OrderCompleted  struct{ Order }
	// OrderCancelled says who ended the order, as order.Cancelled does; Owed is the amount to be refunded.
	OrderCancelled struct {
		Order
		By, Reason string
		// NotConfirmed: nobody confirmed the order in time.
		NotConfirmed bool
		Owed         domain.Money
	}
	// OrderRefunded: money was refunded. Excess: it was an overpayment, and the order stays live.
	OrderRefunded struct {
		Order
		Amount domain.Money
		Excess bool
		// Reference is the number of what staff gave back themselves; empty: a provider did.
		Reference string
	}
	// PaymentFailed and PaymentExpired lead to another attempt.
	PaymentFailed  struct{ Order }
	PaymentExpired struct{ Order }
)

// VerifyEmail asks the owner of an e-mail to answer. Path is the link with its token, a path of the storefront.
type VerifyEmail struct {
	Name, Path string
	// Until is when the link ends.
	Until time.Time
	// Change: the e-mail shall replace an account's present one.
	Change bool
}

// Welcome greets an account whose e-mail was verified.
type Welcome struct{ Name string }

// ResetCode carries the code to choose another password. Path is a link that does without the code; empty in letters of before.
type ResetCode struct {
	Name, Code, Path string
	// Until is when both end.
	Until time.Time
}

// ResetTries tells the owner that wrong codes were given to change the password.
type ResetTries struct {
	Name string
	At   time.Time
}

// AlreadyRegistered tells the owner that somebody tried to register with the account's e-mail.
type AlreadyRegistered struct {
	Name string
	At   time.Time
}

// PasswordChanged warns the owner of a change that somebody else may have made.
type PasswordChanged struct {
	Name string
	At   time.Time
}

// NewDevice warns the owner of a sign-in from a device that the account never had. Device and Network may be empty.
type NewDevice struct {
	Name, Device, Network string
	At                    time.Time
}

// StaffNotice tells somebody who works in the shop what happened. Its words come in the language of the reader.
type StaffNotice struct {
	Subject string
	Lines   []StaffLine
	// Footer says where one chooses what is sent, which is URL.
	Footer, URL string
}

// StaffLine is one thing that happened. Text may be empty; URL leads to it in the staff app.
type StaffLine struct{ Title, Text, URL string }

// Whole is the line with its title.
func (l StaffLine) Whole() string {
	if l.Text == "" {
		return l.Title
	}
	return l.Title + ": " + l.Text
}

// EmailRequested tells the owner of the present e-mail that another is asked for, which is not named. Path is the link
// that cancels the change; it ends with the wish.
type EmailRequested struct {
	Name, Path string
	At, Until  time.Time
}

// EmailChanged tells the owner of the former e-mail. Path is the link that takes it back; empty: nobody had proved it.
type EmailChanged struct {
	Name, Path string
	At, Until  time.Time
}

// AccountErased is the last letter; its counts are those of customer.Report.
type AccountErased struct {
	Name                                  string
	Orders, Reviews, Subscriptions, Files int64
}

// Restocked: a product is back.
type Restocked struct {
	Name string
	// Product is the product's name, ProductURL its page, UnsubscribeURL the way off the list.
	Product, ProductURL, UnsubscribeURL string
}

// ReviewAnswered carries the shop's reply.
type ReviewAnswered struct {
	Name                string
	Product, ProductURL string
	Answer              string
	// ForgetURL is where a guest has the shop forget who wrote the review; empty for a customer's.
	ForgetURL string
}

// Paced letters can be caused by anybody with somebody else's address: an address gets one an hour of each kind.
// What staff do is not of these.
func (o OrderPlaced) Paced() bool    { return o.Unproved }
func (o PaymentFailed) Paced() bool  { return o.Unproved }
func (o PaymentExpired) Paced() bool { return o.Unproved }
func (o OrderCancelled) Paced() bool { return o.Unproved && o.By != "staff" }

// forgetting is where a guest has the shop forget who they are.
func (o Order) forgetting() string          { return o.ForgetURL }
func (r ReviewAnswered) forgetting() string { return r.ForgetURL }

func (OrderPlaced) Kind() Kind       { return KindOrderPlaced }
func (OrderApproved) Kind() Kind     { return KindOrderApproved }
func (OrderProcessing) Kind() Kind   { return KindOrderProcessing }
func (OrderCompleted) Kind() Kind    { return KindOrderCompleted }
func (OrderCancelled) Kind() Kind    { return KindOrderCancelled }
func (OrderRefunded) Kind() Kind     { return KindOrderRefunded }
func (PaymentFailed) Kind() Kind     { return KindPaymentFailed }
func (PaymentExpired) Kind() Kind    { return KindPaymentExpired }
func (VerifyEmail) Kind() Kind       { return KindVerifyEmail }
func (Welcome) Kind() Kind           { return KindWelcome }
func (ResetCode) Kind() Kind         { return KindResetCode }
func (ResetTries) Kind() Kind        { return KindResetTries }
func (AlreadyRegistered) Kind() Kind { return KindRegistered }
func (PasswordChanged) Kind() Kind   { return KindPasswordChanged }
func (EmailRequested) Kind() Kind    { return KindEmailRequested }
func (EmailChanged) Kind() Kind      { return KindEmailChanged }
func (NewDevice) Kind() Kind         { return KindNewDevice }
func (AccountErased) Kind() Kind     { return KindAccountErased }
func (Restocked) Kind() Kind         { return KindRestocked }
func (ReviewAnswered) Kind() Kind    { return KindReviewAnswered }
func (StaffNotice) Kind() Kind       { return KindStaffNotice }
