package policies

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/commands/mail"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/eventstore"
	"shop/eventstore/feed"
)

// streams reads one stream after a version; eventstore.Store does.
type streams interface {
	Stream(ctx context.Context, stream string, after eventstore.Version, limit int) ([]eventstore.Event, error)
}

// outbox takes the letters that events call for; mail.Outbox does.
type outbox interface {
	EnqueueCalls(ctx context.Context, tx mail.Execer, calls []mail.Call) error
}

// Mails decides which events cause a letter, and later composes it. In between the outbox has only the event's position:
// recipient and content are read from the log at the last moment, so an erased person gets no letter and outdated news is not sent.
type Mails struct {
	Log    streams
	Outbox outbox
	Links  mail.Links
	// Since is when this shop began to send letters: earlier events cause none.
	Since time.Time
	// Clock tells the time. Default time.Now.
	Clock func() time.Time
}

const (
	// newsFor is how old an event may be and still call for a letter, such as after the consumer was reset.
	newsFor = 72 * time.Hour
	// secondThought is how long a customer whose payment failed may try again at once before a letter asks for it.
	secondThought = 2 * time.Minute
)

// Consumer is the policy's place on the feed.
func (p Mails) Consumer() feed.Consumer {
	return feed.Consumer{
		Name: "mails", Revision: revisions["mails"], Together: true,
		Types: []string{
			order.Placed{}.EventType(), order.PaymentFailed{}.EventType(), order.PaymentExpired{}.EventType(), order.Approved{}.EventType(),
			order.ProcessingStarted{}.EventType(), order.Completed{}.EventType(), order.Cancelled{}.EventType(), order.Refunded{}.EventType(),
			order.LinesChanged{}.EventType(), order.HandedOver{}.EventType(), order.GoodsReturned{}.EventType(), order.ReturnDeclined{}.EventType(),
			customer.EmailVerified{}.EventType(), customer.PasswordChanged{}.EventType(),
			restock.Notified{}.EventType(), review.Answered{}.EventType(),
		},
		Handle: p.Handle,
	}
}

// Handle puts the letters of a batch into the outbox.
func (p Mails) Handle(ctx context.Context, tx pgx.Tx, events []eventstore.Event) error {
	var calls []mail.Call
	for _, e := range events {
		kind, delay := calledFor(e.Data)
		if kind == "" || e.Metadata.Imported || e.RecordedAt.Before(p.Since) || now(p.Clock).Sub(e.RecordedAt) > newsFor {
			continue
		}
		calls = append(calls, mail.Call{Kind: kind, Event: e, Delay: delay})
	}
	return p.Outbox.EnqueueCalls(ctx, tx, calls)
}

// calledFor is the kind of letter that an event calls for; empty: none.
func calledFor(data any) (kind mail.Kind, delay time.Duration) {
	switch e := data.(type) {
	case order.Placed:
		return mail.KindOrderPlaced, 0
	case order.PaymentFailed:
		return mail.KindPaymentFailed, secondThought
	case order.PaymentExpired:
		return mail.KindPaymentExpired, 0
	case order.Approved:
		return mail.KindOrderApproved, 0
	case order.ProcessingStarted:
		return mail.KindOrderProcessing, 0
	case order.Completed:
		return mail.KindOrderCompleted, 0
	case order.Cancelled:
		return mail.KindOrderCancelled, 0
	case order.Refunded:
		return mail.KindOrderRefunded, 0
	case order.LinesChanged:
		return mail.KindOrderChanged, 0
	case order.HandedOver:
		return mail.KindOrderHandedOver, 0
	case order.GoodsReturned:
		return mail.KindGoodsReturned, 0
	case order.ReturnDeclined:
		return mail.KindReturnDeclined, 0
	case customer.EmailVerified:
		if e.Previous == "" { // letters about another e-mail have links, and are written where those are made
			return mail.KindWelcome, 0
		}
	case customer.PasswordChanged:
		return mail.KindPasswordChanged, 0
	case restock.Notified:
		return mail.KindRestocked, 0
	case review.Answered:
		if e.Text != "" {
			return mail.KindReviewAnswered, 0
		}
	}
	return "", 0
}

// Compose reads the recipient and content of a letter from the log. A nil content: no letter is sent.
func (p Mails) Compose(ctx context.Context, kind mail.Kind, stream string, version eventstore.Version) (to string, c mail.Content, err error) {
	after, limit := eventstore.Version(0), 0
	if kind == mail.KindRestocked {
		after, limit = version-1, 1 // a list may be long, and each of its letters needs one event
	}
	events, err := p.Log.Stream(ctx, stream, after, limit)
	if err != nil {
		return "", nil, fmt.Errorf("read what %s tells of: %w", kind, err)
	}
	version -= after
	if version < 1 || int(version) > len(events) {
		return "", nil, fmt.Errorf("%s has no version %d", stream, version+after)
	}
	// Versions count from 1 without a gap.
	switch e := events[version-1].Data.(type) {
	case order.Event:
		now := fold(order.Decider, events)
		proved, err := p.proves(ctx, now.CustomerID, now.Placed.Contact.Email)
		if err != nil {
			return "", nil, err
		}
		to, c = p.order(e, fold(order.Decider, events[:version-1]), now, events[version:], proved)
		c = mail.In(now.Placed.Language, c)
	case customer.Event:
		now := fold(customer.Decider, events)
		to, c = account(e, fold(customer.Decider, events[:version-1]), now)
		c = mail.In(now.Language, c)
	case restock.Notified:
		return p.restocked(ctx, e)
	case review.Answered:
		return p.answered(ctx, events[:version], e)
	default:
		err = fmt.Errorf("no letter tells of %s", events[version-1].Type)
	}
	return to, c, err
}

