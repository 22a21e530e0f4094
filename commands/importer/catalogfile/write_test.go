package catalogfile_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	. "shop/commands/importer/catalogfile"
)

func pointer[V any](v V) *V { return &v }

// hostile are products whose texts hold whatever takes a file apart.
var hostile = []Row{
	{
		Article: "A-1", Name: "Крем «Липа»; \"ночной\" & дневной", Link: "krem", Brand: "O'Neil & <Sons>", CategoryPath: []string{"Уход / лицо", "A > B | C » D"},
		Price: 8900, DiscountPrice: 7900, Description: "Лёгкий.\n\n• раз\n• два", Composition: "Aqua; Glycerin, \"Squalane\"",
		PackageSize: "50 мл", MadeIn: "Латвия", Marks: []string{"Веган, без отдушек", "5; 6 | 7", `C:\D`},
		Pictures: []string{"/img/a.webp", "https://x.kz/a,http/b;c.jpg"}, Stock: pointer[int64](12), Available: true, Archived: pointer(false),
	},
	{
		Article: "=1+2", Name: "=HYPERLINK(\"http://x\")", Price: 1, Description: "<b>не</b> тег &amp; не &#60;знак&gt; ]]> a < b", Expires: "-1 год",
		ApplyMethod: "'=x", Composition: "<script>alert(1)</script>", Stock: pointer[int64](0), Available: true, Archived: pointer(true),
	},
	{Article: "Мыло №3/4", Name: "@Мыло\\", Brand: "'Kalm", CategoryPath: []string{"Тело"}, Price: 100_000_000, Stock: pointer[int64](1), Available: true, Archived: pointer(false)},
}

