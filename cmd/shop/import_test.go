package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/text/encoding/charmap"

	"shop/cmd/shop/terminal"
)

// theirs is a list as a merchant abroad keeps it: other headers, prices in dollars, no articles, long INCI lists.
const theirs = "\ufeffLabel,brand,name,price,rank,ingredients\n" +
	"Moisturizer,LA MER,Crème de la Mer,175,4.1,\"Algae (Seaweed) Extract, Mineral Oil, Petrolatum, Glycerin\"\n" +
	"Moisturizer,SK-II,Facial Treatment Essence,179,4.1,\"Galactomyces Ferment Filtrate, Butylene Glycol, Pentylene Glycol\"\n" +
	"Cleanser,DRUNK ELEPHANT,Protini™ Polypeptide Cream,68,4.4,\"Water, Dicaprylyl Carbonate, Glycerin, Niacinamide\"\n"

func (p program) file(name, content string) string {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// TestAnImportIsAChange: a file is one change with its reason. It waits for a second person where the rules say so, and an undo puts back what
// was changed and archives what was added.
func TestAnImportIsAChange(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	const header = "article;name;category;price;stock;marks\n"
	p.ok("catalog", "import", p.file("goods.csv", header+"G-1;Мыло;Тело;1000;5;\n"))
	p.ok("catalog", "import", p.file("spring.csv", header+"G-1;Мыло;Уход;900;7;Веган\nG-2;Скраб;Уход;500;3;\n"), "--reason", "весна")
	goods := func() (said string) {
		t.Helper()
		var listed []struct {
			Article, Category string
			Price             int64
			Marks             []string
			Archived          bool
		}
		var stock []struct {
			OnHand int64 `json:"on_hand"`
		}
		for command, into := range map[string]any{"catalog": &listed, "stock": &stock} {
			if err := json.Unmarshal([]byte(p.ok(command, "list", "--format", "json")), into); err != nil {
				t.Fatal(err)
			}
		}
		for n, one := range listed {
			said += fmt.Sprintln(one.Article, one.Category, one.Price, one.Marks, stock[n].OnHand, one.Archived)
		}
		return said
	}
	if got, want := goods(), "G-1 Уход 900 [Веган] 7 false\nG-2 Уход 500 [] 3 false\n"; got != want {
		t.Errorf("imported:\n%s, want\n%s", got, want)
	}
	made := p.changes()
	if len(made) != 2 || made[0].Title != "shop catalog import: spring.csv" || made[0].Reason != "весна" || made[1].Reason != "goods.csv" {
		t.Fatalf("%+v", made)
	}
	p.ok("changes", "undo", made[0].ID)
	if got, want := goods(), "G-1 Тело 1000 [] 5 false\nG-2 Уход 500 [] 3 true\n"; got != want {
		t.Errorf("undone:\n%s, want\n%s", got, want)
	}
	p.ok("changes", "make", "rules", "rules", "approval_price_cut", "10")
	if said := p.ok("catalog", "import", p.file("cheap.csv", "article;price\nG-1;500\n")); !strings.Contains(said, "waits for a second person: shop changes approve ") {
		t.Error(said)
	}
	if got := goods(); !strings.HasPrefix(got, "G-1 Тело 1000 ") {
		t.Errorf("nobody has approved it: %s", got)
	}
}

func TestMerchantsFileIsImportedFoundAndBought(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	s := p.serve()
	list := func(content string, more ...string) string {
		return p.ok(append([]string{"catalog", "import", p.file("list.csv", content), "--columns", "category=Label", "--rate", "540", "--new-stock", "20"}, more...)...)
	}

	empty := p.head()
	if said := list(theirs, "--dry-run"); !strings.Contains(said, "would be imported: 3 rows: 3 new") || !strings.Contains(said, "Crème de la Mer: new") || p.head() != empty {
		t.Errorf("dry run, head %d after %d: %s", p.head(), empty, said)
	}
	if said := list(theirs); !strings.HasPrefix(said, "imported: 3 rows: 3 new") {
		t.Errorf("said %q", said)
	}
	full := p.head()
	if said := list(theirs); !strings.Contains(said, "3 as they were") || p.head() != full {
		t.Errorf("again, head %d after %d: %q", p.head(), full, said)
	}
	if said := list(strings.Replace(theirs, ",175,", ",180,", 1)); !strings.Contains(said, "1 changed") || p.head() <= full {
		t.Errorf("a changed price, head %d after %d: %q", p.head(), full, said)
	}

	// Shoppers find it by its name, roughly, by what is in it, and on the wrong keyboard layout.
	var cream uuid.UUID
	for asked, name := range map[string]string{
		"creme de la mer": "Crème de la Mer", "drunk elefant": "Protini™ Polypeptide Cream", "protini": "Protini™ Polypeptide Cream",
		"galactomyces": "Facial Treatment Essence", "niacinamid": "Protini™ Polypeptide Cream", "зкщештш": "Protini™ Polypeptide Cream",
	} {
		var found struct {
			Results []struct {
				ID    uuid.UUID
				Name  string
				Price int64
			}
		}
		// The import has waited for nothing; whoever reads what it wrote names its position, as the browser does.
		status, _, body := s.send("GET", "/api/products/?search="+url.QueryEscape(asked), nil, "X-Min-Position", number(p.head()))
		if err := json.Unmarshal([]byte(body), &found); err != nil || status != 200 || len(found.Results) == 0 || found.Results[0].Name != name {
			t.Errorf("%q finds %d %s, %v", asked, status, body, err)
			continue
		}
		if name == "Crème de la Mer" {
			if cream = found.Results[0].ID; found.Results[0].Price != 97_200 {
				t.Errorf("it costs %d", found.Results[0].Price)
			}
		}
	}
	r := s.placed(cream, 1, "CASH")
	if show := p.ok("orders", "show", number(r.Number)); !strings.Contains(show, "Crème de la Mer") {
		t.Errorf("the order:\n%s", show)
	}
	p.audit()
}

func TestOddCatalogFiles(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	const head = "article;name;brand;category;price\n"
	cyrillic, err := charmap.Windows1251.NewEncoder().String(head + "W-1;Мыло дегтярное;Бренд;Тело;900\n")
	if err != nil {
		t.Fatal(err)
	}
	const feed = `<?xml version="1.0"?><yml_catalog><shop><categories><category id="1">Лицо</category></categories><offers>` +
		`<offer id="Y-1"><price>900</price><categoryId>1</categoryId><name>Крем</name></offer>`
	for name, c := range map[string]struct {
		content        string
		status         int
		stdout, stderr string
	}{
		"empty.csv":        {"", terminal.Failed, "", "the file is empty"},
		"header.csv":       {head, terminal.Done, "imported: 0 rows", ""},
		"unknown.csv":      {"foo;bar\n1;2\n", terminal.Failed, "", "none is recognised as name; it says: foo, bar"},
		"repeated.csv":     {head + "D-1;Крем;B;C;1000\nD-1;Мыло;B;C;2000\n", terminal.Failed, "2 rows: 1 new, 0 changed, 0 as they were, 1 refused", `line 3, article: "D-1" stands already in line 2`},
		"negative.csv":     {head + "N-1;Крем;B;C;-100\nN-2;Мыло;B;C;0\n", terminal.Failed, "2 refused", `line 2, price: "-100" is negative`},
		"quotes.csv":       {head + "Q-1;\"Крем;B;C;1000\nQ-2;Мыло;B;C;1000\n", terminal.Failed, "1 new", "line 2: cell 2: broken quotes"},
		"cell.csv":         {head + "B-1;" + strings.Repeat("Ы", 1<<20) + ";B;C;1000\nB-2;Мыло;B;C;1000\n", terminal.Failed, "1 new", "line 2, name: is 1048576 characters long"},
		"windows-1251.csv": {cyrillic, terminal.Done, "1 new", ""},
		"sheet.xlsx":       {"PK\x03\x04rest", terminal.Failed, "", "an Excel workbook"},
		"page.xml":         {"<!DOCTYPE html><html></html>", terminal.Failed, "", "the root element is <html>, not <yml_catalog>"},
		"cut.yml":          {feed + `<offer id="Y-2"><pri`, terminal.Failed, "1 new", "the file ends too early"},
		"empty.yml":        {`<yml_catalog><shop><offers></offers></shop></yml_catalog>`, terminal.Failed, "", "the file holds no offers"},
		"doctype.yml":      {`<?xml version="1.0"?><!DOCTYPE yml_catalog SYSTEM "shops.dtd"><yml_catalog><shop><name>Дала</name></shop></yml_catalog>`, terminal.Failed, "", "the file holds no offers"},
		"laughs.yml": {`<!DOCTYPE y [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>` + strings.Replace(feed, "Крем", "&b;", 1) + "</offers></shop></yml_catalog>",
			terminal.Failed, "0 new", "invalid character entity &b;"},
	} {
		r := p.run("catalog", "import", p.file(name, c.content))
		if r.status != c.status || !strings.Contains(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) || (c.stderr == "") != (r.stderr == "") {
			t.Errorf("%s: status %d, stdout %q, stderr %q", name, r.status, r.stdout, r.stderr)
		}
		if lines := strings.Split(strings.TrimSpace(r.stderr), "\n"); r.status == terminal.Failed && !strings.HasPrefix(lines[len(lines)-1], "shop: ") {
			t.Errorf("%s: ends with %q", name, lines[len(lines)-1])
		}
	}
	for _, path := range []string{t.TempDir(), "/nonexistent/file.csv"} {
		if r := p.run("catalog", "import", path); r.status != terminal.Failed || !strings.Contains(r.stderr, filepath.Base(path)) {
			t.Errorf("%s: %+v", path, r)
		}
	}
}
