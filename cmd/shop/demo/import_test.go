package demo_test

import (
	"io"
	"testing"

	"shop/cmd/shop/demo"
	"shop/commands"
	"shop/commands/catalogfile"
	"shop/eventstore"
	"shop/eventstore/registry"
	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestDemoIsImportedLikeAnyFile takes the demo catalog the way of every merchant's file.
func TestDemoIsImportedLikeAnyFile(t *testing.T) {
	goods, err := demo.Goods()
	if err != nil {
		t.Fatal(err)
	}
	early, err := demo.EarlyCatalogFile(goods, demo.Plan{})
	if err != nil {
		t.Fatal(err)
	}
	log := eventstore.Open(pgtest.Open(t), registry.New(), eventstore.Options{})
	t.Cleanup(log.Close)
	importer := commands.Importer{Handler: commands.New(log, commands.Options{}), Log: log}
	var o commands.ImportOptions
	if o.Directory, err = demo.Directory(); err != nil {
		t.Fatal(err)
	}
	if o.Pictures, err = demo.Pictures(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		from io.Reader
		want commands.ImportReport
	}{
		{"early", early, commands.ImportReport{Rows: 206, Added: 206, Brands: 15, Categories: 43, Marks: 9}},
		{"whole", demo.CatalogFile(), commands.ImportReport{Rows: 220, Added: 14, Unchanged: 206}},
		{"again", demo.CatalogFile(), commands.ImportReport{Rows: 220, Unchanged: 220}},
	} {
		file, err := catalogfile.Open(c.from, c.name, catalogfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := importer.Import(t.Context(), file, o)
		if err != nil {
			t.Fatal(err)
		}
		got.Events, got.Position = 0, 0
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
