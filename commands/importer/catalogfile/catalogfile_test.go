package catalogfile_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	. "shop/commands/importer/catalogfile"
)

// readAll reads a file to its end and answers good rows and the errors of the
// others.
func readAll(t *testing.T, file string, opts Options) (rows []Row, bad []string) {
	t.Helper()
	r, err := Open(strings.NewReader(file), "test", opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	for {
		row, err := r.Next()
		var refused *RowError
		switch {
		case errors.Is(err, io.EOF):
			return rows, bad
		case errors.As(err, &refused):
			bad = append(bad, refused.Error())
		case err != nil:
			t.Fatalf("after %d rows: %v", len(rows), err)
		default:
			rows = append(rows, row)
		}
	}
}

func names(rows []Row) []string {
	var list []string
	for _, row := range rows {
		list = append(list, row.Name)
	}
	return list
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %#v\nwant %#v", what, got, want)
	}
}

const russian = "Артикул;Название;Бренд;Категория;Цена;Цена со скидкой;Описание;Состав;Срок годности;Применение;Объём;Страна производства;Знаки;Фото;Остаток;В наличии;Архив;Заметки\n" +
	"DL-1;Крем «Липа»;Tilia;Уход за лицом > Кремы;8 900,00;7 900;\"Лёгкий.\nНе липнет.\";Aqua, Glycerin;24 месяца;Утром;50 мл;Литва;Веган, COSMOS Organic;/img/products/a https://x.kz/b.jpg;12;да;нет;для себя\n"

func TestCSVWithRussianHeader(t *testing.T) {
	twelve, no := int64(12), false
	want := []Row{{
		Line: 2, Article: "DL-1", Name: "Крем «Липа»", Brand: "Tilia", CategoryPath: []string{"Уход за лицом", "Кремы"},
		Price: 8900, DiscountPrice: 7900, Description: "Лёгкий.\nНе липнет.", Composition: "Aqua, Glycerin", Expires: "24 месяца",
		ApplyMethod: "Утром", PackageSize: "50 мл", MadeIn: "Литва", Marks: []string{"Веган", "COSMOS Organic"},
		Pictures: []string{"/img/products/a", "https://x.kz/b.jpg"}, Stock: &twelve, Available: true, Archived: &no,
	}}
	encodings := map[string]encoding.Encoding{
		"UTF-8":              encoding.Nop,
		"UTF-8 with BOM":     unicode.UTF8BOM,
		"windows-1251":       charmap.Windows1251,
		"UTF-16LE with BOM":  unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16BE with BOM":  unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		"UTF-16LE":           unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
		"UTF-16BE":           unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		"UTF-8, Windows EOL": encoding.Nop,
		"UTF-8, old Mac EOL": encoding.Nop,
	}
	for name, enc := range encodings {
		for _, comma := range []string{";", "\t", "|"} {
			text := strings.ReplaceAll(russian, ";", comma)
			switch name {
			case "UTF-8, Windows EOL":
				text = strings.ReplaceAll(text, "\n", "\r\n")
			case "UTF-8, old Mac EOL":
				text = strings.ReplaceAll(text, "\n", "\r")
			}
			file, err := enc.NewEncoder().String(text)
			if err != nil {
				t.Fatal(err)
			}
			rows, bad := readAll(t, file, Options{})
			equal(t, name+" "+comma, rows, want)
			equal(t, name+" errors", bad, []string(nil))
		}
	}
}

func TestCSVHeaders(t *testing.T) {
	for _, header := range []string{
		"name,price", "NAME,PRICE", "Наименование,Цена", "* Название:,\"Цена, ₸\"", "Товар,Цена (тг)", "title,Розничная цена",
		"sep=,\nname,price", "\n\n name , price ", "\"name\",\"price\"", "\"Название\nтовара\",price",
	} {
		rows, bad := readAll(t, header+"\nМыло,990\n", Options{})
		if len(rows) != 1 || rows[0].Name != "Мыло" || rows[0].Price != 990 || bad != nil {
			t.Errorf("%q: %v, %v", header, rows, bad)
		}
	}
}

