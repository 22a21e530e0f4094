package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"shop/cmd/shop/terminal"
	"shop/projections/dataset"
)

func TestDataSetsAreTakenAwayInRuns(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.stockDemo()
	dir := t.TempDir()

	said := p.ok("export", "stock-movements", "--out", dir)

	if !strings.HasPrefix(said, "stock-movements: ") || !strings.Contains(said, " in 1 new files, masked, up to position ") {
		t.Errorf("said %q", said)
	}
	files, err := filepath.Glob(filepath.Join(dir, "stock-movements", "month=*", "part-1-*.parquet"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	rows, err := parquet.ReadFile[dataset.StockMovement](files[0])
	if err != nil || len(rows) < 100 || rows[0].Movement != "received" || rows[0].OnHand < 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if again := p.ok("export", "stock-movements", "--out", dir); !strings.HasPrefix(again, "stock-movements: 0 rows in 0 new files") {
		t.Errorf("said %q when nothing was new", again)
	}
	if said := p.ok("events", "export", "--format", "csv", "--out", dir); !strings.HasPrefix(said, "events: ") {
		t.Errorf("said %q", said)
	}
	if loud := p.run("export", "orders", "--unmasked", "--out", t.TempDir()); loud.status != terminal.Done || !strings.HasPrefix(loud.stderr, "warning: the files will name people") {
		t.Errorf("%+v", loud)
	}
}

func TestDataSetsRefuseWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	p := program{t, nil}
	for want, line := range map[string]string{
		"data set: ":                                "export invoices --out x",
		"--format: ":                                "export orders --format xlsx --out x",
		"--out wants a folder":                      "events export --format parquet",
		"--month: \"May\" is not YYYY-MM":           "export orders --out x --month May",
		"--from: positions begin at 1":              "export orders --out x --from -1",
		"--with-keys goes with --format jsonl":      "events export --format csv --out x --with-keys k",
		"--from, --month and --unmasked go with --": "events export --unmasked",
	} {
		if got := p.run(strings.Fields(line)...); got.status != terminal.Misuse || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v, want %q", line, got, want)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a refused command made a folder")
	}
}
