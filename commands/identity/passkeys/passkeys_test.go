package passkeys_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/passkeys"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const origin = "https://shop.example"

// authenticator is a device with one passkey. Its fields are what an attacker would have it do otherwise.
type authenticator struct {
	t       *testing.T
	key     *ecdsa.PrivateKey
	id      []byte
	handle  string
	counter uint32
	origin  string
	party   string
	flags   byte
}

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authenticator{t: t, key: key, id: make([]byte, 32), origin: origin, party: "shop.example", flags: 0x05}
	rand.Read(a.id)
	return a
}

var text = base64.RawURLEncoding

func (a *authenticator) json(v any) []byte {
	a.t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	return encoded
}

func (a *authenticator) client(kind, challenge string) []byte {
	return a.json(map[string]any{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
}

func (a *authenticator) data(flags byte) []byte {
	party := sha256.Sum256([]byte(a.party))
	return binary.BigEndian.AppendUint32(append(party[:], flags), a.counter)
}

func (a *authenticator) read(options passkeys.Options) (challenge string) {
	a.t.Helper()
	var asked struct {
		Challenge string
		User      struct{ ID string }
	}
	if err := json.Unmarshal(options, &asked); err != nil || asked.Challenge == "" {
		a.t.Fatalf("the options are %s: %v", options, err)
	}
	if asked.User.ID != "" {
		a.handle = asked.User.ID
	}
	return asked.Challenge
}

// creates answers a request for a passkey.
func (a *authenticator) creates(options passkeys.Options) []byte {
	a.t.Helper()
	client := a.client("webauthn.create", a.read(options))
	point, err := a.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		a.t.Fatal(err)
	}
	cose, err := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	if err != nil {
		a.t.Fatal(err)
	}
	data := append(a.data(a.flags|0x40), make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.id)))
	data = append(append(data, a.id...), cose...)
	attestation, err := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	if err != nil {
		a.t.Fatal(err)
	}
	return a.json(map[string]any{
		"id": text.EncodeToString(a.id), "rawId": text.EncodeToString(a.id), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]any{"clientDataJSON": text.EncodeToString(client), "attestationObject": text.EncodeToString(attestation)},
	})
}

// answers a request for an assertion.
func (a *authenticator) answers(options passkeys.Options) []byte {
	a.t.Helper()
	client := a.client("webauthn.get", a.read(options))
	a.counter++
	data := a.data(a.flags)
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, signed[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.json(map[string]any{
		"id": text.EncodeToString(a.id), "rawId": text.EncodeToString(a.id), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]any{
			"clientDataJSON": text.EncodeToString(client), "authenticatorData": text.EncodeToString(data),
			"signature": text.EncodeToString(signature), "userHandle": a.handle,
		},
	})
}

// desk is a shop with one customer and one member of staff.
type desk struct {
	*passkeys.Passkeys
	t               *testing.T
	customer, staff passkeys.Owner
	mu              sync.Mutex
	now             time.Time
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	pool := pgtest.Open(t)
	d := &desk{t: t, now: time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC), customer: passkeys.Owner{Customer: uuid.New()}, staff: passkeys.Owner{Staff: uuid.New()}}
	if _, err := pool.Exec(t.Context(), `INSERT INTO customer_accounts (id, email, password, created_at, opened_at) VALUES ($1, 'e', 'p', now(), now())`, d.customer.Customer); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), `INSERT INTO staff_accounts (id, email, role, created_at) VALUES ($1, 'a@shop.example', 'admin', now())`, d.staff.Staff); err != nil {
		t.Fatal(err)
	}
	var err error
	d.Passkeys, err = passkeys.New(pool, "Дала", origin, func() time.Time { d.mu.Lock(); defer d.mu.Unlock(); return d.now })
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// added is a passkey of an account.
func (d *desk) added(of passkeys.Owner) *authenticator {
	d.t.Helper()
	a := newAuthenticator(d.t)
	options, err := d.BeginAdd(d.t.Context(), of, "anna@example.kz")
	if err != nil {
		d.t.Fatal(err)
	}
	if made, err := d.Add(d.t.Context(), of, " Телефон ", a.creates(options)); err != nil || made.Name != "Телефон" {
		d.t.Fatalf("added %+v, %v", made, err)
	}
	return a
}

func (d *desk) asked() passkeys.Options {
	d.t.Helper()
	options, err := d.BeginSignIn(d.t.Context(), passkeys.Customers)
	if err != nil {
		d.t.Fatal(err)
	}
	return options
}

// enters says who is let in by an answer.
func (d *desk) enters(answer []byte) (who passkeys.Owner, err error) {
	err = d.SignIn(d.t.Context(), passkeys.Customers, answer, func(_ pgx.Tx, of passkeys.Owner) error { who = of; return nil })
	return who, err
}

