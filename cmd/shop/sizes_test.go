package main_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
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

// mostReadModelLines is how long the file of a read model may be: columns, indexes and folds are read in one go. table.go is
// what they all stand on.
const mostReadModelLines = 250

// mostDocLines is how long doc.go may be. Protocols stand in the README.md of their packages.
const mostDocLines = 20

// TestEveryPackageSaysWhatLivesThere: doc.go holds the package comment and nothing more, and no other file has one.
func TestEveryPackageSaysWhatLivesThere(t *testing.T) {
	t.Parallel()
	for _, p := range goList(t) {
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			path := filepath.Join(p.Dir, name)
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case name != "doc.go" && file.Doc != nil:
				t.Errorf("%s has a package comment; it belongs in doc.go", path)
			case name == "doc.go" && file.Doc == nil:
				t.Errorf("%s has no package comment", path)
			case name == "doc.go":
				if lines := files.File(file.FileStart).LineCount(); lines > mostDocLines {
					t.Errorf("%s has %d lines, more than %d", path, lines, mostDocLines)
				}
				if len(file.Decls) > 0 {
					t.Errorf("%s declares something; that belongs in another file", path)
				}
			}
		}
		if len(p.GoFiles) > 0 && !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("%s has no doc.go", p.ImportPath)
		}
	}
}

// TestReadModelsAreReadInOneGo, each in a file of its own.
func TestReadModelsAreReadInOneGo(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../projections/*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("read models: %d files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "table.go" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines > mostReadModelLines {
			t.Errorf("%s has %d lines, more than %d", file, lines, mostReadModelLines)
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
