package importer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
	"shop/eventstore"
)

const twoProducts = `article;name;brand;category;price;old_price;description;composition;marks;pictures;stock
A-1;Крем «Липа»;Tilia;Лицо > Кремы;7900;8900;Лёгкий;Aqua, Glycerin;Веган, COSMOS;/img/a https://x.kz/b.jpg;12
A-2;Мыло;Kalm;Тело > Мыло;1590;;Твёрдое;Sodium Olivate;Веган;;0
`

func TestImportAddsAndSecondImportAddsNothing(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	picture := catalog.Picture{Src: "/img/a-640.webp", Width: 640, Height: 800, Sources: []catalog.Source{{Type: "image/avif", Srcset: "/img/a-640.avif 640w"}}}
	o := importer.Options{Source: "two.csv", Pictures: map[string]catalog.Picture{"/img/a": picture}}
	before := s.Head()
	first := s.MustImport(twoProducts, o)
	testshop.Equal(t, "report", fmt.Sprintf("%+v", first.Report), fmt.Sprintf("%+v", importer.Report{
		Rows: 2, Added: 2, Brands: 2, Categories: 4, Marks: 2, Events: len(s.Types(before)), Position: s.Head(),
	}))

	p := s.ProductOf("A-1")
	testshop.Equal(t, "text", p.Text, catalog.ProductText{Name: "Крем «Липа»", Description: "Лёгкий", Composition: "Aqua, Glycerin"})
	testshop.Equal(t, "link", p.Link, "tilia-krem-lipa")
	testshop.Equal(t, "price", p.Price, 8900)
	testshop.Equal(t, "price to pay", p.DiscountedPrice, 7900)
	testshop.EqualText(t, "pictures", p.Pictures, []catalog.Picture{picture, {Src: "https://x.kz/b.jpg"}})
	testshop.Equal(t, "stock", s.StockOf(p.ID).OnHand, 12)
	testshop.Equal(t, "marks", len(p.Marks), 2)
	testshop.Equal(t, "shared mark", s.ProductOf("A-2").Marks[0], p.Marks[0])

	before = s.Head()
	for range 2 {
		s.Use(s.Log) // a process that has just started
		again := s.MustImport(twoProducts, o)
		testshop.Equal(t, "unchanged", again.Unchanged, 2)
		testshop.Equal(t, "events", again.Events, 0)
		testshop.Equal(t, "position", again.Position, 0)
	}
	testshop.EqualText(t, "events of the second import", s.Types(before), []string{})
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
		s := testshop.Open(t)
		s.MustImport(twoProducts, importer.Options{})
		before := s.Head()
		changed := strings.Replace(twoProducts, c.old, c.new, 1)

		dry := s.MustImport(changed, importer.Options{DryRun: true})
		testshop.EqualText(t, what+": dry run", dry.Told, []string{c.changed})
		testshop.Equal(t, what+": events of the dry run", dry.Events, len(c.events))
		testshop.Equal(t, what+": position of the dry run", dry.Position, 0)
		testshop.EqualText(t, what+": events after the dry run", s.Types(before), []string{})

		i := s.MustImport(changed, importer.Options{})
		testshop.EqualText(t, what, i.Told, dry.Told)
		testshop.Equal(t, what+": changed", i.Changed, 1)
		types := s.Types(before)
		slices.Sort(types)
		testshop.EqualText(t, what+": events", types, c.events)
	}
}

func TestImportLeavesWhatTheFileDoesNotSpeakOf(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.MustImport(twoProducts, importer.Options{})
	was := s.ProductOf("A-1")
	before := s.Head()
	s.MustImport("article;name;price\nA-1;Крем «Липа»;5000\n", importer.Options{})
	is := s.ProductOf("A-1")
	testshop.EqualText(t, "events", s.Types(before), []string{"product.priced"})
	testshop.Equal(t, "price", is.Price, 5000)
	testshop.Equal(t, "price to pay", is.DiscountedPrice, 5000)
	testshop.Equal(t, "text", is.Text, was.Text)

	s.MustImport("article;name;price;description\nA-1;Крем «Липа»;5000;\n", importer.Options{})
	testshop.Equal(t, "emptied description", s.ProductOf("A-1").Text.Description, "")
}

