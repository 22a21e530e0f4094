package catalogfile

import (
	"fmt"
	"math/big"
	"path"
	"path/filepath"
	"strings"
)

// MaxStock is the largest plausible quantity.
const MaxStock = 1_000_000

// maxShelf is how many characters a shelf may have.
const maxShelf = 20

// maxDepth is how many levels a category path may have.
const maxDepth = 5

// entry is what a file says about one product, before it is checked.
type entry struct {
	line  int
	cells map[Field]string
	// silent are fields that a product needs and the file does not speak of.
	silent map[Field]bool
	// path and pictures are lists in YML; in CSV they are cells to be split.
	path     []string
	pictures []string
	params   []Param
	// rate overrides the file's rate for a product in another currency.
	rate *big.Rat
}

// row checks an entry; the error is a *RowError that names the first field at
// fault.
func (e entry) row() (Row, error) {
	row := Row{Line: e.line, Available: true, CategoryPath: e.path, Pictures: e.pictures, Params: e.params}
	var bad *RowError
	refuse := func(field Field, reason string) {
		if bad == nil && reason != "" {
			bad = &RowError{e.line, field, reason}
		}
	}
	text := func(field Field, tidy func(string) string) string {
		cell := e.cells[field]
		if len(cell) > 64<<10 { // before any work is done on it
			if reason := badText(field, cell); reason != "" {
				refuse(field, reason)
				return ""
			}
		}
		value := tidy(cell)
		refuse(field, badText(field, value))
		return value
	}

	row.Name = text(Name, plainLine)
	if row.Name == "" && !e.silent[Name] {
		refuse(Name, "is missing")
	}
	row.Brand = text(Brand, plainLine)
	row.Article = text(Article, oneLine)
	switch {
	case shortened.MatchString(row.Article):
		refuse(Article, fmt.Sprintf("%q was shortened by Excel; format the column as text", row.Article))
	case row.Article == "" && e.silent[Name]:
		refuse(Article, "is missing")
	case row.Article == "" && bad == nil:
		row.Article = DerivedArticle(row.Brand, row.Name)
	}
	row.Link = text(Link, oneLine)
	if row.Link != "" && !slug.MatchString(row.Link) {
		refuse(Link, fmt.Sprintf("%q must be lower-case Latin letters, digits and single hyphens", shorten(row.Link)))
	}

	if e.path == nil {
		row.CategoryPath = splitList(text(Category, strings.TrimSpace), pathSign)
	}
	if len(row.CategoryPath) > maxDepth {
		refuse(Category, fmt.Sprintf("has %d levels, at most %d are allowed", len(row.CategoryPath), maxDepth))
	}
	for _, name := range row.CategoryPath {
		refuse(Category, badText(Brand, name)) // one name, as short as a brand's
	}
	row.CategoryKazakh = splitList(text(KazakhCategory, strings.TrimSpace), pathSign)
	if said := len(row.CategoryKazakh); said > 0 && said != len(row.CategoryPath) {
		refuse(KazakhCategory, fmt.Sprintf("has %d levels, the category has %d", said, len(row.CategoryPath)))
	}
	for _, name := range row.CategoryKazakh {
		refuse(KazakhCategory, badText(Brand, name))
	}

	if !e.silent[Price] {
		e.prices(&row, refuse)
	}

	e.texts(&row, text, refuse)
	row.Stock, row.LowLine = e.pieces(Stock, refuse), e.pieces(LowLine, refuse)
	row.Available, row.Archived = e.flags(refuse)

	if bad != nil {
		return Row{}, bad
	}
	return row, nil
}

// texts reads what a row says of the product beside its name, its place and its price.
func (e entry) texts(row *Row, text func(Field, func(string) string) string, refuse func(Field, string)) {
	row.Description = text(Description, plainText)
	row.Composition = text(Composition, plainText)
	row.Expires = text(Expires, plainText)
	row.ApplyMethod = text(ApplyMethod, plainText)
	row.PackageSize = text(PackageSize, plainLine)
	row.MadeIn = text(MadeIn, plainLine)
	row.GTIN, row.Shelf = text(GTIN, oneLine), text(Shelf, oneLine)
	if len([]rune(row.Shelf)) > maxShelf {
		refuse(Shelf, fmt.Sprintf("%q has more than %d characters", shorten(row.Shelf), maxShelf))
	}
	for _, field := range Kazakh {
		cut := plainText
		if field == KazakhName || field == KazakhPackageSize || field == KazakhMadeIn {
			cut = plainLine
		}
		if said := text(field, cut); said != "" {
			if row.Kazakh == nil {
				row.Kazakh = map[Field]string{}
			}
			row.Kazakh[field] = said
		}
	}
	row.Marks = splitList(text(Marks, strings.TrimSpace), listSign)
	if e.pictures == nil {
		row.Pictures = splitList(text(Pictures, strings.TrimSpace), imageSign)
	}
	for i, address := range row.Pictures {
		if !LocalPicture(address) {
			row.Pictures[i] = strings.ReplaceAll(address, " ", "%20")
		}
		refuse(Pictures, badPicture(address))
	}
}

