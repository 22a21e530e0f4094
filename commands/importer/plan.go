package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/importer/catalogfile"
	"shop/commands/importer/sheetfile"
	"shop/domain"
	"shop/domain/catalog"
)

// planned is a plan in the making.
type planned struct {
	importRun
	plan changes.Plan
	// made are the brands, categories and marks that the plan adds already.
	made map[domain.ID]bool
}

// Plan says what a catalog file (CSV, YML or an Excel workbook) would change, as items of a change; nothing of it is written. Columns
// are those of Options of a catalog file; nil: those of the last file with such headers. Tell hears between rows which share of the file is read, from 0 to 1; nil: nobody does.
func (i *Catalog) Plan(ctx context.Context, file []byte, columns map[string]string, tell func(share float64)) (changes.Plan, error) {
	if sheetfile.Is(file) {
		text, err := sheetfile.CSV(file)
		if err != nil {
			return refusedPlan(changes.Plan{Matched: map[string]string{}}, err), nil
		}
		file = text
	}
	p := planned{plan: changes.Plan{Rows: []changes.PlannedRow{}, Items: []changes.Asked{}, Bad: []changes.BadRow{}}, made: map[domain.ID]bool{}}
	options, wrong, err := p.match(ctx, i.Matched, file, columns)
	if err != nil {
		return changes.Plan{}, err
	}
	if wrong != nil {
		return refusedPlan(p.plan, wrong), nil
	}
	rest := bytes.NewReader(file)
	rows, err := catalogfile.Open(rest, "", options)
	if err != nil {
		return refusedPlan(p.plan, err), nil
	}
	known, err := readNames(ctx, i.Log)
	if err != nil {
		return changes.Plan{}, err
	}
	p.importRun = importRun{Catalog: i, file: rows, names: known}
	for {
		read, refused, readErr := p.read()
		for _, bad := range refused {
			p.bad(bad)
		}
		if err := p.compare(ctx, read); err != nil {
			return changes.Plan{}, err
		}
		switch {
		case errors.Is(readErr, io.EOF):
			return p.plan, p.quote(file, options)
		case readErr != nil:
			return refusedPlan(p.plan, readErr), nil
		}
		if tell != nil {
			tell(1 - float64(rest.Len())/float64(len(file)))
		}
		if err := ctx.Err(); err != nil {
			return changes.Plan{}, fmt.Errorf("plan an import after line %d: %w", p.line, err)
		}
	}
}

// match names the columns of a file, and answers how it is to be read; wrong says why it cannot be.
func (p *planned) match(ctx context.Context, matched *Matched, file []byte, columns map[string]string) (_ catalogfile.Options, wrong, err error) {
	options := catalogfile.Options{Columns: columns}
	p.plan.Matched = map[string]string{}
	headers, wrong := catalogfile.Headers(bytes.NewReader(file), options)
	switch {
	case wrong != nil:
		return options, wrong, nil
	case matched == nil || len(headers) == 0:
	case columns != nil:
		err = matched.keep(ctx, headers, columns)
	default:
		if options.Columns, err = matched.of(ctx, headers); options.Columns != nil {
			headers, wrong = catalogfile.Headers(bytes.NewReader(file), options)
		}
	}
	maps.Copy(p.plan.Matched, options.Columns)
	p.plan.Columns = make([]changes.PlannedColumn, len(headers))
	for n, h := range headers {
		p.plan.Columns[n] = changes.PlannedColumn{Theirs: h.Theirs, Ours: string(h.Ours)}
	}
	return options, wrong, err
}

// refusedPlan is the plan of a file that cannot be used.
func refusedPlan(p changes.Plan, err error) changes.Plan {
	return changes.Plan{
		Columns: append([]changes.PlannedColumn{}, p.Columns...), Matched: p.Matched, Rows: []changes.PlannedRow{}, Items: []changes.Asked{}, Bad: []changes.BadRow{}, Refused: err.Error(),
	}
}

func (p *planned) bad(e *catalogfile.RowError) {
	p.plan.Count++
	p.plan.Bad = append(p.plan.Bad, changes.BadRow{Line: e.Line, Field: string(e.Field), Reason: e.Reason, Cells: []string{}})
}

