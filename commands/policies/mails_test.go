package policies

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/mail"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
)

var (
	noon  = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)
	anna  = uuid.UUID{15: 9}
	soap  = uuid.UUID{15: 200}
	bread = uuid.UUID{15: 201}
)

// mailing is a shop that has a log, the policy on its feed and a worker; what is sent is kept.
type mailing struct {
	t     *testing.T
	db    *pgxpool.Pool
	store *eventstore.Store
	feed  *feed.Feed
	mail.Worker
	policy Mails

	mu   sync.Mutex
	now  time.Time
	sent []mail.Message
}

func (m *mailing) clock() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// turn sets the clock.
func (m *mailing) turn(to time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = to
}

func (m *mailing) Send(_ context.Context, message mail.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent = append(m.sent, message)
	return nil
}

func openMailing(t *testing.T) *mailing {
	t.Helper()
	m := &mailing{t: t, db: pgtest.Open(t), now: noon}
	quiet := slog.New(slog.DiscardHandler)
	m.store = eventstore.Open(m.db, registry.New(), eventstore.Options{Clock: m.clock, Logger: quiet})
	t.Cleanup(m.store.Close)
	outbox, err := mail.NewOutbox(m.db, bytes.Repeat([]byte("k"), 32), m.clock)
	if err != nil {
		t.Fatal(err)
	}
	links := mail.Links{PublicURL: "https://shop.example", Key: []byte("key")}
	m.policy = Mails{Log: m.store, Outbox: outbox, Links: links, Since: noon, Clock: m.clock}
	m.Worker = mail.Worker{
		Outbox: outbox, Composer: m.policy, Transport: m, Logger: quiet,
		Renderer: &mail.Renderer{Shop: mail.Shop{Name: "Дала"}, Links: links, From: "orders@shop.example"},
	}
	m.feed = feed.New(m.store, feed.Options{Logger: quiet})
	m.feed.Add(m.policy.Consumer())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.feed.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return m
}

// happens appends events to a stream, all at once.
func (m *mailing) happens(stream string, metadata eventstore.Metadata, events ...domain.Event) {
	m.t.Helper()
	w := eventstore.Write{Stream: stream, Expected: eventstore.AnyVersion}
	for _, e := range events {
		w.Events = append(w.Events, eventstore.NewEvent{Data: e})
	}
	appended, err := m.store.Append(m.t.Context(), eventstore.Append{Writes: []eventstore.Write{w}, Metadata: metadata})
	if err != nil {
		m.t.Fatal(err)
	}
	if err := m.feed.WaitFor(m.t.Context(), "mails", appended.Position); err != nil {
		m.t.Fatal(err)
	}
}

// deliver sends what is due, and answers what was sent by it.
func (m *mailing) deliver() []mail.Message {
	m.t.Helper()
	before := len(m.sent)
	for {
		n, err := m.Once(m.t.Context())
		if err != nil {
			m.t.Fatal(err)
		}
		if n == 0 {
			return m.sent[before:]
		}
	}
}

func (m *mailing) expect(kinds ...mail.Kind) []mail.Message {
	m.t.Helper()
	sent := m.deliver()
	var got []mail.Kind
	for _, message := range sent {
		got = append(got, message.Kind)
		if message.To != "anna@shop.example" {
			m.t.Errorf("%s to %s", message.Kind, message.To)
		}
	}
	slices.Sort(got)
	slices.Sort(kinds)
	if !slices.Equal(got, kinds) {
		m.t.Fatalf("sent %v, want %v", got, kinds)
	}
	return sent
}

func placed(number byte, method domain.PaymentMethod) order.Placed {
	p := order.Placed{
		ID: uuid.UUID{0: 1, 15: number}, Number: 100000 + int64(number), PersonID: uuid.UUID{0: 2, 15: number},
		Contact: order.Contact{FirstName: "Анна", LastName: "К", Email: "anna@shop.example", Phone: "+77010000000"},
		City:    "Алматы", Address: order.Address{City: "Алматы", Street: "пр. Достык", House: "5", Apartment: "12"},
		DeliveryType: domain.Delivery, PaymentMethod: method, DeliveryDate: "2026-03-03", At: noon,
		Calculation: domain.Calculation{
			Lines:   []domain.PricedLine{{ProductID: soap, Name: "Мыло", Amount: 2, Price: 5_000, DiscountedPrice: 5_000, Total: 10_000}},
			ListSum: 10_000, TotalSum: 10_000, DiscountedSum: 10_000, DeliveryPrice: 1_900, IsDeliveryCalculated: true, TotalPaid: 11_900, CanCreateOrder: true,
			Explanation: []domain.Step{{Code: "list_prices", Label: "Цены по каталогу", Amount: 10_000}, {Code: "delivery", Label: "Доставка", Amount: 1_900}},
		},
	}
	if method == domain.Cash {
		p.Calculation.PayableOnDelivery = 11_900
	} else {
		p.Calculation.PayableNow, p.PayBefore = 11_900, noon.Add(30*time.Minute)
	}
	return p
}

