package app

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/accounts"
	"shop/commands/identity/signin"
	"shop/commands/mail"
	"shop/commands/payments"
	"shop/commands/policies"
	"shop/commands/shopapi"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/customer"
	"shop/eventstore/feed"
	"shop/projections"
	"shop/projections/rebuild"
	"shop/readapi"
)

// Builder builds this shop's read models.
func (s *Shop) Builder() *rebuild.Builder {
	return &rebuild.Builder{DB: s.Pool, Store: s.Store, Logger: s.Log}
}

// Customers are the commands about customers' accounts.
func (s *Shop) Customers(ctx context.Context) (*identity.Accounts, error) {
	key, err := Secret(ctx, s.Pool, "accounts")
	if err != nil {
		return nil, err
	}
	outbox, err := s.Outbox(ctx)
	if err != nil {
		return nil, err
	}
	return &identity.Accounts{
		Handler: s.Handler, SignIns: accounts.New(s.Pool, accounts.Options{Secret: key, Clock: s.Clock}),
		Mail: letters{outbox}, Orders: readapi.Facts{DB: s.Pool}, Of: readapi.Facts{DB: s.Pool}, Album: s.Album(), Keys: s.Store, ConsentText: s.Config.ConsentText,
		Letters: s.Config.letterFolder(),
		Leavers: []identity.Leaver{
			&identity.Leaving{Handler: s.Handler, Of: readapi.Facts{DB: s.Pool}}, keptModels{s.Builder()}, unsentLetters{outbox, s.Pool}, identity.Portraits{Album: s.Album()},
			identity.PaymentPages{Orders: readapi.Facts{DB: s.Pool}, Books: payments.Books{Pool: s.Pool}},
		},
	}, nil
}

// keptModels are the read models that are kept beside the live ones or built, and hold personal data.
type keptModels struct{ builder *rebuild.Builder }

// Leave drops them: nothing folds into the kept ones any more, and who is erased may stand in those that are built.
func (k keptModels) Leave(ctx context.Context, id uuid.UUID, _ *customer.Report) error {
	return k.builder.Forget(ctx, rebuild.Ending{Stream: customer.Stream(id), Type: customer.Erased{}.EventType()})
}

// letters writes letters about accounts into the outbox.
type letters struct{ outbox *mail.Outbox }

func (l letters) Send(ctx context.Context, tx pgx.Tx, letter identity.Letter) error {
	out := mail.Letter{Person: letter.Person, To: letter.To, Expires: letter.Expires}
	switch c := letter.Content.(type) {
	case identity.LinkLetter:
		out.Content = mail.VerifyEmail{Path: c.Path, Until: c.Until, Change: c.Change}
	case identity.WishLetter:
		out.Content = mail.EmailRequested{Name: c.Name, At: c.At, Path: c.Path, Until: c.Until}
	case identity.MovedLetter:
		out.Content = mail.EmailChanged{Name: c.Name, At: c.At, Path: c.Path, Until: c.Until}
	case identity.CodeLetter:
		out.Content = mail.ResetCode{Code: c.Code, Until: c.Until}
	case identity.ErasedLetter:
		out.Content = mail.AccountErased{Name: c.Name, Orders: c.Report.Orders, Reviews: c.Report.Reviews, Subscriptions: c.Report.Subscriptions, Files: c.Report.Files}
	default:
		return fmt.Errorf("no letter is made of a %T", c)
	}
	return l.outbox.Enqueue(ctx, tx, out)
}

// unsentLetters are those to a customer that wait.
type unsentLetters struct {
	outbox *mail.Outbox
	pool   *pgxpool.Pool
}

// Leave takes them back.
func (u unsentLetters) Leave(ctx context.Context, id uuid.UUID, _ *customer.Report) error {
	return u.outbox.Forget(ctx, u.pool, id)
}

