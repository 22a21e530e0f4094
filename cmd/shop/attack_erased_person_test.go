package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/quotedprintable"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/commands/mail"
	"shop/domain/rules"
	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/projections/replay"
)

// dump is every row of every table as text, by table, and what PostgreSQL remembers of their values.
func dump(t *testing.T, pool *pgxpool.Pool) map[string]string {
	t.Helper()
	rows, _ := pool.Query(t.Context(), `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') OR tablename = 'pg_statistic'`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, table := range tables {
		var text *string
		err := pool.QueryRow(t.Context(), `SELECT string_agg(r::text, E'\n') FROM `+table+` r`).Scan(&text)
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == "42P01" {
			continue // a read model that was exchanged is swept away meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		if text != nil {
			texts[table] = *text
		}
	}
	return texts
}

// files are the bytes of the database's own files, rewritten before so that no deleted row is left in them. The
// write-ahead log is not among them: it keeps what was written until it is recycled.
func files(t *testing.T, pool *pgxpool.Pool) string {
	t.Helper()
	for _, statement := range []string{"VACUUM FULL", "CHECKPOINT"} {
		until(t, statement, func() bool {
			_, err := pool.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol)
			var refused *pgconn.PgError
			if err != nil && (!errors.As(err, &refused) || refused.Code != "40P01") {
				t.Fatal(err)
			}
			return err == nil // or the shop held one table and waited for another
		})
	}
	rows, _ := pool.Query(t.Context(), `SELECT coalesce(pg_read_binary_file('base/' || d.oid || '/' || f, true), '') FROM pg_database d, pg_ls_dir('base/' || d.oid) f
		WHERE d.datname = current_database() AND f ~ '^[0-9]+$'`)
	all, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, content := range all {
		b.Write(content)
	}
	if b.Len() < 1<<20 {
		t.Fatalf("the database's files have %d bytes", b.Len())
	}
	return b.String()
}

// forms are how a text may be written: as it is, in other cases, as the digits of bytea and in base64, wherever in the
// encoded bytes it begins.
func forms(text string) (all []string) {
	for _, plain := range []string{text, strings.ToLower(text), strings.ToUpper(text)} {
		all = append(all, plain, hex.EncodeToString([]byte(plain)), strings.ToUpper(hex.EncodeToString([]byte(plain))), url.QueryEscape(plain))
		for skipped, first := range []int{0, 2, 3} { // the first characters have bits of what stands before
			coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("-", skipped) + plain))
			coded = coded[first : len(coded)-1]
			all = append(all, coded, strings.NewReplacer("+", "-", "/", "_").Replace(coded))
		}
		quoted, _ := json.Marshal(plain)
		ascii := strconv.QuoteToASCII(plain)
		all = append(all, strings.Trim(string(quoted), `"`), strings.Trim(ascii, `"`))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// found tells where a text of the person is.
func found(where string, text string) (places []string) {
	for _, p := range personal {
		if slices.ContainsFunc(forms(p), func(form string) bool { return strings.Contains(text, form) }) {
			places = append(places, where+": "+p)
		}
	}
	return places
}

// inTables tells where in the tables the person is.
func inTables(t *testing.T, pool *pgxpool.Pool) (places []string) {
	t.Helper()
	for table, text := range dump(t, pool) {
		places = append(places, found(table, text)...)
	}
	return places
}

// untilForgotten waits until no table has the person.
func untilForgotten(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	var places []string
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("last found in %q", places)
		}
	})
	until(t, "no table has the person", func() bool {
		places = inTables(t, pool)
		return len(places) == 0
	})
}

func traces(t *testing.T, pool *pgxpool.Pool) []string {
	t.Helper()
	return append(inTables(t, pool), found("files", files(t, pool))...)
}

// leftovers are where the person is in the data folder, but for the database's own files: blobs, letters, the log of
// the server. A letter's words are decoded; that there is one to the person is found by its header.
func (p program) leftovers() (places []string) {
	p.t.Helper()
	dir := p.config().DataDir
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "postgres" {
			return cmp.Or(err, fs.SkipDir)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		places = append(places, found(name, string(content))...)
		if words, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(content))); err == nil {
			places = append(places, found(name+" decoded", string(words))...)
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return places
}

// photoFiles counts the files of photos.
func (p program) photoFiles() (n int) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.config().DataDir, "blobs", "*", "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return len(files)
}

