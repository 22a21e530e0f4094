package catalogfile_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	. "shop/commands/importer/catalogfile"
)

const head = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE yml_catalog SYSTEM "shops.dtd">
<yml_catalog date="2026-11-01 12:00"><shop><name>Дала</name>
<currencies><currency id="KZT" rate="1"/><currency id="USD" rate="540.5"/><currency id="RUB" rate="NBK"/></currencies>
<categories><category id="1">Лицо</category><category id="11" parentId="1">Кремы &amp; бальзамы</category>
<category id="7" parentId="8">Круг</category><category id="8" parentId="7">Круга</category></categories>
<offers>`

const tail = `</offers></shop></yml_catalog>`

func yml(offers string) string { return head + "\n" + offers + "\n" + tail }

func TestYML(t *testing.T) {
	file := yml(`<offer id="10" available="true" group_id="g"><url>https://dala.kz/product/krem-lipa/?utm=1</url>
<name>Крем «Липа»</name><vendor>Tilia</vendor><vendorCode>DL-10</vendorCode><price>7900</price><oldprice>8900.00</oldprice>
<currencyId>KZT</currencyId><categoryId>11</categoryId><picture>https://x.kz/1.jpg</picture><picture>/img/2</picture>
<description><![CDATA[<p>Лёгкий <b>крем</b>.</p><p>Не липнет.</p>]]></description><country_of_origin>Литва</country_of_origin>
<param name="Состав">Aqua, Glycerin</param><param name="Объём" unit="мл">50</param><param name="Применение">Утром</param>
<param name="Срок годности">24 месяца</param><param name="Знаки">Веган</param><param name="Знаки">COSMOS Organic</param>
<param name="Тип кожи">сухая</param><count>12</count><unknown><deep>x</deep></unknown></offer>`)
	twelve := int64(12)
	want := []Row{{
		Line: 8, Article: "DL-10", Name: "Крем «Липа»", Link: "krem-lipa", Brand: "Tilia", CategoryPath: []string{"Лицо", "Кремы & бальзамы"},
		Price: 8900, DiscountPrice: 7900, Description: "Лёгкий крем.\n\nНе липнет.", Composition: "Aqua, Glycerin", Expires: "24 месяца",
		ApplyMethod: "Утром", PackageSize: "50 мл", MadeIn: "Литва", Marks: []string{"Веган", "COSMOS Organic"},
		Pictures: []string{"https://x.kz/1.jpg", "/img/2"}, Stock: &twelve, Available: true, Params: []Param{{"Тип кожи", "сухая"}},
	}}
	rows, bad := readAll(t, file, Options{})
	equal(t, "rows", rows, want)
	equal(t, "errors", bad, []string(nil))

	declared := strings.Replace(file, "UTF-8", "windows-1251", 1)
	encoded, err := charmap.Windows1251.NewEncoder().String(declared)
	if err != nil {
		t.Fatal(err)
	}
	rows, _ = readAll(t, encoded, Options{})
	equal(t, "windows-1251", rows, want)
	rows, _ = readAll(t, declared, Options{})
	equal(t, "UTF-8 declared as windows-1251", rows, want)
	koi, err := charmap.KOI8R.NewEncoder().String(strings.ReplaceAll(strings.Replace(file, "UTF-8", "koi8-r", 1), "«Липа»", "Липа"))
	if err != nil {
		t.Fatal(err)
	}
	rows, _ = readAll(t, koi, Options{})
	equal(t, "KOI8-R", names(rows), []string{"Крем Липа"})
}

func offerOf(inner string) string {
	return `<offer id="1"><name>A</name><price>100</price>` + inner + `</offer>`
}

func TestYMLOffers(t *testing.T) {
	for name, c := range map[string]struct {
		offer string
		check func(Row) bool
	}{
		"id is the article without vendorCode": {offerOf(""), func(r Row) bool { return r.Article == "1" && r.Available && r.Stock == nil }},
		"vendor.model":                         {`<offer id="1" type="vendor.model"><typePrefix>Крем</typePrefix><vendor>Tilia</vendor><model>Липа 50</model><price>1</price></offer>`, func(r Row) bool { return r.Name == "Крем Tilia Липа 50" }},
		"not available":                        {`<offer id="1" available="false"><name>A</name><price>1</price></offer>`, func(r Row) bool { return !r.Available }},
		"deleted":                              {`<offer id="1" deleted="true"><name>A</name><price>1</price></offer>`, func(r Row) bool { return r.Archived != nil && *r.Archived }},
		"outlets":                              {offerOf(`<outlets><outlet id="1" instock="5"/><outlet id="2" instock="7"/></outlets>`), func(r Row) bool { return r.Stock != nil && *r.Stock == 12 }},
		"HTML without CDATA":                   {offerOf(`<description><p>Раз</p><p>Два</p></description>`), func(r Row) bool { return r.Description == "Раз\n\nДва" }},
		"escaped HTML":                         {offerOf(`<description>&lt;p&gt;Раз&lt;/p&gt;Два&nbsp;три</description>`), func(r Row) bool { return r.Description == "Раз\n\nДва три" }},
		"tags in CDATA":                        {offerOf(`<description><![CDATA[<offer></offer></yml_catalog>x]]></description>`), func(r Row) bool { return r.Description == "x" }},
		"tags in a comment":                    {offerOf(`<!-- </offer> <offer> -->`), func(r Row) bool { return r.Name == "A" }},
		"> in an attribute":                    {`<offer id="1" note="a > b"><name>A</name><price>1</price></offer>`, func(r Row) bool { return r.Name == "A" }},
		"dollars":                              {offerOf(`<currencyId>USD</currencyId>`), func(r Row) bool { return r.Price == 54050 }},
		"foreign url":                          {offerOf(`<url>https://x.kz/catalog/123.html</url>`), func(r Row) bool { return r.Link == "" }},
		"top category":                         {offerOf(`<categoryId>1</categoryId>`), func(r Row) bool { return len(r.CategoryPath) == 1 }},
		"no category":                          {offerOf(``), func(r Row) bool { return r.CategoryPath == nil }},
		"equal old price":                      {offerOf(`<oldprice>100</oldprice>`), func(r Row) bool { return r.DiscountPrice == 0 }},
	} {
		rows, bad := readAll(t, yml(c.offer), Options{})
		if len(rows) != 1 || !c.check(rows[0]) {
			t.Errorf("%s: %+v %v", name, rows, bad)
		}
	}
}