func written(t *testing.T, rows []Row, open func(io.Writer, Shop) (Writer, error)) string {
	t.Helper()
	var out bytes.Buffer
	shop := Shop{Name: "Дала & Ко", LegalName: "ТОО «Дала»", URL: "https://dala.kz"}
	for _, r := range rows {
		if len(r.CategoryPath) > 0 {
			shop.Categories = append(shop.Categories, r.CategoryPath)
		}
	}
	w, err := open(&out, shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestShelvesAndLowLinesAreColumns(t *testing.T) {
	t.Parallel()
	rows := []Row{
		{Article: "A-1", Name: "Крем", Price: 1, Shelf: "=A-03", LowLine: pointer[int64](0), Available: true},
		{Article: "A-2", Name: "Мыло", Price: 1, Available: true},
	}
	file, err := Open(strings.NewReader(written(t, rows, asCSV)), "a.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range rows {
		got, err := file.Next()
		if err != nil || got.Shelf != want.Shelf || !reflect.DeepEqual(got.LowLine, want.LowLine) {
			t.Errorf("%+v: %v", got, err)
		}
	}
	if !file.States(Shelf) || !file.States(LowLine) {
		t.Error("the columns are not stated")
	}
	for _, bad := range []string{"Полка;Порог остатка\nA-1;" + strings.Repeat("A", 21) + ";", "Полка;Порог остатка\nA-1;;-1", "Полка;Порог остатка\nA-1;;1000001"} {
		file, err := Open(strings.NewReader("Артикул;"+bad), "a.csv", Options{})
		if err != nil {
			t.Fatal(err)
		}
		var wrong *RowError
		if _, err := file.Next(); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func asCSV(to io.Writer, _ Shop) (Writer, error)     { return NewCSV(to) }
func asYML(to io.Writer, shop Shop) (Writer, error)  { return NewYML(to, shop, false) }
func asFeed(to io.Writer, shop Shop) (Writer, error) { return NewYML(to, shop, true) }

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	for format, open := range map[string]func(io.Writer, Shop) (Writer, error){"CSV": asCSV, "YML": asYML} {
		file := written(t, hostile, open)
		r, err := Open(strings.NewReader(file), format, Options{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", format, err, file)
		}
		for _, want := range hostile {
			got, err := r.Next()
			if err != nil {
				t.Fatalf("%s: %s: %v\n%s", format, want.Article, err, file)
			}
			got.Line, got.Params = 0, nil
			if format == "YML" && *want.Stock == 0 {
				want.Available = false
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got\n%+v, want\n%+v", format, got, want)
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the last row: %v", format, err)
		}
	}
}

func TestWrittenCSVHoldsNoFormula(t *testing.T) {
	t.Parallel()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(written(t, hostile, asCSV), "\uFEFF")))
	r.Comma = ';'
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range lines {
		for _, cell := range cells {
			if cell != "" && strings.IndexByte("=+-@\t\r", cell[0]) >= 0 {
				t.Errorf("a spreadsheet would compute %q", cell)
			}
		}
	}
}

func TestFeedsSayWhatShoppersSee(t *testing.T) {
	t.Parallel()
	var yml struct {
		Shop struct {
			Name       string `xml:"name"`
			Categories []struct {
				ID       string `xml:"id,attr"`
				ParentID string `xml:"parentId,attr"`
				Name     string `xml:",chardata"`
			} `xml:"categories>category"`
			Offers []struct {
				ID        string   `xml:"id,attr"`
				Available bool     `xml:"available,attr"`
				URL       string   `xml:"url"`
				Price     int64    `xml:"price"`
				OldPrice  int64    `xml:"oldprice"`
				Category  string   `xml:"categoryId"`
				Pictures  []string `xml:"picture"`
				Name      string   `xml:"name"`
				Vendor    string   `xml:"vendor"`
				Article   string   `xml:"vendorCode"`
				About     string   `xml:"description"`
			} `xml:"offers>offer"`
		} `xml:"shop"`
	}
	if err := xml.Unmarshal([]byte(written(t, hostile, asFeed)), &yml); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, c := range yml.Shop.Categories {
		names[c.ID] = strings.TrimPrefix(names[c.ParentID]+" > "+c.Name, " > ")
	}
	if len(names) != 3 || yml.Shop.Name != "Дала & Ко" || len(yml.Shop.Offers) != len(hostile) {
		t.Fatalf("categories %v of %+v", names, yml.Shop)
	}
	for i, want := range hostile {
		o := yml.Shop.Offers[i]
		if o.Name != want.Name || o.Vendor != want.Brand || o.Article != want.Article || o.About != want.Description ||
			names[o.Category] != strings.Join(want.CategoryPath, " > ") || o.Available != (*want.Stock > 0) ||
			o.URL != "https://dala.kz/product/"+want.Link || !reflect.DeepEqual(o.Pictures, want.Pictures) {
			t.Errorf("got %+v, want %+v", o, want)
		}
	}
	if o := yml.Shop.Offers[0]; o.Price != 7900 || o.OldPrice != 8900 || o.ID != "A-1" {
		t.Errorf("got %+v", o)
	}
	if id := yml.Shop.Offers[2].ID; len(id) != 32 {
		t.Errorf("a marketplace would not take the id %q", id)
	}
}

func TestFeedOfGoogle(t *testing.T) {
	t.Parallel()
	rows := append([]Row{{Article: strings.Repeat("ж", 60), Name: strings.Repeat("я", 200), Price: 5, Available: false}}, hostile...)
	rows[1].Name += "\x07\uFFFE" // not from a file, but the log would hold them
	var rss struct {
		Items []struct {
			ID           string   `xml:"http://base.google.com/ns/1.0 id"`
			Title        string   `xml:"http://base.google.com/ns/1.0 title"`
			Link         string   `xml:"http://base.google.com/ns/1.0 link"`
			Image        string   `xml:"http://base.google.com/ns/1.0 image_link"`
			More         []string `xml:"http://base.google.com/ns/1.0 additional_image_link"`
			Availability string   `xml:"http://base.google.com/ns/1.0 availability"`
			Price        string   `xml:"http://base.google.com/ns/1.0 price"`
			SalePrice    string   `xml:"http://base.google.com/ns/1.0 sale_price"`
			Brand        string   `xml:"http://base.google.com/ns/1.0 brand"`
			MPN          string   `xml:"http://base.google.com/ns/1.0 mpn"`
			Condition    string   `xml:"http://base.google.com/ns/1.0 condition"`
			Type         string   `xml:"http://base.google.com/ns/1.0 product_type"`
		} `xml:"channel>item"`
	}
	if err := xml.Unmarshal([]byte(written(t, rows, NewGoogle)), &rss); err != nil {
		t.Fatal(err)
	}
	if len(rss.Items) != len(rows) {
		t.Fatalf("%d items", len(rss.Items))
	}
	if long := rss.Items[0]; len([]rune(long.Title)) != 150 || len(long.ID) > 50 || long.Availability != "out_of_stock" || long.Image != "" {
		t.Errorf("got %+v", long)
	}
	got := fmt.Sprintf("%+v", rss.Items[1])
	if want := fmt.Sprintf("{ID:A-1 Title:%s Link:https://dala.kz/product/krem Image:/img/a.webp More:[https://x.kz/a,http/b;c.jpg] "+
		"Availability:in_stock Price:8900 KZT SalePrice:7900 KZT Brand:O'Neil & <Sons> MPN:A-1 Condition:new Type:Уход / лицо > A > B | C » D}", hostile[0].Name); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func TestYMLSaysWhenTheCatalogChanged(t *testing.T) {
	t.Parallel()
	file := written(t, nil, func(to io.Writer, shop Shop) (Writer, error) {
		shop.Changed = time.Date(2026, 3, 3, 12, 5, 0, 0, time.FixedZone("", 5*60*60))
		return NewYML(to, shop, true)
	})
	if !strings.Contains(file, `<yml_catalog date="2026-03-03T12:05+05:00">`) {
		t.Error(file)
	}
}

func TestFullDiskIsNoticed(t *testing.T) {
	t.Parallel()
	w, err := NewYML(fullDisk{}, Shop{}, true)
	if err != nil {
		t.Fatal(err)
	}
	if w.Write(Row{Description: strings.Repeat("я", 1<<17)}) == nil || w.Close() == nil {
		t.Error("it went unnoticed")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }
