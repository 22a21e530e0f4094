package migrations_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"shop/migrations"
	"shop/migrations/pgtest"
)

// TestLinksOfBeforeTheyHadAPurpose: a link that proves a registration goes on; one for another e-mail, which was asked for
// without the password, is over.
func TestLinksOfBeforeTheyHadAPurpose(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	const first = "0021_email_links.sql"
	before := fstest.MapFS{}
	entries, err := fs.ReadDir(migrations.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() < first {
			data, err := fs.ReadFile(migrations.Files(), entry.Name())
			if err != nil {
				t.Fatal(err)
			}
			before[entry.Name()] = &fstest.MapFile{Data: data}
		}
	}
	if err := migrations.UpFrom(t.Context(), url, before); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, url)
	exec(t, conn, `INSERT INTO customer_accounts (id, email, password, created_at) VALUES ('01965b8e-7c00-7000-8000-000000000001', 'own', 'x', now())`)
	exec(t, conn, `INSERT INTO customer_verifications (token, account, email, ends_at)
		SELECT email, '01965b8e-7c00-7000-8000-000000000001', email, now() + '1 day' FROM unnest('{own,other}'::bytea[]) email`)
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if got := scan[string](t, conn, `SELECT string_agg(convert_from(token, 'UTF8') || ' ' || purpose, ', ') FROM customer_verifications`); got != "own proof" {
		t.Errorf("left are %s", got)
	}
}
