package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations"
)

func init() { migrations.ForTests() }

// patience bounds each step of setting a test up; a machine under load is slow but not this slow.
const patience = time.Minute

// maxConns of a pool: more than any machine's processors, so that tests of concurrency are concurrent; few
// enough for a dozen tests in parallel on one server.
const maxConns = 16

// Open returns a pool on a fresh, migrated database that no other test sees. The pool is closed and the
// database dropped when the test ends.
func Open(t testing.TB) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(URL(t))
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	config.MaxConns = maxConns
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// URL is the address of a fresh, migrated database that no other test sees, dropped when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	s := mustShare(t)
	return s.fresh(t, s.template)
}

// EmptyURL is like URL, of a database without migrations.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return mustShare(t).fresh(t, "template0")
}

func mustShare(t testing.TB) *server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return s
}

// fresh makes a copy of the template for a test.
func (s *server) fresh(t testing.TB, template string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name := "test_" + rand.Text()
	if err := s.copyDatabase(ctx, name, template); err != nil {
		t.Fatalf("pgtest: create a database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		// FORCE: a test that leaves a connection open has failed in its own way, not in this one.
		if err := s.exec(ctx, "DROP DATABASE "+quoted(name)+" WITH (FORCE)"); err != nil {
			t.Errorf("pgtest: drop the test's database: %v", err)
		}
	})
	return s.address(name)
}

func (s *server) copyDatabase(ctx context.Context, name, template string) error {
	return s.exec(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s %s", quoted(name), quoted(template), s.strategy))
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// Main runs a package's tests, stops the server they used, and exits. It is for TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if err := stopShared(); err != nil {
		fmt.Fprintf(os.Stderr, "pgtest: %v\n", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// server is where the tests of this process get their databases from.
type server struct {
	url *url.URL
	// template is the migrated database that the others are copies of.
	template string
	// strategy is how CREATE DATABASE shall copy; empty for the server's own choice.
	strategy string
	stop     func() error

	// admin creates and drops databases, one at a time.
	admin   *pgx.Conn
	adminMu sync.Mutex
}

func (s *server) exec(ctx context.Context, sql string) error {
	s.adminMu.Lock()
	defer s.adminMu.Unlock()
	if s.admin == nil || s.admin.IsClosed() {
		admin, err := pgx.Connect(ctx, s.url.String())
		if err != nil {
			return err
		}
		s.admin = admin
	}
	_, err := s.admin.Exec(ctx, sql)
	return err
}

// disconnect closes the connection that creates and drops databases.
func (s *server) disconnect() error {
	s.adminMu.Lock()
	defer s.adminMu.Unlock()
	if s.admin == nil {
		return nil
	}
	return s.admin.Close(context.Background())
}

var (
	sharedMu  sync.Mutex
	sharedOne *server
	sharedErr error
)

// shared starts the server of this process once; what went wrong the first time fails every test alike.
func shared() (*server, error) {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if sharedOne == nil && sharedErr == nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if external := os.Getenv("SHOP_TEST_DATABASE_URL"); external != "" {
			sharedOne, sharedErr = useExternal(ctx, external)
		} else {
			sharedOne, sharedErr = startOwn(ctx)
		}
	}
	return sharedOne, sharedErr
}

func stopShared() error {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	if sharedOne == nil {
		return nil
	}
	return sharedOne.stop()
}
