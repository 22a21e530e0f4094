package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shop/domain/staff"
	"shop/eventstore/keyring"
	"shop/migrations/backup"
	"shop/migrations/pgtest"
	"shop/projections"
)

// opened is what is in a backup, for whoever has the key file.
func opened(t *testing.T, file []byte, keyFile string) string {
	t.Helper()
	ring, err := keyring.Open(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := ring.Unseal(keyring.Use{Kind: "file", Of: "backup"}, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := gzip.NewReader(sealed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A customer with orders, a review, letters that wait and searches is in no byte of the backup, nor is an employee; inside the seal the
// customer is in no column either. Whoever has the key file restores it, and everything is there again.
func TestAttackBackupAloneOpensNothing(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t)
	const employee = "admin-of-the-shop@shop.example"
	d.add(employee, staff.Admin)
	d.signIn(employee)
	p := d.program("SHOP_ACCOUNT_RATE=0")
	cream := p.stocked("MK-1", 9_000, 50)
	s := p.serve()
	status, _, body := s.send("POST", "/api/auth/register/", strings.NewReader(fmt.Sprintf(
		`{"first_name":%q,"last_name":%q,"phone":%q,"email":%q,"password":"long enough","password_check":"long enough","consent":true}`, personFirst, personLast, personPhone, personEmail)))
	var in struct {
		Access string `json:"access"`
	}
	if status != http.StatusCreated || json.Unmarshal([]byte(body), &in) != nil {
		t.Fatalf("registration: %d %s", status, body)
	}
	token := []string{"Authorization", "Bearer " + in.Access}
	guest := s.orderOf(cream, "Idempotency-Key", "once")
	own := s.orderOf(cream, append(token, "Idempotency-Key", "twice")...)
	if status, _, body := s.reviewOf(cream, personReview); status != http.StatusCreated {
		t.Fatalf("review: %d %s", status, body)
	}
	s.send("GET", "/api/products/search/?q="+personLast, nil)
	s.stop()
	want := p.readModels()
	s = p.serve("--roles", "web,projectors") // letters wait
	s.send("POST", "/api/auth/profile/password-reset/request/", strings.NewReader(fmt.Sprintf(`{"email":%q}`, personEmail)))
	if status, _, body := s.send("POST", "/api/auth/profile/password-reset/request/", strings.NewReader(fmt.Sprintf(`{"email":%q}`, personEmail))); status >= 500 {
		t.Fatalf("reset: %d %s", status, body)
	}

	inDatabase := strings.Join(inTables(t, d.shop.Pool), " ")
	for _, one := range []string{personEmail, personFirst, personLast, personStreet, personReview} {
		if !strings.Contains(inDatabase, one) {
			t.Fatalf("%q is in no table, so the backup shows nothing: %s", one, inDatabase)
		}
	}
	file := filepath.Join(t.TempDir(), "shop.age")
	said := p.ok("backup", file)
	t.Log(said)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if _, err := gzip.NewReader(bytes.NewReader(raw)); err == nil || !bytes.HasPrefix(raw, []byte("age-encryption.org/v1\n")) {
		t.Error("the backup is not sealed")
	}
	if places := found("the backup", string(raw)); len(places) > 0 || bytes.Contains(raw, []byte(employee)) || bytes.Contains(raw, []byte("MK-1")) {
		t.Errorf("the backup can be read: %q", places)
	}
	plain := opened(t, raw, p.config().KeyPath())
	for part := range strings.SplitSeq(plain, "\n\\.\n") {
		title, _, _ := strings.Cut(part, "\n")
		if places := found(title, part); len(places) > 0 {
			t.Errorf("inside the seal the person is in clear: %q", places)
		}
	}
	if !strings.Contains(plain, "order.placed") || strings.Contains(plain, `"table":"orders.`) {
		t.Error("the backup lacks the log, or has a read model")
	}
	var models []string
	for _, model := range projections.All() {
		models = append(models, model.Name)
	}
	for _, name := range pgtest.All[string](t, d.shop.Pool, `SELECT CASE WHEN schemaname = 'public' THEN tablename ELSE schemaname || '.' || tablename END
		FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname <> ALL ('{`+strings.Join(models, ",")+`}')`) {
		if !slices.Contains(slices.Concat(backup.Kept(), backup.LeftOut()), name) {
			t.Errorf("nobody decided whether a backup holds %s", name)
		}
	}

	fresh := func(key string) program {
		q := onDatabase(t)
		q.env[0], q.env[2] = "SHOP_DATABASE_URL="+pgtest.EmptyURL(t), "SHOP_KEY_FILE="+key
		q.env = append(q.env, "SHOP_ACCOUNT_RATE=0")
		return q
	}
	for _, key := range []string{keyFile(t), filepath.Join(t.TempDir(), "missing.key")} {
		q := fresh(key)
		r := q.run("restore", file)
		wants := "which is not in the key file"
		if strings.HasSuffix(key, "missing.key") {
			wants = "a backup opens with its key file alone"
		}
		if r.status != 1 || !strings.Contains(r.stderr, wants) {
			t.Errorf("without the key file: %+v", r)
		}
		if n := pgtest.All[int64](t, q.pool(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'eventstore'`); n[0] > 0 {
			t.Error("without the key file something was restored")
		}
	}
	if r := p.run("restore", file); r.status != 1 || !strings.Contains(r.stderr, "the database is not new") {
		t.Errorf("over a shop: %+v", r)
	}
	cut := filepath.Join(t.TempDir(), "cut.age")
	if err := os.WriteFile(cut, raw[:len(raw)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	if r := fresh(p.config().KeyPath()).run("restore", cut); r.status != 1 {
		t.Errorf("a cut file: %+v", r)
	}

	q := fresh(p.config().KeyPath())
	t.Log(q.ok("restore", file))
	if err := os.CopyFS(filepath.Join(q.config().DataDir, "blobs"), os.DirFS(filepath.Join(p.config().DataDir, "blobs"))); err != nil {
		t.Fatal(err)
	}
	got := q.readModels()
	for table := range want {
		if !slices.Equal(got[table], want[table]) {
			t.Errorf("%s is %q, and was %q", table, got[table], want[table])
		}
	}
	back := q.serve("--roles", "web,projectors")
	for _, order := range []receipt{guest, own} {
		if shown := q.ok("orders", "show", fmt.Sprint(order.Number)); !strings.Contains(shown, personStreet) || !strings.Contains(shown, personFirst) {
			t.Errorf("order %d: %s", order.Number, shown)
		}
	}
	if status, _, _ := back.send("GET", "/api/auth/profile/", nil, token...); status != http.StatusUnauthorized {
		t.Errorf("a session of before the backup lives on: %d", status)
	}
	status, _, body = back.send("POST", "/api/token/", strings.NewReader(fmt.Sprintf(`{"username":%q,"password":"long enough"}`, personEmail)))
	if status != http.StatusOK || !strings.Contains(body, "access") {
		t.Errorf("sign-in after the restore: %d %s", status, body)
	}
	if next := back.orderOf(cream); next.Number <= own.Number {
		t.Errorf("order %d came after %d", next.Number, own.Number)
	}
	back.stop()
	for _, model := range models {
		if said := q.ok("projections", "rebuild", model); !strings.Contains(said, "equal") {
			t.Errorf("%s was not rebuilt as it should be: %s", model, said)
		}
	}
}
