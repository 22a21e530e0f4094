package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// denied wants a statement refused for want of a right.
func denied(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql)
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "42501" {
		t.Errorf("%s: %v", sql, err)
	}
}

// own is a program with a data folder and a server of its own, as 'make demo' or a small shop has it.
func own(t *testing.T) program {
	t.Helper()
	dir, err := os.MkdirTemp("", "shop-roles-") // short: the socket's path is bounded
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := embeddedpg.StopAny(context.Background(), dir); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return program{t, []string{"SHOP_DATA_DIR=" + dir, "SHOP_ADDR=127.0.0.1:0", "SHOP_CHECKOUT_RATE=0", "SHOP_ORDER_RATE=0", "SHOP_ACCOUNT_RATE=0", "SHOP_EMAIL_RATE=0"}}
}

// reached is the program's own server, from outside, as its superuser.
func (p program) reached() *embeddedpg.Server {
	p.t.Helper()
	server, err := embeddedpg.Start(p.t.Context(), migrations.Embedded(embeddedpg.Options{DataDir: p.config().DataDir}))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { server.Stop(context.Background()) })
	return server
}

// Whoever gets SQL of their own into a serving process changes no event, and runs no program of the machine.
func TestAttackKeysOfTheServingRole(t *testing.T) {
	t.Parallel()
	p := own(t)
	cream := p.stocked("MK-1", 9_000, 50)
	s := p.serve()
	s.placed(cream, 1, "CASH")
	super, err := pgx.Connect(t.Context(), p.reached().URL())
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context())
	// The role of the connections that answer requests: whoever injects SQL has it.
	var role string
	if err := super.QueryRow(t.Context(), `SELECT usename::text FROM pg_stat_activity WHERE application_name = 'shop' AND query LIKE '%eventstore.append%' OR query LIKE 'LISTEN%' LIMIT 1`).Scan(&role); err != nil {
		t.Fatal(err)
	}
	settings := super.Config().Copy()
	settings.User = role
	conn, err := pgx.ConnectConfig(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, sql := range []string{
		`UPDATE eventstore.events SET data = '{}' WHERE position = 1`, `DELETE FROM eventstore.events`, `TRUNCATE eventstore.events`,
		`UPDATE security.records SET who = NULL`, `DELETE FROM security.records`, `TRUNCATE security.records`,
		`ALTER TABLE eventstore.events DISABLE TRIGGER ALL`, `DROP TABLE eventstore.events`, `DELETE FROM eventstore.person_keys`, `TRUNCATE eventstore.person_keys`,
		`SELECT setval('eventstore.position', 1)`, `UPDATE shop_migrations.version SET version = 1`,
		`COPY (SELECT 1) TO PROGRAM 'true'`, `COPY eventstore.streams FROM PROGRAM 'true'`, `COPY eventstore.streams TO '/tmp/streams'`, `SELECT pg_read_file('/etc/passwd')`,
		`CREATE ROLE mine SUPERUSER`, `ALTER ROLE ` + role + ` SUPERUSER`, `SET ROLE shop`, `SET ROLE shop_owner`, `SET SESSION AUTHORIZATION shop`,
		`CREATE FUNCTION eventstore.present() RETURNS bigint LANGUAGE sql AS 'SELECT 1'`, `CREATE SCHEMA mine`, `CREATE TABLE public.mine ()`, `ALTER SYSTEM SET fsync = off`, `CREATE EXTENSION dblink`,
	} {
		denied(t, conn, sql)
	}
	if n := counted(t, super, `SELECT count(*) FROM pg_roles WHERE rolname IN ('shop_owner', 'shop_serve') AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)`); n != 0 {
		t.Errorf("%d roles may do more than they need", n)
	}
	// All that the shop does goes on under these roles.
	anna := s.register("anna@example.kz")
	s.orderOf(cream, anna...)
	dir := t.TempDir()
	p.ok("projections", "rebuild", "orders")
	p.ok("projections", "rebuild", "customer")
	p.ok("projections", "rollback", "orders")
	p.ok("projections", "build", "orders", "--position", "5")
	p.ok("projections", "drop", "orders_at_5")
	p.ok("deadletters", "list")
	p.ok("keys", "new")
	p.ok("keys", "rotate")
	p.ok("events", "export", "--out", dir+"/shop.jsonl.gz", "--with-keys", dir+"/shop.keys")
	if status, _, body := s.send("DELETE", "/api/auth/profile/", strings.NewReader(`{"password":"long enough"}`), anna...); status >= 500 {
		t.Errorf("leaving: %d %s", status, body)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("ended with %d: %s", status, s.stderr)
	}
	if strings.Contains(s.stderr.String(), "42501") || strings.Contains(s.stderr.String(), "permission denied") || strings.Contains(s.stderr.String(), "may change and delete events") {
		t.Errorf("the log: %s", s.stderr)
	}
	other := own(t)
	other.ok("events", "import", dir+"/shop.jsonl.gz", "--keys", dir+"/shop.keys")
	s = other.serve()
	s.orderOf(cream)
	s.stop()
}

// A data folder of before has one role, a superuser who owns everything, and keys that nothing wraps. It opens: what is in it becomes
// the owner's, and the keys are wrapped.
func TestADataFolderOfBeforeOpens(t *testing.T) {
	t.Parallel()
	p := own(t)
	server := p.reached()
	if err := migrations.Up(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	super, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context())
	for _, sql := range []string{
		`INSERT INTO secrets (name, value) SELECT name, sha256(name::bytea) FROM unnest(ARRAY['accounts', 'links']) AS name`,
		`INSERT INTO eventstore.person_keys (person, key) SELECT gen_random_uuid(), sha256(n::text::bytea) FROM generate_series(1, 10) n`,
		`INSERT INTO eventstore.wrapping_keys (id) VALUES ('')`, // as the migration does where there is something
		`CREATE SCHEMA orders_old`, `CREATE TABLE orders_old.orders (id uuid)`,
	} {
		if _, err := super.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	cream := p.stocked("MK-1", 9_000, 50)
	s := p.serve()
	s.orderOf(cream)
	p.ok("projections", "rebuild", "orders")
	until(t, "the keys are wrapped", func() bool {
		return counted(t, super, `SELECT count(*) FROM eventstore.person_keys WHERE octet_length(key) = 32`) == 0
	})
	if n := counted(t, super, `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.oid = c.relowner
		WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND r.rolname <> 'shop_owner' AND c.relkind = 'r'`); n != 0 {
		t.Errorf("%d tables are not the owner's", n)
	}
	if status := s.stop(); status != 0 {
		t.Errorf("ended with %d: %s", status, s.stderr)
	}
}

func counted(t *testing.T, conn *pgx.Conn, sql string) (n int64) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
