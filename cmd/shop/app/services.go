package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/identity"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/commands/identity/passkeys"
	"shop/commands/identity/securitylog"
	"shop/commands/identity/signin"
	"shop/commands/mail"
	"shop/commands/payments"
	"shop/commands/photos"
	"shop/commands/shopapi"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/projections/past"
	"shop/projections/rebuild"
	"shop/projections/replay"
	"shop/readapi"
	reads "shop/readapi/staff"
)

// build makes every service, with the shop's secrets.
func (s *Shop) build(ctx context.Context) error {
	keys, err := secrets(ctx, s.Store, purposes...)
	if err != nil {
		return err
	}
	facts := readapi.Facts{DB: s.Pool}
	s.Links = mail.Links{PublicURL: s.Config.PublicURL, Key: keys["links"]}
	if s.Outbox, err = mail.NewOutbox(s.Pool, keys["mails"], s.Clock); err != nil {
		return err
	}
	if err := s.openNotices(keys["notices"], keys["vapid"]); err != nil {
		return err
	}
	home := s.PhotosHome("")
	s.Album = photos.Open(s.Pool, home.Place).In(home)
	s.Reviews = &commands.Reviews{Handler: s.Handler, Album: s.Album, Links: facts}
	s.Restock = &commands.Restock{Handler: s.Handler, Links: facts}
	s.Bonuses = &commands.Bonuses{Handler: s.Handler}
	s.Settings = &commands.Settings{Handler: s.Handler, Stated: s.Config.settings()}
	s.Effects = replay.NewEffects(s.Store)
	s.Past = reads.Past{Store: s.Store, Pasts: past.New(s.Pool, s.Store), Clock: s.Clock}
	s.Changes = &changes.Changes{
		Handler: s.Handler, Fields: changes.All(), Links: reads.Shop{DB: s.Pool}, Tree: reads.Shop{DB: s.Pool}, Plans: plans{reads.Shop{DB: s.Pool}}, Effects: s.Effects,
		Happened: reads.Shop{DB: s.Pool}, Stored: s.Store,
	}
	s.Unsubscription = mail.Unsubscription{Links: s.Links, Shop: s.Config.Contact.Name, Language: spoken, Unsubscribe: s.leaveRestock}
	if s.Passkeys, err = passkeys.New(s.Pool, s.Config.Contact.Name, s.Config.PublicURL, s.Clock); err != nil {
		return err
	}
	hashes := credential.NewHasher(credential.Slots())
	s.Customers = s.buildCustomers(keys["accounts"], hashes)
	s.Guests = &identity.Guests{
		Handler: s.Handler, Keys: s.Store, Letters: s.Config.letterFolder(), Kept: keptModels{s.Builder}, Waiting: s.Customers.SignIns,
		Pages: payments.Books{Pool: s.Pool}, Links: s.Links, Records: guestRecords{s.Security, s.Customers.SignIns},
	}
	s.orders = s.buildOrders(keys["customers"], keys["sandbox"])
	s.Accounts, err = signin.Open(ctx, s.Pool, signin.Options{
		Key: keys["authenticators"], Clock: s.Clock, Issuer: s.Config.Contact.Name, Words: s.Config.words(), Hashes: hashes,
		Idle: s.Config.StaffIdle, Longest: s.Config.StaffSession,
	})
	if err != nil {
		return err
	}
	s.Staff = &identity.Staff{Handler: s.Handler, Accounts: s.Accounts}
	return nil
}

// words are what the shop calls itself: its name, and that in its e-mail address.
func (c Config) words() []string { return []string{c.Contact.Name, c.Contact.Email} }

func (s *Shop) buildCustomers(key []byte, hashes *credential.Hasher) *identity.Accounts {
	facts := readapi.Facts{DB: s.Pool}
	guesses := s.Config.GuessesAnHour
	if guesses == 0 {
		guesses = -1
	}
	return &identity.Accounts{
		Handler: s.Handler, SignIns: accounts.New(s.Pool, accounts.Options{Secret: key, Clock: s.Clock, Hashes: hashes, GuessesAnHour: guesses, Idle: s.Config.SessionIdle}),
		Mail: letters{s.Outbox}, Orders: facts, Of: facts, Album: s.Album, Passkeys: s.Passkeys, Keys: s.Store, ConsentText: s.Config.ConsentText, ShopWords: s.Config.words(),
		Letters: s.Config.letterFolder(), Records: s.Security,
		Leavers: []identity.Leaver{
			&identity.Leaving{Handler: s.Handler, Of: facts}, keptModels{s.Builder}, unsentLetters{s.Outbox, s.Pool}, identity.Portraits{Album: s.Album},
			identity.PaymentPages{Orders: facts, Books: payments.Books{Pool: s.Pool}},
		},
	}
}