func TestAnOrdersLifeIsTold(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	p := placed(1, domain.Cash)
	stream := order.Stream(p.ID)
	m.happens(stream, eventstore.Metadata{}, p)
	letter := m.expect(mail.KindOrderPlaced)[0]
	for _, part := range []string{"100001", "Мыло", "11\u00a0900\u00a0₸", "3\u00a0марта, вторник", "Алматы", m.policy.Links.Order(p.ID), "Наличными"} {
		if !strings.Contains(letter.Text, part) {
			t.Errorf("the letter lacks %q:\n%s", part, letter.Text)
		}
	}
	for _, typed := range []string{"Анна", "Достык"} { // nobody proved that the address is hers
		if strings.Contains(letter.Text, typed) || strings.Contains(letter.HTML, typed) {
			t.Errorf("the letter says %q:\n%s", typed, letter.Text)
		}
	}
	events, err := m.store.Stream(t.Context(), stream, 0, 1)
	if err != nil || letter.ID != events[0].ID.String()+"@shop.example" || letter.Unsubscribe != "" {
		t.Errorf("%s, %v", letter.ID, err)
	}
	m.happens(stream, eventstore.Metadata{}, order.Approved{At: noon.Add(time.Hour)})
	m.expect(mail.KindOrderApproved)
	m.happens(stream, eventstore.Metadata{}, order.ProcessingStarted{At: noon})
	m.expect(mail.KindOrderProcessing)
	m.happens(stream, eventstore.Metadata{}, order.Paid{PaymentID: order.CashPaymentID, Amount: 11_900, At: noon}, order.Completed{At: noon})
	m.expect(mail.KindOrderCompleted)
	m.happens(stream, eventstore.Metadata{}, order.Refunded{RefundID: "1", PaymentID: order.CashPaymentID, Amount: 2_000, At: noon})
	if text := m.expect(mail.KindOrderRefunded)[0].Text; !strings.Contains(text, "2\u00a0000\u00a0₸") {
		t.Error(text)
	}
	m.expect() // nothing is told twice
}

func TestACustomerIsWrittenToInTheirLanguage(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	p := placed(1, domain.Cash)
	p.CustomerID, p.Language, p.Address.Entrance = anna, domain.Kazakh, "2"
	m.happens(customer.Stream(anna), eventstore.Metadata{}, customer.Registered{ID: anna, Email: "anna@shop.example", Profile: customer.Profile{FirstName: "Анна"}, Language: domain.Kazakh, At: noon})
	m.happens(customer.Stream(anna), eventstore.Metadata{}, customer.EmailVerified{ID: anna, Email: "anna@shop.example", At: noon})
	if subject := m.expect(mail.KindWelcome)[0].Subject; subject != "Дала дүкеніне қош келдіңіз" {
		t.Errorf("the account is welcomed with %q", subject)
	}
	m.happens(order.Stream(p.ID), eventstore.Metadata{}, p)
	letter := m.expect(mail.KindOrderPlaced)[0]
	for _, part := range []string{"№ 100001 тапсырыс қабылданды", "Анна, сәлеметсіз бе!", "кіреберіс 2, пәтер 12", "3\u00a0наурыз, сейсенбі", "Алған кезде қолма-қол"} {
		if !strings.Contains(letter.Text, part) {
			t.Errorf("the letter lacks %q:\n%s", part, letter.Text)
		}
	}
	m.happens(order.Stream(p.ID), eventstore.Metadata{}, order.ProcessingStarted{At: noon})
	if subject := m.expect(mail.KindOrderProcessing)[0].Subject; subject != "№ 100001 тапсырыс жиналып жатыр" {
		t.Errorf("a later letter is called %q", subject)
	}
}

