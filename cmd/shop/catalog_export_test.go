package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/app"
	"shop/cmd/shop/demo"
	"shop/cmd/shop/images"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
)

// stockDemo puts the demo catalog on the program's shelves, as 'shop demo' does.
func (p program) stockDemo() {
	p.t.Helper()
	ctx := p.t.Context()
	s, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close(ctx)
	var o importer.Options
	if o.Directory, err = demo.Directory(); err != nil {
		p.t.Fatal(err)
	}
	if o.Pictures, err = images.Pictures(); err != nil {
		p.t.Fatal(err)
	}
	file, err := catalogfile.Open(demo.CatalogFile(), "demo", catalogfile.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := (&importer.Catalog{Handler: s.Handler, Log: s.Store}).Import(ctx, file, o); err != nil {
		p.t.Fatal(err)
	}
}

// thousandGoods is a file of 1 000 products, some of them with texts that take files apart.
func thousandGoods() string {
	var b strings.Builder
	b.WriteString("article;name;brand;category;price;discounted_price;marks;stock;description;composition;pictures\n")
	for i := range 1000 {
		discounted := ""
		if i%3 == 0 {
			discounted = fmt.Sprint(800 + i)
		}
		fmt.Fprintf(&b, "T-%04d;\"Крем «%d»; \"\"<b>\"\" & a &amp;lt; b\";Бренд %d;Раздел %d > Полка %d;%d;%s;Знак %d, COSMOS;%d;\"- Раз.\n\n=2 < 3\";\"Aqua, Glycerin\";https://x.kz/%d.jpg | /img/%d.webp\n",
			i, i, i%20, i%7, i%21, 900+i, discounted, i%5, i%50, i, i)
	}
	return b.String()
}

func TestExportImportsAgainWithoutAChange(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(p program){
		"demo": program.stockDemo,
		"1000": func(p program) { p.ok("catalog", "import", p.file("goods.csv", thousandGoods())) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := onDatabase(t)
			fill(p)
			first := strings.TrimSpace(strings.Split(p.ok("catalog", "list", "--limit", "1"), "\n")[1])
			article, _, _ := strings.Cut(first, " ")
			p.ok("catalog", "discount", article, "15")
			p.ok("catalog", "mark", article, "add", "COSMOS Organic"[:map[string]int{"demo": 14, "1000": 6}[name]])
			p.ok("catalog", "archive", article)
			head := p.head()
			for _, format := range []string{"csv", "yml"} {
				file := filepath.Join(t.TempDir(), "goods."+format)
				if said := p.ok("catalog", "export", "--format", format, "--out", file); !strings.HasSuffix(said, map[string]string{"demo": ": 220 products\n", "1000": ": 1000 products\n"}[name]) {
					t.Errorf("%s: said %q", format, said)
				}
				if said := p.ok("catalog", "import", file); !strings.Contains(said, "0 new, 0 changed") || !strings.HasSuffix(said, "; 0 events\n") || p.head() != head {
					t.Errorf("%s: head %d after %d: %s", format, p.head(), head, said)
				}
				exported, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				copied := onDatabase(t)
				copied.ok("catalog", "import", file, "--archived")
				if again := copied.ok("catalog", "export", "--format", format); again != string(exported) {
					t.Errorf("%s: the copy's export differs: %s", format, firstDifference(again, string(exported)))
				}
			}
		})
	}
}

func firstDifference(a, b string) string {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(linesA), len(linesB)) {
		if linesA[i] != linesB[i] {
			return fmt.Sprintf("line %d\n%s\n%s", i+1, linesA[i], linesB[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(linesA), len(linesB))
}

func TestListsOfWhatChangesAreImported(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.ok("catalog", "import", p.file("goods.csv", twoGoods))
	before := p.head()
	r := p.run("catalog", "import", p.file("prices.csv", "article;price\nG-1;8500\nG-2;1590\nG-9;100\nG-2;дорого\n"))
	if r.status != terminal.Failed || !strings.Contains(r.stdout, "4 rows: 0 new, 1 changed, 1 as they were, 2 refused; 0 brands, 0 categories, 0 marks; 1 events") || p.head() <= before {
		t.Errorf("prices: head %d after %d, %+v", p.head(), before, r)
	}
	for _, want := range []string{"line 4, name: is missing, and the product is new", `line 5, price: "дорого" is not an amount`} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("said %q, want %q", r.stderr, want)
		}
	}
	if said := p.ok("catalog", "import", p.file("stock.csv", "article;stock\nG-1;0\nG-2;3\n")); !strings.Contains(said, "0 new, 1 changed, 1 as they were") {
		t.Errorf("stock: %s", said)
	}
	if r := p.run("catalog", "import", p.file("discounts.csv", "article;old_price\nG-1;9000\n")); r.status != terminal.Failed || !strings.Contains(r.stderr, "none is recognised as name") {
		t.Errorf("old prices alone: %+v", r)
	}
}