// fold is the state after events. What does not belong in the stream is passed over: the write side cares.
func fold[C any, E domain.Event, S any](d domain.Decider[C, E, S], events []eventstore.Event) S {
	s := d.Initial
	for _, e := range events {
		if event, ok := e.Data.(E); ok {
			s = d.Evolve(s, event)
		}
	}
	return s
}

// proves says whether an account has shown that an e-mail is its owner's: it is the account's, and its letter was answered.
func (p Mails) proves(ctx context.Context, account domain.ID, email string) (bool, error) {
	who, err := p.customer(ctx, account)
	return who.Verified && who.Email == customer.NormalEmail(email), err
}

// customer is an account; the zero state of no account.
func (p Mails) customer(ctx context.Context, account domain.ID) (customer.State, error) {
	if account == (domain.ID{}) {
		return customer.State{}, nil
	}
	events, err := p.Log.Stream(ctx, customer.Stream(account), 0, 0)
	if err != nil {
		return customer.State{}, fmt.Errorf("read the account: %w", err)
	}
	return fold(customer.Decider, events), nil
}

// order writes of a change, from the order before the change, as it is now, and what came later. A letter to an address
// that is not proved says nothing that the customer typed.
func (p Mails) order(e order.Event, before, now order.State, later []eventstore.Event, proved bool) (to string, c mail.Content) {
	then, about := order.Decider.Evolve(before, e), p.about(now)
	if !proved {
		about.Unproved, about.Name, about.Address = true, "", ""
		if !about.Calculated {
			about.City = ""
		}
	}
	to = then.Placed.Contact.Email
	over := now.Status == order.StatusCancelled || now.Status == order.StatusRefunded
	if to == "" || now.Forgotten {
		return "", nil // erased
	}
	switch e := e.(type) {
	case order.Placed:
		if !over {
			return to, mail.OrderPlaced{Order: about}
		}
	case order.Approved:
		// An order that costs nothing is approved as it is placed: one letter is enough.
		if !over && now.Status != order.StatusCompleted && !e.At.Equal(then.Placed.At) {
			return to, mail.OrderApproved{Order: about, Paid: then.Placed.PaymentMethod != domain.Cash}
		}
	case order.ProcessingStarted:
		if now.Status == order.StatusProcessing {
			return to, mail.OrderProcessing{Order: about}
		}
	case order.Completed:
		if !over {
			return to, mail.OrderCompleted{Order: about}
		}
	case order.Cancelled:
		return to, mail.OrderCancelled{Order: about, By: e.By, Reason: e.Reason, Owed: owed(then), NotConfirmed: e.Reason == order.ReasonNotConfirmed}
	case order.Refunded:
		return to, mail.OrderRefunded{Order: about, Amount: e.Amount, Excess: e.Excess, Reference: e.ByHand.Reference}
	case order.PaymentFailed:
		if awaitsAnotherAttempt(now, later) {
			return to, mail.PaymentFailed{Order: about}
		}
	case order.PaymentExpired:
		if awaitsAnotherAttempt(now, later) {
			return to, mail.PaymentExpired{Order: about}
		}
	case order.LinesChanged, order.HandedOver, order.GoodsReturned, order.ReturnDeclined:
		if c = afterwards(e, before, then, now, about); c != nil {
			return to, c
		}
	default: // nobody is written to
	}
	return "", nil
}

// awaitsAnotherAttempt says whether an order still lacks its money and the customer has done nothing about it.
func awaitsAnotherAttempt(s order.State, later []eventstore.Event) bool {
	for _, e := range later {
		if _, tried := e.Data.(order.PaymentRequested); tried {
			return false
		}
	}
	return s.Status == order.StatusPaymentErr && !s.IsPaid()
}