func TestImportReportsBadRowsByLine(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	i := s.Import("article;name;category;price;stock\n"+
		"A-1;Крем;Лицо;0;1\nA-2;Мыло;;100;1\nA-3;Гель;Тело;100;1\nA-3;Гель;Тело;100;1\n\"A-4;Тоник;Лицо;100;1\nA-5;Скраб;Тело;100;1\n", importer.Options{})
	testshop.EqualText(t, "refused", strings.Join(i.Left, "\n"), strings.Join([]string{
		`line 2, price: "0" is zero`,
		`line 3, category: is missing, and the product is new`,
		`line 5, article: "A-3" stands already in line 4`,
		`line 6: cell 1: broken quotes: a quote inside a quoted cell must be doubled, and the last one closed`,
	}, "\n"))
	testshop.Equal(t, "rows", i.Rows, 6)
	testshop.Equal(t, "refused", i.Refused, 4)
	testshop.Equal(t, "added", i.Added, 2)
	testshop.Equal(t, "categories", i.Categories, 1)

	i = s.MustImport("article;name;price\nA-9;Без раздела;100\n", importer.Options{Category: "Разное", NewStock: 7})
	testshop.Equal(t, "stock", s.StockOf(importer.ProductID("A-9")).OnHand, 7)
	testshop.Equal(t, "categories", i.Categories, 1)
}

func TestImportLeavesARefusedRowOutAsAWhole(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.MustImport("article;name;price;category\nA-1;Мыло;900;Дом\n", importer.Options{})
	before := s.Head()
	got := s.Import("article;name;price;category\nA-1;Мыло;800;Дом\nA-2;Крем;900;Дом\n", importer.Options{NewStock: 2_000_000})
	testshop.EqualText(t, "refused", got.Left, []string{"line 3: The quantity must be between 1 and 1000000."})
	testshop.Equal(t, "added", got.Added, 0)
	testshop.Equal(t, "the product is there", s.ProductOf("A-2").Exists(), false)
	testshop.Equal(t, "the other's price", s.ProductOf("A-1").Price, 800)
	testshop.EqualText(t, "appended", s.Types(before), []string{"product.priced"})
	testshop.Equal(t, "events", got.Events, 1)
}

func TestImportGivesEachProductALinkOfItsOwn(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.MustImport("article;link;name;brand;category;package_size;price\n"+
		"A-1;;Крем Tilia;Tilia;X;50 мл;100\n"+
		"A-2;;Крем Tilia;Tilia;X;75 мл;100\n"+
		"A-3;;Крем Tilia;Tilia;X;75 мл;100\n"+
		"A-4;tilia-krem-tilia;Крем Tilia;Tilia;X;75 мл;100\n"+
		"A-5;moy-krem;Крем;;X;;100\n"+
		"A-6;;!!!;;X;;100\n"+
		"A-7;;Қазақша иіс су «Жұпар» L’Été;;X;;100\n", importer.Options{})
	for article, link := range map[string]string{
		"A-1": "tilia-krem-tilia", "A-2": "tilia-krem-tilia-75-ml", "A-3": "tilia-krem-tilia-a-3", "A-4": "tilia-krem-tilia-a-4",
		"A-5": "moy-krem", "A-6": "a-6", "A-7": "qazaqsha-iis-su-zhupar-lete",
	} {
		testshop.Equal(t, "link of "+article, s.ProductOf(article).Link, link)
	}
	// A corrected name keeps the address.
	s.MustImport("article;name;category;price\nA-7;Духи;X;100\nA-8;Қазақша иіс су «Жұпар» L’Été;X;100\n", importer.Options{})
	testshop.Equal(t, "link of a renamed product", s.ProductOf("A-7").Link, "qazaqsha-iis-su-zhupar-lete")
	testshop.Equal(t, "link of its namesake", s.ProductOf("A-8").Link, "qazaqsha-iis-su-zhupar-lete-a-8")
}

func TestImportKnowsProductsThatOthersAdded(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	id := s.Product(1000, 1000, 3)
	article := "A-" + id.String()
	i := s.MustImport("article;name;price\n"+article+";Крем;900\n", importer.Options{})
	testshop.EqualText(t, "changed", i.Told, []string{"2 " + article + " false: price 1000 → 900, list price 1000 → 900"})
	testshop.Equal(t, "stock", s.StockOf(id).OnHand, 3)
}

