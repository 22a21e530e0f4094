package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"shop/commands/catalogfile"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
)

// imports is an import into a test's shop, with what it told.
type imports struct {
	ImportReport
	refused, changed []string
	err              error
}

func (s *testShop) importFile(file string, o ImportOptions) imports {
	s.t.Helper()
	reader, err := catalogfile.Open(strings.NewReader(file), "test", catalogfile.Options{})
	if err != nil {
		s.t.Fatalf("open file: %v", err)
	}
	var i imports
	o.Refused = func(bad *catalogfile.RowError) { i.refused = append(i.refused, bad.Error()) }
	o.Changed = func(c ImportChange) {
		i.changed = append(i.changed, fmt.Sprintf("%d %s %v: %s", c.Line, c.Article, c.New, strings.Join(c.What, ", ")))
	}
	i.ImportReport, i.err = (&Importer{s.handler, s.log}).Import(s.t.Context(), reader, o)
	return i
}

// mustImport imports a file in which nothing is wrong.
func (s *testShop) mustImport(file string, o ImportOptions) imports {
	s.t.Helper()
	i := s.importFile(file, o)
	if i.err != nil || i.Refused > 0 {
		s.t.Fatalf("import: %v %v", i.err, i.refused)
	}
	return i
}

func (s *testShop) productOf(article string) catalog.ProductState {
	s.t.Helper()
	state, err := see(s.t.Context(), New(s.log, Options{}), productStream(ImportedProduct(article)))
	if err != nil {
		s.t.Fatalf("see product: %v", err)
	}
	return state
}

const twoProducts = `article;name;brand;category;price;old_price;description;composition;marks;pictures;stock
A-1;Крем «Липа»;Tilia;Лицо > Кремы;7900;8900;Лёгкий;Aqua, Glycerin;Веган, COSMOS;/img/a https://x.kz/b.jpg;12
A-2;Мыло;Kalm;Тело > Мыло;1590;;Твёрдое;Sodium Olivate;Веган;;0
`

func TestImportAddsAndSecondImportAddsNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	picture := catalog.Picture{Src: "/img/a-640.webp", Width: 640, Height: 800, Sources: []catalog.Source{{Type: "image/avif", Srcset: "/img/a-640.avif 640w"}}}
	o := ImportOptions{Source: "two.csv", Pictures: map[string]catalog.Picture{"/img/a": picture}}
	before := s.head()
	first := s.mustImport(twoProducts, o)
	equal(t, "report", fmt.Sprintf("%+v", first.ImportReport), fmt.Sprintf("%+v", ImportReport{
		Rows: 2, Added: 2, Brands: 2, Categories: 4, Marks: 2, Events: len(s.types(before)), Position: s.head(),
	}))

	p := s.productOf("A-1")
	equal(t, "text", p.Text, catalog.ProductText{Name: "Крем «Липа»", Description: "Лёгкий", Composition: "Aqua, Glycerin"})
	equal(t, "link", p.Link, "tilia-krem-lipa")
	equal(t, "price", p.Price, 8900)
	equal(t, "price to pay", p.DiscountedPrice, 7900)
	equalText(t, "pictures", p.Pictures, []catalog.Picture{picture, {Src: "https://x.kz/b.jpg"}})
	equal(t, "stock", s.stockOf(p.ID).OnHand, 12)
	equal(t, "marks", len(p.Marks), 2)
	equal(t, "shared mark", s.productOf("A-2").Marks[0], p.Marks[0])

	before = s.head()
	for range 2 {
		s.use(s.log) // a process that has just started
		again := s.mustImport(twoProducts, o)
		equal(t, "unchanged", again.Unchanged, 2)
		equal(t, "events", again.Events, 0)
		equal(t, "position", again.Position, 0)
	}
	equalText(t, "events of the second import", s.types(before), []string{})
}

func TestImportAppendsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		old, new string
		events   []string
		changed  string
	}{
		"price":       {"7900", "6900", []string{"product.priced"}, "2 A-1 false: price 7900 → 6900"},
		"list price":  {"8900", "9900", []string{"product.priced"}, "2 A-1 false: list price 8900 → 9900"},
		"name":        {"Крем «Липа»", "Крем «Липка»", []string{"product.described"}, `2 A-1 false: name "Крем «Липка»"`},
		"stock":       {";12", ";20", []string{"stock.adjusted"}, "2 A-1 false: stock 12 → 20"},
		"last piece":  {";12", ";0", []string{"stock.adjusted", "stock.depleted"}, "2 A-1 false: stock 12 → 0"},
		"mark":        {"Веган, COSMOS", "Веган", []string{"product.marked"}, "2 A-1 false: marks"},
		"picture":     {"/img/a ", "", []string{"product.pictured"}, "2 A-1 false: pictures"},
		"category":    {"Лицо > Кремы", "Тело > Мыло", []string{"product.moved"}, "2 A-1 false: category"},
		"other brand": {"Tilia", "kalm", []string{"product.moved"}, "2 A-1 false: brand"},
		"new brand":   {"Tilia", "Ostara", []string{"brand.added", "product.moved"}, "2 A-1 false: brand"},
	} {
		s := openShop(t)
		s.mustImport(twoProducts, ImportOptions{})
		before := s.head()
		changed := strings.Replace(twoProducts, c.old, c.new, 1)

		dry := s.mustImport(changed, ImportOptions{DryRun: true})
		equalText(t, what+": dry run", dry.changed, []string{c.changed})
		equal(t, what+": events of the dry run", dry.Events, len(c.events))
		equal(t, what+": position of the dry run", dry.Position, 0)
		equalText(t, what+": events after the dry run", s.types(before), []string{})

		i := s.mustImport(changed, ImportOptions{})
		equalText(t, what, i.changed, dry.changed)
		equal(t, what+": changed", i.Changed, 1)
		types := s.types(before)
		slices.Sort(types)
		equalText(t, what+": events", types, c.events)
	}
}

func TestImportLeavesWhatTheFileDoesNotSpeakOf(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.mustImport(twoProducts, ImportOptions{})
	was := s.productOf("A-1")
	before := s.head()
	s.mustImport("article;name;price\nA-1;Крем «Липа»;5000\n", ImportOptions{})
	is := s.productOf("A-1")
	equalText(t, "events", s.types(before), []string{"product.priced"})
	equal(t, "price", is.Price, 5000)
	equal(t, "price to pay", is.DiscountedPrice, 5000)
	equal(t, "text", is.Text, was.Text)

	s.mustImport("article;name;price;description\nA-1;Крем «Липа»;5000;\n", ImportOptions{})
	equal(t, "emptied description", s.productOf("A-1").Text.Description, "")
}

func TestImportReportsBadRowsByLine(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	i := s.importFile("article;name;category;price;stock\n"+
		"A-1;Крем;Лицо;0;1\nA-2;Мыло;;100;1\nA-3;Гель;Тело;100;1\nA-3;Гель;Тело;100;1\n\"A-4;Тоник;Лицо;100;1\nA-5;Скраб;Тело;100;1\n", ImportOptions{})
	equalText(t, "refused", strings.Join(i.refused, "\n"), strings.Join([]string{
		`line 2, price: "0" is zero`,
		`line 3, category: is missing, and the product is new`,
		`line 5, article: "A-3" stands already in line 4`,
		`line 6: cell 1: broken quotes: a quote inside a quoted cell must be doubled, and the last one closed`,
	}, "\n"))
	equal(t, "rows", i.Rows, 6)
	equal(t, "refused", i.Refused, 4)
	equal(t, "added", i.Added, 2)
	equal(t, "categories", i.Categories, 1)

	i = s.mustImport("article;name;price\nA-9;Без раздела;100\n", ImportOptions{Category: "Разное", NewStock: 7})
	equal(t, "stock", s.stockOf(ImportedProduct("A-9")).OnHand, 7)
	equal(t, "categories", i.Categories, 1)
}

