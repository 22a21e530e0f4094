package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shop/migrations/pgtest"
)

// heads counts persons by the id of the key that wraps theirs; those not wrapped by the empty id.
const heads = `SELECT coalesce(encode(CASE WHEN octet_length(key) = 65 THEN substr(key, 2, 4) END, 'hex'), '') || ' ' || count(*) FROM eventstore.person_keys
	WHERE key IS NOT NULL GROUP BY CASE WHEN octet_length(key) = 65 THEN substr(key, 2, 4) END ORDER BY 1`

// manyPersons gives the database persons with keys from before there was a key file.
const manyPersons = `INSERT INTO eventstore.person_keys (person, key) SELECT gen_random_uuid(), sha256(n::text::bytea) FROM generate_series(1, 60000) n`

// A rotation that is killed half-way is continued by the same command, while the shop serves. What a person said before it is
// readable after it, in processes that began before it, and someone erased meanwhile stays erased.
func TestKeysAreRotatedWhileTheShopServes(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9_000, 50)
	s := p.serve()
	before := s.orderOf(cream)
	pool := p.pool()
	if _, err := pool.Exec(t.Context(), manyPersons); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), `INSERT INTO eventstore.person_keys (person, erased_at) VALUES (gen_random_uuid(), now())`); err != nil {
		t.Fatal(err)
	}
	said := p.ok("keys", "new")
	fresh := strings.Fields(said)[1]

	rotate := p.command("keys", "rotate")
	if err := rotate.Start(); err != nil {
		t.Fatal(err)
	}
	wrapped := func() (n int64) {
		for _, line := range pgtest.All[string](t, pool, heads) {
			if id, count, _ := strings.Cut(line, " "); id == fresh {
				fmt.Sscan(count, &n)
			}
		}
		return n
	}
	until(t, "the rotation has begun", func() bool { return wrapped() > 2000 })
	rotate.Process.Signal(syscall.SIGKILL)
	rotate.Wait()
	half := wrapped()
	t.Logf("killed after %d of 60000", half)
	during := s.orderOf(cream)
	r := p.run("keys", "rotate")
	if r.status != 0 || !strings.Contains(r.stdout, "key "+fresh+" wraps all secrets and the keys of all persons") || !strings.Contains(r.stdout, "wraps nothing any more") {
		t.Fatalf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
	securityTrail{t, pool}.leaves("keys renewed", "", func(r traced) bool { return r.Party == "cli" && r.Route == "shop keys rotate" })
	if half >= 60_000 {
		t.Error("the rotation had ended before it was killed")
	}
	if got := pgtest.All[string](t, pool, heads); len(got) != 1 || !strings.HasPrefix(got[0], fresh+" ") {
		t.Errorf("wrapped by %v, want all by %s", got, fresh)
	}
	if erased := pgtest.All[int64](t, pool, `SELECT count(*) FROM eventstore.person_keys WHERE key IS NULL AND erased_at IS NOT NULL`); erased[0] != 1 {
		t.Errorf("%d are erased, want 1", erased[0])
	}
	// The former key goes: the process that is running and one that begins open everything.
	text, err := os.ReadFile(p.config().KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(p.config().KeyFile, []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	after := s.orderOf(cream)
	for _, order := range []receipt{before, during, after} {
		if shown := p.ok("orders", "show", fmt.Sprint(order.Number)); !strings.Contains(shown, personStreet) {
			t.Errorf("order %d: %s", order.Number, shown)
		}
	}
	if status := s.stop(); status != 0 {
		t.Errorf("ended with %d: %s", status, s.stderr)
	}
	if shown := p.ok("keys", "show"); strings.Count(shown, "\n") != 2 || !strings.Contains(shown, fresh) || strings.Contains(shown, strings.Fields(first)[1]) {
		t.Errorf("keys show: %s", shown)
	}
}

// An earlier database has keys that nothing wraps. It opens, and what is in it is wrapped in the background.
func TestKeysOfBeforeAreWrapped(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	pool := p.pool()
	for _, sql := range []string{
		`INSERT INTO secrets (name, value) SELECT name, sha256(name::bytea) FROM unnest(ARRAY['accounts', 'links']) AS name`,
		`INSERT INTO eventstore.person_keys (person, key) SELECT gen_random_uuid(), sha256(n::text::bytea) FROM generate_series(1, 1500) n`,
		`INSERT INTO eventstore.wrapping_keys (id) VALUES ('')`, // as the migration does
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	links := string(p.secret("links"))
	s := p.serve()
	until(t, "the keys are wrapped", func() bool {
		return len(pgtest.All[[]byte](t, pool, `SELECT id FROM eventstore.wrapping_keys`)) == 1
	})
	if got := pgtest.All[int64](t, pool, `SELECT count(*) FROM eventstore.person_keys WHERE octet_length(key) <> 65 UNION ALL SELECT count(*) FROM secrets WHERE octet_length(value) <> 65`); got[0]+got[1] > 0 {
		t.Errorf("%d keys of persons and %d secrets are not wrapped", got[0], got[1])
	}
	s.stop()
	if string(p.secret("links")) != links {
		t.Error("a secret changed: links in sent letters no longer work")
	}
}

// A bad key file is told in one line that names the setting, and nothing is changed.
func TestAttackKeysFromElsewhere(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.stocked("MK-1", 9_000, 5)
	pool, own := p.pool(), p.config().KeyFile
	good, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprint(rowsOf(t, pool))
	another, err := os.ReadFile(keyFile(t))
	if err != nil {
		t.Fatal(err)
	}
	wanted := strings.Fields(strings.Split(string(good), "\n")[1])[0]
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"another shop's file":  {string(another), 0o600, "lacks key " + wanted},
		"garbage":              {"\x00\x01garbage \xff\n", 0o600, "line 1 is no key"},
		"a short key":          {"AAAA\n", 0o600, "a key of 3 bytes"},
		"nothing":              {"", 0o600, "no key in it"},
		"a file for everybody": {string(good), 0o644, "chmod 0600"},
	} {
		path := filepath.Join(t.TempDir(), "shop.key")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"serve"}, {"keys", "rotate"}, {"orders", "list"}} {
			r := program{t, append([]string{"SHOP_KEY_FILE=" + path}, without(p.env, "SHOP_KEY_FILE")...)}.run(args...)
			last := strings.TrimSpace(r.stderr[strings.LastIndexByte(strings.TrimSpace(r.stderr), '\n')+1:])
			if r.status != 1 || !strings.HasPrefix(last, "shop: SHOP_KEY_FILE: ") || !strings.Contains(last, c.want) {
				t.Errorf("%s: %v: status %d: %s", name, args, r.status, r.stderr)
			}
		}
	}
	missing := program{t, append([]string{"SHOP_KEY_FILE=" + filepath.Join(t.TempDir(), "none")}, without(p.env, "SHOP_KEY_FILE")...)}.run("orders", "list")
	if missing.status != 1 || !strings.Contains(missing.stderr, wanted) {
		t.Errorf("a missing file: %s", missing.stderr)
	}
	// A data folder without its file does not get a new one: nothing would open with it.
	bare := program{t, without(p.env, "SHOP_KEY_FILE")}
	if r := bare.run("orders", "list"); r.status != 1 || !strings.Contains(r.stderr, "bring the file there") {
		t.Errorf("without a file: %s", r.stderr)
	}
	if _, err := os.Stat(filepath.Join(bare.config().DataDir, "shop.key")); err == nil {
		t.Error("a key file was made for a database that has another")
	}
	if after := fmt.Sprint(rowsOf(t, pool)); after != before {
		t.Error("the database was changed")
	}
	// A key that was swapped with another's, or comes from another shop, does not open.
	if _, err := pool.Exec(t.Context(), `UPDATE secrets s SET value = o.value FROM secrets o WHERE s.name = 'links' AND o.name = 'mails'`); err != nil {
		t.Fatal(err)
	}
	if r := p.run("orders", "list"); r.status != 1 || !strings.Contains(r.stderr, `the key of secret "links" does not unwrap`) {
		t.Errorf("a swapped secret: %s", r.stderr)
	}
	if _, err := pool.Exec(t.Context(), `DELETE FROM secrets`); err != nil {
		t.Fatal(err)
	}
	if r := p.run("orders", "list"); r.status != 1 || !strings.Contains(r.stderr, "the table secrets is empty") {
		t.Errorf("lost secrets: %s", r.stderr)
	}
	p.ok("keys", "rotate", "--lost-secrets")
	p.ok("orders", "list")
}