func TestPaymentsAreAskedForWhileTheyAreMissing(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	p := placed(1, domain.Card)
	stream := order.Stream(p.ID)
	m.happens(stream, eventstore.Metadata{}, p, order.PaymentRequested{PaymentID: "1", Attempt: 1, Amount: 11_900, At: noon})
	if text := m.expect(mail.KindOrderPlaced)[0].Text; !strings.Contains(text, m.policy.Links.PayOrder(p.ID)+"\n") || !strings.Contains(text, "2\u00a0марта, 12:30") {
		t.Error(text)
	}
	// A failure that the customer overcomes within moments is no news.
	m.happens(stream, eventstore.Metadata{}, order.PaymentFailed{PaymentID: "1", At: noon})
	m.expect()
	m.happens(stream, eventstore.Metadata{}, order.PaymentRequested{PaymentID: "2", Attempt: 2, Amount: 11_900, At: noon})
	m.turn(m.clock().Add(secondThought))
	m.expect()
	m.happens(stream, eventstore.Metadata{}, order.PaymentFailed{PaymentID: "2", At: noon})
	m.turn(m.clock().Add(secondThought))
	if text := m.expect(mail.KindPaymentFailed)[0].Text; !strings.Contains(text, "Оплатить ещё раз: https://shop.example/order/") {
		t.Error(text)
	}
	m.happens(stream, eventstore.Metadata{}, order.PaymentRequested{PaymentID: "3", Attempt: 3, At: noon}, order.PaymentExpired{At: noon})
	m.expect(mail.KindPaymentExpired)

	// Paid and cancelled before anybody could write: the order that is over is not celebrated.
	m.happens(stream, eventstore.Metadata{},
		order.PaymentRequested{PaymentID: "4", Attempt: 4, At: noon}, order.Paid{PaymentID: "4", Amount: 11_900, At: noon}, order.Approved{At: noon.Add(time.Hour)},
		order.Cancelled{By: "staff", Reason: "товар разбился", At: noon})
	if text := m.expect(mail.KindOrderCancelled)[0].Text; !strings.Contains(text, "товар разбился") || !strings.Contains(text, "Вернём 11\u00a0900\u00a0₸") {
		t.Error(text)
	}
}

func TestAnOrderOfACustomerLeadsToTheAccount(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	p := placed(1, domain.Cash)
	p.CustomerID = anna
	m.happens(order.Stream(p.ID), eventstore.Metadata{}, p)
	if text := m.expect(mail.KindOrderPlaced)[0].Text; !strings.Contains(text, "/account/order/"+p.ID.String()+"\n") || strings.Contains(text, "?key=") {
		t.Error(text)
	}
}

