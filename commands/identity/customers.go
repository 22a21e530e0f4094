package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/identity/accounts"
	"shop/commands/identity/credential"
	"shop/commands/identity/passkeys"
	"shop/commands/photos"
	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

const (
	msgWrongPass = "Неверный пароль"
	msgMissing   = "Заполните поле"
)

// mailer writes a letter into tx, to be sent once that is committed.
type mailer interface {
	Send(ctx context.Context, tx pgx.Tx, l Letter) error
}

// Letter is a letter about an account that no event calls for.
type Letter struct {
	// Person is whose erasure takes the letter back; zero: nobody's.
	Person domain.ID
	// To is a bare e-mail address.
	To string
	// Content is LinkLetter, WishLetter, MovedLetter, CodeLetter, TriesLetter, KnownLetter, DeviceLetter or ErasedLetter.
	Content any
	// Language is that of the letter; empty: of the request that causes it.
	Language string
	// Expires is when the letter is of no use any more.
	Expires time.Time
}

// LinkLetter proves an e-mail by a link: Path of the storefront, with a token. Change: it shall replace the present one.
type LinkLetter struct {
	Path   string
	Until  time.Time
	Change bool
}

// WishLetter tells the present e-mail that another one is asked for; by Path that is cancelled.
type WishLetter struct {
	Name, Path string
	At, Until  time.Time
}

// MovedLetter tells the former e-mail that another one replaced it; by Path it is taken back. Without a Path it is not:
// nobody had proved it.
type MovedLetter struct {
	Name, Path string
	At, Until  time.Time
}

// CodeLetter carries the code to choose another password, and Path, a link that does without it. Both end at a time.
type CodeLetter struct {
	Code, Path string
	Until      time.Time
}

// ErasedLetter is the last one: what went with the account.
type ErasedLetter struct {
	Name   string
	Report customer.Report
}

// Where the links of letters lead. Behind the # their tokens reach no server's log.
const (
	verifyPath   = "/verify-email#"
	cancelPath   = "/cancel-email#"
	takeBackPath = "/take-back-email#"
	renewPath    = "/new-password#"
)

// ordersOf finds the orders of a customer, by id, each with the person whose key seals it.
type ordersOf interface {
	OrdersOf(ctx context.Context, customer domain.ID) (map[domain.ID]domain.ID, error)
}

// Accounts opens, changes and erases the accounts of customers. Who asks is in the context, see CustomerOf.
type Accounts struct {
	Handler *commands.Handler
	SignIns *accounts.Accounts
	Mail    mailer
	Orders  ordersOf
	// Of finds the reviews and subscriptions that belong into an export.
	Of       belongings
	Album    *photos.Album
	Passkeys *passkeys.Passkeys
	// Keys deletes the keys of persons.
	Keys keys
	// Letters are those kept as files; nil: none.
	Letters letterFiles
	// Records are those of the security log; nil: none.
	Records records
	// Leavers delete what else the shop holds of a customer who leaves.
	Leavers []Leaver
	// ConsentText is the version of the text on personal data that is agreed to at the registration, until a privacy policy is published.
	ConsentText string
	// ShopWords are the names of the shop, which are no passwords.
	ShopWords []string
}

// Open opens an account and signs it in. Without a password none opens it again until its owner chooses one. What is
// wrong with a field is *Invalid.
func (a *Accounts) Open(ctx context.Context, email, password string, p customer.Profile) (token string, id domain.ID, position eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "register")
	defer end(&err)
	id = a.Handler.NewID()
	agreed, err := commands.ConsentText(ctx, a.Handler, a.ConsentText)
	if err != nil {
		return "", id, 0, err
	}
	if err := a.reserveUnguessed(ctx, id, email, password); err != nil {
		return "", id, 0, err
	}
	ctx = commands.AsCustomer(ctx, id)
	position, err = commands.Change(ctx, a.Handler, commands.CustomerStream(id), func(u *commands.Unit) customer.Command {
		return customer.Register{ID: id, Email: email, Profile: p, ConsentText: agreed, Language: commands.OriginOf(ctx).Language, At: u.At()}
	})
	// From here on the end of the request must not leave half an account behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err != nil {
		var refusal *domain.Refusal
		if errors.As(err, &refusal) { // else it may have been written, and the next registration looks
			err = errors.Join(err, a.SignIns.Drop(ctx, id))
		}
		return "", id, 0, err
	}
	err = a.SignIns.Tx(ctx, func(tx pgx.Tx) error {
		if err := a.SignIns.Opened(ctx, tx, id); err != nil {
			return err
		}
		var err error
		if token, err = a.SignIns.Issue(ctx, tx, id); err != nil {
			return err
		}
		if _, err := a.SignIns.NoteDevice(ctx, tx, id); err != nil {
			return err
		}
		return a.mailProof(ctx, tx, id, email)
	})
	return token, id, position, err
}

