package main

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands/mail"
	"shop/domain/staff"
	"shop/migrations/pgtest"
)

// rowsOf is every row of every table, as JSON, by the table's name: all that a copy of the database holds.
func rowsOf(t *testing.T, db *pgxpool.Pool) map[string][]string {
	t.Helper()
	tables := map[string][]string{}
	for _, table := range pgtest.All[string](t, db, `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`) {
		tables[table] = pgtest.All[string](t, db, "SELECT to_jsonb(t)::text FROM "+table+" t")
	}
	return tables
}

var bytesInDump = regexp.MustCompile(`"\\\\x([0-9a-f]{64,})"`)

// keysIn are all 32 bytes in a row that stand anywhere in a dump: any of them may be a key.
func keysIn(t *testing.T, tables map[string][]string) (keys [][]byte) {
	t.Helper()
	for _, rows := range tables {
		for _, row := range rows {
			for _, found := range bytesInDump.FindAllStringSubmatch(row, -1) {
				value, err := hex.DecodeString(found[1])
				if err != nil {
					t.Fatal(err)
				}
				for at := 0; at+32 <= min(len(value), 512); at++ {
					keys = append(keys, value[at:at+32])
				}
			}
		}
	}
	return keys
}

// opens tries keys at an AES-256-GCM ciphertext that begins with its nonce.
func opens(keys [][]byte, closed []byte, data string) (plain []byte, ok bool) {
	for _, key := range keys {
		block, err := aes.NewCipher(key)
		if err != nil {
			continue
		}
		if aead, err := cipher.NewGCMWithRandomNonce(block); err == nil {
			if plain, err := aead.Open(nil, nil, closed, []byte(data)); err == nil {
				return plain, true
			}
		}
	}
	return nil, false
}

// Whoever has a dump, a replica or a backup of the database, and nothing else, opens nothing with the keys in it: no
// authenticator of staff, no link to a guest's order, no code in a letter that waits, no name in an event.
func TestAttackKeysOfADumpOpenNothing(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t)
	d.add("admin@shop.example", staff.Admin)
	d.signIn("admin@shop.example")
	p := d.program()
	cream := p.stocked("MK-1", 9_000, 5)
	s := p.serve("--roles", "web,projectors") // nobody sends letters
	placed := s.orderOf(cream)
	s.register("anna@example.kz")
	if status, _, body := s.send("POST", "/api/auth/profile/password-reset/request/", strings.NewReader(`{"email":"anna@example.kz"}`)); status != 200 {
		t.Fatalf("reset: %d %s", status, body)
	}
	link := mail.Links{Key: p.secret("links")}.OrderKey(placed.ID)

	tables := rowsOf(t, d.shop.Pool)
	keys := keysIn(t, tables)
	t.Logf("%d possible keys in %d tables", len(keys), len(tables))
	var tried [4]int
	try := func(what, sql string) (tried int) {
		t.Helper()
		for _, row := range pgtest.All[string](t, d.shop.Pool, sql) {
			text, closed, _ := strings.Cut(row, " ")
			id := uuid.MustParse(text)
			if plain, ok := opens(keys, unhex(t, closed), string(id[:])); ok {
				t.Errorf("%s opens: %q", what, plain)
			}
			tried++
		}
		return tried
	}
	tried[0] = try("an authenticator", `SELECT id::text || ' ' || encode(totp, 'hex') FROM staff_accounts WHERE totp IS NOT NULL`)
	tried[2] = try("a letter that waits", `SELECT id::text || ' ' || encode(sealed, 'hex') FROM mail_jobs WHERE sealed IS NOT NULL`)
	for _, key := range keys {
		if tried[1]++; (mail.Links{Key: key}).OrderKey(placed.ID) == link {
			t.Error("the link to a guest's order can be made")
			break
		}
	}
	rows, err := d.shop.Pool.Query(t.Context(), `SELECT id, data FROM eventstore.events WHERE data::text LIKE '%"$sealed"%'`)
	if err != nil {
		t.Fatal(err)
	}
	var id uuid.UUID
	var data []byte
	if _, err := pgx.ForEachRow(rows, []any{&id, &data}, func() error {
		var payload map[string]json.RawMessage
		var seal struct{ Fields []string }
		if err := json.Unmarshal(data, &payload); err != nil {
			return err
		}
		if err := json.Unmarshal(payload["$sealed"], &seal); err != nil {
			return err
		}
		for _, field := range seal.Fields {
			closed, err := base64.StdEncoding.DecodeString(strings.Trim(string(payload[field]), `"`))
			if err != nil {
				return err
			}
			if plain, ok := opens(keys, closed, string(id[:])+field); ok {
				t.Errorf("a personal field opens: %s", plain)
			}
			tried[3]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i, what := range []string{"authenticators", "links", "letters", "personal fields"} {
		if tried[i] == 0 {
			t.Errorf("there were no %s to try", what)
		}
	}
	for table, rows := range tables {
		for _, row := range rows {
			if strings.Contains(row, link) {
				t.Errorf("%s holds the link", table)
			}
		}
	}
	// With the key file all of it opens: the shop goes on.
	if status, _, body := s.send("GET", fmt.Sprintf("/api/orders/%s/?key=%s", placed.ID, link), nil); status != 200 || !strings.Contains(body, personStreet) {
		t.Errorf("the guest's own link: %d %s", status, body)
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	value, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