func TestImportLeavesARefusedRowOutAsAWhole(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.mustImport("article;name;price;category\nA-1;Мыло;900;Дом\n", ImportOptions{})
	before := s.head()
	got := s.importFile("article;name;price;category\nA-1;Мыло;800;Дом\nA-2;Крем;900;Дом\n", ImportOptions{NewStock: 2_000_000})
	equalText(t, "refused", got.refused, []string{"line 3: The quantity must be between 1 and 1000000."})
	equal(t, "added", got.Added, 0)
	equal(t, "the product is there", s.productOf("A-2").Exists(), false)
	equal(t, "the other's price", s.productOf("A-1").Price, 800)
	equalText(t, "appended", s.types(before), []string{"product.priced"})
	equal(t, "events", got.Events, 1)
}

func TestImportGivesEachProductALinkOfItsOwn(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.mustImport("article;link;name;brand;category;package_size;price\n"+
		"A-1;;Крем Tilia;Tilia;X;50 мл;100\n"+
		"A-2;;Крем Tilia;Tilia;X;75 мл;100\n"+
		"A-3;;Крем Tilia;Tilia;X;75 мл;100\n"+
		"A-4;tilia-krem-tilia;Крем Tilia;Tilia;X;75 мл;100\n"+
		"A-5;moy-krem;Крем;;X;;100\n"+
		"A-6;;!!!;;X;;100\n"+
		"A-7;;Қазақша иіс су «Жұпар» L’Été;;X;;100\n", ImportOptions{})
	for article, link := range map[string]string{
		"A-1": "tilia-krem-tilia", "A-2": "tilia-krem-tilia-75-ml", "A-3": "tilia-krem-tilia-a-3", "A-4": "tilia-krem-tilia-a-4",
		"A-5": "moy-krem", "A-6": "a-6", "A-7": "qazaqsha-iis-su-zhupar-lete",
	} {
		equal(t, "link of "+article, s.productOf(article).Link, link)
	}
	// A corrected name keeps the address.
	s.mustImport("article;name;category;price\nA-7;Духи;X;100\nA-8;Қазақша иіс су «Жұпар» L’Été;X;100\n", ImportOptions{})
	equal(t, "link of a renamed product", s.productOf("A-7").Link, "qazaqsha-iis-su-zhupar-lete")
	equal(t, "link of its namesake", s.productOf("A-8").Link, "qazaqsha-iis-su-zhupar-lete-a-8")
}

func TestImportKnowsProductsThatOthersAdded(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	id := s.product(1000, 1000, 3)
	article := "A-" + id.String()
	i := s.mustImport("article;name;price\n"+article+";Крем;900\n", ImportOptions{})
	equalText(t, "changed", i.changed, []string{"2 " + article + " false: price 1000 → 900, list price 1000 → 900"})
	equal(t, "stock", s.stockOf(id).OnHand, 3)
}

func TestImportArchivesAndRestores(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.mustImport(twoProducts, ImportOptions{})
	file := "article;name;price;archived\nA-1;Крем «Липа»;7900;%s\nA-3;Новинка;100;да\n"
	equalText(t, "archived", s.mustImport(fmt.Sprintf(file, "да"), ImportOptions{Category: "X"}).changed, []string{"2 A-1 false: archived"})
	equal(t, "unknown and archived", s.productOf("A-3").Exists(), false)
	equal(t, "again", s.mustImport(fmt.Sprintf(file, "да"), ImportOptions{Category: "X"}).Events, 0)
	s.mustImport(fmt.Sprintf(file, ""), ImportOptions{Category: "X"})
	equal(t, "still archived", s.productOf("A-1").Archived, true)
	s.mustImport(fmt.Sprintf(file, "нет"), ImportOptions{Category: "X"})
	equal(t, "restored", s.productOf("A-1").Archived, false)
}

