package catalogfile

import "testing"

// TestCellsOfSpreadsheetFiles: what files for spreadsheets have an apostrophe before is read without it, and any text is read back as it was.
func TestCellsOfSpreadsheetFiles(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"'00123": "00123", "'4006381333931": "4006381333931", "'1E5": "1E5", "'=1+1": "=1+1", "00123": "00123", "'12": "'12", "'s Morgens": "'s Morgens", "''00123": "'00123",
	} {
		if got := unguarded(cell); got != want {
			t.Errorf("the cell %q is read as %q, want %q", cell, got, want)
		}
		if got := unguarded(guarded(cell)); got != cell {
			t.Errorf("%q is read back as %q", cell, got)
		}
	}
}
