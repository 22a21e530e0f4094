package credential

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"
)

const password = "correct horse battery"

func TestPasswordsAreKeptAsHashes(t *testing.T) {
	t.Parallel()
	h := NewHasher(1)
	stored, err := h.Hash(t.Context(), Unknown, password)
	if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=47104,t=1,p=1$") {
		t.Fatalf("%s, %v", stored, err)
	}
	for given, want := range map[string]bool{password: true, password + " ": false, "": false} {
		if got, err := h.Matches(t.Context(), Unknown, stored, given); err != nil || got != want {
			t.Errorf("%q matches: %v, %v", given, got, err)
		}
	}
	if ok, err := h.Matches(t.Context(), Unknown, Nobodys, ""); err != nil || ok {
		t.Errorf("nobody's hash matches: %v, %v", ok, err)
	}
	for _, bad := range []string{"", "plain", "$argon2id$v=19$m=1,t=1,p=1$x", "$argon2id$v=18$m=19456,t=2,p=1$AAAA$AAAA"} {
		if _, err := h.Matches(t.Context(), Unknown, bad, password); err == nil {
			t.Errorf("%q is understood", bad)
		}
	}
	if h.Hashed() != 5 {
		t.Errorf("%d hashes were counted", h.Hashed())
	}
}

// TestOldHashesAreKnown: those of former parameters still match, and are told to be old.
func TestOldHashesAreKnown(t *testing.T) {
	t.Parallel()
	const old = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$"
	key := argon2.IDKey([]byte(password), []byte("saltsaltsaltsalt"), 2, 19456, 1, hashSize)
	if ok, err := NewHasher(1).Matches(t.Context(), Unknown, old+phc.EncodeToString(key), password); err != nil || !ok {
		t.Errorf("an old hash matches: %v, %v", ok, err)
	}
	if !IsOld(old) || IsOld(Nobodys) {
		t.Error("old and present hashes are mixed up")
	}
}

func BenchmarkHash(b *testing.B) {
	for _, p := range []struct{ memory, passes uint32 }{{19 << 10, 2}, {46 << 10, 1}, {64 << 10, 3}} {
		b.Run(fmt.Sprintf("%dMiB,t=%d", p.memory>>10, p.passes), func(b *testing.B) {
			for b.Loop() {
				argon2.IDKey([]byte(password), []byte("saltsaltsaltsalt"), p.passes, p.memory, hashLanes, hashSize)
			}
		})
	}
}
