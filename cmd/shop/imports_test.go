package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layer is a folder with what it may import of ours. "x" is one package, "x/..." a package and all below it.
type layer struct {
	folder string
	may    []string
	// tests may import this as well.
	tests []string
	// because is why everything else is forbidden.
	because string
}

// below is everything that programs are made of.
var below = []string{"commands/...", "domain/...", "eventstore/...", "migrations/...", "projections/...", "readapi", "readapi/gauges", "readapi/replicas", "readapi/reports", "readapi/search", "readapi/staff", "readapi/staff/health", "web/..."}

// layers are looked up by the longest folder that matches.
var layers = []layer{
	{
		folder:  "cmd",
		may:     []string{"cmd/builds", "commands/...", "domain/...", "eventstore/...", "migrations/...", "projections/...", "readapi/...", "web/..."},
		because: "a program wires the packages together, so nothing may import a program, not even another one",
	},
	{
		folder:  "cmd/builds",
		because: "it edits the source as text, and knows nothing of what it makes",
	},
	{
		folder:  "cmd/shop",
		may:     slices.Concat([]string{"cmd/shop/..."}, below),
		tests:   []string{"cmd/builds", "readapi/endpoint", "readapi/words", "eventstore/relay/natstest"},
		because: "the program starts its parts; of cmd it knows its own and no other program",
	},
	{
		folder:  "cmd/shop/app",
		may:     slices.Concat([]string{"cmd/shop/terminal"}, below),
		because: "the services are built once for whoever uses them: the command line, HTTP or a page",
	},
	{
		folder:  "cmd/shop/terminal",
		may:     []string{"domain"},
		because: "tables, progress and exit statuses know nothing of what they show",
	},
	{
		folder:  "cmd/shop/cli",
		may:     slices.Concat([]string{"cmd/shop/app", "cmd/shop/cli/...", "cmd/shop/terminal", "cmd/shop/demo", "cmd/shop/images"}, below),
		because: "a command calls services and prints; it has nothing of HTTP or of pages",
	},
	{
		folder:  "cmd/shop/cli/operator",
		may:     slices.Concat([]string{"cmd/shop/app", "cmd/shop/cli/command", "cmd/shop/terminal"}, below),
		because: "operators and analysts need no command of the merchant's staff",
	},
	{
		folder:  "cmd/shop/cli/command",
		may:     []string{"cmd/shop/app", "cmd/shop/terminal", "commands", "commands/identity/securitylog", "eventstore/feed", "readapi/staff"},
		because: "what commands share knows no command",
	},
	{
		folder:  "cmd/shop/demo",
		may:     slices.Concat([]string{"cmd/shop/app", "cmd/shop/terminal", "cmd/shop/demo", "cmd/shop/images"}, below),
		because: "the demo's past goes through the commands that shoppers and staff use",
	},
	{
		folder:  "cmd/shop/images",
		may:     []string{"domain/catalog"},
		because: "a list of files that the program has with it knows nothing of who shows them",
	},
	{
		folder:  "cmd/shop/shoptest",
		may:     []string{"web"},
		because: "tests of every package of the program use it",
	},
	{
		folder:  "cmd/shop/edge",
		may:     []string{"cmd/shop/app", "cmd/shop/live", "cmd/shop/ops", "cmd/shop/pages", "commands/...", "domain/...", "eventstore", "readapi/..."},
		tests:   []string{"cmd/shop/terminal"},
		because: "HTTP leads to endpoints, and has no use case of its own",
	},
	{
		folder:  "cmd/shop/ops",
		may:     []string{"cmd/shop/app", "cmd/shop/live", "commands", "commands/importer/rulesfile", "commands/identity/securitylog", "commands/identity/signin", "domain/...", "eventstore/...", "projections/...", "readapi/..."},
		because: "operators and analysts read, and steer projections; what shoppers do has no place here",
	},
	{
		folder:  "cmd/shop/live",
		may:     []string{"commands/identity/signin", "domain/staff", "eventstore", "readapi/endpoint"},
		because: "a stream says that something changed; what it is now is asked of the read side",
	},
	{
		folder:  "cmd/shop/pages",
		may:     []string{"cmd/shop/app", "commands/importer/catalogfile", "domain", "eventstore", "readapi/...", "web"},
		because: "a page is made of answers of the read side, and changes nothing",
	},
	{
		folder: "commands",
		may:    []string{"commands/...", "domain/...", "eventstore/..."},
		because: "the write side decides from the log; a fact of the read side arrives through a one-method interface " +
			"that cmd supplies, and siblings stay apart so that each can be changed alone",
	},
	{
		folder:  "commands/changes",
		may:     []string{"commands/...", "domain/...", "eventstore/..."},
		tests:   []string{"projections", "readapi/staff"},
		because: "a change is commands of the write side; its tests see that its undo leaves no trace in what is read, and ask what stays as cmd does",
	},
	{
		folder:  "commands/fulfilment",
		may:     []string{"commands", "domain/...", "eventstore"},
		tests:   []string{"commands/testshop"},
		because: "packing and delivery are use cases of orders; who asks for them is another package's matter",
	},
	{
		folder:  "commands/refunds",
		may:     []string{"commands", "domain/...", "eventstore"},
		tests:   []string{"commands/..."},
		because: "money that goes back outside the shop is a use case of orders",
	},
	{
		folder:  "commands/photos/bucket",
		tests:   []string{"commands/photos"},
		because: "a place of files knows nothing of what is in them",
	},
	{
		folder:  "commands/shopapi",
		may:     []string{"commands", "commands/identity/...", "commands/merchant", "commands/payments", "commands/photos", "domain/...", "eventstore", "readapi/endpoint", "readapi/sentences"},
		tests:   []string{"commands/testshop"},
		because: "an endpoint of shoppers reads a request, calls a use case and answers; it decides nothing and asks no read model",
	},
	{
		folder:  "commands/staffapi",
		may:     []string{"commands", "commands/fulfilment", "commands/changes", "commands/identity/...", "commands/mail", "commands/merchant", "commands/notices", "commands/photos", "commands/refunds", "commands/series", "domain/...", "eventstore", "readapi", "readapi/endpoint", "readapi/papers", "readapi/sentences", "readapi/staff", "readapi/statement"},
		tests:   []string{"commands/testshop"},
		because: "an endpoint of staff reads a request, calls a use case and answers; what staff call by a number it finds in the read side",
	},
	{
		folder:  "commands/testshop",
		may:     []string{"commands/...", "domain/...", "eventstore/...", "readapi", "readapi/endpoint", "migrations/pgtest"},
		because: "tests of the write side share one shop, and hold its answers against the published contract",
	},
	{
		folder:  "projections",
		may:     []string{"domain/...", "eventstore"},
		tests:   []string{"eventstore/..."},
		because: "a read model is a pure fold of events: it must come out the same live and in a rebuild, without knowing which of them runs it",
	},
	{
		folder:  "projections/past",
		may:     []string{"projections", "projections/standin", "eventstore"},
		tests:   []string{"domain", "domain/catalog", "domain/content", "domain/customer", "domain/stock", "eventstore/registry", "migrations/pgtest"},
		because: "the past is the log folded up to a position, whoever reads the rows",
	},
	{
		folder:  "projections/preview",
		may:     []string{"projections", "projections/standin", "eventstore"},
		tests:   []string{"domain/content", "migrations/pgtest"},
		because: "a preview folds events with the read models' own folds, wherever they come from and whoever reads the rows",
	},
	{
		folder:  "projections/standin",
		because: "it knows statements and connections, and nothing of what the tables hold",
	},
	{
		folder:  "projections/rebuild",
		may:     []string{"projections", "eventstore/..."},
		tests:   []string{"domain/..."},
		because: "whatever the read models are, they are built, compared and swapped in one way; the feed is the live one to catch up with",
	},
	{
		folder:  "projections/replay",
		may:     []string{"projections", "domain/...", "eventstore/..."},
		because: "what history says follows from events and the folds of the read models, not from tables or HTTP",
	},
	{
		folder:  "projections/dataset",
		may:     []string{"domain/...", "eventstore/..."},
		because: "a data set is written from events alone, so that it can be written again",
	},
	{
		folder:  "readapi",
		may:     []string{"readapi/...", "domain/kz", "domain/typo", "eventstore", "eventstore/feed"},
		tests:   []string{"projections/...", "domain/...", "eventstore/..."},
		because: "reading is SELECT and JSON of what projections wrote, and the feed tells how much of the log that is; rules of the shop were applied before",
	},
	{
		folder:  "readapi/replicas",
		may:     []string{"eventstore/coalesce"},
		tests:   []string{"migrations/embeddedpg", "migrations/pgstandby"},
		because: "which server a read asks depends on the servers alone, not on what is read",
	},
	{
		folder:  "readapi/gauges",
		may:     []string{"domain/anchor"},
		because: "numbers of the database are read from its tables alone; what they are called is of whoever shows them",
	},
	{
		folder:  "readapi/search",
		may:     []string{"readapi/replicas", "readapi/words", "domain/typo"},
		because: "an index of the goods knows the read model catalog and what words mean; lists, cards and HTTP are made of what it finds",
	},
	{
		folder:  "readapi/words",
		because: "what a word is a form of follows from the word alone",
	},
	{
		folder:  "readapi/sentences",
		because: "what a sentence is in Kazakh follows from the sentence alone, whoever says it",
	},
	{
		folder:  "readapi/endpoint",
		may:     []string{"domain/staff"},
		because: "every endpoint is made with it, so it depends on none; a guard names the permission it asks for",
	},
	{
		folder:  "readapi/papers",
		may:     []string{"domain", "readapi/staff"},
		because: "a paper is another shape of what staff read",
	},
	{
		folder: "readapi/staff",
		may:    []string{"readapi", "readapi/replicas", "readapi/reports", "readapi/spreadsheet", "readapi/staff/persons", "readapi/statement", "projections/...", "eventstore/...", "domain/..."},
		because: "people who run the shop read the log, the builds and history besides the read models; HTTP and the command line show the same, " +
			"so it knows neither of them, and what changes anything is in commands",
	},
	{
		folder:  "readapi/staff/health",
		may:     []string{"eventstore/..."},
		because: "how the database is follows from the server and the log's own tables, whatever the shop keeps there",
	},
	{
		folder:  "readapi/staff/persons",
		may:     []string{"projections/...", "eventstore/...", "domain/..."},
		because: "who people were is read from the log with the folds of read models; lists and pages ask it for theirs",
	},
	{
		folder:  "readapi/spreadsheet",
		because: "what a cell holds follows from its text alone",
	},
	{
		folder:  "readapi/statement",
		may:     []string{"domain"},
		because: "a provider's file is read and compared by itself; who compares it with what is no part of it",
	},
	{
		folder:  "domain",
		may:     []string{"domain", "domain/kz"},
		tests:   []string{"domain/spec"},
		because: "an aggregate knows the shared words and itself; what spans aggregates lives in commands",
	},
	{
		folder:  "domain/kz",
		because: "the write side and the read side both use it, so it depends on neither",
	},
	{
		folder:  "domain/typo",
		because: "the write side and the read side both use it, so it depends on neither",
	},
	{
		folder:  "domain/pricing",
		may:     []string{"domain", "domain/rules", "domain/promocode"},
		because: "a price depends on the basket, the rules and the promo code; other facts arrive in its Input",
	},
	{
		folder:  "eventstore",
		may:     []string{"eventstore", "eventstore/call", "eventstore/coalesce", "eventstore/hashchain", "eventstore/keyring", "eventstore/skew", "eventstore/skim", "eventstore/traceparent", "eventstore/turn", "eventstore/wake"},
		tests:   []string{"eventstore/check", "eventstore/testevents", "migrations", "migrations/embeddedpg", "migrations/pgproxy"}, // the last three: for a server that can crash or be cut off
		because: "the log knows no business, so that every aggregate can be stored in it, and no consumer, so that it can be read without the feed",
	},
	{
		folder:  "eventstore/feed",
		may:     []string{"eventstore", "eventstore/feed", "eventstore/coalesce", "eventstore/traceparent", "eventstore/wake"},
		tests:   []string{"eventstore/check", "eventstore/feed/memory", "eventstore/testevents"},
		because: "the feed delivers what the log holds; what consumers do with it, and what it means, arrives in their handlers",
	},
	{
		folder:  "eventstore/relay",
		may:     []string{"eventstore", "eventstore/feed", "eventstore/wake"},
		tests:   []string{"eventstore/feed/memory", "eventstore/relay/natstest"},
		because: "the log is carried to NATS as it is stored; what an event means is no matter of the carrier",
	},
	{
		folder:  "eventstore/mirror",
		may:     []string{"eventstore", "eventstore/feed", "eventstore/relay", "eventstore/wake"},
		tests:   []string{"eventstore/relay/natstest", "eventstore/testevents"},
		because: "a copy of the log holds what the log holds; what is made of it is no matter of the copy",
	},
	{
		folder:  "docs/examples/consumer",
		tests:   []string{"eventstore/feed", "eventstore/feed/memory", "eventstore/relay", "eventstore/relay/natstest"},
		because: "a stranger's program reads the shop's events and nothing of its code",
	},
	{
		folder:  "eventstore/relay/natstest",
		may:     []string{"eventstore/relay"},
		because: "servers for tests know the client and nothing of what is published",
	},
	{
		folder:  "eventstore/call",
		tests:   []string{"migrations/pgtest"},
		because: "parameters are encoded without knowing what they mean",
	},
	{
		folder:  "eventstore/coalesce",
		because: "callers that share a piece of work need nothing of what the work is about",
	},
	{
		folder:  "eventstore/hashchain",
		because: "a chain of hashed lines knows nothing of what they say",
	},
	{
		folder:  "eventstore/skew",
		tests:   []string{"migrations/pgtest"},
		because: "two clocks are compared without knowing what they time",
	},
	{
		folder:  "eventstore/skim",
		because: "whatever reads JSON knows nothing of what it means",
	},
	{
		folder:  "eventstore/keyring",
		because: "what wraps keys knows neither what they open nor where they lie",
	},
	{
		folder:  "eventstore/traceparent",
		because: "a header says which span it names, and nothing of what happened in it",
	},
	{
		folder:  "eventstore/turn",
		because: "who is next does not depend on what for",
	},
	{
		folder:  "eventstore/wake",
		because: "a wake-up carries nothing",
	},
	{
		folder:  "eventstore/testevents",
		because: "tests of the log use it, so it does not know the log",
	},
	{
		folder:  "eventstore/snapshot",
		may:     []string{"eventstore", "eventstore/keyring"},
		tests:   []string{"migrations/pgtest"},
		because: "a snapshot is of a stream; what its state means is its owner's",
	},
	{
		folder:  "eventstore/anchor",
		may:     []string{"domain/anchor", "eventstore"},
		tests:   []string{"domain/staff", "eventstore/registry"},
		because: "sealing the log needs it as it is stored, and the one event in which the seal is kept",
	},
	{
		folder:  "eventstore/registry",
		may:     []string{"eventstore", "domain/..."},
		because: "the registry names the domain's events for the log, and does nothing else",
	},
	{
		folder:  "migrations",
		may:     []string{"migrations/..."},
		because: "the schema must migrate without the program's present ideas",
	},
	{
		folder:  "migrations/embeddedpg",
		because: "any program may use it to run a database; what ours calls its server stands in migrations/embedded.go",
	},
	{
		folder:  "web",
		because: "the storefront is files for a browser",
	},
}