func TestImportArchivesAndRestores(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.MustImport(twoProducts, importer.Options{})
	file := "article;name;price;archived\nA-1;Крем «Липа»;7900;%s\nA-3;Новинка;100;да\n"
	testshop.EqualText(t, "archived", s.MustImport(fmt.Sprintf(file, "да"), importer.Options{Category: "X"}).Told, []string{"2 A-1 false: archived"})
	testshop.Equal(t, "unknown and archived", s.ProductOf("A-3").Exists(), false)
	testshop.Equal(t, "again", s.MustImport(fmt.Sprintf(file, "да"), importer.Options{Category: "X"}).Events, 0)
	s.MustImport(fmt.Sprintf(file, ""), importer.Options{Category: "X"})
	testshop.Equal(t, "still archived", s.ProductOf("A-1").Archived, true)
	s.MustImport(fmt.Sprintf(file, "нет"), importer.Options{Category: "X"})
	testshop.Equal(t, "restored", s.ProductOf("A-1").Archived, false)
}

func TestImportCountsStock(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	file := "article;name;category;price;stock;available\nA-1;Крем;X;10000;%d;%s\n"
	s.MustImport(fmt.Sprintf(file, 10, "да"), importer.Options{Source: "a.csv"})
	id := importer.ProductID("A-1")
	s.Placed(testshop.Checkout(testshop.Line(id, 3)))
	testshop.Equal(t, "free", s.StockOf(id).Free(), 7)

	testshop.Equal(t, "same file", s.MustImport(fmt.Sprintf(file, 10, "да"), importer.Options{}).Events, 0)
	s.MustImport(fmt.Sprintf(file, 2, "да"), importer.Options{KeepStock: true})
	testshop.Equal(t, "kept", s.StockOf(id).OnHand, 10)
	s.MustImport(fmt.Sprintf(file, 5, "да"), importer.Options{})
	testshop.Equal(t, "counted", s.StockOf(id).Free(), 2)
	s.MustImport(fmt.Sprintf(file, 5, "нет"), importer.Options{})
	testshop.Equal(t, "not available", s.StockOf(id).Free(), 0)

	events, err := s.Log.Stream(t.Context(), stock.Stream(id), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	testshop.EqualText(t, "cause", events[0].Data.(stock.Received).Cause, stock.Cause{Kind: "import", Ref: "a.csv"})
}

func TestImportPutsTheDirectory(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	d := importer.Directory{
		Brands:     []catalog.Brand{{Name: "Tilia", Link: "tilia-lt", Description: "Липа"}},
		Categories: []importer.DirectoryCategory{{"", catalog.Category{Name: "Лицо", Link: "litso", Order: 1}}, {"Лицо", catalog.Category{Name: "Кремы", Link: "kremy", Placeholder: "jar", Order: 2}}},
		Marks:      []catalog.Mark{{Name: "Веган", Description: "Без животных компонентов"}},
	}
	i := s.MustImport(twoProducts, importer.Options{Directory: d})
	testshop.Equal(t, "brands", i.Brands, 2)
	testshop.Equal(t, "categories", i.Categories, 4)
	testshop.Equal(t, "marks", i.Marks, 2)
	p := s.ProductOf("A-1")
	brand, err := commands.See(t.Context(), s.Handler, commands.BrandStream(p.BrandID))
	if err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "brand", brand.Brand, d.Brands[0])
	category, err := commands.See(t.Context(), s.Handler, commands.CategoryStream(p.CategoryID))
	if err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "category", category.Category.Link, "kremy")
	parent, err := commands.See(t.Context(), s.Handler, commands.CategoryStream(category.Category.ParentID))
	if err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "parent", parent.Category, d.Categories[0].Category)

	testshop.Equal(t, "again", s.MustImport(twoProducts, importer.Options{Directory: d}).Events, 0)
	testshop.Equal(t, "without the directory", s.MustImport(twoProducts, importer.Options{}).Events, 0)
	d.Brands[0].Description = "Липовый цвет"
	testshop.Equal(t, "changed", s.MustImport(twoProducts, importer.Options{Directory: d}).Brands, 1)

	d.Categories = d.Categories[1:]
	d.Categories[0].Parent = "Нет такой"
	if i := s.Import(twoProducts, importer.Options{Directory: d}); i.Err == nil {
		t.Error("a category without its parent was put")
	}
}