func TestUnknownColumnsAreIgnoredWithOneWarning(t *testing.T) {
	r, err := Open(strings.NewReader(russian), "test", Options{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "warnings", r.Warnings(), []string{"columns ignored: Заметки"})
	equal(t, "speaks of stock", r.States(Stock), true)
	equal(t, "speaks of links", r.States(Link), false)
}

func TestColumnMappingAndPriceRate(t *testing.T) {
	file := "id,Label,brand,name,price (eur),price (usd),ingredients\n7,Face Mask,FRESH,Rose Mask,1,\"$62.50\",\"Water, Glycerin\"\n"
	rows, bad := readAll(t, file, Options{
		Columns:   map[string]string{"Article": "ID", "price": "Price (USD)"},
		PriceRate: "540.5",
	})
	equal(t, "errors", bad, []string(nil))
	equal(t, "rows", rows, []Row{{Line: 2, Article: "7", Name: "Rose Mask", Brand: "FRESH", CategoryPath: []string{"Face Mask"},
		Price: 33781, Composition: "Water, Glycerin", Available: true}})

	for _, opts := range []Options{
		{Columns: map[string]string{"colour": "x"}},
		{Columns: map[string]string{"article": "nowhere"}},
		{Columns: map[string]string{"article": "id", "link": "ID"}},
		{PriceRate: "-1"}, {PriceRate: "0"}, {PriceRate: "abc"}, {PriceRate: "1e9"}, {PriceRate: "1/2"},
	} {
		if _, err := Open(strings.NewReader(file), "test", opts); err == nil {
			t.Errorf("%+v: accepted", opts)
		}
	}
}

func TestPrices(t *testing.T) {
	for cell, want := range map[string]int64{
		"7990": 7990, "7 990": 7990, "7\u00a0990": 7990, "7\u202f990": 7990, "7 990,00": 7990, "7990.00": 7990, "7990,5": 7991, "7990.49": 7990,
		"7,990": 7990, "7.990": 7990, "1,234,567": 1234567, "1.234,56": 1235, "1,234.56": 1235, "1 234 567 тг": 1234567,
		"₸7990": 7990, "7990 ₸": 7990, "12 500 тг.": 12500, "KZT 5000": 5000, "0.5": 1, "7990.0000": 7990, "7990 (было 9000)": 7990,
		"8’900": 8900, "100000000": 100_000_000,
	} {
		rows, bad := readAll(t, "name;price\nx;"+cell+"\n", Options{})
		if len(rows) != 1 || rows[0].Price != want {
			t.Errorf("%q: %+v %v, want %d", cell, rows, bad, want)
		}
	}
	for cell, reason := range map[string]string{
		"":               "is missing",
		"0":              "is zero",
		"0,4":            "is zero",
		"-100":           "is negative",
		"−100":           "is negative",
		"100000001":      "is more than 100000000 tenge",
		"дорого":         "is not an amount",
		"12a":            "is not an amount",
		"1.2.3":          "is not an amount",
		"$175.00":        "is not in tenge; give a price rate for $",
		"100 руб.":       "is not in tenge; give a price rate for РУБ",
		"$68.00 $34.00":  "holds several numbers",
		"100 200 30":     "holds several numbers",
		"1e5":            "is not an amount",
		"0x10":           "is not an amount",
		"NaN":            "is not an amount",
		"=SUM(A1)":       "is not an amount",
		"9" + zeros(200): "has too many digits",
	} {
		rows, bad := readAll(t, "name;price\nx;"+cell+"\n", Options{})
		if len(rows) != 0 || len(bad) != 1 || !strings.HasPrefix(bad[0], "line 2, price: ") || !strings.HasSuffix(bad[0], reason) {
			t.Errorf("%q: %+v %q, want %q", cell, rows, bad, reason)
		}
	}
}

func zeros(n int) string { return strings.Repeat("0", n) }

func TestDiscounts(t *testing.T) {
	for columns, want := range map[string]struct {
		cells          string
		list, discount int64
		bad            string
	}{
		"price;discounted_price":   {"100;80", 100, 80, ""},
		"цена;цена со скидкой":     {"100;", 100, 0, ""},
		"price;Discounted Price":   {"100;100", 100, 0, ""},
		"price;sale price":         {"100;0", 100, 0, ""},
		"price;акционная цена":     {"100;120", 0, 0, "line 2, discounted_price: 120 is above the price 100"},
		"price;old_price":          {"80;100", 100, 80, ""},
		"price;Старая цена":        {"80;-", 80, 0, ""},
		"price;oldprice":           {"80;60", 0, 0, "line 2, old_price: 60 is below the price 80"},
		"price;цена до скидки":     {"80;-60", 0, 0, "line 2, old_price: \"-60\" is negative"},
		"старая цена;price;marks ": {"100;80;x", 100, 80, ""},
	} {
		rows, bad := readAll(t, "name;"+columns+"\nx;"+want.cells+"\n", Options{})
		switch {
		case want.bad != "":
			equal(t, columns, bad, []string{want.bad})
		case len(rows) != 1 || rows[0].Price != want.list || rows[0].DiscountPrice != want.discount:
			t.Errorf("%s: %+v %v", columns, rows, bad)
		}
	}
}

func TestBadCSVRowsAreReportedAndTheRestGoesIn(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		file string
		rows []string
		bad  []string
	}{
		"quote left open": {"name;price\nA;1\nB \"quoted\" inside;2\n\"C;3\nD;4\n\"E\";5\nF;6\n",
			[]string{"A", `B "quoted" inside`, "D", "E", "F"},
			[]string{"line 4: cell 1: broken quotes: a quote inside a quoted cell must be doubled, and the last one closed"}},
		"quote left open at the end": {"name;price\nA;1\n\"B;2\nC;3", []string{"A", "C"},
			[]string{"line 3: cell 1: broken quotes: a quote inside a quoted cell must be doubled, and the last one closed"}},
		"quotes not doubled": {"name;price\n\"Мыло \"Роза\" 50 г\";1\nA;2\n", []string{"A"},
			[]string{"line 2: cell 1: broken quotes: a quote inside a quoted cell must be doubled, and the last one closed"}},
		"quotes doubled":      {"name;price\n\"Мыло \"\"Роза\"\"\" ;1\n", []string{`Мыло "Роза"`}, nil},
		"too few cells":       {"name;price;brand\nA;1\nB;2;x\n", []string{"B"}, []string{"line 2: has 2 cells, the header has 3"}},
		"too many cells":      {"name;price\nA;1;;\nB;2;x\n", []string{"A"}, []string{"line 3: has 3 cells, the header has 2"}},
		"blank rows":          {"name;price\n\nA;1\n;\n  \nB;2\n\n", []string{"A", "B"}, nil},
		"no name":             {"name;price\n ;1\nB;2\n", []string{"B"}, []string{"line 2, name: is missing"}},
		"duplicate article":   {"article;name;price\n1;A;1\n2;B;1\n1;C;1\n", []string{"A", "B"}, []string{`line 4, article: "1" stands already in line 2`}},
		"duplicate name":      {"brand;name;price\nx;A;1\nX ; a;1\ny;A;1\n", []string{"A", "A"}, []string{`line 3, article: "A-` + DerivedArticle("x", "a")[2:] + `" stands already in line 2`}},
		"shortened by Excel":  {"article;name;price\n4,60123E+12;A;1\n", nil, []string{`line 2, article: "4,60123E+12" was shortened by Excel; format the column as text`}},
		"NUL byte":            {"name;price\nA\x00B;1\nC;2\n", []string{"C"}, []string{"line 2, name: has characters that cannot be read (broken encoding or a NUL byte)"}},
		"broken UTF-8":        {"name;price\nМыло душистое;1\nМыло \xff;1\nC;2\n", []string{"Мыло душистое", "C"}, []string{"line 3, name: has characters that cannot be read (broken encoding or a NUL byte)"}},
		"cell of 1 MB":        {"name;price;description\nA;1;" + big + "\nB;2;x\n", []string{"B"}, []string{"line 2, description: is 1048576 characters long, at most 20000 are allowed"}},
		"quoted cell of 1 MB": {"name;price;description\nA;1;\"" + big + "\"\nB;2;x\n", []string{"B"}, []string{"line 2, description: is 1048576 characters long, at most 20000 are allowed"}},
		"name of 1 MB":        {"name;price\n" + big + ";1\nB;2\n", []string{"B"}, []string{"line 2, name: is 1048576 characters long, at most 300 are allowed"}},
		"price of 1 MB":       {"name;price\nA;" + strings.Repeat("1", 1<<20) + "\nB;2\n", []string{"B"}, []string{`line 2, price: "1111111111111111111111111111111111111111…" has too many digits`}},
		"unused cell of 1 MB": {"name;price;memo\nA;1;" + big + "\nB;2;x\n", []string{"A", "B"}, nil},
		"row of 9 MB":         {"name;price;memo\nA;1;" + strings.Repeat(big, 9) + "\nB;2;x\n", []string{"B"}, []string{"line 2: cell 3: the row is larger than 4 MiB"}},
		"long name":           {"name;price\n" + strings.Repeat("ы", 301) + ";1\n" + strings.Repeat("ы", 300) + ";1\n", []string{strings.Repeat("ы", 300)}, []string{"line 2, name: is 301 characters long, at most 300 are allowed"}},
		"stock": {"name;price;stock\nA;1;-1\nB;1;1,5\nC;1;много\nD;1;5000000\nE;1;12.00\nF;1;1 000 шт.\nG;1;0\n", []string{"E", "F", "G"},
			[]string{`line 2, stock: "-1" is negative`, `line 3, stock: "1,5" is not a whole number`, `line 4, stock: "много" is not a quantity`, `line 5, stock: "5000000" is more than 1000000`}},
		"yes or no": {"name;price;available\nA;1;иногда\nB;1;нет\n", []string{"B"}, []string{`line 2, available: "иногда" is neither yes nor no`}},
		"link":      {"name;price;link\nA;1;Крем\nB;1;krem-b\n", []string{"B"}, []string{`line 2, link: "Крем" must be lower-case Latin letters, digits and single hyphens`}},
		"files of pictures": {"name;price;pictures\nA;1;../x.jpg\nB;1;x.gif\nC;1;C:x.png\nD;1;front/x.JPG | y.jpeg\n", []string{"D"}, []string{
			`line 2, pictures: "../x.jpg" is neither a web address nor a path that begins with /, nor a PNG or JPEG file beside this one`,
			`line 3, pictures: "x.gif" is neither a web address nor a path that begins with /, nor a PNG or JPEG file beside this one`,
			`line 4, pictures: "C:x.png" is neither a web address nor a path that begins with /, nor a PNG or JPEG file beside this one`,
		}},
		"pictures": {"name;price;pictures\nA;1;c:\\x.jpg\nB;1;//x/y\nC;1;\"https://a/w_1,h_2/1.jpg,https://a/2.jpg\"\n", []string{"C"},
			[]string{`line 2, pictures: "c:\\x.jpg" is neither a web address nor a path that begins with /, nor a PNG or JPEG file beside this one`, `line 3, pictures: "//x/y" has no scheme`}},
		"category": {"name;price;category\nA;1;a>b>c>d>e>f\nB;1;x / y\n", []string{"B"}, []string{"line 2, category: has 6 levels, at most 5 are allowed"}},
	} {
		t.Run(name, func(t *testing.T) {
			rows, bad := readAll(t, c.file, Options{})
			equal(t, "rows", names(rows), c.rows)
			if len(bad) != 0 || len(c.bad) != 0 {
				equal(t, "errors", bad, c.bad)
			}
		})
	}
}

