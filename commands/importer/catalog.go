package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/importer/catalogfile"
	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// importBatch is how many rows are loaded, decided and appended together.
const importBatch = 100

// Catalog makes the catalog be as a file says.
//
// A product is known by its article. What the catalog has already as the file says it adds nothing: a second import
// of a file appends nothing, a changed price appends one event. Products that the file does not mention stay as they
// are, and so do facts for which it has no column. Brands, categories and marks that the catalog lacks are added by
// their names; those it has are left as they are.
type Catalog struct {
	Handler *commands.Handler
	Log     commands.LogReader
	// Matched is nil where a plan does not keep what columns were taken for.
	Matched *Matched
}

// Options adapt an import. The zero value imports for good.
type Options struct {
	// DryRun decides everything and writes nothing.
	DryRun bool
	// Source names the file in the causes of stock movements.
	Source string
	// KeepStock leaves the stock of products that are in the catalog already.
	KeepStock bool
	// NewStock is how many pieces a new product gets when the file does not say how many there are.
	NewStock int64
	// Category is for new products whose row names none. Empty: such rows are refused.
	Category string
	// Archived adds new products that the file calls archived, for a copy of another shop; otherwise they stay out.
	Archived bool
	// Pictures are photographs the shop has in several sizes, by the address that the file gives.
	Pictures map[string]catalog.Picture
	// Files are pictures that the file names as files beside it. Nil: rows with such are refused.
	Files *PictureFiles
	// Propose makes items a change instead of appends of the import's own, and answers what became of each. It is called at the end of the
	// file, of a long one also before, always with whole rows. Nil: rows are appended batch by batch.
	Propose func(ctx context.Context, items []changes.Asked) ([]changes.Row, error)
	// Directory is put before the first row.
	Directory Directory
	// Refused is told of each row that was left out and why; Changed of each one that changes something. Both are
	// called batch by batch, within one in the order of lines. Progress is told the counts after each batch.
	// Each may be nil.
	Refused  func(*catalogfile.RowError)
	Changed  func(Changed)
	Progress func(Report)
}

// Directory says more about brands, categories and marks than a catalog file can. What it names is made to be as it
// says.
type Directory struct {
	Brands     []catalog.Brand
	Categories []DirectoryCategory
	Marks      []catalog.Mark
}

// DirectoryCategory is a category and, instead of its ParentID, the name of the category above it, which stands
// before it; empty at the top.
type DirectoryCategory struct {
	Parent   string
	Category catalog.Category
}

// Changed is what one row changes.
type Changed struct {
	Line          int
	Article, Name string
	// New: the product was not in the catalog.
	New bool
	// What are the facts that change, for people to read: "price 4690 → 3990", "description".
	What []string
}

// Report counts what an import did or, in a dry run, would do.
type Report struct {
	// Rows were read; each is one of Added, Changed, Unchanged or Refused.
	Rows, Added, Changed, Unchanged, Refused int
	// Brands, Categories and Marks were added, or changed by the directory.
	Brands, Categories, Marks int
	// Events were appended or, in a dry run, would be.
	Events int
	// Position is that of the last event; 0 when there was nothing to append.
	Position eventstore.Position
}

// Import reads the file to its end. An error concerns the file as a whole or the store; what the report counts is
// in nevertheless.
func (i *Catalog) Import(ctx context.Context, file *catalogfile.Reader, o Options) (Report, error) {
	known, err := readNames(ctx, i.Log)
	if err != nil {
		return Report{}, err
	}
	run := &importRun{Catalog: i, o: o, file: file, names: known, fields: changes.All()}
	if err := run.importDirectory(ctx); err != nil {
		return run.report, fmt.Errorf("import brands, categories and marks: %w", err)
	}
	for {
		rows, refused, readErr := run.read()
		if err := run.importRows(ctx, rows, refused); err != nil {
			return run.report, fmt.Errorf("import after line %d: %w", run.line, err)
		}
		if readErr != nil { // what was read before is in all the same
			if err := run.propose(ctx); err != nil || errors.Is(readErr, io.EOF) {
				return run.report, err
			}
			return run.report, readErr
		}
		if err := ctx.Err(); err != nil {
			return run.report, fmt.Errorf("import after line %d: %w", run.line, err)
		}
	}
}

// importRun is one import on its way.
type importRun struct {
	*Catalog
	o      Options
	file   *catalogfile.Reader
	names  *names
	report Report
	// fields read what rows change, and waiting is what is not proposed yet; only where rows are proposed.
	fields  changes.Registry
	waiting waiting
	// line is the last one that is settled.
	line int
}

// importRow is a row with all that is decided before its streams are seen, and what became of it.
type importRow struct {
	catalogfile.Row
	id              domain.ID
	known           bool
	link            string
	brand, category domain.ID
	marks           []domain.ID
	// files are the pictures of the row that are files, by their names.
	files map[string]catalog.Picture

	change  Changed
	refused *catalogfile.RowError
	// items are what it changes, as items of a change, and first is the place of the first among all; only where rows are proposed.
	items []changes.Asked
	first int
}