// anyTest may be imported by every test, programTest by those of the program.
const anyTest, programTest = "migrations/pgtest", "cmd/shop/shoptest"

// forbidden answers why a package may not import another one of ours; "" when it may. Paths are within the module.
func forbidden(importer, imported string, test bool) string {
	var of *layer
	for i, l := range layers {
		if under(importer, l.folder+"/...") && (of == nil || len(l.folder) > len(of.folder)) {
			of = &layers[i]
		}
	}
	if of == nil {
		return fmt.Sprintf("%s is in no layer: say in cmd/shop/imports_test.go what it may import, and why", importer)
	}
	may := of.may
	if test {
		may = slices.Concat(may, of.tests, []string{anyTest})
		if under(importer, "cmd/shop/...") {
			may = append(may, programTest)
		}
	}
	if importer == imported || slices.ContainsFunc(may, func(pattern string) bool { return under(imported, pattern) }) {
		return ""
	}
	return fmt.Sprintf("%s must not import %s: %s", importer, imported, of.because)
}

func under(path, pattern string) bool {
	folder, tree := strings.CutSuffix(pattern, "/...")
	return path == folder || tree && strings.HasPrefix(path, folder+"/")
}

// wordless are the packages of the write side that know nothing of HTTP: what they are asked for and what they answer has types
// of its own, so that the command line, policies and endpoints use them alike.
var wordless = []string{"commands", "commands/identity/...", "commands/importer/...", "commands/policies"}

