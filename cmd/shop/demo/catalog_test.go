package demo_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"shop/cmd/shop/demo"
	"shop/cmd/shop/images"
	"shop/commands/importer/catalogfile"
	"shop/domain/catalog"
)

func rows(t *testing.T) []catalogfile.Row {
	t.Helper()
	file, err := catalogfile.Open(demo.CatalogFile(), "catalog.xml", catalogfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []catalogfile.Row
	for {
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
}

func TestCatalogIsWorthLookingAt(t *testing.T) {
	all := rows(t)
	if len(all) < 200 {
		t.Errorf("%d products", len(all))
	}
	discounted, soldOut := 0, 0
	texts := map[string]string{}
	links := map[string]bool{}
	for _, p := range all {
		if p.DiscountPrice > 0 {
			discounted++
		}
		if *p.Stock == 0 {
			soldOut++
		}
		if p.Available != (*p.Stock > 0) {
			t.Errorf("%s: available %v with %d pieces", p.Article, p.Available, *p.Stock)
		}
		if n := len(strings.Split(p.Composition, ",")); n < 8 {
			t.Errorf("%s: %d ingredients", p.Article, n)
		}
		if p.Price > 24_900 || p.Price < 990 {
			t.Errorf("%s: price %d", p.Article, p.Price)
		}
		if p.Link == "" || links[p.Link] {
			t.Errorf("%s: link %q", p.Article, p.Link)
		}
		links[p.Link] = true
		if n := utf8.RuneCountInString(p.Description); n < 60 || n > 400 {
			t.Errorf("%s: description of %d characters", p.Article, n)
		}
		if other := texts[p.Description]; other != "" {
			t.Errorf("%s and %s have one description", p.Article, other)
		}
		texts[p.Description] = p.Article
		if p.Brand == "" || len(p.CategoryPath) != 2 || p.ApplyMethod == "" || p.Expires == "" || p.PackageSize == "" || p.MadeIn == "" || len(p.Marks) == 0 {
			t.Errorf("%s lacks something: %+v", p.Article, p)
		}
	}
	for what, percent := range map[string]int{"discounted": 100 * discounted / len(all), "sold out": 100 * soldOut / len(all)} {
		if percent < 5 || percent > 25 {
			t.Errorf("%d %% are %s", percent, what)
		}
	}
}

// kazakhLetters are those that Russian lacks.
const kazakhLetters = "әғқңөұүһі"

// TestTheDemoSpeaksKazakh: each text has a Kazakh one of its own; only words that both languages share are spelled alike.
func TestTheDemoSpeaksKazakh(t *testing.T) {
	names, long := map[string]string{}, map[string]string{}
	for _, p := range rows(t) {
		kk := func(f catalogfile.Field) string { return p.Kazakh[f] }
		for _, f := range catalogfile.Kazakh {
			if kk(f) == "" {
				t.Errorf("%s: no %s", p.Article, f)
			}
		}
		for _, f := range []catalogfile.Field{catalogfile.KazakhDescription, catalogfile.KazakhExpires, catalogfile.KazakhApplyMethod} {
			if !strings.ContainsAny(strings.ToLower(kk(f)), kazakhLetters) {
				t.Errorf("%s: %s is %q", p.Article, f, kk(f))
			}
		}
		if other := names[kk(catalogfile.KazakhName)] + long[kk(catalogfile.KazakhDescription)]; other != "" {
			t.Errorf("%s is called as %s: %q", p.Article, other, kk(catalogfile.KazakhName))
		}
		names[kk(catalogfile.KazakhName)], long[kk(catalogfile.KazakhDescription)] = p.Article, p.Article
		if kk(catalogfile.KazakhName) == p.Name || number.FindString(kk(catalogfile.KazakhPackageSize)) != number.FindString(p.PackageSize) {
			t.Errorf("%s: %q, %q", p.Article, kk(catalogfile.KazakhName), kk(catalogfile.KazakhPackageSize))
		}
	}
	directory, err := demo.Directory()
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]catalog.Wording{}
	for _, m := range directory.Marks {
		described[m.Name] = m.Kazakh
	}
	for _, c := range directory.Categories {
		described[c.Category.Link] = c.Category.Kazakh
	}
	for of, kazakh := range described {
		if kazakh.Name == "" || !strings.ContainsAny(strings.ToLower(kazakh.Description), kazakhLetters) {
			t.Errorf("%s: %+v", of, kazakh)
		}
	}
}

var number = regexp.MustCompile(`[0-9,]+`)

func TestDirectoryAndPicturesFitTheCatalog(t *testing.T) {
	directory, err := demo.Directory()
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := images.Pictures()
	if err != nil {
		t.Fatal(err)
	}
	brands, marks, categories := map[string]int{}, map[string]int{}, map[[2]string]int{}
	for _, p := range rows(t) {
		brands[p.Brand]++
		categories[[2]string(p.CategoryPath)]++
		for _, m := range p.Marks {
			marks[m]++
		}
		for _, address := range p.Pictures {
			if _, ok := pictures[address]; !ok {
				t.Errorf("%s: no picture %s", p.Article, address)
			}
		}
	}
	for _, b := range directory.Brands {
		if brands[b.Name] == 0 || strings.Count(b.Description, ".") < 4 || b.Link == "" {
			t.Errorf("brand %+v: %d products", b, brands[b.Name])
		}
		delete(brands, b.Name)
	}
	icons := map[string]bool{}
	for _, m := range directory.Marks {
		if marks[m.Name] == 0 || m.Description == "" {
			t.Errorf("mark %+v: %d products", m, marks[m.Name])
		}
		if _, err := os.Stat(filepath.Join("../../../web/public", m.Picture.Src)); err != nil || icons[m.Picture.Src] {
			t.Errorf("mark %s has no icon of its own: %s, %v", m.Name, m.Picture.Src, err)
		}
		icons[m.Picture.Src] = true
		delete(marks, m.Name)
	}
	links := map[string]bool{}
	for _, c := range directory.Categories {
		if links[c.Category.Link] || c.Category.Description == "" || c.Category.Placeholder == "" {
			t.Errorf("category %+v", c)
		}
		links[c.Category.Link] = true
		if place := [2]string{c.Parent, c.Category.Name}; c.Parent != "" {
			if categories[place] < 3 {
				t.Errorf("category %v: %d products", place, categories[place])
			}
			delete(categories, place)
		}
	}
	if len(brands)+len(marks)+len(categories) > 0 {
		t.Errorf("not described: %v %v %v", brands, marks, categories)
	}
}

func TestEachProductHasAPhotographOfItsOwn(t *testing.T) {
	pictures, err := images.Pictures()
	if err != nil {
		t.Fatal(err)
	}
	of, twice := map[string]string{}, 0
	all := rows(t)
	for _, p := range all {
		if len(p.Pictures) == 0 {
			t.Errorf("no photograph of %s", p.Article)
			continue
		}
		if len(p.Pictures) > 1 {
			twice++
		}
		first := p.Pictures[0]
		if other, taken := of[first]; taken {
			t.Errorf("%s and %s have the same photograph %s", other, p.Article, first)
		}
		of[first] = p.Article
		for _, source := range pictures[first].Sources {
			for variant := range strings.SplitSeq(source.Srcset, ", ") {
				name, _, _ := strings.Cut(variant, " ")
				if _, err := os.Stat(filepath.Join("../../../web/public", name)); err != nil {
					t.Errorf("%s: %v", p.Article, err)
				}
			}
		}
	}
	if 3*twice < len(all) {
		t.Errorf("%d of %d products have two views, want a third", twice, len(all))
	}
}

func TestBrandsHaveLogos(t *testing.T) {
	directory, err := demo.Directory()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range directory.Brands {
		if b.Logo == nil || b.Logo.Src != "/img/logos/"+b.Link+".svg" {
			t.Errorf("%s: logo %+v", b.Name, b.Logo)
		}
	}
}

func TestArrivalsHavePhotographsOfTheirOwn(t *testing.T) {
	goods, err := demo.Goods()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, g := range goods {
		if !g.Arrival {
			continue
		}
		if other := shown[g.Picture]; g.Picture == "" || other != "" {
			t.Errorf("%s: picture %q, also of %q", g.Article, g.Picture, other)
		}
		shown[g.Picture] = g.Article
	}
}

func TestPicturesAreThere(t *testing.T) {
	pictures, err := images.Pictures()
	if err != nil {
		t.Fatal(err)
	}
	public := filepath.Join("..", "..", "..", "web", "public")
	for address, p := range pictures {
		sources := 2
		if strings.HasSuffix(p.Src, ".svg") {
			sources = 0
		}
		if p.Width == 0 || p.Height == 0 || len(p.Sources) != sources || !there(public, p.Src) {
			t.Errorf("%s: %+v", address, p)
		}
		for _, source := range p.Sources {
			for _, variant := range strings.Split(source.Srcset, ", ") {
				if path, _, _ := strings.Cut(variant, " "); !there(public, path) {
					t.Errorf("%s: no file %s", address, path)
				}
			}
		}
	}
}

func there(public, path string) bool {
	_, err := os.Stat(filepath.Join(public, filepath.FromSlash(path)))
	return err == nil
}