func TestSignInWithAPasskey(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	phone := d.added(d.customer)
	for range 2 {
		if who, err := d.enters(phone.answers(d.asked())); err != nil || who != d.customer {
			t.Fatalf("signed in as %v, %v", who, err)
		}
	}
	list, err := d.List(t.Context(), d.customer)
	if err != nil || len(list) != 1 || list[0].UsedAt == nil {
		t.Fatalf("the passkeys are %+v, %v", list, err)
	}
	if others, err := d.List(t.Context(), d.staff); err != nil || len(others) != 0 {
		t.Errorf("another's passkeys are %+v, %v", others, err)
	}
	if err := d.Remove(t.Context(), d.staff, list[0].ID); !errors.Is(err, passkeys.ErrUnknown) {
		t.Errorf("another removes it: %v", err)
	}
	if err := d.Remove(t.Context(), d.customer, list[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := d.enters(phone.answers(d.asked())); !errors.Is(err, passkeys.ErrUnknown) {
		t.Errorf("a removed passkey: %v", err)
	}
}

// Whatever is refused changes nothing: the passkey signs in afterwards.
func TestBadAnswersAreRefused(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	phone := d.added(d.customer)
	for range 2 { // the counter moves on
		if _, err := d.enters(phone.answers(d.asked())); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		answer func() []byte
		want   error
	}{
		"an answer again": {func() []byte {
			answer := phone.answers(d.asked())
			if _, err := d.enters(answer); err != nil {
				t.Fatal(err)
			}
			return answer
		}, passkeys.ErrChallenge},
		"too late": {func() []byte {
			options := d.asked()
			d.now = d.now.Add(6 * time.Minute)
			return phone.answers(options)
		}, passkeys.ErrChallenge},
		"a challenge for staff": {func() []byte {
			options, err := d.BeginSignIn(t.Context(), passkeys.Staff)
			if err != nil {
				t.Fatal(err)
			}
			return phone.answers(options)
		}, passkeys.ErrChallenge},
		"another site": {func() []byte {
			phone.origin = "https://shop.example.evil.example"
			defer func() { phone.origin = origin }()
			return phone.answers(d.asked())
		}, passkeys.ErrOrigin},
		"another relying party": {func() []byte {
			phone.party = "evil.example"
			defer func() { phone.party = "shop.example" }()
			return phone.answers(d.asked())
		}, passkeys.ErrRefused},
		"an unverified user": {func() []byte {
			phone.flags = 0x01
			defer func() { phone.flags = 0x05 }()
			return phone.answers(d.asked())
		}, passkeys.ErrRefused},
		"another key": {func() []byte {
			forged := *phone
			forged.key = newAuthenticator(t).key
			return forged.answers(d.asked())
		}, passkeys.ErrRefused},
		"another's name": {func() []byte {
			forged := *phone
			forged.handle = text.EncodeToString(d.staff.Staff[:])
			return forged.answers(d.asked())
		}, passkeys.ErrRefused},
		"a counter that went back": {func() []byte {
			copied := *phone
			copied.counter = 0
			return copied.answers(d.asked())
		}, passkeys.ErrCopied},
		"an unknown passkey": {func() []byte { return newAuthenticator(t).answersAs(d.customer, d.asked()) }, passkeys.ErrUnknown},
		"nonsense":           {func() []byte { return []byte(`{"id":"x"}`) }, passkeys.ErrRefused},
	} {
		if who, err := d.enters(c.answer()); !errors.Is(err, c.want) || who != (passkeys.Owner{}) {
			t.Errorf("%s: %v, %v, want %v", name, who, err, c.want)
		}
	}
	if _, err := d.enters(phone.answers(d.asked())); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// answersAs is answers with the name of an account.
func (a *authenticator) answersAs(of passkeys.Owner, options passkeys.Options) []byte {
	a.handle = text.EncodeToString(of.Customer[:])
	return a.answers(options)
}

func TestAPasskeyIsAddedOnce(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	phone := newAuthenticator(t)
	options, err := d.BeginAdd(t.Context(), d.customer, "anna@example.kz")
	if err != nil {
		t.Fatal(err)
	}
	answer := phone.creates(options)
	if _, err := d.Add(t.Context(), d.staff, "Телефон", answer); !errors.Is(err, passkeys.ErrChallenge) {
		t.Errorf("another account takes the answer: %v", err)
	}
	if _, err := d.Add(t.Context(), d.customer, " ", answer); !errors.Is(err, passkeys.ErrName) {
		t.Errorf("without a name: %v", err)
	}
	if _, err := d.Add(t.Context(), d.customer, "Телефон", answer); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Add(t.Context(), d.customer, "Телефон", answer); !errors.Is(err, passkeys.ErrChallenge) {
		t.Errorf("the answer again: %v", err)
	}
	// The same key for another account is none.
	options, err = d.BeginAdd(t.Context(), d.staff, "a@shop.example")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Add(t.Context(), d.staff, "Телефон", phone.creates(options)); !errors.Is(err, passkeys.ErrRefused) {
		t.Errorf("the key of another account: %v", err)
	}
}

func TestStepUpNeedsOnesOwnPasskey(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	if _, err := d.BeginStepUp(t.Context(), d.staff); !errors.Is(err, passkeys.ErrUnknown) {
		t.Errorf("without a passkey: %v", err)
	}
	own, foreign := d.added(d.staff), d.added(d.customer)
	ask := func() passkeys.Options {
		options, err := d.BeginStepUp(t.Context(), d.staff)
		if err != nil {
			t.Fatal(err)
		}
		return options
	}
	proved := func(pgx.Tx) error { return nil }
	if err := d.StepUp(t.Context(), d.staff, foreign.answers(ask()), proved); !errors.Is(err, passkeys.ErrUnknown) {
		t.Errorf("a foreign passkey: %v", err)
	}
	if err := d.StepUp(t.Context(), d.staff, own.answers(ask()), proved); err != nil {
		t.Errorf("the own passkey: %v", err)
	}
}

func TestAnAddressHasNoPasskeys(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "http://127.0.0.1:8080", "http://[::1]:8080"} {
		p, err := passkeys.New(nil, "Дала", url, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.BeginSignIn(t.Context(), passkeys.Customers); !errors.Is(err, passkeys.ErrUnavailable) {
			t.Errorf("%q: %v", url, err)
		}
	}
}
