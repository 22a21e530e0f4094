package health

import "testing"

func TestStatementsAreShownWithoutValues(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT $1": "SELECT $1", "  select 1": "  select 1", "CREATE ROLE a PASSWORD 'secret'": "CREATE …", "COMMIT": "COMMIT", "SET x = 'secret'": "SET …",
		"CREATE\nROLE a PASSWORD 'x'": "CREATE …", "/* x */ SET a = 'secret'": "/* …", "COPY (SELECT 'secret') TO STDOUT": "COPY …", "": "",
	} {
		if got := withoutValues(query); got != want {
			t.Errorf("%q is shown as %q", query, got)
		}
	}
}