// embedded is the program on a server of its own in its data folder. The server does not wait for the disk, which VACUUM FULL would
// have it do for each table; what it writes and logs is the same.
func embedded(t *testing.T) program {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { // else, for root, the database would outlive the test elsewhere
		t.Fatal(err)
	}
	server, err := embeddedpg.Start(t.Context(), migrations.Embedded(embeddedpg.Options{
		DataDir: dir, Settings: map[string]string{"fsync": "off"}, Logger: shoptest.Quiet, DieWithProcess: true,
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	p := onDatabase(t)
	p.env[0], p.env[1] = "SHOP_DATABASE_URL="+server.URL(), "SHOP_DATA_DIR="+dir
	return p
}

// mistakes are slow and failing statements about the person, as a program or somebody at psql makes them.
func mistakes(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), "SELECT pg_sleep(1.1), $1::text", personFirst); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"INSERT INTO customer.account (id, state) VALUES (gen_random_uuid(), $1)", "SELECT 1 / (length($1::text) - length($1::text))",
		"SELECT pg_sleep(1.1) / 0, '" + personLast + "'",
	} {
		args := []any{personFirst}
		if !strings.Contains(sql, "$1") {
			args = nil
		}
		if _, err := pool.Exec(t.Context(), sql, args...); err == nil {
			t.Errorf("%s: no error", sql)
		}
	}
}