// speaksHTTP answers why a package may not import one of the library's or of others'; "" when it may.
func speaksHTTP(importer, imported string) string {
	http := under(imported, "net/http/...") || imported == "mime/multipart" || strings.HasPrefix(imported, "github.com/go-chi/")
	if !http || !slices.ContainsFunc(wordless, func(pattern string) bool { return under(importer, pattern) }) {
		return ""
	}
	return fmt.Sprintf("%s must not import %s: a use case takes a command and returns a result or a refusal; requests and statuses are for commands/shopapi and commands/staffapi", importer, imported)
}

// pureImports are the packages of others that the domain may use: they neither do I/O nor read clock or chance.
var pureImports = []string{
	"bytes", "cmp", "encoding/json", "errors", "fmt", "iter", "maps", "math", "math/bits", "reflect", "regexp", "slices", "strconv",
	"strings", "time", "unicode", "unicode/utf8", "github.com/google/uuid",
}

// pureNames are, of packages that are only partly pure, the names the domain may use or may not.
var (
	clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Sleep", "Local", "LoadLocation"}
	ids   = []string{"UUID", "Nil", "Parse", "MustParse", "FromBytes", "NewSHA1", "NameSpaceOID"}
)

// impurities answers what in a file of the domain is not pure, with the reason.
func impurities(file *ast.File) []string {
	var found []string
	for _, path := range imports(file) {
		if !strings.HasPrefix(path, module) && !slices.Contains(pureImports, path) {
			found = append(found, fmt.Sprintf("imports %s: the domain does no I/O and knows no context; facts arrive inside commands", path))
		}
	}
	for _, spec := range file.Imports {
		if spec.Name != nil {
			found = append(found, "imports "+spec.Path.Value+" as "+spec.Name.Name+": under another name its clock would go unseen here")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of, _ := n.X.(*ast.Ident)
			switch {
			case of != nil && of.Name == "time" && slices.Contains(clock, n.Sel.Name):
				found = append(found, "uses time."+n.Sel.Name+": the domain reads no clock and no zone of the machine; commands carry the time")
			case of != nil && of.Name == "uuid" && !slices.Contains(ids, n.Sel.Name):
				found = append(found, "uses uuid."+n.Sel.Name+": the domain makes nothing by chance; commands carry identifiers")
			case of != nil && of.Name == "fmt" && strings.Contains(n.Sel.Name, "rint") && !strings.HasPrefix(n.Sel.Name, "Sprint"):
				found = append(found, "uses fmt."+n.Sel.Name+": the domain does no I/O")
			}
		case *ast.Ident:
			if n.Name == "float64" || n.Name == "float32" {
				found = append(found, "uses "+n.Name+": money and percents are whole numbers")
			}
		case *ast.GoStmt:
			found = append(found, "starts a goroutine: the domain computes, it does not run")
		}
		return true
	})
	return found
}

