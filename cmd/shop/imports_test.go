package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestImports keeps the parts of the shop apart: what each may import of the others, and why.
func TestImports(t *testing.T) {
	t.Parallel()
	rules := []struct {
		// from is a package and everything below it; the first rule that fits counts.
		from string
		// may are the only packages of ours it may import, with everything below a name that ends in /.
		may []string
		why string
	}{
		{"shop/cmd", []string{"shop/"}, ""},
		{"shop/domain/pricing", []string{"shop/domain", "shop/domain/rules", "shop/domain/promocode", "shop/domain/spec"},
			"pricing prices by rules and promo codes and knows no aggregate"},
		{"shop/domain/spec", []string{"shop/domain"}, "the test language knows deciders, not aggregates"},
		{"shop/domain", []string{"shop/domain", "shop/domain/spec"}, "an aggregate never knows another; the domain is pure"},
		{"shop/eventstore/registry", []string{"shop/eventstore", "shop/domain", "shop/domain/"}, "the registry names the domain's events, nothing else"},
		{"shop/eventstore", []string{"shop/eventstore", "shop/eventstore/"}, "the log knows no business"},
		{"shop/migrations", []string{"shop/migrations", "shop/migrations/"}, "the database's shape depends on nothing"},
		{"shop/commands", []string{"shop/commands/", "shop/domain", "shop/domain/", "shop/eventstore", "shop/eventstore/"},
			"the write side decides from the log; facts of the read side come through an interface that cmd fills"},
		{"shop/projections", []string{"shop/projections/", "shop/domain", "shop/domain/", "shop/eventstore", "shop/eventstore/"},
			"a projection folds events and asks nobody"},
		{"shop/readapi", []string{"shop/readapi/", "shop/eventstore"}, "queries read tables; of the log they know positions"},
		{"shop/web", nil, "the built storefront is files"},
	}
	for _, p := range packages(t) {
		i := slices.IndexFunc(rules, func(r struct {
			from string
			may  []string
			why  string
		}) bool {
			return p.ImportPath == r.from || strings.HasPrefix(p.ImportPath, r.from+"/")
		})
		if i < 0 {
			t.Errorf("%s has no place in the tree; give it a rule here or another place", p.ImportPath)
			continue
		}
		rule := rules[i]
		check := func(imports []string, test bool) {
			for _, imported := range imports {
				if !strings.HasPrefix(imported, "shop/") || imported == p.ImportPath {
					continue
				}
				if test && strings.HasPrefix(imported, "shop/migrations") {
					continue // tests of any package may have a database
				}
				if !slices.ContainsFunc(rule.may, func(may string) bool {
					return imported == may || strings.HasSuffix(may, "/") && strings.HasPrefix(imported, may)
				}) {
					t.Errorf("%s must not import %s: %s", p.ImportPath, imported, rule.why)
				}
			}
		}
		check(p.Imports, false)
		check(p.TestImports, true)
		check(p.XTestImports, true)
	}
}

type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	// -e: a package with an error elsewhere still has imports; the compiler tells the error.
	list, err := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports",
		"shop/cmd/...", "shop/commands/...", "shop/domain/...", "shop/eventstore/...", "shop/migrations/...",
		"shop/projections/...", "shop/readapi/...", "shop/web/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var found []goPackage
	for d := json.NewDecoder(strings.NewReader(string(list))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		found = append(found, p)
	}
}
