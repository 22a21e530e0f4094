package sheetfile_test

import (
	"os"
	"testing"

	"shop/commands/importer/sheetfile"
)

// TestAWorkbookOfLibreOffice: the first sheet alone, formulas as their values, merged cells at their first cell, empty rows kept.
func TestAWorkbookOfLibreOffice(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/libreoffice.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	got, err := sheetfile.CSV(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = `Артикул;Название;Цена;Остаток;Категория
KZ-1;Әдемі қолға арналған крем;2500;7;Кремдер
100200;Ұлпа маска ңғһіө;1990;8


KZ-3;2026-11-28;3000;1;Кремдер
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
