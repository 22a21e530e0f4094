package signin

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	email    = "a@shop.example"
	password = "correct horse battery"
)

// desk is accounts with a clock that tests move, and one account.
type desk struct {
	*Accounts
	t    *testing.T
	mu   sync.Mutex
	time time.Time
	id   uuid.UUID
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, time: time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)}
	d.Accounts = d.open(pgtest.Open(t), bytes.Repeat([]byte{7}, 32))
	var err error
	if d.id, err = d.Reserve(t.Context(), uuid.Must(uuid.NewV7()), email, "admin"); err != nil {
		t.Fatal(err)
	}
	return d
}

// open makes accounts as a process with such a key does when it starts.
func (d *desk) open(pool *pgxpool.Pool, key []byte) *Accounts {
	d.t.Helper()
	accounts, err := Open(d.t.Context(), pool, Options{Key: key, Clock: func() time.Time { d.mu.Lock(); defer d.mu.Unlock(); return d.time }})
	if err != nil {
		d.t.Fatal(err)
	}
	return accounts
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.time = d.time.Add(by)
}

// code is what the authenticator shows now.
func (d *desk) code() string {
	d.t.Helper()
	return hotp(d.secret(), d.now().Unix()/codePeriod, codeDigits)
}

// secret is what the authenticator was given.
func (d *desk) secret() []byte {
	d.t.Helper()
	var sealed []byte
	if err := d.pool.QueryRow(d.t.Context(), "SELECT totp FROM staff_accounts WHERE id = $1", d.id).Scan(&sealed); err != nil {
		d.t.Fatal(err)
	}
	secret, err := d.opened(d.id, sealed)
	if err != nil {
		d.t.Fatal(err)
	}
	return secret
}

func (d *desk) try(password, code string) (SignedIn, error) {
	return d.SignIn(context.WithoutCancel(d.t.Context()), Attempt{Email: email, Password: password, Code: code})
}

// enrolled signs the account in for the first time.
func (d *desk) enrolled() SignedIn {
	d.t.Helper()
	if err := d.SetPassword(d.t.Context(), d.id, password); err != nil {
		d.t.Fatal(err)
	}
	if in, err := d.try(password, ""); err != nil || in.Enrolment == nil || in.Token != "" {
		d.t.Fatalf("first attempt: %+v, %v", in, err)
	}
	in, err := d.try(password, d.code())
	if err != nil || in.Token == "" || len(in.RecoveryCodes) != recoveryCodes || in.Account.Email != email || !in.Account.TOTP {
		d.t.Fatalf("first sign-in: %+v, %v", in, err)
	}
	return in
}

