package projections

import (
	"time"

	"shop/domain"
	"shop/domain/customer"
	"shop/eventstore"
)

// Customers are the accounts, one row each. Of an erased one the id and the times stay.
func Customers() Projection {
	return Projection{Name: "customer", Version: 3, Tables: []AnyTable{accounts}}
}

// States of an account.
const (
	customerActive  = "active"
	customerLeaving = "leaving"
	customerErased  = "erased"
)

// Account is a row of customer.account. A zero PhotoID is no photo.
type Account struct {
	ID       domain.ID `json:"id"`
	State    string    `json:"state"`
	Email    string    `json:"email"`
	Verified bool      `json:"verified"`
	// Wanted is the e-mail asked for until WantedUntil; empty: none.
	Wanted      string     `json:"wanted"`
	WantedUntil *time.Time `json:"wanted_until"`
	FirstName   string     `json:"first_name"`
	LastName    string     `json:"last_name"`
	Phone       string     `json:"phone"`
	City        string     `json:"city"`
	Street      string     `json:"street"`
	House       string     `json:"house"`
	Floor       string     `json:"floor"`
	Apartment   string     `json:"apartment"`
	Entrance    string     `json:"entrance"`
	PhotoID     domain.ID  `json:"photo_id"`
	// ConsentText is the version of the text agreed to, ConsentAt when.
	ConsentText string     `json:"consent_text"`
	ConsentAt   *time.Time `json:"consent_at"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	// LeavingSince is the position of the wish to be forgotten; 0 without.
	LeavingSince eventstore.Position `json:"leaving_since"`
	ErasedAt     *time.Time          `json:"erased_at"`
	// ErasureProposedBy is the account of staff that proposed to erase the customer and waits for a second one; zero: none.
	ErasureProposedBy domain.ID  `json:"erasure_proposed_by"`
	ErasureProposedAt *time.Time `json:"erasure_proposed_at"`
	// Groups are those that staff put the customer into.
	Groups []string `json:"groups"`
}

var accounts = Table[Account]{
	Name: "account", Key: "id", KeyType: "uuid",
	DDL: `CREATE TABLE account (
		id            uuid        PRIMARY KEY,
		state         text        NOT NULL,
		email         text        NOT NULL,
		verified      boolean     NOT NULL,
		wanted        text        NOT NULL,
		wanted_until  timestamptz,
		first_name    text        NOT NULL,
		last_name     text        NOT NULL,
		phone         text        NOT NULL,
		city          text        NOT NULL,
		street        text        NOT NULL,
		house         text        NOT NULL,
		floor         text        NOT NULL,
		apartment     text        NOT NULL,
		entrance      text        NOT NULL,
		photo_id      uuid        NOT NULL,
		consent_text  text        NOT NULL,
		consent_at    timestamptz,
		created_at    timestamptz NOT NULL,
		updated_at    timestamptz NOT NULL,
		leaving_since bigint      NOT NULL,
		erased_at     timestamptz,
		erasure_proposed_by uuid NOT NULL,
		erasure_proposed_at timestamptz,
		groups        jsonb       NOT NULL
	) WITH (fillfactor = 80)`,
	Personal: []string{"email", "wanted", "first_name", "last_name", "phone", "city", "street", "house", "floor", "apartment", "entrance"},
	Indexes: `
		CREATE INDEX account_by_age ON account (created_at DESC);
		CREATE INDEX account_by_group ON account USING gin (groups) WHERE groups <> '[]';
		CREATE INDEX account_leaving ON account (id) WHERE state = 'leaving';
		CREATE INDEX account_erasure_proposed ON account (erasure_proposed_at) WHERE erasure_proposed_at IS NOT NULL;
		CREATE INDEX account_by_phone ON account (right(phone, 10) text_pattern_ops);
		CREATE INDEX account_by_phone_end ON account (reverse(right(phone, 10)) text_pattern_ops);
		CREATE INDEX account_by_email ON account (lower(email) text_pattern_ops);
		CREATE INDEX account_by_name ON account USING gin (lower(last_name || ' ' || first_name) gin_trgm_ops);
		-- The planner keeps samples of what an index is made of; those of persons would outlive an erasure.
		ALTER INDEX account_by_phone ALTER COLUMN 1 SET STATISTICS 0;
		ALTER INDEX account_by_phone_end ALTER COLUMN 1 SET STATISTICS 0;
		ALTER INDEX account_by_email ALTER COLUMN 1 SET STATISTICS 0;
		ALTER INDEX account_by_name ALTER COLUMN 1 SET STATISTICS 0`,
	Events: []domain.Event{
		customer.Registered{}, customer.EmailChangeRequested{}, customer.EmailChangeCancelled{}, customer.EmailVerified{}, customer.EmailTakenBack{}, customer.ProfileChanged{},
		customer.PhotoChanged{}, customer.PhotoRemoved{}, customer.ConsentGiven{}, customer.ConsentWithdrawn{},
		customer.PasswordChanged{}, customer.ErasureRequested{}, customer.Erased{},
		customer.ErasureProposed{}, customer.ErasureWithdrawn{}, customer.GroupJoined{}, customer.GroupLeft{},
	},
	Keys: keyAfter("customer-"), Stream: streamOf("customer-"),
	Fold: foldAccount,
}

func foldAccount(_ string, a *Account, event eventstore.Event) bool {
	switch e := event.Data.(type) {
	case customer.Registered:
		*a = Account{ID: e.ID, State: customerActive, Email: e.Email, ConsentText: e.ConsentText, ConsentAt: timeOrNil(e.At), CreatedAt: e.At, UpdatedAt: e.At, Groups: []string{}}
		a.profile(e.Profile)
	case customer.EmailChangeRequested:
		a.Wanted, a.WantedUntil, a.UpdatedAt = e.Email, timeOrNil(e.Until), e.At
		if a.Wanted == a.Email {
			a.Wanted, a.WantedUntil = "", nil
		}
	case customer.EmailChangeCancelled:
		a.Wanted, a.WantedUntil, a.UpdatedAt = "", nil, e.At
	case customer.EmailTakenBack:
		a.Email, a.Verified, a.Wanted, a.WantedUntil, a.UpdatedAt = e.Email, true, "", nil, e.At
	case customer.EmailVerified:
		if a.Wanted == e.Email {
			a.Wanted, a.WantedUntil = "", nil
		}
		a.Email, a.Verified, a.UpdatedAt = e.Email, true, e.At
	case customer.GroupJoined, customer.GroupLeft:
		if e, ok := e.(customer.Event); ok {
			a.Groups = orNone(customer.Decider.Evolve(customer.State{Groups: a.Groups}, e).Groups)
		}
	case customer.ProfileChanged:
		a.UpdatedAt = e.At
		a.profile(e.Profile)
	case customer.PhotoChanged:
		a.PhotoID, a.UpdatedAt = e.PhotoID, e.At
	case customer.PhotoRemoved:
		a.PhotoID, a.UpdatedAt = domain.ID{}, e.At
	case customer.ConsentGiven:
		a.ConsentText, a.ConsentAt, a.UpdatedAt = e.Text, timeOrNil(e.At), e.At
	case customer.ConsentWithdrawn:
		a.ConsentText, a.ConsentAt, a.UpdatedAt = "", nil, e.At
	case customer.PasswordChanged:
		a.Wanted, a.WantedUntil, a.UpdatedAt = "", nil, e.At
	case customer.ErasureProposed:
		a.ErasureProposedBy, a.ErasureProposedAt, a.UpdatedAt = e.By, timeOrNil(e.At), e.At
	case customer.ErasureWithdrawn:
		a.ErasureProposedBy, a.ErasureProposedAt, a.UpdatedAt = domain.ID{}, nil, e.At
	case customer.ErasureRequested:
		a.ErasureProposedBy, a.ErasureProposedAt = domain.ID{}, nil
		a.State, a.LeavingSince, a.UpdatedAt = customerLeaving, event.Position, e.At
	case customer.Erased:
		*a = Account{ID: a.ID, State: customerErased, CreatedAt: a.CreatedAt, UpdatedAt: e.At, LeavingSince: a.LeavingSince, ErasedAt: timeOrNil(e.At), Groups: []string{}}
	}
	return a.ID != domain.ID{}
}

func (a *Account) profile(p customer.Profile) {
	a.FirstName, a.LastName, a.Phone, a.City, a.Street, a.House = p.FirstName, p.LastName, p.Phone, p.City, p.Street, p.House
	a.Floor, a.Apartment, a.Entrance = p.Floor, p.Apartment, p.Entrance
}
