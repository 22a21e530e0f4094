package passkeys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

var (
	// ErrUnavailable: the shop's address has no name, and passkeys belong to a name.
	ErrUnavailable = errors.New("passkeys need a SHOP_PUBLIC_URL with a name, such as https://shop.example or http://localhost:8080")
	// ErrChallenge: the challenge is not known, was answered, or is too old.
	ErrChallenge = errors.New("the request for a passkey was answered or is too old")
	// ErrOrigin: the answer was made for another site.
	ErrOrigin = errors.New("the passkey answered to another site")
	// ErrUnknown: no such passkey is kept, or not for this.
	ErrUnknown = errors.New("the passkey is not known")
	// ErrCopied: the counter of signatures did not grow, so another authenticator may have the same key.
	ErrCopied = errors.New("the passkey's counter went back: it may have been copied")
	// ErrRefused: the answer is malformed, its signature is wrong, or the authenticator did not verify its user.
	ErrRefused = errors.New("the answer of the passkey is not accepted")
	// ErrName: a name has 1 to 60 characters.
	ErrName = errors.New("a passkey's name has 1 to 60 characters")
	// ErrTooMany: the account has as many passkeys as it may.
	ErrTooMany = errors.New("the account has 20 passkeys; remove one first")
)

const (
	// challengeFor is how long a challenge waits for its answer.
	challengeFor = 5 * time.Minute
	mostPasskeys = 20
	longestName  = 60
)

// Purposes of challenges.
const (
	toAdd    = "add"
	toStepUp = "step-up"
)

// Owner is whose a passkey is: one of the two ids is set.
type Owner struct{ Customer, Staff uuid.UUID }

// columns are the owner's as the tables have them.
func (o Owner) columns() (customer, staff *uuid.UUID) {
	if o.Customer != uuid.Nil {
		return &o.Customer, nil
	}
	return nil, &o.Staff
}

// handle is what an authenticator keeps of the owner.
func (o Owner) handle() []byte {
	if o.Customer != uuid.Nil {
		return o.Customer[:]
	}
	return o.Staff[:]
}

// Realm is who signs in by a passkey.
type Realm string

const (
	Customers Realm = "customer sign-in"
	Staff     Realm = "staff sign-in"
)

// Passkeys keeps passkeys. It is safe for concurrent use.
type Passkeys struct {
	pool  *pgxpool.Pool
	clock func() time.Time
	// party is the shop as authenticators know it; nil: its address has no name. origin is that address.
	party  *webauthn.WebAuthn
	origin string
}

// New makes Passkeys of the shop that browsers reach at publicURL.
func New(pool *pgxpool.Pool, shop, publicURL string, clock func() time.Time) (*Passkeys, error) {
	p := &Passkeys{pool: pool, clock: clock}
	u, err := url.Parse(publicURL)
	if err != nil || u.Hostname() == "" {
		return p, nil
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return p, nil
	}
	p.origin = u.Scheme + "://" + u.Host
	p.party, err = webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: shop, RPOrigins: []string{p.origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys of %s: %w", publicURL, err)
	}
	return p, nil
}

func (p *Passkeys) now() time.Time { return p.clock().UTC().Truncate(time.Microsecond) }

// Passkey is a passkey as its owner sees it.
type Passkey struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	CreatedAt time.Time  `json:"created_at"`
	UsedAt    *time.Time `json:"used_at"`
}

// List are the passkeys of an account, oldest first.
func (p *Passkeys) List(ctx context.Context, of Owner) ([]Passkey, error) {
	customer, staff := of.columns()
	rows, _ := p.pool.Query(ctx, `SELECT id, name, created_at, used_at FROM passkeys WHERE customer = $1 OR staff = $2 ORDER BY created_at, id`, customer, staff)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[Passkey])
	if err != nil {
		return nil, fmt.Errorf("list passkeys: %w", err)
	}
	return list, nil
}