func TestBadOffersAreReportedAndTheRestGoesIn(t *testing.T) {
	const good = `<offer id="2"><name>B</name><price>1</price></offer>`
	for name, c := range map[string]struct{ offer, bad string }{
		"no name":              {`<offer id="1"><price>1</price></offer>`, "line 8, name: is missing"},
		"empty offer":          {`<offer id="1"/>`, "line 8, name: is missing"},
		"no price":             {`<offer id="1"><name>A</name></offer>`, "line 8, price: is missing"},
		"negative price":       {`<offer id="1"><name>A</name><price>-5</price></offer>`, `line 8, price: "-5" is negative`},
		"old price too low":    {offerOf(`<oldprice>50</oldprice>`), "line 8, old_price: 50 is below the price 100"},
		"unknown category":     {offerOf(`<categoryId>99</categoryId>`), `line 8, category: category "99" is not among <categories>`},
		"circle":               {offerOf(`<categoryId>7</categoryId>`), `line 8, category: category "7" lies in a circle or too deep`},
		"currency":             {offerOf(`<currencyId>RUB</currencyId>`), "line 8, price: currency RUB has no rate in the file; give a price rate"},
		"duplicate":            {good, `line 9, article: "2" stands already in line 8`},
		"ampersand":            {"<offer id=\"1\"><price>1</price>\n<name>A & B</name></offer>", "line 8: broken XML in line 9: invalid character entity & (no semicolon)"},
		"wrong end tag":        {`<offer id="1"><name>A</nam></offer>`, "line 8: broken XML in line 8: element <name> closed by </nam>"},
		"declared entity":      {offerOf(`<description>&lol9;</description>`), "line 8: broken XML in line 8: invalid character entity &lol9;"},
		"not closed":           {`<offer id="1"><name>A</name><price>1</price>`, "line 8: <offer> is not closed"},
		"attribute not closed": {`<offer id="1><name>A</name><price>1</price></offer>`, "line 8: <offer> is not closed"},
		"NUL":                  {"<offer id=\"1\"><name>A\x00</name><price>1</price></offer>", "line 8, name: has characters that cannot be read (broken encoding or a NUL byte)"},
		"broken UTF-8":         {"<offer id=\"1\"><name>Мыло \xff</name><price>1</price></offer>", "line 8, name: has characters that cannot be read (broken encoding or a NUL byte)"},
		"text of 1 MB":         {offerOf(`<description>` + strings.Repeat("x", 1<<20) + `</description>`), "line 8, description: is 1048576 characters long, at most 20000 are allowed"},
		"offer of 9 MB":        {offerOf(`<memo>` + strings.Repeat("x", 9<<20) + `</memo>`), "line 8: <offer> is larger than 4 MiB"},
		"deep nesting":         {offerOf(strings.Repeat("<a>", 20_000)), "line 8: broken XML in line 8: element <a> closed by </offer>"},
	} {
		rows, bad := readAll(t, yml(c.offer+"\n"+good), Options{})
		if len(rows) != 1 || rows[0].Name != "B" || len(bad) != 1 || bad[0] != c.bad {
			t.Errorf("%s: %v %q, want %q", name, names(rows), bad, c.bad)
		}
	}
}