// module is the prefix of our import paths.
const module = "shop/"

func imports(file *ast.File) []string {
	var paths []string
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// TestImports checks every file of the module, whatever its build constraints.
func TestImports(t *testing.T) {
	t.Parallel()
	packages := goList(t)
	// The test cache knows the folders a test reads, not those that go list reads: a new file must count.
	folders := []string{filepath.Join("..", "..")}
	for _, p := range packages {
		folders = append(folders, p.Dir)
	}
	for _, folder := range folders {
		if _, err := os.ReadDir(folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range packages {
		importer := strings.TrimPrefix(p.ImportPath, module)
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			path := filepath.Join(p.Dir, name)
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			test := strings.HasSuffix(name, "_test.go")
			for _, imported := range imports(file) {
				if reason := speaksHTTP(importer, imported); reason != "" && !test {
					t.Errorf("%s: %s", filepath.Join(importer, name), reason)
				}
				if !strings.HasPrefix(imported, module) {
					continue
				}
				if reason := forbidden(importer, strings.TrimPrefix(imported, module), test); reason != "" {
					t.Errorf("%s: %s", filepath.Join(importer, name), reason)
				}
			}
			// The test words of domain/spec are code for tests.
			if under(importer, "domain/...") && importer != "domain/spec" && !test {
				for _, what := range impurities(file) {
					t.Errorf("%s %s", filepath.Join(importer, name), what)
				}
			}
		}
	}
}

// goPackage is what go list tells about a package.
type goPackage struct {
	ImportPath, Dir                                              string
	GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
}

func goList(t *testing.T) []goPackage {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-e",
		"-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", module+"...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		// Some npm packages bring Go code along.
		if !strings.Contains(p.ImportPath, "/node_modules/") {
			packages = append(packages, p)
		}
	}
	if len(packages) == 0 {
		t.Fatal("go list knows no package of ours")
	}
	return packages
}

// TestForbidden plants imports, good and bad ones.
func TestForbidden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		importer, imported string
		test, ok           bool
	}{
		{"cmd/shop", "commands/policies", false, true},
		{"cmd/shop", "eventstore/registry", false, true},
		{"cmd/shop", "cmd/bench", false, false},
		{"cmd/shop", "cmd/shop/cli", false, true},
		{"cmd/shop/cli", "cmd/shop/edge", false, false},
		{"cmd/shop/cli", "cmd/shop/app", false, true},
		{"cmd/shop/app", "cmd/shop/cli", false, false},
		{"cmd/shop/app", "cmd/shop/edge", false, false},
		{"cmd/shop/pages", "commands", false, false},
		{"cmd/shop/ops", "cmd/shop/edge", false, false},
		{"cmd/shop/cli", "cmd/shop/ops", false, false},
		{"cmd/shop/cli", "readapi/staff", false, true},
		{"readapi/staff", "projections/rebuild", false, true},
		{"readapi/staff", "readapi/reports", false, true},
		{"readapi/staff", "readapi/endpoint", false, false},
		{"readapi/staff", "commands/mail", false, false},
		{"readapi/endpoint", "readapi", false, false},
		{"commands", "domain/order", false, true},
		{"commands", "eventstore", false, true},
		{"commands/policies", "commands", false, true},
		{"commands/shopapi", "commands", false, true},
		{"commands/shopapi", "readapi", false, false},
		{"commands/staffapi", "readapi", false, true},
		{"commands/staffapi", "cmd/shop/app", false, false},
		{"commands", "readapi/endpoint", false, false},
		{"commands", "projections", false, false},
		{"commands", "projections", true, false},
		{"commands", "readapi", false, false},
		{"commands", "cmd/shop", false, false},
		{"commands", "migrations/pgtest", false, false},
		{"commands", "migrations/pgtest", true, true},
		{"projections", "domain/stock", false, true},
		{"projections", "commands", false, false},
		{"projections", "projections/rebuild", false, false},
		{"projections", "projections/rebuild", true, false},
		{"projections/rebuild", "projections", false, true},
		{"projections/rebuild", "domain/stock", false, false},
		{"projections/rebuild", "domain/stock", true, true},
		{"projections/replay", "projections/rebuild", false, false},
		{"readapi", "eventstore", false, true},
		{"readapi", "eventstore/registry", false, false},
		{"readapi", "domain/order", false, false},
		{"readapi", "domain", false, false},
		{"readapi", "domain/kz", false, true},
		{"readapi", "projections", false, false},
		{"readapi", "projections", true, true},
		{"domain", "eventstore", false, false},
		{"domain/order", "domain", false, true},
		{"domain/order", "domain/stock", false, false},
		{"domain/kz", "domain", false, false},
		{"domain/order", "domain/spec", false, false},
		{"domain/order", "domain/spec", true, true},
		{"domain/order", "domain/order", true, true},
		{"domain/order", "eventstore", true, false},
		{"domain/pricing", "domain/rules", false, true},
		{"domain/pricing", "domain/promocode", false, true},
		{"domain/pricing", "domain/catalog", false, false},
		{"domain/rules", "domain/promocode", false, false},
		{"eventstore", "domain", false, false},
		{"eventstore", "eventstore/registry", false, false},
		{"eventstore", "eventstore/coalesce", false, true},
		{"eventstore", "eventstore/feed", false, false},
		{"eventstore", "eventstore/feed", true, false},
		{"eventstore/feed", "eventstore", false, true},
		{"eventstore/feed", "eventstore/registry", false, false},
		{"eventstore/feed", "eventstore/feed/memory", false, false},
		{"eventstore/feed", "eventstore/feed/memory", true, true},
		{"eventstore/feed/memory", "eventstore/feed", false, true},
		{"eventstore/coalesce", "eventstore", false, false},
		{"readapi", "eventstore/feed", false, true},
		{"eventstore/registry", "domain/order", false, true},
		{"eventstore/registry", "commands", false, false},
		{"migrations/pgtest", "migrations/embeddedpg", false, true},
		{"migrations", "eventstore", false, false},
		{"migrations", "migrations/embeddedpg", false, true},
		{"migrations/embeddedpg", "migrations", false, false},
		{"migrations/embeddedpg", "migrations/pgtest", false, false},
		{"web", "domain", false, false},
		{"helpers", "domain", false, false},
		{"domainextra", "domain", false, false},
	} {
		reason := forbidden(c.importer, c.imported, c.test)
		if (reason == "") != c.ok {
			t.Errorf("%s imports %s (in a test: %v): %q, want allowed %v", c.importer, c.imported, c.test, reason, c.ok)
		}
	}
}

