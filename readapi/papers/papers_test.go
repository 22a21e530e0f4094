package papers

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"shop/readapi/staff"
)

// order is one with so many lines.
func order(number int64, lines int) staff.Parcel {
	day := "2026-03-03"
	o := staff.Parcel{
		Number: number, Name: "Әйгерім Нұрланқызы", Phone: "+77011234567", City: "Алматы", Address: "Абая, 1, кв. 5", Delivery: "DELIVERY",
		TotalPaid: 11_900, ToCollect: 11_900, DeliveryPrice: 1_900, Day: &day, CreatedAt: time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC),
	}
	for n := range lines {
		o.Lines = append(o.Lines, staff.ParcelLine{Article: fmt.Sprint("MK-", n), Name: "Крем для лица увлажняющий с маслом ши, 50 мл", Amount: 2, Price: 5_000, Total: 10_000, Shelf: "A-03-2"})
	}
	return o
}

func TestPapersHaveAPageForEachOrder(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Slip, Invoice, Label} {
		for _, size := range []Size{A4, Roll} {
			pdf, err := Print(kind, size, "Магазин", []staff.Parcel{order(100_001, 3), order(100_002, 1), order(100_003, 2)})
			if err != nil {
				t.Fatal(err)
			}
			if pages := bytes.Count(pdf, []byte("/Type /Page\n")); !bytes.HasPrefix(pdf, []byte("%PDF-")) || pages != 3 {
				t.Errorf("%s on %s: %d pages, want 3", kind, size, pages)
			}
		}
	}
	long, err := Print(Slip, A4, "Магазин", []staff.Parcel{order(100_001, 60)})
	if err != nil {
		t.Fatal(err)
	}
	if pages := bytes.Count(long, []byte("/Type /Page\n")); pages < 2 {
		t.Errorf("60 lines are on %d page", pages)
	}
}

// TestCode128 holds the code against the symbology: 11 modules a symbol, 13 of the stop, no pattern twice, and a known check symbol.
func TestCode128(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for v, pattern := range patterns {
		sum := 0
		for _, w := range pattern {
			sum += int(w - '0')
		}
		if want := map[bool]int{true: 13, false: 11}[v == stop]; sum != want || seen[pattern] {
			t.Errorf("symbol %d has %d modules, or was there before", v, sum)
		}
		seen[pattern] = true
	}
	// "PJJ123C" has the check symbol 55 in the description of the symbology that everybody quotes, in set A; in set B the start
	// is one more, and so is the check symbol.
	widths, err := code128("PJJ123C")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, w := range widths {
		fmt.Fprint(&text, w)
	}
	if !strings.HasSuffix(text.String(), patterns[55]+patterns[stop]) || len(widths) != 9*6+7 {
		t.Errorf("coded as %s", text.String())
	}
	if _, err := code128("Ж"); err == nil {
		t.Error("a letter that scanners do not read is coded")
	}
}

// BenchmarkSlips prints a day's 300 packing slips: at most 3 s.
func BenchmarkSlips(b *testing.B) {
	orders := make([]staff.Parcel, 300)
	for i := range orders {
		orders[i] = order(int64(100_000+i), 1+i%5)
	}
	for b.Loop() {
		pdf, err := Print(Slip, A4, "Магазин", orders)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(pdf))/1024, "KB")
	}
}

// TestDocumentsArePrinted: a long text goes over pages, each version is always the same file, and what the text has does not matter.
func TestDocumentsArePrinted(t *testing.T) {
	t.Parallel()
	point := "<h2>1. Предмет</h2><p>Жария оферта — <strong>ұсыныс</strong>, <a href=\"mailto:a@b.kz\">a@b.kz</a><br>и ещё.</p>" +
		"<ul><li>Пункт<ol><li>Подпункт</li></ol></li></ul><table><tr><th>Срок</th><td>14 дней</td></tr></table><blockquote><p>Цитата</p></blockquote><hr>"
	doc := Document{Shop: "Дала", Title: "Публичная оферта", Edition: "Редакция 2026-12-01 от 01.12.2026", Version: "2026-12-01", Date: "2026-12-01", Language: "ru", HTML: strings.Repeat(point, 12)}
	file, err := doc.Print()
	if err != nil {
		t.Fatal(err)
	}
	again, err := doc.Print()
	if err != nil {
		t.Fatal(err)
	}
	if pages := bytes.Count(file, []byte("/Type /Page\n")); pages < 2 || !bytes.Equal(file, again) {
		t.Errorf("%d pages, the same file: %t", pages, bytes.Equal(file, again))
	}
	for _, part := range []string{"/Title", "/Subject", "/Keywords", "D:20261201"} {
		if !bytes.Contains(file, []byte(part)) {
			t.Errorf("the file has no %s", part)
		}
	}
	doc.HTML += "<p>x</p>"
	if other, err := doc.Print(); err != nil || bytes.Equal(file, other) {
		t.Errorf("another text is the same file, %v", err)
	}
}
