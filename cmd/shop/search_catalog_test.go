package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
)

// goodsOf are the goods of any catalog file that the shop imports.
func goodsOf(t *testing.T, catalog io.Reader) (goods judgedGoods) {
	t.Helper()
	file, err := catalogfile.Open(catalog, "catalog", catalogfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		row, err := file.Next()
		switch refused := (*catalogfile.RowError)(nil); {
		case err == io.EOF:
			return goods
		case errors.As(err, &refused):
			fmt.Println("left out:", err)
			continue
		case err != nil:
			t.Fatal(err)
		}
		good := judgedGood{
			Article: row.Article, Name: strings.ToLower(row.Name), Brand: strings.ToLower(row.Brand), Description: strings.ToLower(row.Description),
			Composition: strings.Split(strings.ToLower(row.Composition), ", "),
		}
		if path := row.CategoryPath; len(path) > 0 {
			good.Category = strings.ToLower(path[len(path)-1])
		}
		for _, mark := range row.Marks {
			good.Marks = append(good.Marks, strings.ToLower(mark))
		}
		goods = append(goods, good)
	}
}

// TestSearchFindsInAnotherCatalog judges the search over the catalog file SHOP_JUDGED_CATALOG by the set SHOP_JUDGED_SET (docs/search.md). Without
// them it judges a small catalog, of which everything must be found.
func TestSearchFindsInAnotherCatalog(t *testing.T) {
	t.Parallel()
	open := func() io.Reader {
		file, err := os.Open(cmp.Or(os.Getenv("SHOP_JUDGED_CATALOG"), "testdata/judged/small.csv"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	goods := goodsOf(t, open())
	set := cmp.Or(os.Getenv("SHOP_JUDGED_SET"), "testdata/judged/small.txt")
	queries := judgedIn(t, goods, set, "")
	fmt.Printf("%s: %d goods\n", set, len(goods))
	got := measure(t, searchOver(t, open(), importer.Options{}), queries, testing.Verbose())
	if os.Getenv("SHOP_JUDGED_SET") == "" && got != (quality{1, 1, 0}) {
		t.Errorf("%+v, want everything found and nothing else", got)
	}
}
