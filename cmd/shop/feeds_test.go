package main

import (
	"compress/gzip"
	"encoding/xml"
	"io"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/pages"
	"shop/commands/importer/catalogfile"
	"shop/migrations/pgtest"
	"shop/projections"
	"shop/projections/rebuild"
)

const feedGoods = "article;name;brand;category;price;old_price;pictures;stock;archived\n" +
	"F-1;Крем «Липа»;Tilia;Лицо > Кремы;7900;8900;/img/a.webp https://x.kz/b.jpg;12;\n" +
	"F/2;\"&lt;b&gt; & \"\"Мыло\"\" ]]&gt;\";O'Neil & Co;Тело;1590;;;0;\n" +
	"F-3;Снятый;Kalm;Тело;100;;;5;\n"

func TestFeedsTellWhatIsOnSale(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.ok("catalog", "import", p.file("goods.csv", feedGoods))
	p.ok("catalog", "archive", "F-3")
	s := p.serve()

	status, header, body := s.send("GET", "/feeds/yml.xml", nil, "Accept-Encoding", "identity")
	if status != 200 || header.Get("Content-Type") != "application/xml; charset=utf-8" || header.Get("Cache-Control") != "public, max-age=60" {
		t.Fatalf("got %d %v", status, header)
	}
	var yml struct {
		Offers []struct {
			Available bool     `xml:"available,attr"`
			URL       string   `xml:"url"`
			Price     int64    `xml:"price"`
			OldPrice  int64    `xml:"oldprice"`
			Pictures  []string `xml:"picture"`
			Name      string   `xml:"name"`
			Vendor    string   `xml:"vendor"`
			Article   string   `xml:"vendorCode"`
		} `xml:"shop>offers>offer"`
	}
	if err := xml.Unmarshal([]byte(body), &yml); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if len(yml.Offers) != 2 {
		t.Fatalf("the offers are %+v", yml.Offers)
	}
	if o := yml.Offers[0]; !o.Available || o.URL != s.url+"/product/tilia-krem-lipa" || o.Price != 7900 || o.OldPrice != 8900 ||
		strings.Join(o.Pictures, " ") != s.url+"/img/a.webp https://x.kz/b.jpg" {
		t.Errorf("got %+v", o)
	}
	if o := yml.Offers[1]; o.Available || o.Article != "F/2" || o.Name != `<b> & "Мыло" ]]>` || o.Vendor != "O'Neil & Co" {
		t.Errorf("got %+v", o)
	}
	if page, _, _ := s.send("GET", strings.TrimPrefix(yml.Offers[0].URL, s.url), nil); page != 200 {
		t.Errorf("%s is answered with %d", yml.Offers[0].URL, page)
	}
	if said := onDatabase(t).ok("catalog", "import", p.file("feed.xml", body)); !strings.Contains(said, "2 rows: 2 new, 0 changed, 0 as they were, 0 refused") {
		t.Errorf("our own import says %s", said)
	}

	_, _, google := s.send("GET", "/feeds/google.xml", nil)
	for _, want := range []string{"<g:id>F-1</g:id>", "<g:price>8900 KZT</g:price><g:sale_price>7900 KZT</g:sale_price>", "<g:availability>out_of_stock</g:availability>",
		"<g:product_type>Лицо &gt; Кремы</g:product_type>", "<g:image_link>" + s.url + "/img/a.webp</g:image_link>"} {
		if !strings.Contains(google, want) {
			t.Errorf("%s is not in %s", want, google)
		}
	}

	for _, known := range [][2]string{{"If-None-Match", header.Get("ETag")}, {"If-None-Match", "W/" + header.Get("ETag")}, {"If-Modified-Since", header.Get("Last-Modified")}} {
		if status, _, body := s.send("GET", "/feeds/yml.xml", nil, known[0], known[1]); status != 304 || body != "" {
			t.Errorf("with %v: %d and %d bytes", known, status, len(body))
		}
	}
	_, packed, body2 := s.send("GET", "/feeds/yml.xml", nil, "Accept-Encoding", "gzip")
	unpacked, err := gzip.NewReader(strings.NewReader(body2))
	if err != nil {
		t.Fatalf("%v: %v", err, packed)
	}
	if plain, err := io.ReadAll(unpacked); err != nil || string(plain) != body {
		t.Errorf("unpacked it differs: %v", err)
	}
	if status, head, _ := s.send("HEAD", "/feeds/yml.xml", nil); status != 200 || head.Get("ETag") != header.Get("ETag") {
		t.Errorf("HEAD: %d %v", status, head)
	}
}