func TestLinesAreCountedThroughCellsWithLineBreaks(t *testing.T) {
	rows, _ := readAll(t, "name;price\r\n\"A\r\nb\r\nc\";1\r\nB;2\r\n", Options{})
	if len(rows) != 2 || rows[0].Line != 2 || rows[1].Line != 5 || rows[0].Name != "A b c" {
		t.Errorf("%+v", rows)
	}
}

func TestEncodingIsGuessedHoweverLateItShows(t *testing.T) {
	file := "name;price\n" + strings.Repeat("Soap;1\n", 50_000)
	cyrillic, _ := charmap.Windows1251.NewEncoder().String("Мыло;1\n")
	rows, bad := readAll(t, file+cyrillic, Options{})
	if len(rows) != 2 || len(bad) != 49_999 || rows[1].Name != "Мыло" {
		t.Errorf("%+v, %d errors", rows, len(bad))
	}
}

func TestOldEncodingsAreToldApart(t *testing.T) {
	for _, enc := range []*charmap.Charmap{charmap.Windows1251, charmap.CodePage866, charmap.KOI8R} {
		for _, name := range []string{"Крем", "КРЕМ ДЛЯ РУК УВЛАЖНЯЮЩИЙ, С ОБЛЕПИХОЙ И МАСЛОМ АРГАНЫ", "мыло", "Гель для душа «Ёлка» № 5", "Шампунь Sève"} {
			file, err := encoding.ReplaceUnsupported(enc.NewEncoder()).String("article;name;price\nA-1;" + name + ";1\n")
			if err != nil {
				t.Fatal(err)
			}
			want, _ := encoding.ReplaceUnsupported(enc.NewEncoder()).String(name)
			if want, err = enc.NewDecoder().String(want); err != nil {
				t.Fatal(err)
			}
			rows, bad := readAll(t, file, Options{})
			if strings.ContainsRune(want, '\x1a') { // the encoding lacks a character of the name
				if len(bad) != 1 || len(rows) != 0 {
					t.Errorf("%s: %+v, %v", enc, rows, bad)
				}
			} else if len(rows) != 1 || rows[0].Name != want {
				t.Errorf("%s: %q is read as %+v, %v", enc, want, rows, bad)
			}
		}
	}
	rows, _ := readAll(t, "name;price\nCr\xe8me fra\xeeche \x99;1\n", Options{}) // Western, as far as it can be told
	if len(rows) != 1 || rows[0].Name != "Crиme fraоche ™" {
		t.Errorf("%+v", rows)
	}
}