// Links are the shop's signed links.
func (s *Shop) Links(ctx context.Context) (mail.Links, error) {
	key, err := Secret(ctx, s.Pool, "links")
	return mail.Links{PublicURL: s.Config.PublicURL, Key: key}, err
}

// Outbox is where letters wait.
func (s *Shop) Outbox(ctx context.Context) (*mail.Outbox, error) {
	key, err := Secret(ctx, s.Pool, "mails")
	if err != nil {
		return nil, err
	}
	return mail.NewOutbox(s.Pool, key, s.Clock)
}

// Renderer writes letters as the configuration has it.
func (c Config) Renderer(links mail.Links) *mail.Renderer {
	from := c.MailFrom
	if from == "" {
		from = (&netmail.Address{Name: c.Contact.Name, Address: c.Contact.Email}).String()
	}
	return &mail.Renderer{
		Links: links, From: from, ReplyTo: c.Contact.Email,
		Shop: mail.Shop{
			Name: c.Contact.Name, Email: c.Contact.Email, Phone: c.Contact.Phone, Hours: c.Contact.Hours, LegalName: c.Contact.LegalName,
			RegistrationNumber: c.Contact.RegistrationNumber, Address: c.Contact.Address, SocialName: c.Contact.SocialName, SocialURL: c.Contact.SocialURL,
		},
	}
}

// letterFolder is where letters are files; they may be there from before there was a mail server.
func (c Config) letterFolder() mail.Folder {
	return mail.Folder{Path: filepath.Join(c.DataDir, "mail"), Kept: c.MailKept}
}

// SweepLetters removes old ones from the folder until ctx ends.
func (s *Shop) SweepLetters(ctx context.Context) {
	s.Config.letterFolder().Run(ctx, min(time.Hour, s.Config.MailKept), s.Log)
}

// transport is a mail server, or a folder without one.
func (c Config) transport() (mail.Transport, error) {
	if c.SMTPURL == "" || c.SMTPURL == lettersInFolder {
		return c.letterFolder(), nil
	}
	return mail.NewSMTP(c.SMTPURL)
}

// mailing puts on the feed what makes letters of events, and what sends them.
func (s *Shop) mailing(ctx context.Context) (func(*feed.Feed), error) {
	links, err := s.Links(ctx)
	if err != nil {
		return nil, err
	}
	outbox, err := s.Outbox(ctx)
	if err != nil {
		return nil, err
	}
	transport, err := s.Config.transport()
	if err != nil {
		return nil, fmt.Errorf("SHOP_SMTP_URL: %w", err)
	}
	since, err := outbox.Started(ctx)
	if err != nil {
		return nil, err
	}
	policy := policies.Mails{Log: s.Store, Outbox: outbox, Links: links, Since: since, Clock: s.Clock}
	worker := &mail.Worker{Outbox: outbox, Composer: policy, Renderer: s.Config.Renderer(links), Transport: transport, Rate: s.Config.MailRate, Logger: s.Log}
	worker.Observe()
	return func(consumers *feed.Feed) {
		consumers.Add(policy.Consumer())
		consumers.AddJob("send-mails", worker.Run)
	}, nil
}

// Unsubscription is the page that links in letters lead to.
func (s *Shop) Unsubscription(ctx context.Context) (mail.Unsubscription, error) {
	links, err := s.Links(ctx)
	return mail.Unsubscription{Links: links, Shop: s.Config.Contact.Name, Unsubscribe: s.leaveRestock}, err
}

// leaveRestock answers a link that the shop gave out, so also when its product is not there.
func (s *Shop) leaveRestock(ctx context.Context, product, customer domain.ID) error {
	_, err := s.Restock().Leave(commands.AsCustomer(ctx, customer), product, customer)
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
	return &payments.Bank{Sandbox: sandbox, Shop: c.Contact.Name, Bill: orders.Bill, Notify: shopapi.Payments{Orders: orders}.Deliver}
}

