package notices

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain"
	"shop/domain/staff"
)

// Languages are those that notices are written in.
var Languages = []string{"ru", "kk", "en"}

// Choice is what a person wants to hear, and how.
type Choice struct {
	// Mail and Push are the causes to be told of on each way.
	Mail []Cause `json:"mail"`
	Push []Cause `json:"push"`
	// QuietFrom and QuietTo are minutes of the day in Almaty between which nothing is sent; both nil: no quiet hours.
	QuietFrom *int `json:"quiet_from"`
	QuietTo   *int `json:"quiet_to"`
	// Digest sends what came by mail together at eight in the morning.
	Digest bool `json:"digest"`
	// Language is ru, kk or en.
	Language string `json:"language"`
}

// Device is a browser that takes pushes.
type Device struct {
	ID        domain.ID `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

// devicesMost is how many browsers of a person take pushes; the oldest makes room.
const devicesMost = 10

// Wrong says which field of a choice or a webhook cannot be meant, and why.
type Wrong struct{ Field, Text string }

func (w *Wrong) Error() string { return w.Field + ": " + w.Text }

// ChoiceOf is what a person chose; who chose nothing hears nothing.
func (b *Board) ChoiceOf(ctx context.Context, account domain.ID) (Choice, error) {
	c := Choice{Mail: []Cause{}, Push: []Cause{}, Language: "ru"}
	err := b.db.QueryRow(ctx, `SELECT mail, push, quiet_from::int, quiet_to::int, digest, language FROM notice_people WHERE account = $1`, account).
		Scan(&c.Mail, &c.Push, &c.QuietFrom, &c.QuietTo, &c.Digest, &c.Language)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return c, fmt.Errorf("read what is chosen: %w", err)
	}
	return c, nil
}

// Choose sets what a person with a role wants to hear. An error is *Wrong when it cannot be meant.
func (b *Board) Choose(ctx context.Context, account domain.ID, role staff.Role, c Choice) error {
	for field, causes := range map[string][]Cause{"mail": c.Mail, "push": c.Push} {
		for _, cause := range causes {
			if !cause.Known() {
				return &Wrong{field, "Is not known."}
			}
			if !cause.For(role) {
				return &Wrong{field, "Your role does not see this."}
			}
		}
	}
	switch {
	case (c.QuietFrom == nil) != (c.QuietTo == nil):
		return &Wrong{"quiet_to", "Quiet hours have a beginning and an end."}
	case c.QuietFrom != nil && (*c.QuietFrom < 0 || *c.QuietFrom > 1439):
		return &Wrong{"quiet_from", "Must be a minute of the day, 0 to 1439."}
	case c.QuietTo != nil && (*c.QuietTo < 0 || *c.QuietTo > 1439):
		return &Wrong{"quiet_to", "Must be a minute of the day, 0 to 1439."}
	case !slices.Contains(Languages, c.Language):
		return &Wrong{"language", "Must be ru, kk or en."}
	}
	_, err := b.db.Exec(ctx, `INSERT INTO notice_people (account, mail, push, quiet_from, quiet_to, digest, language, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account) DO UPDATE SET mail = excluded.mail, push = excluded.push, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
			digest = excluded.digest, language = excluded.language, changed_at = excluded.changed_at`,
		account, orEmpty(c.Mail), orEmpty(c.Push), c.QuietFrom, c.QuietTo, c.Digest, c.Language, b.now())
	if err != nil {
		return fmt.Errorf("keep what is chosen: %w", err)
	}
	return nil
}

func orEmpty(causes []Cause) []Cause {
	if causes == nil {
		return []Cause{}
	}
	return causes
}

// Subscription is where a browser takes pushes, as its PushManager says it.
type Subscription struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		// P256dh and Auth are base64url without padding.
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
}

// Subscribe has a browser of a person take pushes; again it changes whose it is. An error is *Wrong when the address is none.
func (b *Board) Subscribe(ctx context.Context, account domain.ID, device string, s Subscription) error {
	if len(s.Endpoint) > 2000 {
		return &Wrong{"endpoint", "Is too long."}
	}
	if wrong := b.guard.Check(s.Endpoint); wrong != "" {
		return &Wrong{"endpoint", wrong}
	}
	if _, err := s.keys(); err != nil {
		return &Wrong{"keys", "Are not those of a browser."}
	}
	plain, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("keep a push address: %w", err)
	}
	id := uuid.Must(uuid.NewV7())
	hash := b.hashOf(s.Endpoint)
	_, err = b.db.Exec(ctx, `DELETE FROM notice_pushes WHERE hash = $1
		OR id IN (SELECT id FROM notice_pushes WHERE account = $2 ORDER BY created_at DESC, id OFFSET $3)`, hash, account, devicesMost-1)
	if err != nil {
		return fmt.Errorf("keep a push address: %w", err)
	}
	_, err = b.db.Exec(ctx, `INSERT INTO notice_pushes (id, account, hash, sealed, device, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (hash) DO NOTHING`,
		id, account, hash, b.seal.Seal(nil, nil, plain, id[:]), device, b.now())
	if err != nil {
		return fmt.Errorf("keep a push address: %w", err)
	}
	return nil
}

func (b *Board) hashOf(address string) []byte {
	mac := hmac.New(sha256.New, b.hash)
	mac.Write([]byte("push address " + address))
	return mac.Sum(nil)
}

// Unsubscribe stops pushes to a browser of a person; false when they have no such browser.
func (b *Board) Unsubscribe(ctx context.Context, account, id domain.ID) (bool, error) {
	tag, err := b.db.Exec(ctx, `DELETE FROM notice_pushes WHERE id = $1 AND account = $2`, id, account)
	if err != nil {
		return false, fmt.Errorf("drop a push address: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// Devices are the browsers of a person that take pushes, the newest first.
func (b *Board) Devices(ctx context.Context, account domain.ID) ([]Device, error) {
	rows, err := b.db.Query(ctx, `SELECT id, device AS name, created_at FROM notice_pushes WHERE account = $1 ORDER BY created_at DESC, id`, account)
	if err != nil {
		return nil, fmt.Errorf("list browsers: %w", err)
	}
	devices, err := pgx.CollectRows(rows, pgx.RowToStructByName[Device])
	if err != nil {
		return nil, fmt.Errorf("list browsers: %w", err)
	}
	return devices, nil
}

// PushKey is the public key that browsers subscribe with, base64url.
func (b *Board) PushKey() string {
	public, err := b.vapid.PublicKey.Bytes()
	if err != nil {
		return "" // a key of P-256 has bytes
	}
	return base64.RawURLEncoding.EncodeToString(public)
}

// Try sends a trial to all ways of a person that are on: by mail, and to each browser.
func (b *Board) Try(ctx context.Context, account domain.ID) error {
	devices, err := b.Devices(ctx, account)
	if err != nil {
		return err
	}
	n := Notice{ID: uuid.Must(uuid.NewV7()), Cause: Trial, At: b.now()}
	var jobs jobRows
	names := []string{"mail:" + account.String()}
	for _, d := range devices {
		names = append(names, "push:"+d.ID.String())
	}
	for _, name := range names {
		if err := jobs.add(n, name, n.At); err != nil {
			return err
		}
	}
	return jobs.insert(ctx, b.db)
}

// hostOf is what people may read of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