// Remove deletes a passkey of an account, or refuses with ErrUnknown.
func (p *Passkeys) Remove(ctx context.Context, of Owner, id uuid.UUID) error {
	customer, staff := of.columns()
	tag, err := p.pool.Exec(ctx, `DELETE FROM passkeys WHERE id = $1 AND (customer = $2 OR staff = $3)`, id, customer, staff)
	if err != nil {
		return fmt.Errorf("remove passkey: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return ErrUnknown
	}
	note(ctx, securitylog.Entry{Kind: securitylog.Passkey, Outcome: securitylog.Removed}, nil)
	return nil
}

// account is an owner as the library of WebAuthn asks for it.
type account struct {
	owner   Owner
	name    string
	records []webauthn.Credential
}

func (a account) WebAuthnID() []byte                         { return a.owner.handle() }
func (a account) WebAuthnName() string                       { return a.name }
func (a account) WebAuthnDisplayName() string                { return a.name }
func (a account) WebAuthnCredentials() []webauthn.Credential { return a.records }

// recordsOf are the passkeys of an account as the library reads them.
func (p *Passkeys) recordsOf(ctx context.Context, of Owner) ([]webauthn.Credential, error) {
	customer, staff := of.columns()
	rows, _ := p.pool.Query(ctx, `SELECT record FROM passkeys WHERE customer = $1 OR staff = $2`, customer, staff)
	records, err := pgx.CollectRows(rows, pgx.RowTo[webauthn.Credential])
	if err != nil {
		return nil, fmt.Errorf("read passkeys: %w", err)
	}
	return records, nil
}

// Options are what a page hands to the browser, as JSON.
type Options = json.RawMessage

// keep writes a challenge down until its answer comes.
func (p *Passkeys) keep(ctx context.Context, purpose string, of *Owner, session *webauthn.SessionData, options any) (Options, error) {
	var customer, staff *uuid.UUID
	if of != nil {
		customer, staff = of.columns()
	}
	now := p.now()
	if _, err := p.pool.Exec(ctx, `WITH old AS (DELETE FROM passkey_challenges WHERE ends_at <= $6)
		INSERT INTO passkey_challenges (challenge, purpose, customer, staff, session, ends_at) VALUES ($1, $2, $3, $4, $5, $7)`,
		credential.HashOf(session.Challenge), purpose, customer, staff, session, now, now.Add(challengeFor)); err != nil {
		return nil, fmt.Errorf("keep challenge: %w", err)
	}
	text, err := json.Marshal(options)
	if err != nil {
		return nil, fmt.Errorf("write options: %w", err)
	}
	return text, nil
}

// take ends the challenge that an answer is for, and refuses with ErrChallenge or ErrOrigin.
func (p *Passkeys) take(ctx context.Context, purpose string, of *Owner, said protocol.CollectedClientData) (session webauthn.SessionData, err error) {
	var customer, staff *uuid.UUID
	if of != nil {
		customer, staff = of.columns()
	}
	err = p.pool.QueryRow(ctx, `DELETE FROM passkey_challenges WHERE challenge = $1 AND purpose = $2 AND customer IS NOT DISTINCT FROM $3
		AND staff IS NOT DISTINCT FROM $4 AND ends_at > $5 RETURNING session`, credential.HashOf(said.Challenge), purpose, customer, staff, p.now()).Scan(&session)
	if errors.Is(err, pgx.ErrNoRows) {
		return session, ErrChallenge
	}
	if err != nil {
		return session, fmt.Errorf("take challenge: %w", err)
	}
	if said.Origin != p.origin {
		return session, ErrOrigin
	}
	return session, nil
}

// BeginAdd asks an authenticator for a passkey of an account, which it shows by a name.
func (p *Passkeys) BeginAdd(ctx context.Context, of Owner, shown string) (Options, error) {
	if p.party == nil {
		return nil, ErrUnavailable
	}
	records, err := p.recordsOf(ctx, of)
	if err != nil {
		return nil, err
	}
	if len(records) >= mostPasskeys {
		return nil, ErrTooMany
	}
	options, session, err := p.party.BeginRegistration(account{of, shown, records},
		webauthn.WithExclusions(webauthn.Credentials(records).CredentialDescriptors()))
	if err != nil {
		return nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return p.keep(ctx, toAdd, &of, session, options.Response)
}

// Add keeps the passkey that an authenticator made. It refuses with the errors above.
func (p *Passkeys) Add(ctx context.Context, of Owner, name string, answer []byte) (Passkey, error) {
	made, err := p.add(ctx, of, name, answer)
	note(ctx, securitylog.Entry{Kind: securitylog.Passkey, Outcome: securitylog.Added}, err)
	return made, err
}

func (p *Passkeys) add(ctx context.Context, of Owner, name string, answer []byte) (Passkey, error) {
	if p.party == nil {
		return Passkey{}, ErrUnavailable
	}
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n == 0 || n > longestName {
		return Passkey{}, ErrName
	}
	said, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return Passkey{}, refused(err)
	}
	session, err := p.take(ctx, toAdd, &of, said.Response.CollectedClientData)
	if err != nil {
		return Passkey{}, err
	}
	record, err := p.party.CreateCredential(account{owner: of}, session, said)
	if err != nil {
		return Passkey{}, refused(err)
	}
	made := Passkey{Name: name, CreatedAt: p.now()}
	customer, staff := of.columns()
	err = p.pool.QueryRow(ctx, `INSERT INTO passkeys (credential, customer, staff, name, record, created_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING RETURNING id`, record.ID, customer, staff, made.Name, record, made.CreatedAt).Scan((*[16]byte)(&made.ID))
	if errors.Is(err, pgx.ErrNoRows) {
		return Passkey{}, ErrRefused // the same key again
	}
	if err != nil {
		return Passkey{}, fmt.Errorf("keep passkey: %w", err)
	}
	return made, nil
}

// refused is ErrRefused with what the library found.
func refused(err error) error {
	var found *protocol.Error
	if errors.As(err, &found) {
		return fmt.Errorf("%w: %s", ErrRefused, found.Details)
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}

// BeginSignIn asks for any passkey of a realm.
func (p *Passkeys) BeginSignIn(ctx context.Context, realm Realm) (Options, error) {
	if p.party == nil {
		return nil, ErrUnavailable
	}
	options, session, err := p.party.BeginDiscoverableLogin()
	if err != nil {
		return nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return p.keep(ctx, string(realm), nil, session, options.Response)
}

// BeginStepUp asks for a passkey of an account.
func (p *Passkeys) BeginStepUp(ctx context.Context, of Owner) (Options, error) {
	if p.party == nil {
		return nil, ErrUnavailable
	}
	records, err := p.recordsOf(ctx, of)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, ErrUnknown
	}
	options, session, err := p.party.BeginLogin(account{owner: of, records: records})
	if err != nil {
		return nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return p.keep(ctx, toStepUp, &of, session, options.Response)
}

// SignIn checks an answer to BeginSignIn and calls then with whose passkey it is, in the transaction that notes its use. It
// refuses with the errors above.
func (p *Passkeys) SignIn(ctx context.Context, realm Realm, answer []byte, then func(tx pgx.Tx, of Owner) error) error {
	seen := securitylog.Entry{Kind: securitylog.SignIn, Outcome: securitylog.OK, How: securitylog.ByPasskey, Who: securitylog.Who{Party: securitylog.Customer}}
	if realm == Staff {
		seen.Who.Party = securitylog.Staff
	}
	barred := false
	err := p.use(ctx, string(realm), nil, answer, func(tx pgx.Tx, of Owner) error {
		if seen.Who.ID = of.Customer; realm == Staff {
			seen.Who.ID = of.Staff
		}
		if err := then(tx, of); err != nil {
			barred = true
			return err
		}
		return nil
	})
	if barred && ctx.Err() == nil { // the passkey is right, and its account may not sign in
		seen.Outcome = securitylog.Refused
		securitylog.Note(ctx, seen)
		return err
	}
	note(ctx, seen, err)
	return err
}

// StepUp checks an answer to BeginStepUp in the same way.
func (p *Passkeys) StepUp(ctx context.Context, of Owner, answer []byte, then func(tx pgx.Tx) error) error {
	err := p.use(ctx, toStepUp, &of, answer, func(tx pgx.Tx, _ Owner) error { return then(tx) })
	note(ctx, securitylog.Entry{Kind: securitylog.StepUp, Outcome: securitylog.OK, How: securitylog.ByPasskey}, err)
	return err
}

func (p *Passkeys) use(ctx context.Context, purpose string, of *Owner, answer []byte, then func(tx pgx.Tx, of Owner) error) error {
	if p.party == nil {
		return ErrUnavailable
	}
	said, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return refused(err)
	}
	session, err := p.take(ctx, purpose, of, said.Response.CollectedClientData)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		owner, record, err := locked(ctx, tx, said.RawID)
		if err != nil {
			return err
		}
		if of != nil && owner != *of || purpose == string(Customers) && owner.Staff != uuid.Nil || purpose == string(Staff) && owner.Customer != uuid.Nil {
			return ErrUnknown
		}
		who := account{owner: owner, records: []webauthn.Credential{record}}
		var used *webauthn.Credential
		if of != nil {
			used, err = p.party.ValidateLogin(who, session, said)
		} else {
			_, used, err = p.party.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return who, nil }, session, said)
		}
		if err != nil {
			return refused(err)
		}
		if used.Authenticator.CloneWarning {
			return ErrCopied
		}
		if _, err := tx.Exec(ctx, `UPDATE passkeys SET record = $2, used_at = $3 WHERE credential = $1`, said.RawID, used, p.now()); err != nil {
			return fmt.Errorf("note use of passkey: %w", err)
		}
		return then(tx, owner)
	})
}

// locked is a passkey, held until tx ends, so that of two answers with the same counter one is second.
func locked(ctx context.Context, tx pgx.Tx, id []byte) (of Owner, record webauthn.Credential, err error) {
	var customer, staff *[16]byte
	err = tx.QueryRow(ctx, `SELECT customer, staff, record FROM passkeys WHERE credential = $1 FOR UPDATE`, id).Scan(&customer, &staff, &record)
	if errors.Is(err, pgx.ErrNoRows) {
		return of, record, ErrUnknown
	}
	if err != nil {
		return of, record, fmt.Errorf("look for passkey: %w", err)
	}
	if customer != nil {
		of.Customer = *customer
	}
	if staff != nil {
		of.Staff = *staff
	}
	return of, record, nil
}