// whatIf has all of history priced by other rules, and waits for it.
func (p program) whatIf(pool *pgxpool.Pool) {
	p.t.Helper()
	s, err := app.OpenShop(p.t.Context(), p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(context.Background())
	if _, _, err := replay.NewReplays(s.Pool, s.Store, shoptest.Quiet).Ask(p.t.Context(), replay.Question{Rules: rules.Default(), Overrides: []byte(`{}`), Actor: "staff:test"}); err != nil {
		p.t.Fatal(err)
	}
	until(p.t, "other rules were tried", func() bool {
		var done bool
		return pool.QueryRow(p.t.Context(), "SELECT EXISTS (SELECT FROM projections.replays WHERE state = 'done')").Scan(&done) == nil && done
	})
}

// totals are what must not change when somebody is forgotten.
func totals(t *testing.T, pool *pgxpool.Pool) (text string) {
	t.Helper()
	err := pool.QueryRow(t.Context(), `SELECT row(count(*), sum(total_paid), sum(total_sum), count(*) FILTER (WHERE is_paid), max(plain_city),
		(SELECT count(*) FROM customer.account))::text FROM orders.orders`).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// records counts the records of the security log that lead to a person: by the id of an account or by the hash of an e-mail.
func records(t *testing.T, pool *pgxpool.Pool, id uuid.UUID, email []byte) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM security.records WHERE who = $1 OR about = $1 OR email = $2", id, email).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// emailHash waits for a record of the person, and is the hash of the e-mail in it.
func emailHash(t *testing.T, pool *pgxpool.Pool, kind string) (hash []byte) {
	t.Helper()
	until(t, "the security log has a "+kind, func() bool {
		return pool.QueryRow(t.Context(), "SELECT email FROM security.records WHERE kind = $1 AND email IS NOT NULL LIMIT 1", kind).Scan(&hash) == nil
	})
	return hash
}

// Somebody with an account, orders from before and after it, a review with a photo, a portrait, a subscription, letters
// and a place in read models of the past is nowhere once they are erased: in no table, nor in what PostgreSQL samples
// of it, in no file of the database, in no file of the data folder, in no export.
func TestAttackErasedPersonIsNowhere(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_EMAIL_RATE=0")
	cream, gone := p.stocked("MK-1", 9000, 10), p.stocked("MK-2", 9000, 1)
	p.ok("stock", "adjust", "--article", "MK-2", "--on-hand", "0", "--ref", "counted")
	pool := p.pool()
	s := p.serve()

	before := s.orderOf(cream) // as a guest, before there is an account
	status, header, body := s.send("POST", "/api/auth/register/", strings.NewReader(fmt.Sprintf(
		`{"first_name":%q,"last_name":%q,"phone":%q,"email":%q,"password":"long enough","password_check":"long enough","consent":true}`, personFirst, personLast, personPhone, personEmail)))
	var in struct {
		Access string    `json:"access"`
		ID     uuid.UUID `json:"id"`
	}
	if status != 201 || json.Unmarshal([]byte(body), &in) != nil {
		t.Fatalf("registration: %d %s", status, body)
	}
	bearer := []string{"Authorization", "Bearer " + in.Access}
	if status, _, body := s.send("GET", "/api/auth/profile/", nil, append(bearer, "X-Min-Position", header.Get("X-Event-Position"))...); status != 200 || !strings.Contains(body, personFirst) {
		t.Errorf("profile: %d %s", status, body)
	}
	for _, c := range []struct {
		method, path string
		headers      []string
		want         int
	}{
		{"GET", "/api/auth/profile/", nil, 401}, {"GET", "/api/orders/", nil, 401}, {"DELETE", "/api/token/", nil, 401}, {"PATCH", "/api/auth/profile/", nil, 401},
		{"GET", "/api/auth/profile/export/", nil, 401}, {"DELETE", "/api/auth/profile/", nil, 401},
		{"GET", "/api/auth/profile/", []string{"Authorization", "Bearer nonsense"}, 401}, {"POST", "/api/orders/", []string{"Authorization", "Bearer nonsense"}, 401},
		{"GET", "/api/orders/" + before.ID.String(), nil, 404}, {"GET", "/api/orders/" + before.ID.String(), bearer, 404},
	} {
		if status, _, body := s.send(c.method, c.path, nil, c.headers...); status != c.want {
			t.Errorf("%s %s with %v: %d %s", c.method, c.path, c.headers, status, body)
		}
	}
	hash := emailHash(t, pool, "registration")
	s.send("POST", "/api/token/", strings.NewReader(fmt.Sprintf(`{"username":%q,"password":"wrong enough"}`, personEmail)))
	until(t, "the security log knows the person", func() bool { return records(t, pool, in.ID, hash) >= 2 })
	key := p.secret("links")
	if status, _, body := s.send("GET", "/api/orders/"+before.ID.String()+"/?key="+mail.Links{Key: key}.OrderKey(before.ID), nil); status != 200 || !strings.Contains(body, personStreet) {
		t.Errorf("a guest's link: %d %s", status, body)
	}

	mine := func() (list []struct {
		ID uuid.UUID `json:"id"`
	}) {
		status, _, body := s.send("GET", "/api/orders/", nil, bearer...)
		if status != 200 || json.Unmarshal([]byte(body), &list) != nil {
			t.Fatalf("my orders: %d %s", status, body)
		}
		return list
	}
	if len(mine()) != 0 {
		t.Error("an order joined before its e-mail was proved")
	}
	if status, _, body := s.send("POST", "/api/auth/email/verify/", strings.NewReader(fmt.Sprintf(`{"token":%q}`, p.linkTo(in.ID, personEmail))), bearer...); status != 204 {
		t.Fatalf("verify: %d %s", status, body)
	}
	until(t, "the guest's order has joined", func() bool { return len(mine()) == 1 })
	after := s.orderOf(cream) // as a guest once more
	until(t, "the later one has joined", func() bool { return len(mine()) == 2 })
	p.ok("promocodes", "issue", "WELCOME10", "--percent", "10", "--uses-per-customer", "1")
	own := s.orderOf(cream, bearer...)
	until(t, "the own one is there", func() bool { return len(mine()) == 3 })
	odd := s.taken(in.Access, guestOrder(cream, map[string]any{"customer_city": personCity, "payment_method": "CARD", "promocode": "WELCOME10"}))
	p.ok("orders", "cancel", number(odd.Number))
	stranger := s.placed(cream, 1, "CASH")

	if status, _, body := s.send("DELETE", "/api/auth/profile/", strings.NewReader(`{"password":"long enough"}`), bearer...); status != 409 {
		t.Errorf("to leave with open orders: %d %s", status, body)
	}
	for _, r := range []receipt{before, after, own} {
		for _, verb := range []string{"approve", "process", "complete"} {
			p.ok("orders", verb, number(r.Number))
		}
	}
	if status, _, body := s.send("POST", "/api/subscriptions/products/"+gone.String()+"/", nil, bearer...); status != 201 {
		t.Errorf("subscription: %d %s", status, body)
	}
	if status, _, body := s.reviewOf(cream, personReview, bearer...); status != 201 {
		t.Errorf("review: %d %s", status, body)
	}
	if _, err := pool.Exec(t.Context(), "INSERT INTO payment_links (payment_id, url) VALUES ($1, $2), ('another', 'https://bank.example/2')",
		own.ID.String()+"-1", "https://bank.example/1?name="+personFirst); err != nil {
		t.Fatal(err)
	}
	mistakes(t, pool)
	p.whatIf(pool)
	// What is kept after a rebuild, or as of a time, must not remember them either.
	until(t, "the review is there", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "SELECT count(*) FROM reviews.review").Scan(&n) == nil && n == 1
	})
	for _, name := range []string{"orders", "customer", "reviews"} {
		p.ok("projections", "rebuild", name)
		p.ok("projections", "build", name, "--position", number(p.head()))
	}
	if _, err := pool.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	var keys int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_stats WHERE tablename = 'person_keys' AND attname = 'key'").Scan(&keys); err != nil || keys > 0 {
		t.Errorf("PostgreSQL samples the keys of persons: %d, %v", keys, err)
	}
	if places := traces(t, pool); len(places) < len(personal)*5 {
		t.Fatalf("the search does not find who is there: %q", places)
	}
	if places := p.leftovers(); len(places) < len(personal) {
		t.Fatalf("the search does not find who is there: %q", places)
	}
	until(t, "three orders are completed", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "SELECT count(*) FROM orders.orders WHERE status = 'COMPLETED'").Scan(&n) == nil && n == 3
	})
	was := totals(t, pool)
	portrait := s.portrait(bearer, 300)
	if status, _, _ := s.send("GET", portrait, nil); status != 200 {
		t.Errorf("the photo: %d", status)
	}

	if status, _, body := s.send("DELETE", "/api/auth/profile/", strings.NewReader(`{"password":"long enough"}`), bearer...); status != 202 {
		t.Fatalf("to leave: %d %s", status, body)
	}
	if status, _, _ := s.send("GET", "/api/orders/", nil, bearer...); status != 401 {
		t.Errorf("signed in after leaving: %d", status)
	}
	until(t, "the person is erased", func() bool { return strings.Contains(p.ok("customers", "show", in.ID.String()), `"erased"`) })
	until(t, "the orders show nobody", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "SELECT count(*) FROM orders.orders WHERE customer_email = ''").Scan(&n) == nil && n == 4
	})
	if list := p.ok("customers", "list"); !strings.Contains(list, in.ID.String()+"  erased") {
		t.Errorf("list:\n%s", list)
	}
	check := func(when string) {
		t.Helper()
		if places := append(traces(t, pool), p.leftovers()...); len(places) > 0 {
			t.Errorf("%s: %q", when, places)
		}
		if now := totals(t, pool); now != was {
			t.Errorf("%s the totals are %s, and were %s", when, now, was)
		}
	}
	until(t, "the photo of who is erased is gone", func() bool { status, _, _ := s.send("GET", portrait, nil); return status == 404 })
	until(t, "the files of the review's photo are gone", func() bool { return p.photoFiles() == 0 })
	untilForgotten(t, pool)
	// One that failed once on a busy machine is tried again after minutes.
	var waiting []string
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("letters that waited: %q", waiting)
		}
	})
	within(t, 5*time.Minute, "the last letter is on its way", func() bool {
		rows, _ := pool.Query(t.Context(), "SELECT concat_ws(' ', kind, attempts, 'due in', due_at - now(), 'held until', held_until, error) FROM mail_jobs")
		var err error
		waiting, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err == nil && len(waiting) == 0
	})
	check("erased")
	until(t, "no record leads to the person", func() bool { return records(t, pool, in.ID, hash) == 0 })
	var kept int
	err := pool.QueryRow(t.Context(), "SELECT count(*) FROM security.records WHERE kind = 'sign-in' AND outcome = 'wrong' AND network IS NULL AND request IS NULL").Scan(&kept)
	if err != nil || kept == 0 {
		t.Errorf("that somebody guessed is forgotten too: %d, %v", kept, err)
	}
	if links := dump(t, pool)["public.payment_links"]; strings.Contains(links, own.ID.String()) || !strings.Contains(links, "another") {
		t.Errorf("links of payments: %s", links)
	}
	folder := t.TempDir()
	p.ok("events", "export", "--out", filepath.Join(folder, "shop.jsonl"), "--with-keys", filepath.Join(folder, "shop.keys"))
	p.exportAll(folder, true)
	if places := (program{t, []string{"SHOP_DATA_DIR=" + folder}}).leftovers(); len(places) > 0 {
		t.Errorf("exports: %q", places)
	}
	if show := p.ok("orders", "show", number(stranger.Number)); !strings.Contains(show, "Айгерим") {
		t.Errorf("somebody else's order was forgotten too:\n%s", show)
	}
	for _, name := range []string{"orders", "customer", "reviews"} {
		p.ok("projections", "rebuild", name)
	}
	check("rebuilt")
	if places := found("stream", p.ok("events", "stream", "customer-"+in.ID.String(), "--personal")+p.ok("events", "stream", "order-"+own.ID.String(), "--personal")); len(places) > 0 {
		t.Errorf("the log still reads: %q", places)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("serve ended with %d: %s", status, s.stderr)
	}
	if places := found("the program's log", s.stderr.String()); len(places) > 0 {
		t.Errorf("%q", places)
	}
}
