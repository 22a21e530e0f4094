package catalogfile

import (
	"errors"
	"fmt"
)

// Row is one product of a catalog file, checked and normalised: texts are
// plain text without surrounding space, prices are whole tenge.
type Row struct {
	// Line is where the row begins in the file, counted from 1.
	Line int
	// Article identifies the product across imports. When the file states
	// none it is derived from brand and name (see DerivedArticle).
	Article string
	// Name is empty only when the file has no column of names.
	Name string
	// Link is the slug the file asks for; empty when it states none.
	Link  string
	Brand string
	// CategoryPath names the category from the top of the tree to the leaf;
	// empty when the file states none.
	CategoryPath []string
	// Price is the list price in tenge; zero only when the file has no column of prices.
	Price int64
	// DiscountPrice is the price to pay now in tenge, below Price; zero means
	// there is no discount.
	DiscountPrice int64
	Description   string
	Composition   string
	Expires       string
	ApplyMethod   string
	PackageSize   string
	MadeIn        string
	Marks         []string
	// Pictures are addresses or paths as the file states them, best first; those of LocalPicture are files.
	Pictures []string
	// Stock is the quantity on hand; nil when the file does not say.
	Stock *int64
	// Available is false only when the file says that the product cannot be
	// ordered now.
	Available bool
	// Archived says whether the product is off sale for good; nil when the
	// file does not say.
	Archived *bool
	// GTIN is the barcode as it is written; empty when the file states none.
	GTIN string
	// Shelf is where it is in the warehouse; empty when the file states none.
	Shelf string
	// LowLine is how many pieces are few; nil when the file does not say.
	LowLine *int64
	// CategoryKazakh is CategoryPath in Kazakh; empty when the file does not say.
	CategoryKazakh []string
	// Kazakh are the texts in Kazakh that the row has, by their columns.
	Kazakh map[Field]string
	// Params are facts that have no field of their own, in file order.
	Params []Param
}

// Param is a named fact about a product, such as Skin type: dry.
type Param struct{ Name, Value string }

// RowError says why one row was left out. The rows after it can still be read.
type RowError struct {
	// Line is where the row begins in the file, counted from 1.
	Line int
	// Field is our name of the offending field; empty when the whole row is
	// at fault.
	Field Field
	// Reason completes the sentence "line 7, price: …".
	Reason string
}

func (e *RowError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d, %s: %s", e.Line, e.Field, e.Reason)
}

// Reasons for which a whole file is refused.
var (
	ErrEmpty      = errors.New("the file is empty")
	ErrNotCatalog = errors.New("not a catalog file")
	ErrNoHeader   = errors.New("the first line does not name the columns")
	ErrTruncated  = errors.New("the file ends too early")
	// ErrNoOffers: a YML catalog without one <offer>. It is no catalog of a shop that sells nothing: those have no file.
	ErrNoOffers = errors.New("the file holds no offers")
	ErrTooLong  = errors.New("the file has too many rows")
)
