package catalogfile_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	. "shop/commands/importer/catalogfile"
)

// generated writes a catalog of n rows while it is read, so that only the
// reader under test can hold it in memory.
func generated(n int, begin string, row func(i int) string, end string) io.Reader {
	i := -1
	return &rowReader{next: func() (string, bool) {
		i++
		switch {
		case i == 0:
			return begin, true
		case i <= n:
			return row(i), true
		case i == n+1:
			return end, true
		}
		return "", false
	}}
}

type rowReader struct {
	next func() (string, bool)
	rest string
}

func (r *rowReader) Read(p []byte) (int, error) {
	for r.rest == "" {
		row, more := r.next()
		if !more {
			return 0, io.EOF
		}
		r.rest = row
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

var inci = strings.Repeat("Aqua, Glycerin, Sodium Hyaluronate, Panthenol, ", 10)

func largeCSV(n int) io.Reader {
	return generated(n, "article;name;brand;category;price;composition;stock\n", func(i int) string {
		return fmt.Sprintf("A-%d;Крем для лица № %d;Бренд %d;Лицо > Кремы;%d;\"%s\";%d\n", i, i, i%50, 900+i%9000, inci, i%100)
	}, "")
}

func largeYML(n int) io.Reader {
	return generated(n, "<yml_catalog><shop><categories><category id=\"1\">Лицо</category></categories><offers>\n", func(i int) string {
		return fmt.Sprintf("<offer id=\"A-%d\" available=\"true\"><name>Крем для лица № %d</name><vendor>Бренд %d</vendor><categoryId>1</categoryId><price>%d</price><param name=\"Состав\">%s</param><count>%d</count></offer>\n",
			i, i, i%50, 900+i%9000, inci, i%100)
	}, "</offers></shop></yml_catalog>")
}

func drain(t testing.TB, file io.Reader) (rows int, peak uint64) {
	r, err := Open(file, "large", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var mem runtime.MemStats
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, peak
		}
		if err != nil {
			t.Fatal(err)
		}
		if rows++; rows%20_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&mem)
			peak = max(peak, mem.HeapAlloc)
		}
	}
}

func TestLargeFilesNeedTheMemoryOfOneRow(t *testing.T) {
	t.Parallel()
	// The articles remembered take some 12 MB, the files 57 MB and more.
	for name, file := range map[string]struct {
		rows int
		text io.Reader
	}{"CSV": {100_000, largeCSV(100_000)}, "YML": {60_000, largeYML(60_000)}} {
		rows, peak := drain(t, file.text)
		if rows != file.rows {
			t.Errorf("%s: %d rows", name, rows)
		}
		if peak > 32<<20 {
			t.Errorf("%s: %d MiB of live heap", name, peak>>20)
		}
	}
}

func BenchmarkCSV(b *testing.B) { benchmark(b, largeCSV) }
func BenchmarkYML(b *testing.B) { benchmark(b, largeYML) }

func benchmark(b *testing.B, file func(int) io.Reader) {
	b.ReportAllocs()
	rows, _ := drain(b, file(b.N))
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		"", russian, yml(offerOf("")), "name;price\n\"A;1\n", "sep=\t\nname\tprice\nx\t1\n", "\xFF\xFEn\x00a\x00m\x00e\x00;\x00",
		"name;price\nМыло \xff;-1 000,5 тг\n", "<yml_catalog><offer", "<yml_catalog><categories/><offer id='1'><![CDATA[", "<?xml encoding='utf-16'?><yml_catalog>",
		"name,price\r\nA,\"$1.5\"\rB,1", "<yml_catalog></><offer></offer>",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := Open(strings.NewReader(string(file)), "fuzz", Options{})
		if err != nil {
			return
		}
		for range len(file) + 2 { // every answer takes at least a byte
			row, err := r.Next()
			var bad *RowError
			switch {
			case errors.As(err, &bad):
				if bad.Line < 1 || bad.Reason == "" {
					t.Fatalf("%#v", bad)
				}
			case err != nil:
				return
			case row.Name == "" || row.Article == "" || row.Price <= 0 || row.DiscountPrice < 0 || row.DiscountPrice >= row.Price:
				t.Fatalf("%+v", row)
			}
		}
		t.Fatal("reading does not end")
	})
}