// In development the file is made; with an https address it has to be named.
func TestAttackKeysForgotten(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = without(p.env, "SHOP_KEY_FILE")
	p.env = append(p.env, "SHOP_PUBLIC_URL=https://shop.example", "SHOP_PAYMENTS=sandbox", "SHOP_TRUSTED_PROXIES=none", "SHOP_SMTP_URL=folder")
	if said := p.refused(); !strings.Contains(said, "SHOP_KEY_FILE: must be set with an https SHOP_PUBLIC_URL") {
		t.Errorf("%s", said)
	}
	if r := p.run("orders", "list"); r.status != 1 || !strings.Contains(r.stderr, "SHOP_KEY_FILE: must be set") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	// systemd's LoadCredential=shop.key names the file as well.
	text, err := os.ReadFile(keyFile(t))
	if err != nil {
		t.Fatal(err)
	}
	credentials := t.TempDir()
	if err := os.WriteFile(filepath.Join(credentials, "shop.key"), text, 0o400); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "CREDENTIALS_DIRECTORY="+credentials)
	p.ok("orders", "list")

	local := onDatabase(t)
	local.env = without(local.env, "SHOP_KEY_FILE")
	local.ok("orders", "list")
	made := filepath.Join(local.config().DataDir, "shop.key")
	info, err := os.Stat(made)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if err := os.Chtimes(made, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	local.ok("orders", "list")
}