func (d *desk) wants(what string, err, want error) {
	d.t.Helper()
	if !errors.Is(err, want) {
		d.t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func (d *desk) locked(what string, err error, wait time.Duration) {
	d.t.Helper()
	var locked *Locked
	if !errors.As(err, &locked) || locked.For != wait {
		d.t.Errorf("%s: %v, want to wait %s", what, err, wait)
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	_, err := d.try(password, "")
	d.wants("without a password chosen", err, ErrWrong)
	first := d.enrolled()
	d.pass(time.Minute)
	_, err = d.try("wrong password", d.code())
	d.wants("a wrong password", err, ErrWrong)
	_, err = d.try(password, "")
	d.wants("without a code", err, ErrCodeWanted)
	_, err = d.try(password, "000000")
	d.wants("a wrong code", err, ErrWrong)
	code := d.code()
	in, err := d.try(password, code[:3]+" "+code[3:])
	if err != nil || in.Token == first.Token || in.RecoveryCodes != nil {
		t.Fatalf("a right code: %+v, %v", in, err)
	}
	_, err = d.try(password, code)
	d.wants("the same code again", err, ErrWrong)
	_, err = d.SignIn(t.Context(), Attempt{Email: "nobody@shop.example", Password: password})
	d.wants("an e-mail of nobody", err, ErrWrong)

	// Both sessions go on; one is signed out.
	if err := d.SignOut(t.Context(), first.Token); err != nil {
		t.Fatal(err)
	}
	_, err = d.Session(t.Context(), first.Token)
	d.wants("a session signed out", err, ErrNoSession)
	if who, err := d.Session(t.Context(), in.Token); err != nil || who.Account.ID != d.id || who.Account.Role != "admin" {
		t.Errorf("the session is of %+v, %v", who, err)
	}
}

func TestOneCodeAtOnceIsTakenOnce(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.enrolled()
	d.pass(time.Minute)
	code := d.code()
	results := make(chan error, 3)
	for range 3 {
		go func() { _, err := d.try(password, code); results <- err }()
	}
	good := 0
	for range 3 {
		if err := <-results; err == nil {
			good++
		} else {
			d.wants("a code used at the same moment", err, ErrWrong)
		}
	}
	if good != 1 {
		t.Errorf("a code was taken %d times", good)
	}
}

func TestRecoveryCodesWorkOnce(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	first := d.enrolled()
	in, err := d.try(password, strings.ToLower(first.RecoveryCodes[3]))
	if err != nil || in.Token == "" {
		t.Fatalf("a recovery code: %v", err)
	}
	_, err = d.try(password, first.RecoveryCodes[3])
	d.wants("a recovery code again", err, ErrWrong)
	if _, err = d.try(password, first.RecoveryCodes[4]); err != nil {
		t.Errorf("another one: %v", err)
	}
}

func TestGuessesHaveToWait(t *testing.T) {
	t.Parallel()
	for _, who := range []string{email, "nobody@shop.example"} {
		d := openDesk(t)
		d.enrolled()
		try := func(password, code string) error {
			_, err := d.SignIn(context.WithoutCancel(t.Context()), Attempt{Email: who, Password: password, Code: code})
			return err
		}
		// At the same moment no more are looked at than one after the other.
		results := make(chan error, 8)
		for range 8 {
			go func() { results <- try("guess guess guess", "") }()
		}
		looked := 0
		for range 8 {
			if errors.Is(<-results, ErrWrong) {
				looked++
			}
		}
		if looked != freeAttempts {
			t.Errorf("%s: %d guesses were looked at", who, looked)
		}
		d.locked(who, try(password, d.code()), time.Minute)
		d.pass(time.Minute)
		d.wants(who, try("guess guess guess", ""), ErrWrong)
		d.locked(who, try(password, ""), 2*time.Minute)
		for range 10 {
			d.pass(time.Hour)
			d.wants(who, try("guess guess guess", ""), ErrWrong)
		}
		d.locked("at most "+who, try(password, ""), time.Hour)
		if who != email {
			continue
		}
		// Who gets in starts anew.
		d.pass(time.Hour)
		if err := try(password, d.code()); err != nil {
			t.Errorf("after the wait: %v", err)
		}
		d.wants("a fresh start", try("guess guess guess", ""), ErrWrong)
		d.wants("a fresh start", try("guess guess guess", ""), ErrWrong)
	}
}

// The password alone, however often, does not give more guesses at the code.
func TestCodesCannotBeGuessed(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.enrolled()
	d.pass(time.Minute)
	for i := range freeAttempts {
		if _, err := d.try(password, "000000"); !errors.Is(err, ErrWrong) {
			t.Fatalf("guess %d: %v", i, err)
		}
		if i < freeAttempts-1 {
			_, err := d.try(password, "")
			d.wants("in between", err, ErrCodeWanted)
		}
	}
	_, err := d.try(password, d.code())
	d.locked("after the guesses", err, time.Minute)
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	in := d.enrolled()
	alive := func() bool {
		_, err := d.Session(t.Context(), in.Token)
		if err != nil && !errors.Is(err, ErrNoSession) {
			t.Fatal(err)
		}
		return err == nil
	}
	// Used now and then it lives for a week, and no longer.
	for range 24 {
		d.pass(7 * time.Hour)
		if d.now().Sub(in.Account.CreatedAt) < LongestSession && !alive() {
			t.Fatalf("over after %s", d.now().Sub(in.Account.CreatedAt))
		}
	}
	if alive() {
		t.Error("alive after a week")
	}
	d.pass(time.Minute)
	if in, _ = d.try(password, d.code()); !alive() {
		t.Fatal("a new session is over")
	}
	d.pass(IdleSession - time.Second)
	if !alive() {
		t.Error("over before it was idle for 12 hours")
	}
	d.pass(IdleSession)
	if alive() {
		t.Error("alive after 12 idle hours")
	}
}

func TestWhatEndsSessionsAtOnce(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(d *desk) error{
		"disable":      func(d *desk) error { return d.Disable(t.Context(), d.id) },
		"reset":        func(d *desk) error { return d.Reset(t.Context(), d.id) },
		"set password": func(d *desk) error { return d.SetPassword(t.Context(), d.id, "another long password") },
		"accept": func(d *desk) error {
			token, _, err := d.Invite(t.Context(), d.id)
			return errors.Join(err, d.Accept(t.Context(), token, "another long password"))
		},
	} {
		d := openDesk(t)
		in := d.enrolled()
		if err := end(d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, err := d.Session(t.Context(), in.Token)
		d.wants(name, err, ErrNoSession)
		d.pass(time.Minute)
		_, err = d.try(password, "")
		d.wants("the old password after "+name, err, ErrWrong)
		if name == "disable" {
			if err := d.Enable(t.Context(), d.id); err != nil {
				t.Fatal(err)
			}
			_, err := d.Session(t.Context(), in.Token)
			d.wants("a session after enable", err, ErrNoSession)
			if _, err := d.try(password, d.code()); err != nil {
				t.Errorf("signing in after enable: %v", err)
			}
		}
	}
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	ctx := t.Context()
	invite := func() string {
		token, _, err := d.Invite(ctx, d.id)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	former, token := invite(), invite()
	d.wants("a former link", d.Accept(ctx, former, password), ErrLink)
	d.wants("a weak password", d.Accept(ctx, token, "short"), ErrWeakPassword)
	if err := d.Accept(ctx, token, password); err != nil {
		t.Fatal(err)
	}
	d.wants("a link used", d.Accept(ctx, token, password), ErrLink)
	late := invite()
	d.pass(invitedFor)
	d.wants("a link too old", d.Accept(ctx, late, password), ErrLink)
	open := invite()
	if err := d.Disable(ctx, d.id); err != nil {
		t.Fatal(err)
	}
	d.wants("a link of a disabled account", d.Accept(ctx, open, password), ErrLink)
	if _, _, err := d.Invite(ctx, d.id); !errors.Is(err, ErrUnknown) {
		t.Errorf("a link for a disabled account: %v", err)
	}
}

func TestNothingInTheTablesOpensADoor(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	in := d.enrolled()
	token, _, err := d.Invite(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	var all string
	if err := d.pool.QueryRow(t.Context(), `SELECT (SELECT string_agg(a::text, '') FROM staff_accounts a) || (SELECT string_agg(s::text || encode(token, 'escape'), '') FROM staff_sessions s)
		|| (SELECT string_agg(encode(code, 'escape'), '') FROM staff_recovery_codes)`).Scan(&all); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(all, email) {
		t.Fatalf("the tables read %s", all)
	}
	for _, secret := range []string{
		password, in.Token, token, strings.ReplaceAll(in.RecoveryCodes[0], "-", ""), hex.EncodeToString(d.secret()), base32Text.EncodeToString(d.secret()),
	} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is in the tables", secret)
		}
	}
}

// Rows of before the secrets were sealed: the constraint holds for what is written since.
func TestAuthenticatorsOfBeforeAreSealedAtTheStart(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.enrolled()
	secret := d.secret()
	const plain = `ALTER TABLE staff_accounts DROP CONSTRAINT authenticators_are_sealed;
		UPDATE staff_accounts SET totp = '\x%x';
		ALTER TABLE staff_accounts ADD CONSTRAINT authenticators_are_sealed CHECK (octet_length(totp) = 48) NOT VALID`
	if _, err := d.pool.Exec(t.Context(), fmt.Sprintf(plain, secret)); err != nil {
		t.Fatal(err)
	}

	for range 2 { // a second start changes nothing
		d.Accounts = d.open(d.pool, bytes.Repeat([]byte{7}, 32))
	}

	var kept []byte
	if err := d.pool.QueryRow(t.Context(), `SELECT totp FROM staff_accounts`).Scan(&kept); err != nil || len(kept) != 48 || bytes.Contains(kept, secret) {
		t.Errorf("kept as %x, %v", kept, err)
	}
	d.pass(time.Minute)
	if in, err := d.try(password, hotp(secret, d.now().Unix()/codePeriod, codeDigits)); err != nil || in.Token == "" {
		t.Errorf("the owner's phone: %v", err)
	}
}

func TestAuthenticatorsOpenWithTheirKeyInTheirRowAlone(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.enrolled()
	d.pass(time.Minute)
	code := d.code()
	restored := d.open(d.pool, bytes.Repeat([]byte{8}, 32))
	_, err := restored.SignIn(t.Context(), Attempt{Email: email, Password: password, Code: code})
	d.wants("another key", err, errSealed)

	// Somebody who can write in the table puts the own authenticator into another's row.
	other, err := d.Reserve(t.Context(), uuid.Must(uuid.NewV7()), "b@shop.example", "admin")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SetPassword(t.Context(), other, password); err != nil {
		t.Fatal(err)
	}
	if _, err := d.pool.Exec(t.Context(), `UPDATE staff_accounts SET totp = (SELECT totp FROM staff_accounts WHERE id = $1), totp_confirmed = true WHERE id = $2`, d.id, other); err != nil {
		t.Fatal(err)
	}
	_, err = d.SignIn(t.Context(), Attempt{Email: "b@shop.example", Password: password, Code: code})
	d.wants("another row", err, errSealed)
	if _, err := Open(t.Context(), d.pool, Options{Key: []byte("short")}); err == nil {
		t.Error("a short key is taken")
	}
}
