package commands_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/promocode"
	"shop/domain/review"
	"shop/domain/staff"
	"shop/domain/stock"
	"shop/eventstore/registry"
)

// TestAChangedFoldIsAnotherRevision: testdata/folds.json has the revisions of folds whose states are written down, each with a hash of
// its source. A new revision gets a new entry; entries stay.
func TestAChangedFoldIsAnotherRevision(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/folds.json")
	if err != nil {
		t.Fatal(err)
	}
	var known map[string][]string
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	for _, fold := range []struct {
		name     string
		revision int
		uses     []string
	}{
		{"stock", stock.FoldRevision, nil},
		{"promocode", promocode.FoldRevision, []string{"fewer", "hashes"}},
	} {
		hash := sourceOf(t, fold.name, append(fold.uses, "evolve", "State", "Snapshot")...)
		if fold.revision != len(known[fold.name]) || known[fold.name][fold.revision-1] != hash {
			t.Errorf("the fold of %s is %s: raise its FoldRevision, and add that to testdata/folds.json", fold.name, hash)
		}
	}
}

// sourceOf is a hash of the declarations of those names in a package of the domain, and of all its events, without comments.
func sourceOf(t *testing.T, name string, names ...string) string {
	t.Helper()
	files := token.NewFileSet()
	var source bytes.Buffer
	for _, file := range []string{"decider.go", "snapshot.go", "events.go"} {
		parsed, err := parser.ParseFile(files, "../domain/"+name+"/"+file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			wanted := file == "events.go"
			switch d := d.(type) {
			case *ast.FuncDecl:
				wanted = wanted || slices.Contains(names, d.Name.Name)
			case *ast.GenDecl:
				if spec, ok := d.Specs[0].(*ast.TypeSpec); ok {
					wanted = wanted || slices.Contains(names, spec.Name.Name)
				}
			}
			if !wanted {
				continue
			}
			if err := printer.Fprint(&source, token.NewFileSet(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	hash := sha256.Sum256(source.Bytes())
	return hex.EncodeToString(hash[:8])
}

// TestEveryAggregateWithPersonalEventsForgets: a state from before an erasure is, without the person, what is folded after it, or it is
// not kept.
func TestEveryAggregateWithPersonalEventsForgets(t *testing.T) {
	t.Parallel()
	person := uuid.MustParse("00000000-0000-0000-0000-0000000000a1")
	forgetting := map[string]func() bool{
		reflect.TypeFor[order.State]().PkgPath(): func() bool {
			_, keeps := commands.OrderStream(person).Forget(order.State{Placed: order.Placed{PersonID: person}}, person)
			return !keeps
		},
		reflect.TypeFor[customer.State]().PkgPath(): func() bool {
			_, keeps := commands.CustomerStream(person).Forget(customer.State{}, person)
			return !keeps
		},
		reflect.TypeFor[promocode.State]().PkgPath(): func() bool {
			used := promocode.Redeemed{Code: "TEN", OrderID: person, PersonID: person, Buyer: promocode.Buyer{Email: "e", Phone: "p"}}
			erased := used
			erased.Buyer = promocode.Buyer{}
			got, keeps := commands.PromocodeStream("TEN").Forget(promocode.Decider.Fold(promocode.State{}, used), person)
			return keeps && reflect.DeepEqual(got, promocode.Decider.Fold(promocode.State{}, erased))
		},
		// Their states have nothing of what is sealed in their events.
		reflect.TypeFor[review.State]().PkgPath(): func() bool {
			sealed := review.Posted{ID: person, PersonID: person, Author: review.Author{Name: "Анна"}, Content: "Хорошо"}
			erased := sealed
			erased.Author, erased.Content = review.Author{}, ""
			return reflect.DeepEqual(review.Decider.Fold(review.State{}, sealed), review.Decider.Fold(review.State{}, erased))
		},
		reflect.TypeFor[bonus.State]().PkgPath(): func() bool {
			sealed := bonus.Adjusted{CustomerID: person, ID: person, Amount: 5, Reason: "Подарок", Balance: 5}
			erased := sealed
			erased.Reason = ""
			return reflect.DeepEqual(bonus.Decider.Fold(bonus.State{}, sealed), bonus.Decider.Fold(bonus.State{}, erased))
		},
		reflect.TypeFor[staff.State]().PkgPath(): func() bool {
			return reflect.DeepEqual(staff.Decider.Fold(staff.State{}, staff.Added{ID: person, Email: "a@b.kz"}), staff.Decider.Fold(staff.State{}, staff.Added{ID: person}))
		},
	}
	for pkg, forgets := range forgetting {
		if !forgets() {
			t.Errorf("%s: a state keeps what was erased", pkg)
		}
	}
	events := registry.New()
	for _, name := range events.Names() {
		data, err := events.Decode(name, events.Schema(name), []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, personal := data.(domain.HasPersonal); personal && forgetting[reflect.TypeOf(data).PkgPath()] == nil {
			t.Errorf("%s is personal: say in its stream what Forget does, and here", name)
		}
	}
}