// quote gives the rows that cannot be used their cells, so that they can be corrected and imported again.
func (p *planned) quote(file []byte, options catalogfile.Options) error {
	wanted := map[int]bool{}
	for _, bad := range p.plan.Bad {
		wanted[bad.Line] = true
	}
	cells, err := catalogfile.Records(bytes.NewReader(file), options, wanted)
	if err != nil {
		return fmt.Errorf("read the rows that cannot be used: %w", err)
	}
	for i, bad := range p.plan.Bad {
		p.plan.Bad[i].Cells = listed(cells[bad.Line])
	}
	return nil
}

// compare plans rows: their products are loaded together.
func (p *planned) compare(ctx context.Context, read []catalogfile.Row) error {
	var rows []*importRow
	var refs []commands.Ref
	for _, row := range read {
		id, known := p.names.product(row.Article)
		if missing := p.missing(row); !known && missing != "" {
			p.bad(&catalogfile.RowError{Line: row.Line, Field: missing, Reason: "is missing, and the product is new"})
			continue
		}
		if slices.ContainsFunc(row.Pictures, catalogfile.LocalPicture) {
			p.bad(&catalogfile.RowError{Line: row.Line, Field: catalogfile.Pictures, Reason: "names files; give addresses, or drop the pictures in the product's editor"})
			continue
		}
		rows = append(rows, &importRow{Row: row, id: id, known: known, link: p.names.link(id, row)})
		refs = append(refs, commands.ProductStream(id), commands.StockStream(id))
	}
	_, err := p.Handler.Do(ctx, false, func(u *commands.Unit) error {
		if err := u.Load(refs...); err != nil {
			return err
		}
		for _, row := range rows {
			if err := p.row(u, row); err != nil {
				return err
			}
		}
		return commands.ErrDryRun
	})
	if !errors.Is(err, commands.ErrDryRun) && err != nil {
		return fmt.Errorf("compare products with a file: %w", err)
	}
	return nil
}

// row plans one row. What it needs first, as a brand, is planned before it.
func (p *planned) row(u *commands.Unit, row *importRow) error {
	p.plan.Count++
	first := len(p.plan.Items)
	before := commands.ProductStream(row.id).State(u)
	if row.Archived != nil && *row.Archived && !before.Exists() {
		p.plan.Same++
		return nil // it was never on sale here
	}
	p.groups(row)
	isNew := !before.Exists()
	if isNew {
		p.add(u, row)
	} else {
		p.update(u, row, before)
	}
	if len(p.plan.Items) == first {
		p.plan.Same++
		return nil
	}
	p.plan.Rows = append(p.plan.Rows, changes.PlannedRow{
		Line: row.Line, Article: row.Article, Name: cmp.Or(row.Name, before.Text.Name), New: isNew, First: first, Items: len(p.plan.Items) - first,
	})
	return nil
}

func (p *planned) item(thing string, id domain.ID, field string, was, now any) {
	var before json.RawMessage
	if was != nil {
		before, _ = json.Marshal(was) // values of the catalog
	}
	after, _ := json.Marshal(now)
	if before != nil && bytes.Equal(before, after) {
		return
	}
	p.plan.Items = append(p.plan.Items, changes.Asked{Thing: thing, ID: id.String(), Field: field, Was: before, Now: after})
}

// groups finds brand, category and marks of a row, and plans those that the catalog lacks.
func (p *planned) groups(row *importRow) {
	fresh := func(thing string, id domain.ID, whole any) {
		if !p.made[id] {
			p.made[id] = true
			p.item(thing, id, "whole", nil, whole)
		}
	}
	if row.Brand != "" {
		id, brand := p.names.brand(row.Brand)
		if row.brand = id; brand != nil {
			fresh("brand", id, brand)
		}
	}
	if path := row.CategoryPath; len(path) > 0 {
		top, leaf := path[0], path[len(path)-1]
		id, category := p.names.category(domain.ID{}, "", top)
		if category != nil {
			fresh("category", id, category)
		}
		row.category = id
		if len(path) > 1 && nameKey(leaf) != nameKey(top) {
			if row.category, category = p.names.category(id, top, leaf); category != nil {
				fresh("category", row.category, category)
			}
		}
		p.tell(id, row)
	}
	for _, name := range row.Marks {
		id, mark := p.names.mark(name)
		if mark != nil {
			fresh("mark", id, mark)
		}
		if !slices.Contains(row.marks, id) {
			row.marks = append(row.marks, id)
		}
	}
}