func TestImportCountsStock(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	file := "article;name;category;price;stock;available\nA-1;Крем;X;10000;%d;%s\n"
	s.mustImport(fmt.Sprintf(file, 10, "да"), ImportOptions{Source: "a.csv"})
	id := ImportedProduct("A-1")
	s.placed(checkout(lineOf(id, 3)))
	equal(t, "free", s.stockOf(id).Free(), 7)

	equal(t, "same file", s.mustImport(fmt.Sprintf(file, 10, "да"), ImportOptions{}).Events, 0)
	s.mustImport(fmt.Sprintf(file, 2, "да"), ImportOptions{KeepStock: true})
	equal(t, "kept", s.stockOf(id).OnHand, 10)
	s.mustImport(fmt.Sprintf(file, 5, "да"), ImportOptions{})
	equal(t, "counted", s.stockOf(id).Free(), 2)
	s.mustImport(fmt.Sprintf(file, 5, "нет"), ImportOptions{})
	equal(t, "not available", s.stockOf(id).Free(), 0)

	events, err := s.log.Stream(t.Context(), stock.Stream(id), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	equalText(t, "cause", events[0].Data.(stock.Received).Cause, stock.Cause{Kind: "import", Ref: "a.csv"})
}

func TestImportPutsTheDirectory(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	d := Directory{
		Brands:     []catalog.Brand{{Name: "Tilia", Link: "tilia-lt", Description: "Липа"}},
		Categories: []DirectoryCategory{{"", catalog.Category{Name: "Лицо", Link: "litso", Order: 1}}, {"Лицо", catalog.Category{Name: "Кремы", Link: "kremy", Placeholder: "jar", Order: 2}}},
		Marks:      []catalog.Mark{{Name: "Веган", Description: "Без животных компонентов"}},
	}
	i := s.mustImport(twoProducts, ImportOptions{Directory: d})
	equal(t, "brands", i.Brands, 2)
	equal(t, "categories", i.Categories, 4)
	equal(t, "marks", i.Marks, 2)
	p := s.productOf("A-1")
	brand, err := see(t.Context(), s.handler, brandStream(p.BrandID))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "brand", brand.Brand, d.Brands[0])
	category, err := see(t.Context(), s.handler, categoryStream(p.CategoryID))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "category", category.Category.Link, "kremy")
	parent, err := see(t.Context(), s.handler, categoryStream(category.Category.ParentID))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "parent", parent.Category, d.Categories[0].Category)

	equal(t, "again", s.mustImport(twoProducts, ImportOptions{Directory: d}).Events, 0)
	equal(t, "without the directory", s.mustImport(twoProducts, ImportOptions{}).Events, 0)
	d.Brands[0].Description = "Липовый цвет"
	equal(t, "changed", s.mustImport(twoProducts, ImportOptions{Directory: d}).Brands, 1)

	d.Categories = d.Categories[1:]
	d.Categories[0].Parent = "Нет такой"
	if i := s.importFile(twoProducts, ImportOptions{Directory: d}); i.err == nil {
		t.Error("a category without its parent was put")
	}
}

func TestImportManyBatches(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	var file strings.Builder
	file.WriteString("article;name;brand;category;price;stock\n")
	const n = 5*importBatch + 7
	for i := range n {
		fmt.Fprintf(&file, "A-%d;Крем %d;Бренд %d;Лицо > Кремы %d;%d;%d\n", i, i, i%20, i%5, 900+i, i%3)
	}
	var progress []int
	i := s.mustImport(file.String(), ImportOptions{Progress: func(r ImportReport) { progress = append(progress, r.Rows) }})
	equal(t, "added", i.Added, n)
	equal(t, "brands", i.Brands, 20)
	equal(t, "categories", i.Categories, 6)
	equalText(t, "progress", progress, []int{100, 200, 300, 400, 500, 507})
	equal(t, "again", s.mustImport(file.String(), ImportOptions{}).Events, 0)
	dry := openShop(t)
	d := dry.mustImport(file.String(), ImportOptions{DryRun: true})
	d.Position = i.Position
	equal(t, "dry run", d.ImportReport, i.ImportReport)
	equal(t, "streams of the dry run", len(dry.types(0)), 1) // the rules
}