// addition is a brand, category or mark to add, or by the directory to be made as given.
type addition struct {
	ref   commands.Ref
	thing string
	id    domain.ID
	kind  *int // its count in the report
	put   func(u *commands.Unit) error
}

// read answers the next rows, and those that could not be read.
func (r *importRun) read() (rows []catalogfile.Row, refused []*catalogfile.RowError, err error) {
	for len(rows)+len(refused) < importBatch {
		row, err := r.file.Next()
		var bad *catalogfile.RowError
		switch {
		case errors.As(err, &bad):
			refused = append(refused, bad)
		case err != nil:
			return rows, refused, err
		default:
			rows = append(rows, row)
		}
	}
	return rows, refused, nil
}

func (r *importRun) importRows(ctx context.Context, read []catalogfile.Row, refused []*catalogfile.RowError) error {
	r.report.Rows += len(read) + len(refused)
	var rows []*importRow
	var additions []addition
	for _, row := range read {
		id, known := r.names.product(row.Article)
		if missing := r.missing(row); !known && missing != "" {
			refused = append(refused, &catalogfile.RowError{Line: row.Line, Field: missing, Reason: "is missing, and the product is new"})
			continue
		}
		files, err := r.pictureFiles(ctx, id, row)
		var bad unusable
		if errors.As(err, &bad) {
			refused = append(refused, &catalogfile.RowError{Line: row.Line, Field: catalogfile.Pictures, Reason: bad.Error()})
			continue
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", row.Line, err)
		}
		planned := &importRow{Row: row, id: id, known: known, link: r.names.link(id, row), files: files}
		additions = r.look(planned, additions)
		rows = append(rows, planned)
	}
	refs := make([]commands.Ref, 0, 2*len(rows))
	for _, row := range rows {
		refs = append(refs, commands.ProductStream(row.id), commands.StockStream(row.id))
		if !row.known {
			refs = append(refs, commands.ProductClaims(row.Article, row.link)...)
		}
	}
	err := r.carryOut(ctx, additions, refs, func(u *commands.Unit) error {
		for _, row := range rows {
			if err := r.put(u, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.proposes() {
		return r.wait(ctx, rows, refused)
	}
	r.settle(rows, refused)
	return nil
}

// missing is what a row lacks to be a new product; empty: nothing.
func (r *importRun) missing(row catalogfile.Row) catalogfile.Field {
	switch {
	case row.Name == "":
		return catalogfile.Name
	case row.Price == 0:
		return catalogfile.Price
	case len(row.CategoryPath) == 0 && r.o.Category == "":
		return catalogfile.Category
	}
	return ""
}

// look finds brand, category and marks of a row; it answers the additions with those of the row.
func (r *importRun) look(row *importRow, additions []addition) []addition {
	if row.Brand != "" {
		id, brand := r.names.brand(row.Brand)
		if row.brand = id; brand != nil {
			additions = append(additions, r.addBrand(id, *brand))
		}
	}
	path := row.CategoryPath
	if len(path) == 0 && !row.known {
		path = []string{r.o.Category}
	}
	if len(path) > 0 {
		// The catalog's tree has two levels: of a deeper one the top and the leaf count.
		top, leaf := path[0], path[len(path)-1]
		id, category := r.names.category(domain.ID{}, "", top)
		if category != nil {
			additions = append(additions, r.addCategory(id, *category))
		}
		row.category = id
		if len(path) > 1 && nameKey(leaf) != nameKey(top) {
			if row.category, category = r.names.category(id, top, leaf); category != nil {
				additions = append(additions, r.addCategory(row.category, *category))
			}
		}
		for _, named := range r.names.inKazakh(id, row) {
			put := r.addCategory(named.id, named.after)
			if at := slices.IndexFunc(additions, func(a addition) bool { return a.id == named.id }); at >= 0 {
				additions[at] = put // it is added with its name: a change sets a thing as a whole or by a part
				continue
			}
			put.kind = new(int) // it is none that the report counts as added
			additions = append(additions, put)
		}
	}
	for _, name := range row.Marks {
		id, mark := r.names.mark(name)
		if mark != nil {
			additions = append(additions, r.addMark(id, *mark))
		}
		if !slices.Contains(row.marks, id) {
			row.marks = append(row.marks, id)
		}
	}
	return additions
}

func (r *importRun) addBrand(id domain.ID, b catalog.Brand) addition {
	stream := commands.BrandStream(id)
	return addition{stream, "brand", id, &r.report.Brands, func(u *commands.Unit) error {
		return stream.Do(u, catalog.PutBrand{ID: id, Brand: b, At: u.At()})
	}}
}

func (r *importRun) addCategory(id domain.ID, c catalog.Category) addition {
	stream := commands.CategoryStream(id)
	return addition{stream, "category", id, &r.report.Categories, func(u *commands.Unit) error {
		return stream.Do(u, catalog.PutCategory{ID: id, Category: c, At: u.At()})
	}}
}

func (r *importRun) addMark(id domain.ID, m catalog.Mark) addition {
	stream := commands.MarkStream(id)
	return addition{stream, "mark", id, &r.report.Marks, func(u *commands.Unit) error {
		return stream.Do(u, catalog.PutMark{ID: id, Mark: m, At: u.At()})
	}}
}

// importDirectory makes brands, categories and marks be as the directory says.
func (r *importRun) importDirectory(ctx context.Context) error {
	var additions []addition
	for _, b := range r.o.Directory.Brands {
		id, _ := r.names.brand(b.Name)
		r.names.putBrand(id, b)
		additions = append(additions, r.addBrand(id, b))
	}
	for _, m := range r.o.Directory.Marks {
		id, _ := r.names.mark(m.Name)
		additions = append(additions, r.addMark(id, m))
	}
	for _, d := range r.o.Directory.Categories {
		c := d.Category
		if d.Parent != "" {
			parent, added := r.names.category(domain.ID{}, "", d.Parent)
			if added != nil {
				return fmt.Errorf("category %q stands before its parent %q", c.Name, d.Parent)
			}
			c.ParentID = parent
		}
		id, _ := r.names.category(c.ParentID, d.Parent, c.Name)
		r.names.putCategory(id, c)
		additions = append(additions, r.addCategory(id, c))
	}
	return r.carryOut(ctx, additions, nil, func(*commands.Unit) error { return nil })
}

// carryOut decides additions and rows together, in one load and one append. It may decide several times.
func (r *importRun) carryOut(ctx context.Context, additions []addition, refs []commands.Ref, rows func(u *commands.Unit) error) error {
	for _, a := range additions {
		refs = append(refs, a.ref)
	}
	var added []*int
	var items []changes.Asked
	events := 0
	position, err := r.Handler.Do(ctx, false, func(u *commands.Unit) error {
		if err := u.Load(refs...); err != nil {
			return err
		}
		added, items = added[:0], items[:0]
		for _, a := range additions {
			before := u.Decided()
			changed, err := r.watch(u, func() error { return a.put(u) }, thing{a.thing, a.id})
			if err != nil {
				return err
			}
			items = append(items, changed...)
			if u.Decided() > before {
				added = append(added, a.kind)
			}
		}
		if err := rows(u); err != nil {
			return err
		}
		events = u.Decided()
		if r.o.DryRun || r.proposes() {
			return commands.ErrDryRun
		}
		return nil
	})
	if err != nil && !errors.Is(err, commands.ErrDryRun) {
		return err
	}
	for _, kind := range added {
		*kind++
	}
	r.waiting.add(items...)
	r.report.Events += events
	r.report.Position = max(r.report.Position, position)
	return nil
}

// put decides one row. A refusal is the row's, any other error the import's.
func (r *importRun) put(u *commands.Unit, row *importRow) error {
	product, goods := commands.ProductStream(row.id), commands.StockStream(row.id)
	before, onHand := product.State(u), goods.State(u).OnHand
	row.refused = nil
	row.change = Changed{Line: row.Line, Article: row.Article, Name: cmp.Or(row.Name, before.Text.Name), New: !before.Exists()}

	touched := []commands.Ref{product, goods}
	if !row.known {
		touched = append(touched, commands.ProductClaims(row.Article, row.link)...)
	}
	back := u.Savepoint(touched...)
	items, err := r.watch(u, func() error {
		if err := r.putProduct(u, row, before); err != nil {
			return err
		}
		return r.putStock(u, row, before.Exists())
	}, thing{"product", row.id}, thing{"stock", row.id})
	row.items = items
	var refusal *domain.Refusal
	switch {
	case errors.As(err, &refusal):
		row.refused = &catalogfile.RowError{Line: row.Line, Reason: refusal.Message}
		back() // all of a row or nothing
	case err != nil:
		return fmt.Errorf("line %d: %w", row.Line, err)
	}
	row.change.What = commands.Differences(before, product.State(u))
	if after := goods.State(u).OnHand; after != onHand {
		row.change.What = append(row.change.What, fmt.Sprintf("stock %d → %d", onHand, after))
	}
	return nil
}

// settle counts and tells what became of a batch.
func (r *importRun) settle(rows []*importRow, refused []*catalogfile.RowError) {
	for _, row := range rows {
		r.line = max(r.line, row.Line)
		switch {
		case row.refused != nil:
			refused = append(refused, row.refused)
		case len(row.change.What) == 0:
			r.report.Unchanged++
		case row.change.New:
			r.report.Added++
		default:
			r.report.Changed++
		}
		if row.refused == nil && len(row.change.What) > 0 && r.o.Changed != nil {
			r.o.Changed(row.change)
		}
	}
	r.report.Refused += len(refused)
	slices.SortStableFunc(refused, func(a, b *catalogfile.RowError) int { return cmp.Compare(a.Line, b.Line) })
	for _, bad := range refused {
		r.line = max(r.line, bad.Line)
		if r.o.Refused != nil {
			r.o.Refused(bad)
		}
	}
	if r.o.Progress != nil {
		r.o.Progress(r.report)
	}
}