func (s *Shop) buildOrders(customers, sandbox []byte) *commands.Orders {
	orders := &commands.Orders{
		Most:    s.Config.BasketEvents,
		Handler: s.Handler, Guests: s.Links, Numbers: &commands.OrderNumbers{Pool: s.Pool}, Links: readapi.Facts{DB: s.Pool}, Cities: readapi.Cities{},
		Secret: customers, Books: payments.Books{Pool: s.Pool}, PublicURL: s.Config.PublicURL, Log: s.Log,
	}
	orders.Providers = s.Config.providers(payments.NewSandbox(s.Config.PublicURL, sandbox), orders.Books, s.Clock, s.Log)
	return orders
}

// providers are all that the configuration has an account of. A payment stays with the provider that it was opened at.
func (c Config) providers(sandbox *payments.Sandbox, books payments.Books, clock func() time.Time, log *slog.Logger) payments.Providers {
	cloud := &payments.Breaker{Provider: &payments.CloudPayments{
		URL: c.CloudPaymentsURL, PublicID: c.CloudPaymentsID, Secret: c.CloudPaymentsSecret, ShopURL: c.PublicURL, Books: books,
	}, Clock: clock, Logger: log}
	switch {
	case c.Payments == cloud.Name():
		return payments.Providers{Current: cloud, Former: []payments.Provider{sandbox}}
	case c.CloudPaymentsID != "" && c.CloudPaymentsSecret != "":
		return payments.Providers{Current: sandbox, Former: []payments.Provider{cloud}}
	}
	return payments.Providers{Current: sandbox}
}

// Orders are the commands about orders, with the payment provider of the configuration. It is an error to ask for them where
// SHOP_PAYMENTS has to be set and is not, at the command line too: the test bank would give back what another took.
func (s *Shop) Orders() (*commands.Orders, error) {
	if s.Config.Published() && !s.Config.stated["SHOP_PAYMENTS"] {
		return nil, errPaymentsUnstated
	}
	return s.orders, nil
}

// keptModels are the read models that are kept beside the live ones or built, and hold personal data.
type keptModels struct{ builder *rebuild.Builder }

// Leave drops them: nothing folds into the kept ones any more, and who is erased may stand in those that are built.
func (k keptModels) Leave(ctx context.Context, id uuid.UUID, _ *customer.Report) error {
	return k.Forget(ctx, customer.Erased{}.EventType(), customer.Stream(id))
}

// Forget drops them once for several streams.
func (k keptModels) Forget(ctx context.Context, event string, streams ...string) error {
	endings := make([]rebuild.Ending, len(streams))
	for i, stream := range streams {
		endings[i] = rebuild.Ending{Stream: stream, Type: event}
	}
	return k.builder.Forget(ctx, endings...)
}

// guestRecords are the records of the security log about guests. An e-mail that is an account's stays in them: whoever orders as a guest
// with it could else wipe away what was tried with the account.
type guestRecords struct {
	log      *securitylog.Log
	accounts *accounts.Accounts
}

// Forget takes guests out of them.
func (g guestRecords) Forget(ctx context.Context, persons []uuid.UUID, emails ...string) error {
	free, err := g.accounts.WithoutAccount(ctx, emails)
	if err != nil {
		return err
	}
	return g.log.Forget(ctx, persons, free...)
}

// leaveRestock answers a link that the shop gave out, so also when its product is not there.
func (s *Shop) leaveRestock(ctx context.Context, product, customer domain.ID) error {
	_, err := s.Restock.Leave(commands.AsCustomer(ctx, customer), product, customer)
	if errors.Is(err, catalog.ErrUnknown) {
		return nil // nobody waits for it
	}
	return err
}

// BankOf is the page of the sandbox; nil with another provider.
func BankOf(orders *commands.Orders, c Config) *payments.Bank {
	sandbox, ok := orders.Providers.Current.(*payments.Sandbox)
	if !ok {
		return nil
	}
	return &payments.Bank{Sandbox: sandbox, Shop: c.Contact.Name, Bill: orders.Bill, Language: spoken, Notify: shopapi.Payments{Orders: orders}.Deliver}
}

// spoken is the language of whoever sent the request of a context.
func spoken(ctx context.Context) string { return commands.OriginOf(ctx).Language }
