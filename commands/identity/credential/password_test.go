package credential

import (
	"strings"
	"testing"
)

const password = "correct horse battery"

func TestPasswordsAreKeptAsHashes(t *testing.T) {
	t.Parallel()
	h := NewHasher(1)
	stored, err := h.Hash(t.Context(), password)
	if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%s, %v", stored, err)
	}
	for given, want := range map[string]bool{password: true, password + " ": false, "": false} {
		if got, err := h.Matches(t.Context(), stored, given); err != nil || got != want {
			t.Errorf("%q matches: %v, %v", given, got, err)
		}
	}
	if ok, err := h.Matches(t.Context(), Nobodys, ""); err != nil || ok {
		t.Errorf("nobody's hash matches: %v, %v", ok, err)
	}
	for _, bad := range []string{"", "plain", "$argon2id$v=19$m=1,t=1,p=1$x", "$argon2id$v=18$m=19456,t=2,p=1$AAAA$AAAA"} {
		if _, err := h.Matches(t.Context(), bad, password); err == nil {
			t.Errorf("%q is understood", bad)
		}
	}
	if h.Hashed() != 5 {
		t.Errorf("%d hashes were counted", h.Hashed())
	}
}