// TestSpeaksHTTP plants imports of HTTP.
func TestSpeaksHTTP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		importer, imported string
		ok                 bool
	}{
		{"commands", "net/http", false},
		{"commands", "net/http/httptest", false},
		{"commands", "mime/multipart", false},
		{"commands", "github.com/go-chi/chi/v5", false},
		{"commands/identity", "net/http", false},
		{"commands/identity/signin", "net/http", false},
		{"commands", "net/mail", true},
		{"commands/shopapi", "net/http", true},
		{"commands/payments", "net/http", true},
	} {
		if reason := speaksHTTP(c.importer, c.imported); (reason == "") != c.ok {
			t.Errorf("%s imports %s: %q, want allowed %v", c.importer, c.imported, reason, c.ok)
		}
	}
}

// TestImpurities plants impure code in a file of the domain.
func TestImpurities(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		want   int
	}{
		"pure":        {`import ("time"; "shop/domain"); var z = time.FixedZone("", 5); func f(t time.Time) time.Time { return t.Add(time.Hour) }`, 0},
		"clock":       {`import "time"; var now = time.Now()`, 1},
		"its value":   {`import "time"; var now = time.Now`, 1},
		"zone":        {`import "time"; var here = time.Local`, 1},
		"chance":      {`import "github.com/google/uuid"; var id = uuid.New()`, 1},
		"known id":    {`import "github.com/google/uuid"; var id uuid.UUID`, 0},
		"rand":        {`import "math/rand/v2"; var n = rand.Int()`, 1},
		"context":     {`import "context"; func f(context.Context) {}`, 1},
		"os":          {`import "os"; var home = os.Getenv("HOME")`, 1},
		"net":         {`import "net/http"; var c http.Client`, 1},
		"database":    {`import "github.com/jackc/pgx/v5"; var c pgx.Conn`, 1},
		"log":         {`import "log/slog"; func f() { slog.Info("") }`, 1},
		"print":       {`import "fmt"; func f() { fmt.Println() }`, 1},
		"text":        {`import "fmt"; var s = fmt.Sprintf("%d", 1)`, 0},
		"float":       {`func f(price float64) {}`, 1},
		"goroutine":   {`func f() { go f() }`, 1},
		"hidden name": {`import clock "time"; var now = clock.Now()`, 1},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), name, "package planted; "+c.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := impurities(file); len(got) != c.want {
			t.Errorf("%s: %q, want %d", name, got, c.want)
		}
	}
}

// TestProgramHasNoServerOfNATS: servers of NATS are for tests and cmd/scale; the program has the client alone.
func TestProgramHasNoServerOfNATS(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.Lines(string(out)) {
		if strings.HasPrefix(path, "github.com/nats-io/nats-server") || strings.HasPrefix(path, "shop/eventstore/relay/natstest") {
			t.Errorf("the program holds %s", path)
		}
	}
}