func TestImportManyBatches(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	var file strings.Builder
	file.WriteString("article;name;brand;category;price;stock\n")
	const n = 5*importer.Batch + 7
	for i := range n {
		fmt.Fprintf(&file, "A-%d;Крем %d;Бренд %d;Лицо > Кремы %d;%d;%d\n", i, i, i%20, i%5, 900+i, i%3)
	}
	var progress []int
	i := s.MustImport(file.String(), importer.Options{Progress: func(r importer.Report) { progress = append(progress, r.Rows) }})
	testshop.Equal(t, "added", i.Added, n)
	testshop.Equal(t, "brands", i.Brands, 20)
	testshop.Equal(t, "categories", i.Categories, 6)
	testshop.EqualText(t, "progress", progress, []int{100, 200, 300, 400, 500, 507})
	testshop.Equal(t, "again", s.MustImport(file.String(), importer.Options{}).Events, 0)
	dry := testshop.Open(t)
	d := dry.MustImport(file.String(), importer.Options{DryRun: true})
	d.Position = i.Position
	testshop.Equal(t, "dry run", d.Report, i.Report)
	testshop.Equal(t, "streams of the dry run", len(dry.Types(0)), 1) // the rules
}

func TestImportKeepsTheOrderOfCategories(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.MustImport("name;category;price\nA;Тело > Мыло;1\nB;Лицо > Кремы;1\nC;Тело > Масла;1\n", importer.Options{})
	s.Use(s.Log)
	s.MustImport("name;category;price\nD;Волосы;1\nE;Тело > Скрабы;1\nF;тело > масла;1\n", importer.Options{})
	for place, want := range map[[2]string]int{
		{"", "Тело"}: 1, {"", "Лицо"}: 2, {"", "Волосы"}: 3,
		{"Тело", "Мыло"}: 1, {"Лицо", "Кремы"}: 1, {"Тело", "Масла"}: 2, {"Тело", "Скрабы"}: 3,
	} {
		c, err := commands.See(t.Context(), s.Handler, commands.CategoryStream(importer.CategoryID(place[0], place[1])))
		if err != nil {
			t.Fatal(err)
		}
		testshop.Equal(t, fmt.Sprintf("order of %v", place), c.Category.Order, want)
	}
}

// failingLog loses its database after some appends.
type failingLog struct {
	commands.Log
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
	s := testshop.Open(t)
	var file strings.Builder
	file.WriteString("article;name;category;price\n")
	for i := range 3 * importer.Batch {
		fmt.Fprintf(&file, "A-%d;Крем %d;Лицо;100\n", i, i)
	}
	s.Use(&failingLog{s.Log, 2})
	i := s.Import(file.String(), importer.Options{})
	if !errors.Is(i.Err, errGone) {
		t.Fatalf("import: %v", i.Err)
	}
	testshop.Equal(t, "added", i.Added, 2*importer.Batch)
	s.Use(s.Log)
	i = s.MustImport(file.String(), importer.Options{})
	testshop.Equal(t, "unchanged", i.Unchanged, 2*importer.Batch)
	testshop.Equal(t, "added", i.Added, importer.Batch)
}

func TestImportDecidesAgainWhenStockMoves(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.MustImport(twoProducts, importer.Options{})
	id := importer.ProductID("A-1")
	other := commands.New(s.Log, commands.Options{Clock: s.Clock.Now})
	moved := false
	s.Use(&beforeAppend{s.Log, func() {
		if !moved {
			moved = true
			if _, err := (&commands.Stock{Handler: other}).Receive(t.Context(), id, 5, ""); err != nil {
				t.Error(err)
			}
		}
	}})
	i := s.MustImport(strings.Replace(twoProducts, ";12\n", ";20\n", 1), importer.Options{})
	testshop.EqualText(t, "changed", i.Told, []string{"2 A-1 false: stock 17 → 20"})
	testshop.Equal(t, "stock", s.StockOf(id).OnHand, 20)
}