// reserve keeps the e-mail for an account. One whose registration died half-way is finished or dropped first.
func (a *Accounts) reserve(ctx context.Context, lane credential.Lane, id domain.ID, email, password string) error {
	halfway, err := a.SignIns.Reserve(ctx, lane, id, email, password)
	if errors.Is(err, accounts.ErrTaken) && halfway != uuid.Nil {
		state, err := commands.See(ctx, a.Handler, commands.CustomerStream(halfway))
		if err != nil {
			return err
		}
		if !state.Open() {
			if err := a.SignIns.Drop(ctx, halfway); err != nil {
				return err
			}
			_, err := a.SignIns.Reserve(ctx, lane, id, email, password)
			return taken(err)
		}
		if err := a.SignIns.Tx(ctx, func(tx pgx.Tx) error { return a.SignIns.Opened(ctx, tx, halfway) }); err != nil {
			return err
		}
	}
	return taken(err)
}

// taken says to a shopper that an e-mail has an account.
func taken(err error) error {
	if errors.Is(err, accounts.ErrTaken) || errors.Is(err, customer.ErrEmailTaken) {
		return commands.WrongField("email", customer.ErrEmailTaken.Message)
	}
	return err
}

// Profile is an account as its owner sees it.
type Profile struct {
	ID            domain.ID `json:"id"`
	FirstName     string    `json:"first_name"`
	LastName      string    `json:"last_name"`
	Email         string    `json:"email"`
	EmailVerified bool      `json:"email_verified"`
	// EmailWanted becomes the e-mail when the letter to it is answered; null: no other is asked for.
	EmailWanted *string     `json:"email_wanted"`
	Info        ProfileInfo `json:"info"`
}

// ProfileInfo is the rest of a profile. Address is the address in one line; ProfileImage null without a photo.
type ProfileInfo struct {
	Phone        string       `json:"phone"`
	City         string       `json:"city"`
	Street       string       `json:"street"`
	House        string       `json:"house"`
	Floor        string       `json:"floor"`
	Apartment    string       `json:"apartment"`
	Entrance     string       `json:"entrance"`
	Address      string       `json:"address"`
	ProfileImage *string      `json:"profile_image"`
	BonusAmount  domain.Money `json:"bonus_amount"`
}

func (a *Accounts) profileOf(ctx context.Context, s customer.State, bonuses domain.Money) (Profile, error) {
	p := Profile{
		ID: s.ID, FirstName: s.Profile.FirstName, LastName: s.Profile.LastName, Email: s.Email, EmailVerified: s.Verified,
		Info: ProfileInfo{
			Phone: s.Profile.Phone, City: s.Profile.City, Street: s.Profile.Street, House: s.Profile.House, Floor: s.Profile.Floor,
			Apartment: s.Profile.Apartment, Entrance: s.Profile.Entrance, BonusAmount: bonuses,
		},
	}
	if wish := s.Wish(a.Handler.Now()); wish != "" {
		p.EmailWanted = &wish
	}
	var parts []string
	for _, part := range []string{p.Info.City, p.Info.Street, p.Info.House} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	p.Info.Address = strings.Join(parts, ", ")
	image, err := a.Album.Small(ctx, s.PhotoID)
	if image != "" {
		p.Info.ProfileImage = &image
	}
	return p, err
}

// ChangeProfile changes a profile and, unless it is empty, asks for an e-mail; the present one cancels a former wish.
func (a *Accounts) ChangeProfile(ctx context.Context, id domain.ID, email, password string, edit func(customer.Profile) customer.Profile) (_ Profile, _ eventstore.Position, err error) {
	ctx, end := commands.StartSpan(ctx, "change profile")
	defer end(&err)
	stream, ledger := commands.CustomerStream(id), commands.BonusStream(id)
	wish, err := a.wishFor(ctx, id, email, password)
	if err != nil {
		return Profile{}, 0, err
	}
	var before, state customer.State
	var bonuses domain.Money
	position, err := a.Handler.Do(ctx, false, func(u *commands.Unit) error {
		if err := u.Load(stream, ledger); err != nil {
			return err
		}
		before = stream.State(u)
		if err := stream.Do(u, customer.ChangeProfile{Profile: edit(before.Profile), At: u.At()}); err != nil {
			return err
		}
		switch {
		case wish != nil:
			if err := stream.Do(u, customer.ChangeEmail{Email: email, EmailTaken: wish.taken, At: u.At()}); err != nil {
				return err
			}
		case email != "" && email == before.Email:
			if err := stream.Do(u, customer.CancelEmailChange{At: u.At()}); err != nil {
				return err
			}
		}
		state, bonuses = stream.State(u), ledger.State(u).Spendable()
		return nil
	})
	if err != nil {
		return Profile{}, 0, taken(fmt.Errorf("change profile: %w", err))
	}
	switch {
	case wish != nil && state.Wish(a.Handler.Now()) == email:
		err = a.mailWish(ctx, state, wish.checked)
	case before.Wanted != "" && state.Wanted == "":
		err = a.SignIns.DropChange(ctx, id)
	}
	if err != nil {
		return Profile{}, 0, err
	}
	view, err := a.profileOf(ctx, state, bonuses)
	return view, position, err
}
