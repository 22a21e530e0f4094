package signin

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"
)

// TestAttemptsFromManyNetworksAreSlowed: nobody is locked out by strangers elsewhere, whose guesses take longer and longer.
func TestAttemptsFromManyNetworksAreSlowed(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.enrolled()
	d.pass(time.Minute)
	var pauses []time.Duration
	d.Accounts.pause = func(_ context.Context, by time.Duration) error { pauses = append(pauses, by); return nil }
	for i := range slowAfter + 2 {
		if _, err := d.SignIn(t.Context(), Attempt{Email: email, Password: "guess guess guess", Network: fmt.Sprintf("192.0.2.%d", i)}); !errors.Is(err, ErrWrong) {
			t.Fatalf("guess %d: %v", i, err)
		}
	}
	if len(pauses) != 2 || pauses[0] != slowPause {
		t.Errorf("the pauses were %v", pauses)
	}
	in, err := d.SignIn(t.Context(), Attempt{Email: email, Password: password, Code: d.code(), Network: "203.0.113.1"})
	if err != nil || in.Token == "" {
		t.Fatalf("the owner elsewhere: %v", err)
	}
	pauses = nil
	d.pass(time.Minute)
	device := d.Device(in.Account.ID)
	if _, err := d.SignIn(t.Context(), Attempt{Email: email, Password: password, Code: d.code(), Network: "203.0.113.2", Devices: []string{device}}); err != nil || len(pauses) != 0 {
		t.Errorf("a known device: %v, pauses %v", err, pauses)
	}
}

// TestUnlockForgetsFailures: an admin lets the owner try again at once.
func TestUnlockForgetsFailures(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.enrolled()
	for range freeAttempts {
		_, err := d.try("guess guess guess", "")
		d.wants("a guess", err, ErrWrong)
	}
	_, err := d.try(password, "")
	d.locked("after the guesses", err, time.Minute)
	if _, err := d.Unlock(t.Context(), email); err != nil {
		t.Fatal(err)
	}
	_, err = d.try(password, "")
	d.wants("unlocked", err, ErrCodeWanted)
	_, err = d.Unlock(t.Context(), "nobody@shop.example")
	d.wants("nobody's", err, ErrUnknown)
}

// TestOldHashesOfStaffAreRenewed: at a whole sign-in, in its transaction.
func TestOldHashesOfStaffAreRenewed(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	d.enrolled()
	d.pass(time.Minute)
	// Of "correct horse battery", with the parameters of before.
	const old = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$"
	hash := old + oldKey()
	if _, err := d.pool.Exec(t.Context(), "UPDATE staff_accounts SET password = $2 WHERE id = $1", d.id, hash); err != nil {
		t.Fatal(err)
	}
	stored := func() (hash string) {
		if err := d.pool.QueryRow(t.Context(), "SELECT password FROM staff_accounts WHERE id = $1", d.id).Scan(&hash); err != nil {
			t.Fatal(err)
		}
		return hash
	}
	_, err := d.try(password, "")
	d.wants("half a sign-in", err, ErrCodeWanted)
	if stored() != hash {
		t.Error("half a sign-in renewed the hash")
	}
	if _, err := d.try(password, d.code()); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(stored(), old) {
		t.Error("the hash was not renewed")
	}
}

func oldKey() string {
	return base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(password), []byte("saltsaltsaltsalt"), 2, 19456, 1, 32))
}