func TestDescriptionsMayBeHTML(t *testing.T) {
	rows, _ := readAll(t, "name;price;description;composition\n\"Гель &amp; мыло\";1;\"<p>Моет<br/>мягко.</p><ul><li>лён</li><li>мята &mdash; свежая</li></ul><script>alert(1)</script>\";a < b & c > d\n", Options{})
	if len(rows) != 1 || rows[0].Name != "Гель & мыло" || rows[0].Description != "Моет\nмягко.\n\n• лён\n• мята — свежая" || rows[0].Composition != "a < b & c > d" {
		t.Errorf("%+v", rows)
	}
}

func TestFilesThatAreNoCatalog(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want error
	}{
		"empty":              {"", ErrEmpty},
		"only a BOM":         {"\xEF\xBB\xBF", ErrEmpty},
		"only blank lines":   {"\n \r\n\n", ErrEmpty},
		"no header":          {"DL-1;Крем;8900\nDL-2;Мыло;900\n", ErrNoHeader},
		"no price column":    {"name;brand\nx;y\n", ErrNoHeader},
		"header of 9 MB":     {strings.Repeat("x", 9<<20), ErrNoHeader},
		"broken header":      {"\"name;price\nA;1\n", ErrNoHeader},
		"HTML":               {"<!DOCTYPE html><html><body>Not found</body></html>", ErrNotCatalog},
		"half a tag":         {"<", ErrNotCatalog},
		"Excel workbook":     {"PK\x03\x04....", ErrNotCatalog},
		"old Excel workbook": {"\xD0\xCF\x11\xE0\xA1\xB1", ErrNotCatalog},
		"gzip":               {"\x1F\x8B\x08", ErrNotCatalog},
		"zeros":              {zeros(0) + strings.Repeat("\x00", 1000), ErrNoHeader},
		"unknown encoding":   {`<?xml version="1.0" encoding="klingon"?><yml_catalog/>`, ErrNotCatalog},
	} {
		_, err := Open(strings.NewReader(c.file), "shop.csv", Options{})
		if !errors.Is(err, c.want) || !strings.HasPrefix(fmt.Sprint(err), "catalog file shop.csv: ") {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestOnlyAHeader(t *testing.T) {
	for _, file := range []string{"name;price", "name;price\n", "name;price\r\n\r\n"} {
		rows, bad := readAll(t, file, Options{})
		if rows != nil || bad != nil {
			t.Errorf("%q: %v %v", file, rows, bad)
		}
	}
}

type failing struct{ io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errDisk
	}
	return n, err
}

var errDisk = errors.New("disk on fire")

func TestReadErrorsAreFatalAndKept(t *testing.T) {
	file := "name;price\n" + strings.Repeat("A;1\n", 100_000)
	r, err := Open(failing{strings.NewReader(file)}, "test", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, err = r.Next()
		var bad *RowError
		if err != nil && !errors.As(err, &bad) {
			break
		}
	}
	_, again := r.Next()
	if !errors.Is(err, errDisk) || !errors.Is(again, errDisk) {
		t.Errorf("%v, then %v", err, again)
	}
}
