package importer

import (
	"cmp"
	"context"
	"slices"

	"shop/commands"
	"shop/commands/importer/catalogfile"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
)

func (r *importRun) putProduct(u *commands.Unit, row *importRow, before catalog.ProductState) error {
	product := commands.ProductStream(row.id)
	gone := row.Archived != nil && *row.Archived
	if gone && !before.Exists() && !r.o.Archived {
		return nil // it was never on sale here
	}
	if !row.known && !before.Exists() {
		if err := commands.ClaimProduct(u, row.id, row.Article, row.link); err != nil {
			return err
		}
	}
	if !gone || !before.Exists() {
		if err := product.Do(u, r.command(row, before, u)); err != nil {
			return err
		}
	}
	if err := r.putFacts(u, row); err != nil {
		return err
	}
	switch {
	case gone:
		return product.Do(u, catalog.ArchiveProduct{Reason: "import", At: u.At()})
	case row.Archived != nil && before.Archived:
		return product.Do(u, catalog.RestoreProduct{At: u.At()})
	}
	return nil
}

// putFacts says the barcode, the shelf, the low line and the texts in Kazakh, as far as the row speaks of them.
func (r *importRun) putFacts(u *commands.Unit, row *importRow) error {
	product := commands.ProductStream(row.id)
	if r.file.Says(&row.Row, catalogfile.GTIN) {
		if err := product.Do(u, catalog.CodeProduct{GTIN: row.GTIN, At: u.At()}); err != nil {
			return err
		}
	}
	if r.file.Says(&row.Row, catalogfile.Shelf) {
		if err := product.Do(u, catalog.ShelveProduct{Shelf: row.Shelf, At: u.At()}); err != nil {
			return err
		}
	}
	if r.file.Says(&row.Row, catalogfile.LowLine) {
		if err := product.Do(u, catalog.SetLowLine{LowLine: row.LowLine, At: u.At()}); err != nil {
			return err
		}
	}
	before := product.State(u).Kazakh
	kazakh := inKazakh(r.file, row, before)
	if kazakh == before {
		return nil
	}
	return product.Do(u, catalog.TranslateProduct{Kazakh: kazakh, At: u.At()})
}

// inKazakh are the Kazakh texts as the row says them; those of which it does not speak stay.
func inKazakh(file *catalogfile.Reader, row *importRow, texts catalog.Translation) catalog.Translation {
	for field, to := range map[catalogfile.Field]*string{
		catalogfile.KazakhName: &texts.Name, catalogfile.KazakhDescription: &texts.Description, catalogfile.KazakhExpires: &texts.Expires,
		catalogfile.KazakhApplyMethod: &texts.ApplyMethod, catalogfile.KazakhPackageSize: &texts.PackageSize, catalogfile.KazakhMadeIn: &texts.MadeIn,
	} {
		if file.Says(&row.Row, field) {
			*to = row.Kazakh[field]
		}
	}
	return texts
}

// command asks the product to be as the row says, and as it is where the file says nothing.
func (r *importRun) command(row *importRow, before catalog.ProductState, u *commands.Unit) catalog.PutProduct {
	c := catalog.PutProduct{
		ID: row.id, Article: row.Article, Link: row.link, BrandID: before.BrandID, CategoryID: before.CategoryID,
		Text: before.Text, Price: row.Price, DiscountedPrice: cmp.Or(row.DiscountPrice, row.Price),
		Pictures: before.Pictures, Marks: before.Marks, At: u.At(),
	}
	if row.category != (domain.ID{}) {
		c.CategoryID = row.category
	}
	if !r.file.States(catalogfile.Price) {
		c.Price, c.DiscountedPrice = before.Price, before.DiscountedPrice
	}
	if r.file.States(catalogfile.Brand) {
		c.BrandID = row.brand
	}
	if r.file.States(catalogfile.Marks) {
		c.Marks = row.marks
	}
	if r.file.States(catalogfile.Pictures) {
		c.Pictures = r.pictures(row, before.Pictures)
	}
	for field, text := range map[catalogfile.Field]struct {
		to   *string
		from string
	}{
		catalogfile.Name:        {&c.Text.Name, row.Name},
		catalogfile.Description: {&c.Text.Description, row.Description},
		catalogfile.Composition: {&c.Text.Composition, row.Composition},
		catalogfile.Expires:     {&c.Text.Expires, row.Expires},
		catalogfile.ApplyMethod: {&c.Text.ApplyMethod, row.ApplyMethod},
		catalogfile.PackageSize: {&c.Text.PackageSize, row.PackageSize},
		catalogfile.MadeIn:      {&c.Text.MadeIn, row.MadeIn},
	} {
		if r.file.States(field) {
			*text.to = text.from
		}
	}
	return c
}

// pictureFiles stores the pictures of a row that are files, one after the other: each new one takes much memory while it is resized.
// Those of a row that is refused later go with the next sweep.
func (r *importRun) pictureFiles(ctx context.Context, product domain.ID, row catalogfile.Row) (map[string]catalog.Picture, error) {
	files := map[string]catalog.Picture{}
	for _, name := range row.Pictures {
		if !catalogfile.LocalPicture(name) {
			continue
		}
		take := func() (catalog.Picture, error) { return r.o.Files.Store(ctx, product, name) }
		if r.o.DryRun {
			take = func() (catalog.Picture, error) { return r.o.Files.Look(ctx, name) }
		}
		picture, err := take()
		if err != nil {
			return nil, err
		}
		files[name] = picture
	}
	return files, nil
}

// pictures are those that a row names: files, the shop's own, or what the product has there already, with its sizes.
func (r *importRun) pictures(row *importRow, before []catalog.Picture) []catalog.Picture {
	var pictures []catalog.Picture
	for _, address := range row.Pictures {
		picture, ours := r.o.Pictures[address]
		if file, found := row.files[address]; found {
			picture, ours = file, true
		}
		if !ours {
			picture = catalog.Picture{Src: address}
			if i := slices.IndexFunc(before, func(p catalog.Picture) bool { return p.Src == address }); i >= 0 {
				picture = before[i]
			}
		}
		pictures = append(pictures, picture)
	}
	return pictures
}

// putStock sets the pieces on hand to what the file says.
func (r *importRun) putStock(u *commands.Unit, row *importRow, known bool) error {
	goods := commands.StockStream(row.id)
	cause := stock.Cause{Kind: "import", Ref: r.o.Source}
	var onHand int64
	switch {
	case row.Archived != nil && *row.Archived && (known || !r.o.Archived), known && r.o.KeepStock:
		return nil
	case !row.Available:
	case row.Stock != nil:
		onHand = *row.Stock
	case known:
		return nil
	default:
		onHand = r.o.NewStock
	}
	if !goods.Exists(u) && onHand > 0 {
		return goods.Do(u, stock.Receive{ProductID: row.id, Quantity: onHand, Cause: cause, At: u.At()})
	}
	return goods.Do(u, stock.Count{ProductID: row.id, OnHand: onHand, Cause: cause, At: u.At()})
}