// flags reads whether a product is for sale, which it is unless the file says otherwise, and whether it is archived, if the
// file says so.
func (e entry) flags(refuse func(Field, string)) (available bool, archived *bool) {
	yes := func(field Field) *bool {
		if strings.TrimSpace(e.cells[field]) == "" {
			return nil
		}
		value, ok := parseBool(e.cells[field])
		if !ok {
			refuse(field, fmt.Sprintf("%q is neither yes nor no", shorten(e.cells[field])))
		}
		return &value
	}
	said := yes(Available)
	return said == nil || *said, yes(Archived)
}

// prices settles list price and discount from whichever two columns the file
// has: price + discounted_price, or price + old_price.
func (e entry) prices(row *Row, refuse func(Field, string)) {
	amount := func(field Field) int64 {
		tenge, reason := parsePrice(e.cells[field], e.rate)
		refuse(field, reason)
		return tenge
	}
	stated := func(field Field) bool {
		cell := strings.TrimSpace(e.cells[field])
		return cell != "" && cell != "0" && cell != "-" && cell != "—"
	}
	if strings.TrimSpace(e.cells[Price]) == "" {
		refuse(Price, "is missing")
		return
	}
	row.Price = amount(Price)
	switch {
	case stated(DiscountedPrice):
		if row.DiscountPrice = amount(DiscountedPrice); row.DiscountPrice > row.Price {
			refuse(DiscountedPrice, fmt.Sprintf("%d is above the price %d", row.DiscountPrice, row.Price))
		}
	case stated(OldPrice):
		row.DiscountPrice = row.Price
		if row.Price = amount(OldPrice); row.Price < row.DiscountPrice {
			refuse(OldPrice, fmt.Sprintf("%d is below the price %d", row.Price, row.DiscountPrice))
		}
	}
	if row.DiscountPrice == row.Price {
		row.DiscountPrice = 0
	}
}

// pieces reads a number of pieces; nil when the file does not say.
func (e entry) pieces(field Field, refuse func(Field, string)) *int64 {
	cell := strings.TrimSpace(e.cells[field])
	if cell == "" {
		return nil
	}
	amount, _, reason := parseAmount(strings.TrimSuffix(strings.TrimSuffix(cell, "."), "шт"))
	switch {
	case reason != "":
		refuse(field, fmt.Sprintf("%q is not a quantity", shorten(cell)))
	case amount.Sign() < 0:
		refuse(field, fmt.Sprintf("%q is negative", shorten(cell)))
	case !amount.IsInt():
		refuse(field, fmt.Sprintf("%q is not a whole number", shorten(cell)))
	case amount.Cmp(big.NewRat(MaxStock, 1)) > 0:
		refuse(field, fmt.Sprintf("%q is more than %d", shorten(cell), MaxStock))
	default:
		quantity := amount.Num().Int64()
		return &quantity
	}
	return nil
}

func plainLine(text string) string { return oneLine(plainText(text)) }

// LocalPicture says whether a picture is a file beside the catalog file: a PNG or JPEG with a relative path that stays there.
func LocalPicture(address string) bool {
	switch strings.ToLower(path.Ext(address)) {
	case ".jpg", ".jpeg", ".png":
		return filepath.IsLocal(address) && !strings.ContainsAny(address, ":\\")
	}
	return false
}

// badPicture takes web addresses, paths from the shop's root, and files.
func badPicture(address string) string {
	switch {
	case strings.ContainsRune(address, unreadable):
		return "has characters that cannot be read (broken encoding or a NUL byte)"
	case len(address) > 2000:
		return "is longer than 2000 bytes"
	case strings.HasPrefix(address, "//"):
		return fmt.Sprintf("%q has no scheme", shorten(address))
	case strings.HasPrefix(address, "https://"), strings.HasPrefix(address, "http://"), strings.HasPrefix(address, "/"), LocalPicture(address):
		return ""
	}
	return fmt.Sprintf("%q is neither a web address nor a path that begins with /, nor a PNG or JPEG file beside this one", shorten(address))
}
