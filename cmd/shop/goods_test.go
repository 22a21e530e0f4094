package main

import (
	"strings"
	"testing"

	"shop/cmd/shop/terminal"
)

const twoGoods = "article;name;brand;category;price;old_price;marks;stock\n" +
	"G-1;Крем «Липа»;Tilia;Лицо > Кремы;7900;8900;Веган;12\n" +
	"G-2;Мыло;Kalm;Тело > Мыло;1590;;COSMOS;3\n"

func TestGoodsAreKeptUpFromTheCommandLine(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.ok("catalog", "import", p.file("goods.csv", twoGoods))
	said := func(want string, events int64, args ...string) {
		t.Helper()
		before := p.head()
		if got := strings.ReplaceAll(p.ok(append([]string{"catalog"}, args...)...), "\u00a0", " "); got != want+"\n" || p.head() != before+events {
			t.Errorf("%v: said %q after %d events", args, got, p.head()-before)
		}
	}
	// Each is a change with four events of its own (proposed, listed, its items applied, applied), and one of the product for each field.
	const single = 5
	said("G-1: price 8 000, marks Веган, in Лицо > Кремы", single, "price", "G-1", "8000")
	said("G-1: is so already: price 8 000, marks Веган, in Лицо > Кремы", 0, "price", "G-1", "8000")
	said("G-1: price 8 000, to pay 6 800, marks Веган, in Лицо > Кремы", single, "discount", "G-1", "15")
	said("G-1: price 8 000, marks Веган, in Лицо > Кремы", single, "discount", "G-1", "none")
	said("G-1: price 9 000, to pay 8 990, marks Веган, in Лицо > Кремы", single, "price", "G-1", "9000", "--discounted", "8990")
	said("G-1: price 9 000, to pay 8 990, marks Веган + COSMOS, in Лицо > Кремы", single, "mark", "G-1", "add", "cosmos")
	said("G-1: is so already: price 9 000, to pay 8 990, marks Веган + COSMOS, in Лицо > Кремы", 0, "mark", "G-1", "add", "COSMOS")
	said("G-1: price 9 000, to pay 8 990, marks COSMOS, in Лицо > Кремы", single, "mark", "G-1", "remove", "веган")
	said("G-1: price 9 000, to pay 8 990, marks COSMOS, in Тело > Мыло", single, "move", "G-1", "тело > мыло")
	said("G-1: price 9 000, to pay 8 990, marks COSMOS, in Лицо > Кремы", single, "move", "G-1", "kremy")
	said("G-2: price 1 590, marks COSMOS, in Тело > Мыло, archived", single, "archive", "G-2", "--reason", "снят")
	said("G-2: is so already: price 1 590, marks COSMOS, in Тело > Мыло, archived", 0, "archive", "G-2")
	said("G-2: price 1 590, marks COSMOS, in Тело > Мыло", single, "restore", "G-2")

	said(`G-2: would change: name "Мыло «Роза»", brand, description, made in "Казахстан"`, 0,
		"describe", "G-2", "--dry-run", "--name", "Мыло «Роза» ", "--brand", "tilia", "--description", "Мягкое", "--made-in", "Казахстан")
	said("G-2: price 1 590, marks COSMOS, in Тело > Мыло", single+2, "describe", "G-2", "--name", "Мыло «Роза»", "--brand", "tilia", "--description", "Мягкое")
	said("G-2: is so already: price 1 590, marks COSMOS, in Тело > Мыло", 0, "describe", "G-2", "--name", "Мыло «Роза»", "--brand", "Tilia")
	said("G-2: price 1 590, marks COSMOS, in Тело > Мыло", single, "describe", "G-2", "--brand", "")
	said("G-2: price 1 590, marks COSMOS, in Тело > Мыло", single+3, "describe", "G-2", "--composition", "Sodium Olivate", "--expires", "12 месяцев",
		"--apply-method", "Вспенить", "--package-size", "100 г")
	for line, want := range map[string]string{
		"price G-2 1600":          "price 1590 → 1600, list price 1590 → 1600",
		"discount G-2 50":         "price 1590 → 795",
		"mark G-2 add Веган":      "marks",
		"mark G-2 remove COSMOS":  "marks",
		"move G-2 kremy":          "category",
		"archive G-2 --reason да": "archived",
	} {
		said("G-2: would change: "+want, 0, append(strings.Fields(line), "--dry-run")...)
	}
	said("G-2: is so already: price 1 590, marks COSMOS, in Тело > Мыло", 0, "restore", "G-2", "--dry-run")
	if page := p.ok("catalog", "export"); !strings.Contains(page, "Мыло «Роза»") || !strings.Contains(page, "Мягкое") || !strings.Contains(page, "Sodium Olivate") ||
		!strings.Contains(page, "12 месяцев") || !strings.Contains(page, "Вспенить") || !strings.Contains(page, "100 г") {
		t.Errorf("the catalog is\n%s", page)
	}

	if list := p.ok("catalog", "list", "--article", "G-2", "--format", "json"); !strings.Contains(list, `"discounted_price": 1590`) || strings.Contains(list, "G-1") {
		t.Errorf("the list is %s", list)
	}
	if last := p.ok("events", "stream", "--format", "json", "product-"+imported(t, p, "G-2")); !strings.Contains(last, `"actor": "cli:`) {
		t.Errorf("the stream names no actor: %s", last)
	}
}

// imported is the identifier of an article's product.
func imported(t *testing.T, p program, article string) string {
	t.Helper()
	list := p.ok("catalog", "list", "--article", article, "--format", "json")
	_, rest, _ := strings.Cut(list, `"product_id": "`)
	id, _, found := strings.Cut(rest, `"`)
	if !found {
		t.Fatalf("no product %s in %s", article, list)
	}
	return id
}

func TestUpkeepThatIsRefused(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.ok("catalog", "import", p.file("goods.csv", twoGoods))
	before := p.head()
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"price G-9 100", terminal.Failed, `there is no product with the article "G-9"`},
		{"price G-1 0", terminal.Failed, "catalog/bad-price"},
		{"price G-1 100 --discounted 101", terminal.Failed, "catalog/bad-discount"},
		{"price G-1 12,50", terminal.Misuse, `PRICE: "12,50" is no whole number of tenge`},
		{"discount G-1 100", terminal.Misuse, `PERCENT: "100" is neither a whole number from 1 to 99 nor none`},
		{"mark G-1 add Вега", terminal.Failed, `there is no mark "Вега"`},
		{"mark G-1 paint Веган", terminal.Misuse, `"paint" is not known, want add or remove`},
		{"move G-1 Улыбка", terminal.Failed, `there is no category "Улыбка"`},
		{"archive", terminal.Misuse, "accepts 1 arg(s)"},
		{"describe G-1", terminal.Misuse, "say what changes"},
		{"describe G-1 --dry-run", terminal.Misuse, "say what changes"},
		{"describe G-1 --brand Нет", terminal.Failed, `there is no brand "Нет"`},
		{"describe G-1 --name=", terminal.Failed, "catalog/no-name"},
		{"describe G-1 --name= --dry-run", terminal.Failed, "catalog/no-name"},
	} {
		if r := p.run(append([]string{"catalog"}, strings.Fields(c.args)...)...); r.status != c.status || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s: status %d, said %q", c.args, r.status, r.stderr)
		}
	}
	if p.head() != before {
		t.Errorf("refusals wrote %d events", p.head()-before)
	}
}
