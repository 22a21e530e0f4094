package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shop/eventstore/keyring"
)

// TestAttackKeysWrappedElsewhere: a key in the database that another shop wrapped does not open, whichever of the two names it, and
// nothing is changed.
func TestAttackKeysWrappedElsewhere(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.stocked("MK-1", 9_000, 5)
	pool := p.pool()
	other, err := keyring.Open(keyFile(t))
	if err != nil {
		t.Fatal(err)
	}
	foreign, by := other.Wrap(keyring.Use{Kind: "secret", Of: "links"}, make([]byte, keyring.Size))
	if _, err := pool.Exec(t.Context(), `UPDATE secrets SET value = $1 WHERE name = 'links'`, foreign); err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprint(rowsOf(t, pool))
	for _, args := range [][]string{{"serve"}, {"keys", "rotate"}, {"orders", "list"}} {
		if r := p.run(args...); r.status != 1 || !strings.Contains(r.stderr, "is wrapped with key "+by.String()+", which is not in the key file") {
			t.Errorf("%v: status %d: %s", args, r.status, r.stderr)
		}
	}
	if after := fmt.Sprint(rowsOf(t, pool)); after != before {
		t.Error("the database was changed")
	}
}

// TestAttackKeysRotatedWithoutTheOld: a key file that was replaced in place of being extended is refused until the old key is back.
func TestAttackKeysRotatedWithoutTheOld(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.stocked("MK-1", 9_000, 5)
	pool, path := p.pool(), p.config().KeyFile
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := keyring.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	lacks := "lacks key " + ring.First().String()
	before := fmt.Sprint(rowsOf(t, pool))
	line, _ := keyring.Make()
	replaced := filepath.Join(t.TempDir(), "shop.key")
	if err := os.WriteFile(replaced, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	q := program{t, append([]string{"SHOP_KEY_FILE=" + replaced}, without(p.env, "SHOP_KEY_FILE")...)}
	for _, args := range [][]string{{"serve"}, {"keys", "rotate"}, {"keys", "show"}} {
		if r := q.run(args...); r.status != 1 || !strings.Contains(r.stderr, lacks) {
			t.Errorf("%v: status %d: %s", args, r.status, r.stderr)
		}
	}
	if after := fmt.Sprint(rowsOf(t, pool)); after != before {
		t.Error("the database was changed")
	}
	if err := os.WriteFile(replaced, []byte(line+"\n"+string(old)), 0o600); err != nil {
		t.Fatal(err)
	}
	q.ok("keys", "rotate")
	q.ok("orders", "list")
}
