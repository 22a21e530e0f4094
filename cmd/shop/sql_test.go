package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ownSQL are the files of the program that ask the database themselves, with the reason.
var ownSQL = map[string]string{
	filepath.Join("app", "secret.go"): "a secret is made and read in one place, and nobody else may read it",
}

var statement = regexp.MustCompile(`^\s*(SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE|COPY)\s+\S`)

// statements answers the SQL of a file.
func statements(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			if said, err := strconv.Unquote(text.Value); err == nil && statement.MatchString(said) {
				found = append(found, said)
			}
		}
		return true
	})
	return found
}

// TestTheProgramHoldsNoSQL: reads of shoppers are in readapi, those of staff in readapi/staff, and what writes is in commands.
func TestTheProgramHoldsNoSQL(t *testing.T) {
	t.Parallel()
	asks := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, sql := range statements(file) {
			if asks[path] = true; ownSQL[path] == "" {
				t.Errorf("%s asks the database itself: move it to readapi, readapi/staff or commands\n%s", path, sql)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range ownSQL {
		if !asks[path] {
			t.Errorf("%s holds no SQL any more", path)
		}
	}
	planted, err := parser.ParseFile(token.NewFileSet(), "planted", "package p; var a, b, c = `\n\tSELECT 1`, \"Select a file\", \"UPDATE t SET a = 1\"", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := statements(planted); !slices.Equal(got, []string{"\n\tSELECT 1", "UPDATE t SET a = 1"}) {
		t.Errorf("planted: %q", got)
	}
}

// TestHashesAreNoMarkers: the markers of the log are advisory locks with one key of 64 bits, and a hash of as many bits may be any of
// them. Locks on something that is hashed have two keys.
func TestHashesAreNoMarkers(t *testing.T) {
	t.Parallel()
	lock := regexp.MustCompile(`pg_(try_)?advisory_\w*lock\w*\(\s*hashtextextended`)
	for _, root := range []string{"../../commands", "../../eventstore", "../../projections", "../../readapi", "../../migrations", "."} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".sql" || strings.HasSuffix(path, "sql_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if at := lock.FindIndex(text); at != nil {
				t.Errorf("%s: a lock on a hash of 64 bits may be read as a marker of the log: %s", path, text[at[0]:at[1]])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