func TestImportKeepsTheOrderOfCategories(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.mustImport("name;category;price\nA;Тело > Мыло;1\nB;Лицо > Кремы;1\nC;Тело > Масла;1\n", ImportOptions{})
	s.use(s.log)
	s.mustImport("name;category;price\nD;Волосы;1\nE;Тело > Скрабы;1\nF;тело > масла;1\n", ImportOptions{})
	for place, want := range map[[2]string]int{
		{"", "Тело"}: 1, {"", "Лицо"}: 2, {"", "Волосы"}: 3,
		{"Тело", "Мыло"}: 1, {"Лицо", "Кремы"}: 1, {"Тело", "Масла"}: 2, {"Тело", "Скрабы"}: 3,
	} {
		c, err := see(t.Context(), s.handler, categoryStream(categoryID(place[0], place[1])))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprintf("order of %v", place), c.Category.Order, want)
	}
}

// failingLog loses its database after some appends.
type failingLog struct {
	Log
	appends int
}

var errGone = errors.New("database is gone")

func (f *failingLog) Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error) {
	if f.appends--; f.appends < 0 {
		return eventstore.Appended{}, errGone
	}
	return f.Log.Append(ctx, together...)
}

func TestImportThatBreaksOffGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	var file strings.Builder
	file.WriteString("article;name;category;price\n")
	for i := range 3 * importBatch {
		fmt.Fprintf(&file, "A-%d;Крем %d;Лицо;100\n", i, i)
	}
	s.use(&failingLog{s.log, 2})
	i := s.importFile(file.String(), ImportOptions{})
	if !errors.Is(i.err, errGone) {
		t.Fatalf("import: %v", i.err)
	}
	equal(t, "added", i.Added, 2*importBatch)
	s.use(s.log)
	i = s.mustImport(file.String(), ImportOptions{})
	equal(t, "unchanged", i.Unchanged, 2*importBatch)
	equal(t, "added", i.Added, importBatch)
}

func TestImportDecidesAgainWhenStockMoves(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.mustImport(twoProducts, ImportOptions{})
	id := ImportedProduct("A-1")
	other := New(s.log, Options{Clock: s.clock.Now})
	moved := false
	s.use(&beforeAppend{s.log, func() {
		if !moved {
			moved = true
			if _, err := (&Stock{other}).Receive(t.Context(), id, 5, ""); err != nil {
				t.Error(err)
			}
		}
	}})
	i := s.mustImport(strings.Replace(twoProducts, ";12\n", ";20\n", 1), ImportOptions{})
	equalText(t, "changed", i.changed, []string{"2 A-1 false: stock 17 → 20"})
	equal(t, "stock", s.stockOf(id).OnHand, 20)
}

type beforeAppend struct {
	Log
	do func()
}

func (b *beforeAppend) Append(ctx context.Context, together ...eventstore.Append) (eventstore.Appended, error) {
	b.do()
	return b.Log.Append(ctx, together...)
}

func TestSlugs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Крем для рук":               "krem-dlya-ruk",
		"  «Щука» & ёж — 5 %  ":      "shchuka-ezh-5",
		"Sève L'Or d’Été №5":         "seve-lor-dete-5",
		"подъезд":                    "podezd",
		"Sève":                       "seve",
		"":                           "",
		"!!!":                        "",
		"日本":                         "",
		strings.Repeat("слово ", 30): strings.TrimSuffix(strings.Repeat("slovo-", 13), "-"),
		strings.Repeat("ы", 100):     strings.Repeat("y", 80),
	} {
		equal(t, fmt.Sprintf("slug of %q", text), Slug(text), want)
	}
}
