package spreadsheet_test

import (
	"bytes"
	"testing"

	"shop/readapi/spreadsheet"
)

func TestCells(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "Қолға арналған крем": "Қолға арналған крем", "MK-00123": "MK-00123", "100001": "100001", "0": "0", "0.5": "0.5", "12345678901": "12345678901",
		"2026-11-28": "2026-11-28", "1E": "1E", "E5": "E5", "'00123": "'00123",
		"=1+1": "'=1+1", "+7 701 123-45-67": "'+7 701 123-45-67", "-5": "'-5", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"00123": "'00123", "4006381333931": "'4006381333931", "123456789012345678901": "'123456789012345678901", "1E5": "'1E5", "2.5e-3": "'2.5e-3",
	} {
		if got := spreadsheet.Text(text); got != want {
			t.Errorf("%q is the cell %q, want %q", text, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	out, err := spreadsheet.NewCSV(&file)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(spreadsheet.Texts("Атауы", "007", "a, b")); err != nil {
		t.Fatal(err)
	}
	if out.Flush(); file.String() != "\ufeffАтауы,'007,\"a, b\"\r\n" {
		t.Errorf("the file is %q", file.String())
	}
}