// add plans a new product.
func (p *planned) add(u *commands.Unit, row *importRow) {
	put := p.command(row, catalog.ProductState{}, u)
	added := changes.AddedProduct{
		Article: row.Article, Link: row.link, CategoryID: row.category, Text: put.Text, Price: put.Price, DiscountedPrice: put.DiscountedPrice,
		Pictures: put.Pictures, Marks: row.marks, GTIN: row.GTIN, Shelf: row.Shelf, LowLine: row.LowLine, Kazakh: inKazakh(p.file, row, catalog.Translation{}),
	}
	if row.brand != (domain.ID{}) {
		added.BrandID = &row.brand
	}
	if row.Stock != nil {
		added.OnHand = *row.Stock
	}
	p.item("product", row.id, "added", nil, added)
}

// update plans what a row says otherwise than a product is.
func (p *planned) update(u *commands.Unit, row *importRow, before catalog.ProductState) {
	put := p.command(row, before, u)
	gone := row.Archived != nil && *row.Archived
	if row.Archived != nil {
		p.item("product", row.id, "archived", before.Archived, gone)
	}
	if gone {
		return
	}
	p.item("product", row.id, "prices", changes.Prices{Price: before.Price, DiscountedPrice: before.DiscountedPrice}, changes.Prices{Price: put.Price, DiscountedPrice: put.DiscountedPrice})
	was, now := textsOf(&before.Text), textsOf(&put.Text)
	for _, field := range slices.Sorted(maps.Keys(was)) {
		p.item("product", row.id, field, *was[field], *now[field])
	}
	p.item("product", row.id, "category_id", before.CategoryID, put.CategoryID)
	p.item("product", row.id, "brand_id", idOrNull(before.BrandID), idOrNull(put.BrandID))
	p.item("product", row.id, "marks", listed(before.Marks), listed(put.Marks))
	p.item("product", row.id, "pictures", listed(before.Pictures), listed(put.Pictures))
	if p.file.Says(&row.Row, catalogfile.GTIN) {
		p.item("product", row.id, "gtin", before.GTIN, row.GTIN)
	}
	if p.file.Says(&row.Row, catalogfile.Shelf) {
		p.item("product", row.id, "shelf", before.Shelf, row.Shelf)
	}
	if p.file.Says(&row.Row, catalogfile.LowLine) {
		p.item("product", row.id, "low_line", rawOf(before.LowLine), row.LowLine)
	}
	p.item("product", row.id, "kazakh", before.Kazakh, inKazakh(p.file, row, before.Kazakh))
	stock := row.Stock
	if stock == nil && !row.Available && p.file.States(catalogfile.Available) {
		stock = new(int64)
	}
	if stock != nil {
		p.item("stock", row.id, "on_hand", commands.StockStream(row.id).State(u).OnHand, *stock)
	}
}

// tell plans the names in Kazakh that a row has for its categories. One that the file adds has its name as it is added.
func (p *planned) tell(top domain.ID, row *importRow) {
	for _, named := range p.names.inKazakh(top, row) {
		if !p.made[named.id] {
			p.item("category", named.id, "kazakh", named.before.Kazakh, named.after.Kazakh)
			continue
		}
		for i, item := range p.plan.Items {
			if item.Thing == "category" && item.ID == named.id.String() {
				p.plan.Items[i].Now, _ = json.Marshal(named.after) // a value of the catalog
			}
		}
	}
}

func textsOf(t *catalog.ProductText) map[string]*string {
	return map[string]*string{
		"name": &t.Name, "description": &t.Description, "composition": &t.Composition, "expires": &t.Expires,
		"apply_method": &t.ApplyMethod, "package_size": &t.PackageSize, "made_in": &t.MadeIn,
	}
}

// idOrNull is null for the zero id; the value itself is never nil, so that it is compared.
func idOrNull(id domain.ID) json.RawMessage {
	if id == (domain.ID{}) {
		return rawOf[domain.ID](nil)
	}
	return rawOf(&id)
}

func rawOf[T any](value *T) json.RawMessage {
	text, _ := json.Marshal(value)
	return text
}

func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
