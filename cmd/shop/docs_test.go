package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// linked is a link to a file of ours; the pictures of examples stand between backticks.
	linked = regexp.MustCompile(`[^!` + "`" + `]\[[^\]]*\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	// named is a link to a Go file and the names that it is said to have.
	named = regexp.MustCompile("\\]\\(([^)#:\\s]+\\.go)\\)((?:,?\\s+`[\\w.]+`)+)")
	name  = regexp.MustCompile("`([\\w.]+)`")
)

func TestWhatTheDocsPointAtIsThere(t *testing.T) {
	t.Parallel()
	docs, _ := filepath.Glob("../../docs/*.md")
	decisions, _ := filepath.Glob("../../docs/adr/*.md")
	packages, _ := filepath.Glob("../../*/*/README.md")
	docs = slices.Concat(docs, decisions, packages, []string{"../../README.md", "../../eventstore/README.md"})
	if len(docs) < 20 || len(packages) < 3 {
		t.Fatalf("found only %v", docs)
	}
	names := 0
	for _, doc := range docs {
		content, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		text, folder := string(content), filepath.Dir(doc)
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(folder, m[1])); err != nil {
				t.Errorf("%s: %v", doc, err)
			}
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			declared := declaredIn(t, filepath.Join(folder, m[1]))
			for _, n := range name.FindAllStringSubmatch(m[2], -1) {
				if names++; !declared[n[1]] {
					t.Errorf("%s: %s has no %s", doc, m[1], n[1])
				}
			}
		}
	}
	if names < 40 {
		t.Errorf("checked only %d names", names)
	}
}

func TestTheWayOfAnOrderIsShort(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/code.md")
	if err != nil {
		t.Fatal(err)
	}
	_, way, found := strings.Cut(string(content), "\n## The way of an order\n")
	way, _, ends := strings.Cut(way, "\n### ")
	if !found || !ends {
		t.Fatal("docs/code.md does not walk an order through the code")
	}
	files, packages := map[string]bool{}, map[string]bool{}
	for _, m := range linked.FindAllStringSubmatch(way, -1) {
		files[m[1]], packages[filepath.Dir(m[1])] = true, true
	}
	steps := len(regexp.MustCompile(`(?m)^\d+\. `).FindAllString(way, -1))
	if steps > 12 || len(files) > 35 || len(packages) > 9 || len(files) < 25 {
		t.Errorf("an order takes %d steps through %d files of %d packages; want at most 12, 35 and 9", steps, len(files), len(packages))
	}
	t.Logf("%d steps, %d files, %d packages", steps, len(files), len(packages))
}

// declaredIn are the names that a file declares; a method as Type.Method.
func declaredIn(t *testing.T, file string) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names[receiver(d)+d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names[n.Name] = true
					}
				}
			}
		}
	}
	return names
}

// receiver is the type of a method and a point; empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	switch of := of.(type) {
	case *ast.Ident:
		return of.Name + "."
	case *ast.IndexExpr:
		return of.X.(*ast.Ident).Name + "."
	case *ast.IndexListExpr:
		return of.X.(*ast.Ident).Name + "."
	}
	return "?."
}