func TestEntityBombIsNotExpanded(t *testing.T) {
	bomb := `<?xml version="1.0"?><!DOCTYPE yml_catalog [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<yml_catalog><shop><offers><offer id="1"><name>&b;</name><price>1</price></offer><offer id="2"><name>B</name><price>1</price></offer></offers></shop></yml_catalog>`
	rows, bad := readAll(t, bomb, Options{})
	if len(rows) != 1 || len(bad) != 1 || !strings.Contains(bad[0], "invalid character entity &b;") {
		t.Errorf("%v %v", rows, bad)
	}
}

func TestBrokenYMLFiles(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want error
	}{
		"truncated after an offer": {head + offerOf(""), ErrTruncated},
		"truncated in an offer":    {head + `<offer id="1"><name>`, ErrTruncated},
		"truncated in a comment":   {head + `<!-- `, ErrTruncated},
		"no offers":                {`<yml_catalog><shop><offers/></shop></yml_catalog>`, ErrNoOffers},
		"no offers, a DOCTYPE":     {`<!DOCTYPE yml_catalog SYSTEM "shops.dtd"><yml_catalog><shop></shop></yml_catalog>`, ErrNoOffers},
		"broken categories":        {`<yml_catalog><shop><categories><category id="1">A</categories></shop></yml_catalog>`, ErrNotCatalog},
		"unclosed categories":      {`<yml_catalog><shop><categories><category id="1">A</category>`, ErrNotCatalog},
	} {
		r, err := Open(strings.NewReader(c.file), "test", Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for bad := new(RowError); err == nil || errors.As(err, &bad); {
			_, err = r.Next()
		}
		if !errors.Is(err, c.want) || errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestYMLMappingAndRate(t *testing.T) {
	rows, bad := readAll(t, yml(offerOf(`<vendorCode>V</vendorCode><currencyId>RUB</currencyId><param name="INCI list">Aqua</param>`)), Options{
		Columns:   map[string]string{"article": "@id", "composition": "inci list"},
		PriceRate: "5.5",
	})
	if len(rows) != 1 || rows[0].Article != "1" || rows[0].Composition != "Aqua" || rows[0].Price != 550 {
		t.Errorf("%+v %v", rows, bad)
	}
}

func TestManyOffersKeepLinesAndOrder(t *testing.T) {
	var file strings.Builder
	file.WriteString(head)
	for i := range 3000 {
		fmt.Fprintf(&file, "\n<offer id=\"%d\"><name>A%d</name><price>1</price><description>%s</description></offer>", i, i, strings.Repeat("слово ", 50))
	}
	rows, bad := readAll(t, file.String()+tail, Options{})
	if len(rows) != 3000 || bad != nil {
		t.Fatalf("%d rows, %v", len(rows), bad)
	}
	for i, row := range rows {
		if row.Line != 8+i || row.Name != fmt.Sprintf("A%d", i) {
			t.Fatalf("row %d: line %d, %s", i, row.Line, row.Name)
		}
	}
}
