package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mostPackageLines  = 5500
	mostFileLines     = 500
	mostFunctionLines = 80
)

// tables are functions whose length is data: one line for each thing.
var tables = []string{"eventstore/registry New"}

// mostDocLines is how long a package comment may be; those of the log and its feed hold a protocol as well.
const mostDocLines = 20

var protocols = []string{"eventstore", "eventstore/feed", "eventstore/relay"}

// TestEveryPackageSaysWhatLivesThere: doc.go holds the package comment, and nothing else does.
func TestEveryPackageSaysWhatLivesThere(t *testing.T) {
	t.Parallel()
	for _, p := range goList(t) {
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			path := filepath.Join(p.Dir, name)
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case name != "doc.go" && file.Doc != nil:
				t.Errorf("%s has a package comment; it belongs in doc.go", path)
			case name == "doc.go" && file.Doc == nil:
				t.Errorf("%s has no package comment", path)
			case name == "doc.go" && !slices.Contains(protocols, p.ImportPath[len(module):]):
				if lines := strings.Count(file.Doc.Text(), "\n"); lines > mostDocLines {
					t.Errorf("%s has %d lines, more than %d", path, lines, mostDocLines)
				}
			}
		}
		if len(p.GoFiles) > 0 && !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("%s has no doc.go", p.ImportPath)
		}
	}
}

// TestNothingIsTooLong: what cannot be read in one go is divided. Tests may be longer.
func TestNothingIsTooLong(t *testing.T) {
	t.Parallel()
	for _, p := range goList(t) {
		whole := 0
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			path := filepath.Join(p.Dir, name)
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			lines := func(n ast.Node) int { return files.Position(n.End()).Line - files.Position(n.Pos()).Line + 1 }
			of := files.File(file.FileStart).LineCount()
			whole += of
			if of > mostFileLines {
				t.Errorf("%s has %d lines, more than %d", path, of, mostFileLines)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && lines(f) > mostFunctionLines && !slices.Contains(tables, p.ImportPath[len(module):]+" "+f.Name.Name) {
					t.Errorf("%s: %s has %d lines, more than %d", path, f.Name.Name, lines(f), mostFunctionLines)
				}
			}
		}
		if whole > mostPackageLines {
			t.Errorf("%s has %d lines, more than %d", p.ImportPath, whole, mostPackageLines)
		}
	}
}
