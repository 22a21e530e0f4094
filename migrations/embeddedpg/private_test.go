package embeddedpg

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// The server's log says neither what statements were given nor what they say, however slow they are or wrong they go:
// not of a bound value, of a literal, of a row that breaks a rule, or of a row that is copied. A cluster that an earlier
// program made is no exception.
func TestTheLogHoldsNoValues(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	old := cluster{dir: filepath.Join(dir, "postgres"), as: self()}
	if old.as.uid == 0 {
		old.as = nobody()
		old.as.other = true
	}
	if err := old.write(ours.confFile(), "listen_addresses = ''\nlog_min_duration_statement = '0'\n"); err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{DataDir: dir})
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	const person = "Zhibektolegen"
	wantError := func(err error) {
		t.Helper()
		if err == nil {
			t.Error("no error")
		}
	}
	must := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Error(err)
		}
	}
	must("CREATE TABLE persons (name text PRIMARY KEY, born date, CONSTRAINT short CHECK (length(name) < 20))")
	must("INSERT INTO persons VALUES ($1)", person)
	must("SELECT pg_sleep(1.1), $1::text", person)
	must("SELECT pg_sleep(1.1), '" + person + "'")
	for _, sql := range []string{"INSERT INTO persons VALUES ($1)", "INSERT INTO persons VALUES ($1 || ' who is longer than that')", "SELECT 1 / length(replace($1, 'Zhibektolegen', ''))"} {
		_, err := conn.Exec(t.Context(), sql, person)
		wantError(err)
		_, err = conn.Exec(t.Context(), strings.ReplaceAll(sql, "$1", "'"+person+"'"))
		wantError(err)
	}
	_, err = conn.PgConn().CopyFrom(t.Context(), strings.NewReader(person+"\t2000-01-01\n"), "COPY persons FROM STDIN")
	wantError(err)
	text, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	if err != nil || !strings.Contains(string(text), "violates") {
		t.Fatalf("the log does not tell of errors: %v\n%s", err, text)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, person) {
			t.Errorf("the log says %s", line)
		}
	}
}
