package demo_test

import (
	"io"
	"testing"

	"shop/cmd/shop/demo"
	"shop/cmd/shop/images"
	"shop/commands"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
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
	run := importer.Catalog{Handler: commands.New(log, commands.Options{}), Log: log}
	var o importer.Options
	if o.Directory, err = demo.Directory(); err != nil {
		t.Fatal(err)
	}
	if o.Pictures, err = images.Pictures(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		from io.Reader
		want importer.Report
	}{
		{"early", early, importer.Report{Rows: 206, Added: 206, Brands: 15, Categories: 43, Marks: 9}},
		{"whole", demo.CatalogFile(), importer.Report{Rows: 220, Added: 14, Unchanged: 206}},
		{"again", demo.CatalogFile(), importer.Report{Rows: 220, Unchanged: 220}},
	} {
		file, err := catalogfile.Open(c.from, c.name, catalogfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := run.Import(t.Context(), file, o)
		if err != nil {
			t.Fatal(err)
		}
		got.Events, got.Position = 0, 0
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