// countedRows is a feed's file that looks at memory while it is written.
type countedRows struct {
	catalogfile.Writer
	rows *int
	peak *uint64
}

func (c countedRows) Write(r catalogfile.Row) error {
	if *c.rows++; *c.rows%1000 == 0 {
		*c.peak = max(*c.peak, heap())
	}
	return c.Writer.Write(r)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestLargeFeed is not parallel: it measures memory.
func TestLargeFeed(t *testing.T) {
	pool := pgtest.Open(t)
	ctx := t.Context()
	if _, err := rebuild.Prepare(ctx, pool, projections.All()...); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(ctx, `INSERT INTO catalog.product (id, article, link, brand_id, category_id, name, description, composition, expires, apply_method,
			package_size, made_in, kazakh, price, discounted_price, pictures, marks, archived, added_at, updated_at, part, position)
		SELECT gen_random_uuid(), 'L-' || n, 'l-' || n, gen_random_uuid(), gen_random_uuid(), 'Крем ' || n, '', '', '', repeat('Наносить вечером. ', 100),
			'50 мл', '', '{}', 1000 + n, 1000 + n, '[{"src": "/img/a.webp"}]', '{}', false, now(), now(), 0, n
		FROM generate_series(1, 10000) n`); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 3, 7, 0, 0, 0, time.UTC)
	rows, peak := 0, uint64(0)
	f := &pages.MarketFeed{Db: pool, Shop: catalogfile.Shop{Name: "Дала", URL: "https://dala.kz"}, Clock: func() time.Time { return now },
		Begin: func(to io.Writer, shop catalogfile.Shop) (catalogfile.Writer, error) {
			w, err := pages.YmlFeed(to, shop)
			return countedRows{w, &rows, &peak}, err
		}}
	before := heap()
	first, err := f.Current(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if first.Size < 30<<20 || rows != 10_000 || peak > before+8<<20 {
		t.Errorf("%d rows, %d bytes with %d more in memory", rows, first.Size, peak-before)
	}
	if files, err := os.ReadDir(os.TempDir()); err != nil || strings.Contains(names(files), "shop-feed-") {
		t.Errorf("a file is left over: %v %s", err, names(files))
	}

	now = now.Add(pages.FeedFor - time.Second)
	if kept, err := f.Current(ctx); err != nil || kept != first {
		t.Errorf("within a minute it is written anew: %v", err)
	}
	now = now.Add(time.Second)
	same, err := f.Current(ctx)
	if err != nil || same == first || same.Tag != first.Tag || !same.Changed.Equal(first.Changed) {
		t.Errorf("unchanged: %+v after %+v, %v", same, first, err)
	}
	if _, err := pool.Exec(ctx, "UPDATE catalog.product SET price = price + 1 WHERE article = 'L-7'"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(pages.FeedFor)
	if changed, err := f.Current(ctx); err != nil || changed.Tag == first.Tag || !changed.Changed.Equal(now) {
		t.Errorf("changed: %+v after %+v, %v", changed, first, err)
	}

	part := httptest.NewRequest("GET", "/feeds/yml.xml", nil)
	part.Header.Set("Range", "bytes=0-4")
	answered := httptest.NewRecorder()
	if err := f.Serve(answered, part); err != nil || answered.Code != 206 || answered.Body.String() != "<?xml" {
		t.Errorf("a part: %d %q, %v", answered.Code, answered.Body, err)
	}
}

func names(files []os.DirEntry) string {
	var b strings.Builder
	for _, f := range files {
		b.WriteString(f.Name() + " ")
	}
	return b.String()
}