type beforeAppend struct {
	commands.Log
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
		testshop.Equal(t, fmt.Sprintf("slug of %q", text), importer.Slug(text), want)
	}
}

// TestImportSaysBarcodesAndKazakhTexts: columns that a file lacks leave what a product has, a wrong barcode refuses its row.
func TestImportSaysBarcodesAndKazakhTexts(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.MustImport("Артикул;Название;Категория;Цена;Штрихкод;name_kk;Описание на казахском\nA-1;Мыло;Тело;900;4006381333931;Сабын;Жұмсақ\nA-2;Крем;Тело;900;;;\n", importer.Options{})
	p := s.ProductOf("A-1")
	testshop.Equal(t, "barcode", p.GTIN, "4006381333931")
	testshop.Equal(t, "texts", p.Kazakh, catalog.Translation{Name: "Сабын", Description: "Жұмсақ"})
	testshop.Equal(t, "no texts", s.ProductOf("A-2").Kazakh, catalog.Translation{})

	s.MustImport("Артикул;Название;Категория;Цена\nA-1;Мыло;Тело;950\n", importer.Options{})
	testshop.Equal(t, "kept", s.ProductOf("A-1").Kazakh.Name, "Сабын")
	again := s.Import("Артикул;Название;Категория;Цена;Штрихкод\nA-1;Мыло;Тело;990;4006381333932\n", importer.Options{})
	testshop.Equal(t, "refused", again.Refused, 1)
	testshop.Equal(t, "price", s.ProductOf("A-1").Price, 950)
}

// TestImportOfYMLKeepsWhatItHasNoPlaceFor: offers may have params in Kazakh; those that have none leave the texts, and the barcode, as they are.
func TestImportOfYMLKeepsWhatItHasNoPlaceFor(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	yml := func(price, params string) string {
		return `<yml_catalog><shop><categories><category id="1">Тело</category></categories><offers><offer id="A-1"><name>Мыло</name><price>` + price +
			`</price><categoryId>1</categoryId>` + params + `</offer></offers></shop></yml_catalog>`
	}
	s.MustImport("Артикул;Название;Категория;Цена;Штрихкод;Полка;name_kk\nA-1;Мыло;Тело;900;4006381333931;A-03;Сабын\n", importer.Options{})
	s.MustImport(yml("950", ""), importer.Options{})
	p := s.ProductOf("A-1")
	testshop.Equal(t, "kept", [4]any{p.Price, p.GTIN, p.Shelf, p.Kazakh.Name}, [4]any{domain.Money(950), "4006381333931", "A-03", "Сабын"})

	s.MustImport(yml("950", `<param name="Описание на казахском">Жұмсақ</param><param name="Объём на казахском">50 мл</param>`), importer.Options{})
	testshop.Equal(t, "said", s.ProductOf("A-1").Kazakh, catalog.Translation{Name: "Сабын", Description: "Жұмсақ", PackageSize: "50 мл"})
}

// TestMappedFieldsOfYMLAreImported: an element that is matched by hand is read also where files of this format have no place for its field.
func TestMappedFieldsOfYMLAreImported(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	const yml = `<yml_catalog><shop><categories><category id="1">Тело</category></categories><offers><offer id="A-1"><name>Мыло</name><price>900</price>` +
		`<categoryId>1</categoryId><barcode>4006381333931</barcode><place>A-03</place><few>3</few></offer></offers></shop></yml_catalog>`
	columns := map[string]string{"gtin": "barcode", "shelf": "place", "low_line": "few"}
	catalogImport := &importer.Catalog{Handler: s.Handler, Log: s.Log}
	plan, err := catalogImport.Plan(t.Context(), []byte(yml), columns, nil)
	if err != nil || len(plan.Items) != 2 {
		t.Fatalf("%v: %d items", err, len(plan.Items))
	}
	var added changes.AddedProduct // behind its category
	if err := json.Unmarshal(plan.Items[1].Now, &added); err != nil || added.LowLine == nil {
		t.Fatalf("%v: %s", err, plan.Items[1].Now)
	}
	testshop.Equal(t, "planned", [3]any{added.GTIN, added.Shelf, *added.LowLine}, [3]any{"4006381333931", "A-03", int64(3)})

	file, err := catalogfile.Open(strings.NewReader(yml), "test", catalogfile.Options{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	if report, err := catalogImport.Import(t.Context(), file, importer.Options{}); err != nil || report.Added != 1 {
		t.Fatalf("%v: %+v", err, report)
	}
	p := s.ProductOf("A-1")
	if p.LowLine == nil {
		t.Fatal("the line of few pieces is left out")
	}
	testshop.Equal(t, "imported", [3]any{p.GTIN, p.Shelf, *p.LowLine}, [3]any{"4006381333931", "A-03", int64(3)})
}

// TestImportNamesCategoriesInKazakh: those that a file adds, and those that are there; of two names the first counts.
func TestImportNamesCategoriesInKazakh(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	named := func(name string) string {
		t.Helper()
		categories, err := commands.See(t.Context(), s.Handler, commands.CategoryStream(s.ProductOf(name).CategoryID))
		if err != nil {
			t.Fatal(err)
		}
		return categories.Category.Kazakh.Name
	}
	first := s.Import("Артикул;Название;Категория;category_kk;Цена\nA-1;Мыло;Тело > Мыло;Дене > Сабын;900\nA-2;Крем;Тело > Кремы;;900\n", importer.Options{})
	testshop.Equal(t, "added", first.Categories, 3)
	testshop.Equal(t, "a new category", named("A-1"), "Сабын")
	testshop.Equal(t, "without a name", named("A-2"), "")
	s.MustImport("Артикул;Название;Категория;Категория на казахском;Цена\nA-2;Крем;Тело > Кремы;Дене > Кремдер;900\nA-3;Крем 2;Тело > Кремы;Дене > Басқа;900\n", importer.Options{})
	testshop.Equal(t, "one that was there", named("A-2"), "Кремдер")
	s.MustImport("Артикул;Название;Категория;Цена\nA-1;Мыло;Тело > Мыло;950\n", importer.Options{})
	testshop.Equal(t, "kept", named("A-1"), "Сабын")
	again := s.Import("Артикул;Название;Категория;category_kk;Цена\nA-1;Мыло;Тело > Мыло;Сабын;950\n", importer.Options{})
	testshop.Equal(t, "another depth is refused", again.Refused, 1)
}

// TestImportProposesANewCategoryWithItsKazakhName: as one item, for a change that sets a thing as a whole refuses a part of it.
func TestImportProposesANewCategoryWithItsKazakhName(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	s.MustImport("Артикул;Название;Категория;Цена\nA-1;Мыло;Тело;900\n", importer.Options{})
	var said []string
	s.MustImport("Артикул;Название;Категория;category_kk;Цена\nA-2;Крем;Тело > Кремы;;900\nA-3;Крем 2;Тело > Кремы;Дене > Кремдер;900\n", importer.Options{
		Propose: func(_ context.Context, items []changes.Asked) ([]changes.Row, error) {
			for _, item := range items {
				var category struct{ Kazakh catalog.Wording }
				if item.Thing != "category" {
					continue
				}
				into := any(&category)
				if item.Field == "kazakh" {
					into = &category.Kazakh
				}
				if err := json.Unmarshal(item.Now, into); err != nil {
					t.Error(err)
				}
				said = append(said, item.Field+" "+category.Kazakh.Name)
			}
			return nil, nil
		},
	})
	testshop.Equal(t, "items", strings.Join(said, ", "), "whole Кремдер, kazakh Дене")
}

// TestImportTakesClaims: a product that was added under an article or a link after the names were read refuses the row.
func TestImportTakesClaims(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	other := s.Handler.NewID()
	_, err := commands.Change(t.Context(), s.Handler, commands.ClaimStream(catalog.ProductLinkClaim, "mylo"), func(u *commands.Unit) catalog.ClaimCommand {
		return catalog.TakeClaim{Kind: catalog.ProductLinkClaim, Value: "mylo", Owner: other, At: u.At()}
	})
	if err != nil {
		t.Fatal(err)
	}
	got := s.Import("Артикул;Название;Категория;Цена\nA-1;Мыло;Тело;950\nA-2;Крем;Тело;950\n", importer.Options{})
	testshop.Equal(t, "refused", got.Refused, 1)
	testshop.Equal(t, "added", got.Added, 1)
}
