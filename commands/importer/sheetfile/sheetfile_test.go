package sheetfile

import (
	"os"
	"slices"
	"testing"
)

// TestAWorkbookOfASpreadsheetProgram: calc.xlsx was saved by LibreOffice Calc 7.4. It has Kazakh letters, sums in tenge, formulas, one of them
// with an error, a date, an empty row, merged cells, a cell of two paragraphs, a long number and a second sheet.
func TestAWorkbookOfASpreadsheetProgram(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/calc.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	const want = "article;name;name_kk;price;discounted_price;category;expires;stock\n" +
		"XL-00001;\"Мыло «Ромашка»; для рук\";Түймедақ сабыны, қолға;4990;4490;Мыло;2027-05-31;12\n" +
		"\n" +
		"XL-00002;\"Крем\nвторой абзац\";;1234567;;Мыло;;0\n" +
		"123456789012;Шампунь ҚҰРҒАҚ шашқа;;#DIV/0!;;Мыло;;3.5\n"
	if got, err := CSV(file); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestAMergedCellIsInEachOfItsRows: merged.xlsx was saved by LibreOffice Calc 7.4. A category covers three rows, another two of which one is
// empty, a brand all of them, and a name two columns.
func TestAMergedCellIsInEachOfItsRows(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/merged.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	const want = "category;article;name;price;brand\n" +
		"Лицо > Кремы;M-1;Крем;1000;KALM\n" +
		"Лицо > Кремы;M-2;Крем ночной;2000;KALM\n" +
		"Лицо > Кремы;M-3;Сыворотка;3000;KALM\n" +
		"Тело;M-4;Масло;4000;KALM\n" +
		"\n" +
		";M-5;Без категории;;KALM\n" +
		"Қол күтімі;M-6;Сабын;5000\n"
	if got, err := CSV(file); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestRangesOfMergedCells(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]merge{"A2:A4": {0, 2, 4}, "AB10:AC12": {27, 10, 12}} {
		if got, ok := parseMerge(ref); !ok || got != want {
			t.Errorf("%s is %v, %v", ref, got, ok)
		}
	}
	for _, ref := range []string{"", "A2", "A2:", "2:4", "A:B", "a2:a4", "A0:A4", "AAAA1:AAAA2", "A2:A99999999999999999999"} {
		if got, ok := parseMerge(ref); ok {
			t.Errorf("%q is %v", ref, got)
		}
	}
}

// TestMergedCellsFillWhatIsEmpty: rows with nothing of their own stay empty, and a value below a merged cell stays.
func TestMergedCellsFillWhatIsEmpty(t *testing.T) {
	t.Parallel()
	c := covers{[]merge{{0, 1, 4}, {2, 3, 4}}, map[int]cover{}}
	for i, step := range []struct{ row, want []string }{
		{[]string{"Лицо", "M-1"}, []string{"Лицо", "M-1"}},
		{[]string{"", ""}, []string{"", ""}},
		{[]string{"Тело", "M-2", "KALM"}, []string{"Тело", "M-2", "KALM"}},
		{[]string{"", "M-3"}, []string{"Лицо", "M-3", "KALM"}},
		{[]string{"", "M-4"}, []string{"", "M-4"}},
	} {
		if got := c.fill(i+1, step.row); !slices.Equal(got, step.want) {
			t.Errorf("row %d is %q, want %q", i+1, got, step.want)
		}
	}
}