// Audit compares samples of the read models with the log, unless it is switched off.
func (s *Shop) Audit(ctx context.Context) {
	if s.Config.AuditInterval > 0 {
		(&rebuild.Auditor{DB: s.Pool, Store: s.Store, Projections: projections.All(), Interval: s.Config.AuditInterval, Logger: s.Log}).Run(ctx)
	}
}

// Policies puts on the feed what one of all processes with that role does at a time.
func (s *Shop) Policies(ctx context.Context) ([]func(*feed.Feed), error) {
	mails, err := s.mailing(ctx)
	if err != nil {
		return nil, err
	}
	orders, err := s.Orders(ctx)
	if err != nil {
		return nil, err
	}
	customers, err := s.Customers(ctx)
	if err != nil {
		return nil, err
	}
	// Never run: it asks the database.
	positions := feed.New(s.Store, feed.Options{})
	erasure := policies.EraseCustomers{Leaving: readapi.Facts{DB: s.Pool}, Accounts: customers, Orders: positions, Logger: s.Log}
	sweep := policies.SweepAccounts{Accounts: customers.SignIns, Logger: s.Log}
	joins := policies.JoinOrders{Guests: customers.SignIns, Orders: customers}
	expiry := policies.ExpirePayments{Orders: orders, Due: readapi.Facts{DB: s.Pool}, Logger: s.Log}
	asking := policies.AskPayments{Orders: orders, Open: OpenPayments{readapi.Facts{DB: s.Pool}, orders.Providers.Current.Name()}, Books: orders.Books, Logger: s.Log}
	refunds := policies.GiveBack{Orders: orders, Owing: readapi.Facts{DB: s.Pool}, Debts: orders.Books, Logger: s.Log}
	keys := policies.ForgetKeys{Keys: s.Store, Logger: s.Log}
	photos := policies.SweepPhotos{Album: s.Album(), Log: s.Reviews(), Logger: s.Log}
	return []func(*feed.Feed){func(consumers *feed.Feed) {
		consumers.Add(policies.NotifyRestock(s.Restock()))
		consumers.Add(policies.FollowBonuses(&commands.Bonuses{Handler: s.Handler}))
		consumers.Add(policies.DeletePhotos(s.Album(), s.Reviews()))
		consumers.AddJob("sweep-photos", photos.Run)
		consumers.AddJob("expire-payments", expiry.Run)
		consumers.AddJob("ask-payments", asking.Run)
		consumers.AddJob("give-back", refunds.Run)
		consumers.AddJob("forget-keys", keys.Run)
		consumers.AddJob("erase-customers", erasure.Run)
		consumers.AddJob("sweep-accounts", sweep.Run)
		consumers.Add(joins.Consumer())
	}, mails}, nil
}

// OpenPayments are those of the provider in use: nobody can be asked for the others.
type OpenPayments struct {
	Facts    readapi.Facts
	Provider string
}

func (o OpenPayments) PaymentsToAsk(ctx context.Context, since, first, now time.Time, limit int) ([]policies.OpenPayment, error) {
	found, err := o.Facts.PaymentsToAsk(ctx, o.Provider, since, first, now, limit)
	due := make([]policies.OpenPayment, len(found))
	for i, p := range found {
		due[i] = policies.OpenPayment(p)
	}
	return due, err
}

// Accounts are how staff sign in.
func (s *Shop) Accounts(ctx context.Context) (*signin.Accounts, error) {
	key, err := Secret(ctx, s.Pool, "authenticators")
	if err != nil {
		return nil, err
	}
	return signin.Open(ctx, s.Pool, signin.Options{Key: key, Clock: s.Clock, Issuer: s.Config.Contact.Name})
}

// Staff are the commands about accounts of staff.
func (s *Shop) Staff(ctx context.Context) (*identity.Staff, error) {
	accounts, err := s.Accounts(ctx)
	return &identity.Staff{Handler: s.Handler, Accounts: accounts}, err
}