// about has the fields that every letter about an order shows.
func (p Mails) about(s order.State) mail.Order {
	placed, calculation := s.Placed, s.Placed.Calculation
	url, pay, forget := p.Links.Order(placed.ID), p.Links.PayOrder(placed.ID), p.Links.ForgetOrder(placed.ID)
	if s.CustomerID != (domain.ID{}) {
		url, forget = p.Links.AccountOrder(placed.ID), ""
		pay = url + "#pay"
	}
	o := mail.Order{
		Name: placed.Contact.FirstName, Number: placed.Number, URL: url, PayURL: pay, ForgetURL: forget,
		Lines: calculation.Lines, Explanation: calculation.Explanation, Total: calculation.TotalPaid,
		PayableNow: calculation.PayableNow, PayableOnDelivery: calculation.PayableOnDelivery,
		Payment: placed.PaymentMethod, Delivery: placed.DeliveryType, City: placed.TypedCity(), Address: oneLine(placed.Address, placed.Language),
		DeliveryDate: placed.DeliveryDate, PayBefore: s.PayBefore, Calculated: calculation.IsDeliveryCalculated,
	}
	if s.IsPaid() {
		o.PayableNow = 0
	}
	return o
}

// oneLine is an address below its city.
func oneLine(a order.Address, language string) string {
	entrance, floor, apartment := "подъезд ", "этаж ", "кв. "
	if language == domain.Kazakh {
		entrance, floor, apartment = "кіреберіс ", "қабат ", "пәтер "
	}
	var parts []string
	for _, part := range []struct{ before, text string }{{"", a.Street}, {"", a.House}, {entrance, a.Entrance}, {floor, a.Floor}, {apartment, a.Apartment}} {
		if part.text != "" {
			parts = append(parts, part.before+part.text)
		}
	}
	return strings.Join(parts, ", ")
}

// account writes of a change of an account, from the account before the change and as it is now. An address that is not
// proved is greeted by no name.
func account(e customer.Event, before, now customer.State) (to string, c mail.Content) {
	if now.Email == "" || now.Leaving {
		return "", nil
	}
	name := ""
	if before.Verified && before.Email != "" || before.Email == now.Email && now.Verified {
		name = now.Profile.FirstName
	}
	switch e := e.(type) {
	case customer.EmailVerified:
		if e.Previous != "" { // waits since before such letters had a link
			return e.Previous, mail.EmailChanged{Name: name, At: e.At}
		}
		return now.Email, mail.Welcome{Name: name}
	case customer.PasswordChanged:
		return now.Email, mail.PasswordChanged{Name: name, At: e.At}
	case customer.Registered, customer.EmailChangeRequested, customer.EmailChangeCancelled, customer.EmailTakenBack, customer.ProfileChanged, customer.PhotoChanged, customer.PhotoRemoved, customer.ConsentGiven,
		customer.ConsentWithdrawn, customer.ErasureRequested, customer.Erased,
		customer.Noted, customer.ErasureProposed, customer.ErasureWithdrawn, customer.ErasureConfirmed, customer.GroupJoined, customer.GroupLeft: // nobody is written to
	}
	return "", nil
}

func (p Mails) restocked(ctx context.Context, e restock.Notified) (to string, c mail.Content, err error) {
	who, err := p.customer(ctx, e.CustomerID)
	if err != nil {
		return "", nil, err
	}
	product, err := p.product(ctx, e.ProductID)
	if err != nil || who.Email == "" || who.Leaving || !product.Sellable() {
		return "", nil, err
	}
	name := ""
	if who.Verified {
		name = who.Profile.FirstName
	}
	return who.Email, mail.In(who.Language, mail.Restocked{
		Name: name, Product: product.Text.Name, ProductURL: p.Links.Product(product.Link),
		UnsubscribeURL: p.Links.Unsubscribe(e.ProductID, e.CustomerID),
	}), nil
}

// answered writes of the shop's first reply to a review; one that is corrected is not sent again.
func (p Mails) answered(ctx context.Context, events []eventstore.Event, e review.Answered) (to string, c mail.Content, err error) {
	var author review.Author
	var id, account domain.ID
	for _, earlier := range events[:len(events)-1] {
		switch before := earlier.Data.(type) {
		case review.Posted:
			author, id, account = before.Author, before.ID, before.CustomerID
		case review.Answered:
			if before.Text != "" {
				return "", nil, nil
			}
		}
	}
	if author.Email == "" {
		return "", nil, nil
	}
	product, err := p.product(ctx, e.ProductID)
	if err != nil {
		return "", nil, err
	}
	who, err := p.customer(ctx, account)
	if err != nil {
		return "", nil, err
	}
	if !who.Verified || who.Email != customer.NormalEmail(author.Email) {
		author.Name = ""
	}
	letter := mail.ReviewAnswered{Name: author.Name, Product: product.Text.Name, ProductURL: p.Links.Product(product.Link), Answer: e.Text}
	if account == (domain.ID{}) {
		letter.ForgetURL = p.Links.ForgetReview(id)
	}
	return author.Email, mail.In(who.Language, letter), nil
}

func (p Mails) product(ctx context.Context, id domain.ID) (catalog.ProductState, error) {
	events, err := p.Log.Stream(ctx, catalog.ProductStream(id), 0, 0)
	if err != nil {
		return catalog.ProductState{}, fmt.Errorf("read the product: %w", err)
	}
	return fold(catalog.ProductDecider, events), nil
}
