package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"shop/cmd/shop/images"
	"shop/commands/importer"
	"shop/domain/catalog"
)

//go:embed catalog.xml
var catalogFile []byte

//go:embed brands.json
var brandsFile []byte

//go:embed categories.json
var categoriesFile []byte

//go:embed marks.json
var marksFile []byte

// CatalogFile is the demo catalog in YML, for the importer.
func CatalogFile() io.Reader { return bytes.NewReader(catalogFile) }

// Directory describes the demo's brands, categories and marks.
func Directory() (importer.Directory, error) {
	var d importer.Directory
	var brands []struct{ Name, Link, Description string }
	// Icon names a file of web/public/img/marks.
	var marks []struct {
		Name, Icon, Description string
		Kazakh                  catalog.Wording
	}
	type category struct {
		Name, Link, Description, Placeholder string
		Kazakh                               catalog.Wording
		// Picture is a key of images.Pictures; empty: the placeholder is drawn.
		Picture  string
		Children []category
	}
	var categories []category
	for name, file := range map[string]struct {
		from []byte
		to   any
	}{"brands.json": {brandsFile, &brands}, "categories.json": {categoriesFile, &categories}, "marks.json": {marksFile, &marks}} {
		if err := json.Unmarshal(file.from, file.to); err != nil {
			return d, fmt.Errorf("read %s: %w", name, err)
		}
	}
	for _, m := range marks {
		d.Marks = append(d.Marks, catalog.Mark{
			Name: m.Name, Description: m.Description, Kazakh: m.Kazakh, Picture: &catalog.Picture{Src: "/img/marks/" + m.Icon + ".svg", Width: 24, Height: 24},
		})
	}
	pictures, err := images.Pictures()
	if err != nil {
		return d, err
	}
	for _, b := range brands {
		described := catalog.Brand{Link: b.Link, Name: b.Name, Description: b.Description}
		if logo, found := pictures["/img/logos/"+b.Link]; found {
			described.Logo = &logo
		}
		if picture, found := pictures["/img/brands/"+b.Link]; found {
			described.Picture = &picture
		}
		d.Brands = append(d.Brands, described)
	}
	put := func(parent string, place int, c category) {
		described := catalog.Category{Link: c.Link, Name: c.Name, Description: c.Description, Kazakh: c.Kazakh, Placeholder: c.Placeholder, Order: place + 1}
		if picture, found := pictures[c.Picture]; found {
			described.Picture = &picture
		} else if c.Picture != "" {
			err = fmt.Errorf("categories.json: %s: no picture %s", c.Link, c.Picture)
		}
		d.Categories = append(d.Categories, importer.DirectoryCategory{Parent: parent, Category: described})
	}
	for i, top := range categories {
		put("", i, top)
		for j, c := range top.Children {
			put(top.Name, j, c)
		}
	}
	return d, err
}
