package app

import (
	"cmp"
	"context"
	"fmt"
	netmail "net/mail"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/mail"
	"shop/commands/policies"
	"shop/domain/customer"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/readapi/staff"
)

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
		out.Content = mail.ResetCode{Code: c.Code, Path: c.Path, Until: c.Until}
	case identity.TriesLetter:
		out.Content = mail.ResetTries{At: c.At}
	case identity.KnownLetter:
		out.Content = mail.AlreadyRegistered{At: c.At}
	case identity.DeviceLetter:
		out.Content = mail.NewDevice{Name: c.Name, Device: c.Device, Network: c.Network, At: c.At}
	case identity.ErasedLetter:
		out.Content = mail.AccountErased{Name: c.Name, Orders: c.Report.Orders, Reviews: c.Report.Reviews, Subscriptions: c.Report.Subscriptions, Files: c.Report.Files}
	default:
		return fmt.Errorf("no letter is made of a %T", c)
	}
	out.Content = mail.In(cmp.Or(letter.Language, commands.OriginOf(ctx).Language), out.Content)
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

// Renderer writes letters as the configuration has it.
func (c Config) Renderer(links mail.Links) *mail.Renderer {
	from := c.MailFrom
	if from == "" {
		from = (&netmail.Address{Name: c.Contact.Name, Address: c.Contact.Email}).String()
	}
	return &mail.Renderer{
		Links: links, From: from, ReplyTo: c.Contact.Email,
		Shop: c.sender(c.settings()),
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

// Letters shows letters as they were sent.
type Letters struct {
	Shop    staff.Shop
	Archive mail.Archive
}

// Letters are those of this shop.
func (s *Shop) Letters() *Letters {
	return &Letters{Shop: staff.Shop{DB: s.Pool}, Archive: mail.Archive{
		Composer: policies.Mails{Log: s.Store, Outbox: s.Outbox, Links: s.Links, Clock: s.Clock}, Renderer: s.Config.Renderer(s.Links), Sender: s.sender,
		Wording: mail.Wording{Log: s.Store},
	}}
}

// Letter is the letter that the event of a stream's version caused; mail.ErrNoLetter when it caused none.
func (l *Letters) Letter(ctx context.Context, stream string, version int64) (staff.OrderLetter, error) {
	caused, found, err := l.Shop.LetterOf(ctx, stream, version)
	if err != nil {
		return staff.OrderLetter{}, err
	}
	if !found {
		return staff.OrderLetter{}, mail.ErrNoLetter
	}
	var sent time.Time
	if caused.SentAt != nil {
		sent = *caused.SentAt
	}
	m, err := l.Archive.Show(ctx, mail.Kind(caused.Kind), caused.ID, caused.At, sent, stream, eventstore.Version(version))
	return staff.OrderLetter{Kind: caused.Kind, To: m.To, Subject: m.Subject, Text: m.Text, At: caused.At}, err
}

// LetterSample is a sample letter that has a text, as this shop would send it now in the words given; false for an unknown kind.
func (s *Shop) LetterSample(ctx context.Context, k mail.Kind, language, text string, words mail.Texts) (mail.Message, bool, error) {
	// A sample's links open nothing, so any key will do.
	renderer := s.Config.Renderer(mail.Links{PublicURL: s.Config.PublicURL, Key: make([]byte, 32)})
	sender, err := s.sender(ctx)
	if err != nil {
		return mail.Message{}, false, err
	}
	renderer.Shop, renderer.Texts = sender, words
	return renderer.SampleWith(k, language, text)
}

// mailing puts on the feed what makes letters of events, and what sends them.
func (s *Shop) mailing(ctx context.Context) (func(*feed.Feed), error) {
	transport, err := s.Config.transport()
	if err != nil {
		return nil, fmt.Errorf("SHOP_SMTP_URL: %w", err)
	}
	since, err := s.Outbox.Started(ctx)
	if err != nil {
		return nil, err
	}
	policy := policies.Mails{Log: s.Store, Outbox: s.Outbox, Links: s.Links, Since: since, Clock: s.Clock}
	worker := &mail.Worker{
		Outbox: s.Outbox, Composer: policy, Renderer: s.Config.Renderer(s.Links), Sender: s.sender, Wording: mail.Wording{Log: s.Store},
		Transport: transport, Rate: s.Config.MailRate, Logger: s.Log,
	}
	worker.Observe()
	return func(consumers *feed.Feed) {
		consumers.Add(policy.Consumer())
		consumers.AddJob("send-mails", worker.Run)
	}, nil
}
