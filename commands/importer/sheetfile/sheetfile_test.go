package sheetfile

import (
	"os"
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