func TestOldAndImportedNewsIsNotTold(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	imported := placed(1, domain.Cash)
	m.happens(order.Stream(imported.ID), eventstore.Metadata{Imported: true}, imported)
	m.turn(noon.Add(-time.Second)) // before this shop sent letters
	early := placed(2, domain.Cash)
	m.happens(order.Stream(early.ID), eventstore.Metadata{}, early)
	m.turn(noon)
	m.expect()

	// The consumer is reset, and what it sees again is a week old.
	p := placed(3, domain.Cash)
	m.happens(order.Stream(p.ID), eventstore.Metadata{}, p)
	m.expect(mail.KindOrderPlaced)
	m.turn(m.clock().AddDate(0, 0, 7))
	events, err := m.store.Stream(t.Context(), order.Stream(p.ID), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := m.db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := m.policy.Handle(t.Context(), tx, events); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.expect()
}

func TestAnErasedPersonGetsNoLetter(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	p := placed(1, domain.Cash)
	m.happens(order.Stream(p.ID), eventstore.Metadata{}, p)
	profile := customer.Profile{FirstName: "Анна", LastName: "К", Phone: "+77010000000"}
	m.happens(customer.Stream(anna), eventstore.Metadata{},
		customer.Registered{ID: anna, Email: "anna@shop.example", Profile: profile, At: noon}, customer.PasswordChanged{ID: anna, At: noon})
	posted := review.Posted{ID: bread, ProductID: soap, PersonID: anna, Author: review.Author{Name: "Анна", Email: "anna@shop.example"}, At: noon}
	m.happens(review.Stream(bread), eventstore.Metadata{}, posted, review.Answered{ID: bread, ProductID: soap, Text: "Спасибо", At: noon})
	m.happens(restock.Stream(soap), eventstore.Metadata{}, restock.Subscribed{ProductID: soap, CustomerID: anna, Place: 1, At: noon}, restock.Notified{ProductID: soap, CustomerID: anna, Place: 1, At: noon})
	for _, person := range []domain.ID{anna, p.PersonID} {
		if err := m.store.ErasePerson(t.Context(), person); err != nil {
			t.Fatal(err)
		}
	}
	m.expect()
	entries, err := m.Outbox.List(t.Context(), true)
	if err != nil || len(entries) != 0 {
		t.Errorf("%+v, %v", entries, err)
	}
}

func TestAnAccountsChangesAreTold(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	stream := customer.Stream(anna)
	profile := customer.Profile{FirstName: "Анна", LastName: "К", Phone: "+77010000000"}
	m.happens(stream, eventstore.Metadata{}, customer.Registered{ID: anna, Email: "anna@shop.example", Profile: profile, At: noon})
	m.expect() // accounts asks for the letter with the link
	m.happens(stream, eventstore.Metadata{}, customer.EmailVerified{ID: anna, Email: "anna@shop.example", At: noon})
	m.expect(mail.KindWelcome)
	m.happens(stream, eventstore.Metadata{}, customer.PasswordChanged{ID: anna, At: noon})
	m.expect(mail.KindPasswordChanged)
	m.happens(stream, eventstore.Metadata{}, customer.EmailChangeRequested{ID: anna, Email: "new@shop.example", Until: noon.Add(time.Hour), At: noon},
		customer.EmailVerified{ID: anna, Email: "new@shop.example", Previous: "anna@shop.example", At: noon},
		customer.EmailTakenBack{ID: anna, Email: "anna@shop.example", Previous: "new@shop.example", At: noon},
		customer.EmailChangeRequested{ID: anna, Email: "new@shop.example", Until: noon.Add(time.Hour), At: noon}, customer.EmailChangeCancelled{ID: anna, At: noon})
	m.expect() // accounts writes these, for they have links
	m.happens(stream, eventstore.Metadata{}, customer.PasswordChanged{ID: anna, At: noon}, customer.ErasureRequested{ID: anna, By: "customer", At: noon})
	m.expect()
}

func TestNoticesAndAnswers(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	profile := customer.Profile{FirstName: "Анна", LastName: "К", Phone: "+77010000000"}
	m.happens(customer.Stream(anna), eventstore.Metadata{}, customer.Registered{ID: anna, Email: "anna@shop.example", Profile: profile, At: noon})
	for _, id := range []domain.ID{soap, bread} {
		m.happens(catalog.ProductStream(id), eventstore.Metadata{}, catalog.ProductAdded{ID: id, Article: id.String(), Link: "mylo-" + id.String()[34:], At: noon},
			catalog.ProductDescribed{Text: catalog.ProductText{Name: "Мыло"}, At: noon}, catalog.ProductPriced{Price: 100, DiscountedPrice: 100, At: noon})
	}
	m.happens(catalog.ProductStream(bread), eventstore.Metadata{}, catalog.ProductArchived{At: noon})
	for _, id := range []domain.ID{soap, bread} {
		m.happens(restock.Stream(id), eventstore.Metadata{}, restock.Subscribed{ProductID: id, CustomerID: anna, Place: 1, At: noon}, restock.Notified{ProductID: id, CustomerID: anna, Place: 1, At: noon})
	}
	notice := m.expect(mail.KindRestocked)[0] // nobody is called to a product that is gone
	if notice.Subject != "Снова в наличии: Мыло" || notice.Unsubscribe != m.policy.Links.Unsubscribe(soap, anna) || !strings.Contains(notice.Text, "/product/mylo-c8") {
		t.Errorf("%+v", notice)
	}

	posted := review.Posted{ID: bread, ProductID: soap, PersonID: bread, Author: review.Author{Name: "Анна", Email: "anna@shop.example"}, At: noon}
	m.happens(review.Stream(bread), eventstore.Metadata{}, posted, review.Answered{ID: bread, ProductID: soap, Text: "Спасибо за отзыв", At: noon})
	if text := m.expect(mail.KindReviewAnswered)[0].Text; !strings.Contains(text, "Спасибо за отзыв") {
		t.Error(text)
	}
	m.happens(review.Stream(bread), eventstore.Metadata{}, review.Answered{ID: bread, ProductID: soap, At: noon}, review.Answered{ID: bread, ProductID: soap, Text: "Исправлено", At: noon})
	m.expect()
}

// history is a log that tells what it was asked for.
type history struct {
	streams map[string][]domain.Event
	read    map[string]int
}

func (h *history) Stream(_ context.Context, stream string, after eventstore.Version, limit int) ([]eventstore.Event, error) {
	var events []eventstore.Event
	for i, e := range h.streams[stream] {
		if version := eventstore.Version(i + 1); version > after && (limit == 0 || len(events) < limit) {
			events = append(events, eventstore.Event{Stream: stream, Version: version, Type: e.EventType(), Data: e})
		}
	}
	h.read[stream] += len(events)
	return events, nil
}

func TestALetterAboutALongListReadsOneEventOfIt(t *testing.T) {
	t.Parallel()
	boris := uuid.UUID{15: 10}
	list := restock.Stream(soap)
	log := &history{map[string][]domain.Event{
		list: {
			restock.Subscribed{ProductID: soap, CustomerID: boris}, restock.Subscribed{ProductID: soap, CustomerID: anna},
			restock.Notified{ProductID: soap, CustomerID: boris}, restock.Notified{ProductID: soap, CustomerID: anna},
		},
		customer.Stream(anna): {customer.Registered{ID: anna, Email: "anna@example.com"}},
		catalog.ProductStream(soap): {
			catalog.ProductAdded{ID: soap, Article: "MK-1", Link: "mk-1"}, catalog.ProductDescribed{Text: catalog.ProductText{Name: "Мыло"}},
			catalog.ProductPriced{Price: 900, DiscountedPrice: 900},
		},
	}, map[string]int{}}
	policy := Mails{Log: log, Links: mail.Links{PublicURL: "https://shop.example", Key: []byte("key")}}

	to, content, err := policy.Compose(t.Context(), mail.KindRestocked, list, 4)
	if letter, ok := content.(mail.Restocked); err != nil || to != "anna@example.com" || !ok || letter.Product != "Мыло" {
		t.Errorf("got %q %+v, %v", to, content, err)
	}
	if log.read[list] != 1 {
		t.Errorf("%d events of the list were read", log.read[list])
	}
	if _, _, err := policy.Compose(t.Context(), mail.KindRestocked, list, 5); err == nil || !strings.Contains(err.Error(), "no version 5") {
		t.Errorf("an event that is not there: %v", err)
	}
}

// TestAnUnprovedAddressGetsOneLetterAnHour: the others of the kind wait, and come when the hour is over if they are still true.
func TestAnUnprovedAddressGetsOneLetterAnHour(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	for n := byte(1); n <= 3; n++ {
		p := placed(n, domain.Cash)
		p.Contact.Email = []string{"anna@shop.example", "Anna@Shop.example"}[n%2]
		m.happens(order.Stream(p.ID), eventstore.Metadata{}, p)
		if sent := m.deliver(); (len(sent) == 1) != (n == 1) {
			t.Fatalf("%d letters about order %d", len(sent), n)
		}
	}
	depth, err := mail.DepthOf(t.Context(), m.db)
	if err != nil || depth.Waiting != 2 {
		t.Errorf("%+v, %v", depth, err)
	}
	// What staff do is told at once, and what ended is not told when its turn comes.
	gone := placed(3, domain.Cash)
	m.happens(order.Stream(gone.ID), eventstore.Metadata{}, order.Cancelled{By: "staff", Reason: "двойной", At: noon})
	if sent := m.deliver(); len(sent) != 1 || sent[0].Kind != mail.KindOrderCancelled {
		t.Errorf("%d letters about the cancellation", len(sent))
	}
	m.turn(noon.Add(time.Hour - time.Second))
	if sent := m.deliver(); len(sent) != 0 {
		t.Errorf("%d letters within the hour", len(sent))
	}
	m.turn(noon.Add(time.Hour))
	if sent := m.deliver(); len(sent) != 1 || sent[0].Kind != mail.KindOrderPlaced {
		t.Errorf("%d letters after the hour", len(sent))
	}
	m.turn(noon.Add(3 * time.Hour))
	if sent := m.deliver(); len(sent) != 0 {
		t.Errorf("%d letters about an order that ended", len(sent))
	}
	if entries, err := m.Outbox.List(t.Context(), true); err != nil || len(entries) != 0 {
		t.Errorf("%d letters are left, %v", len(entries), err)
	}
}

func TestAProvedAddressIsGreetedAndGetsEveryLetter(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	profile := customer.Profile{FirstName: "Анна", LastName: "К", Phone: "+77010000000"}
	m.happens(customer.Stream(anna), eventstore.Metadata{},
		customer.Registered{ID: anna, Email: "anna@shop.example", Profile: profile, At: noon}, customer.EmailVerified{ID: anna, Email: "anna@shop.example", At: noon})
	m.deliver()
	for n := byte(1); n <= 2; n++ {
		p := placed(n, domain.Cash)
		p.CustomerID = anna
		m.happens(order.Stream(p.ID), eventstore.Metadata{}, p)
	}
	sent := m.deliver()
	if len(sent) != 2 {
		t.Fatalf("%d letters", len(sent))
	}
	for _, letter := range sent {
		for _, part := range []string{"Анна, здравствуйте!", "Алматы, пр. Достык, 5, кв. 12"} {
			if !strings.Contains(letter.Text, part) {
				t.Errorf("the letter lacks %q:\n%s", part, letter.Text)
			}
		}
	}
	// To another address the account says nothing of.
	p := placed(3, domain.Cash)
	p.CustomerID, p.Contact.Email = anna, "boris@shop.example"
	m.happens(order.Stream(p.ID), eventstore.Metadata{}, p)
	if sent := m.deliver(); len(sent) != 1 || strings.Contains(sent[0].Text, "Анна") {
		t.Errorf("%d letters to boris: %+v", len(sent), sent)
	}
}

func TestAnOrderThatNobodyConfirmedIsTold(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	p := placed(1, domain.Cash)
	m.happens(order.Stream(p.ID), eventstore.Metadata{}, p, order.Cancelled{By: "system", Reason: order.ReasonNotConfirmed, At: noon})
	if text := m.expect(mail.KindOrderCancelled)[0].Text; !strings.Contains(text, "не смогли вовремя подтвердить") || strings.Contains(text, order.ReasonNotConfirmed) {
		t.Error(text)
	}
}

func TestWhatHappensAfterwardsIsToldOnce(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	p := placed(1, domain.Card)
	stream := order.Stream(p.ID)
	m.happens(stream, eventstore.Metadata{}, p, order.Paid{PaymentID: "1", Amount: 11_900, At: noon}, order.Approved{At: noon})
	m.expect(mail.KindOrderPlaced)
	has := func(letter mail.Message, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(letter.Text, part) {
				t.Errorf("%s lacks %q:\n%s", letter.Kind, part, letter.Text)
			}
		}
	}
	// One piece more is to be paid, one piece less goes back.
	more, less := p.Calculation, p.Calculation
	more.Lines, more.TotalPaid = []domain.PricedLine{{ProductID: soap, Name: "Мыло", Amount: 3, Price: 5_000, DiscountedPrice: 5_000, Total: 15_000}}, 16_900
	less.Lines, less.TotalPaid = []domain.PricedLine{{ProductID: soap, Name: "Мыло", Amount: 1, Price: 5_000, DiscountedPrice: 5_000, Total: 5_000}}, 6_900
	m.happens(stream, eventstore.Metadata{}, order.LinesChanged{Number: p.Number, Calculation: more, Before: p.Calculation.Lines, Reason: "по телефону", At: noon},
		order.PaymentRequested{PaymentID: "2", Attempt: 2, Amount: 5_000, At: noon})
	letter := m.expect(mail.KindOrderChanged)[0]
	has(letter, "Мыло: 3\u00a0шт. вместо 2\u00a0шт.", "стоит 16\u00a0900\u00a0₸", "Осталось оплатить 5\u00a0000\u00a0₸: "+m.policy.Links.PayOrder(p.ID), "по телефону")
	if strings.Contains(letter.Text, "Анна") || strings.Contains(letter.Text, "Вернём") {
		t.Error(letter.Text)
	}
	m.happens(stream, eventstore.Metadata{}, order.LinesChanged{Number: p.Number, Calculation: less, Before: more.Lines, Reason: "по телефону", At: noon})
	has(m.expect(mail.KindOrderChanged)[0], "Мыло: 1\u00a0шт. вместо 3\u00a0шт.", "Вернём 5\u00a0000\u00a0₸")

	m.happens(stream, eventstore.Metadata{}, order.ProcessingStarted{At: noon}, order.Packed{At: noon}, order.HandedOver{Carrier: "cdek", Tracking: "1234567", At: noon})
	letters := m.expect(mail.KindOrderProcessing, mail.KindOrderHandedOver)
	at := slices.IndexFunc(letters, func(one mail.Message) bool { return one.Kind == mail.KindOrderHandedOver })
	has(letters[at], "СДЭК, номер отправления 1234567", order.CarrierOf("cdek").TrackingURL("1234567"))
	// A number that was mistyped is corrected before and after anybody could write.
	m.happens(stream, eventstore.Metadata{}, order.HandedOver{Carrier: "cdek", Tracking: "765432", At: noon.Add(time.Minute)}, order.HandedOver{Carrier: "cdek", Tracking: "7654321", At: noon.Add(2 * time.Minute)})
	has(m.expect(mail.KindOrderHandedOver)[0], "7654321")
	m.happens(stream, eventstore.Metadata{}, order.Delivered{At: noon}, order.Completed{At: noon})
	m.expect(mail.KindOrderCompleted)

	request := order.ReturnRequested{RequestID: soap, Lines: []order.AskedLine{{ProductID: soap, Amount: 1}}, PersonID: p.PersonID, Reason: "не тот запах", At: noon}
	m.happens(stream, eventstore.Metadata{}, request)
	m.expect() // whoever asks knows it
	m.happens(stream, eventstore.Metadata{}, order.ReturnDeclined{RequestID: soap, Reason: "упаковка вскрыта", At: noon})
	has(m.expect(mail.KindReturnDeclined)[0], "Причина: упаковка вскрыта")
	m.happens(stream, eventstore.Metadata{}, order.Refunded{RefundID: "r", PaymentID: "1", Amount: 5_000, Excess: true, At: noon}, request,
		order.GoodsReturned{ReturnID: bread, RequestID: soap, Lines: []order.ReturnedLine{{ProductID: soap, Amount: 1, Money: 5_000}}, Money: 5_000, Reason: "не тот запах", At: noon})
	letters = m.expect(mail.KindOrderRefunded, mail.KindGoodsReturned)
	at = slices.IndexFunc(letters, func(one mail.Message) bool { return one.Kind == mail.KindGoodsReturned })
	has(letters[at], "Мы одобрили заявку", "Мыло, 1\u00a0шт.", "Вернём 5\u00a0000\u00a0₸")
	if strings.Contains(letters[at].Text, "запах") {
		t.Error("the letter repeats what somebody wrote to the shop")
	}
	m.expect() // nothing is told twice
}

