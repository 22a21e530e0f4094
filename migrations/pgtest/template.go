package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"testing"
)

// Template is a migrated database that was prepared once in this process, for tests that all begin with the same.
type Template struct {
	// Prepare works on the database and leaves no connection to it open.
	Prepare func(ctx context.Context, url string) error

	once sync.Once
	name string
	err  error
}

// URL is the address of a copy of the template, which no other test sees, dropped when the test ends.
func (p *Template) URL(t testing.TB) string {
	t.Helper()
	s := mustShare(t)
	p.once.Do(func() { p.name, p.err = s.prepare(p.Prepare) })
	if p.err != nil {
		t.Fatalf("pgtest: prepare a template: %v", p.err)
	}
	return s.fresh(t, p.name)
}

// prepare makes a template out of a copy of the migrated one.
func (s *server) prepare(work func(ctx context.Context, url string) error) (name string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name = "prepared_" + rand.Text()
	if err := s.copyDatabase(ctx, name, s.template); err != nil {
		return "", err
	}
	// A server that is not ours outlives this process.
	stop := s.stop
	s.stop = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return errors.Join(s.exec(ctx, "DROP DATABASE "+quoted(name)), stop())
	}
	return name, work(ctx, s.address(name))
}

// address is where a database of the server is.
func (s *server) address(database string) string {
	address := *s.url
	address.Path = "/" + database
	return address.String()
}