func TestTheShopsCourierIsTold(t *testing.T) {
	t.Parallel()
	m := openMailing(t)
	p := placed(1, domain.Cash)
	stream := order.Stream(p.ID)
	m.happens(stream, eventstore.Metadata{}, p, order.Approved{At: noon}, order.ProcessingStarted{At: noon}, order.Packed{At: noon}, order.HandedOver{Courier: anna, Day: "2026-03-03", At: noon})
	letters := m.deliver()
	at := slices.IndexFunc(letters, func(one mail.Message) bool { return one.Kind == mail.KindOrderHandedOver })
	if at < 0 || !strings.Contains(letters[at].Text, "Он приедет 3\u00a0марта, вторник") || strings.Contains(letters[at].Text, anna.String()) {
		t.Fatalf("%+v", letters)
	}
	m.happens(stream, eventstore.Metadata{}, order.HandedOver{Courier: soap, Day: "2026-03-03", At: noon.Add(time.Minute)})
	m.expect() // another courier on the same day
	m.happens(stream, eventstore.Metadata{}, order.NotDelivered{Reason: "no_answer", At: noon}, order.HandedOver{Courier: soap, Day: "2026-03-03", At: noon.Add(time.Hour)}, order.Delivered{At: noon})
	m.expect() // it has arrived
}
