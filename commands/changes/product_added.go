package changes

import (
	"encoding/json"
	"reflect"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/stock"
)

// ErrNotNew: an id belongs to one article for ever.
var ErrNotNew = domain.Refuse("change/not-new", "The id is not that of a new product of the article.")

// AddedProduct is a product that a change adds, with everything that a file says of it.
type AddedProduct struct {
	Article         string              `json:"article"`
	Link            string              `json:"link"`
	CategoryID      domain.ID           `json:"category_id"`
	BrandID         *domain.ID          `json:"brand_id"`
	Text            catalog.ProductText `json:"text"`
	Price           domain.Money        `json:"price"`
	DiscountedPrice domain.Money        `json:"discounted_price"`
	Pictures        []catalog.Picture   `json:"pictures"`
	Marks           []domain.ID         `json:"marks"`
	GTIN            string              `json:"gtin"`
	Shelf           string              `json:"shelf"`
	Kazakh          catalog.Translation `json:"kazakh"`
	OnHand          int64               `json:"on_hand"`
	// LowLine is how many pieces are few; nil: the rules say.
	LowLine *int64 `json:"low_line,omitempty"`
}

// addedName is the field that holds all of a product.
const addedName = "added"

// addedField is a product as a whole, null where there is none or it is archived: so an undo archives what a change added, unless
// somebody changed it since. A product that was there before comes back as it is, whatever the value says besides.
func addedField() Field {
	return Field{
		Thing: "product", Name: addedName, Writes: product.writes, of: reflect.TypeFor[AddedProduct](),
		streams: func(id string, to json.RawMessage) ([]commands.Ref, error) {
			key, err := idOf(id)
			if err != nil {
				return nil, err
			}
			refs := []commands.Ref{commands.ProductStream(key), commands.StockStream(key)}
			added, err := parse[*AddedProduct](to)
			if err != nil || added == nil {
				return refs, err
			}
			refs = append(refs, commands.ProductClaims(added.Article, added.Link)...)
			refs = append(refs, commands.CategoryStream(added.CategoryID))
			if added.BrandID != nil {
				refs = append(refs, commands.BrandStream(*added.BrandID))
			}
			return refs, nil
		},
		read:  readAdded,
		set:   setAdded,
		plain: plainAdded,
	}
}

func plainAdded(value json.RawMessage) (json.RawMessage, error) {
	added, err := parse[*AddedProduct](value)
	if err != nil {
		return nil, err
	}
	if added != nil {
		added.Pictures, added.Marks = orEmpty(added.Pictures), orEmpty(added.Marks)
	}
	return json.Marshal(added)
}

func readAdded(u *commands.Unit, id string) (json.RawMessage, error) {
	key, err := idOf(id)
	if err != nil {
		return nil, err
	}
	p := commands.ProductStream(key).State(u)
	if !p.Exists() || p.Archived {
		return json.RawMessage("null"), nil
	}
	return json.Marshal(&AddedProduct{
		Article: p.Article, Link: p.Link, CategoryID: p.CategoryID, BrandID: orNone(p.BrandID), Text: p.Text, Price: p.Price, DiscountedPrice: p.DiscountedPrice,
		Pictures: orEmpty(p.Pictures), Marks: orEmpty(p.Marks), GTIN: p.GTIN, Shelf: p.Shelf, Kazakh: p.Kazakh, OnHand: commands.StockStream(key).State(u).OnHand, LowLine: p.LowLine,
	})
}

func setAdded(u *commands.Unit, id string, to json.RawMessage, by setting) error {
	key, err := idOf(id)
	if err != nil {
		return err
	}
	added, err := parse[*AddedProduct](to)
	if err != nil {
		return err
	}
	stream := commands.ProductStream(key)
	if added == nil {
		return stream.Do(u, catalog.ArchiveProduct{Reason: by.reason, At: u.At()})
	}
	if s := stream.State(u); s.Exists() {
		if s.Article != added.Article || s.Link != added.Link {
			return ErrNotNew
		}
		return stream.Do(u, catalog.RestoreProduct{At: u.At()})
	}
	if err := added.place(u, key); err != nil {
		return err
	}
	put := catalog.PutProduct{
		ID: key, Article: added.Article, Link: added.Link, CategoryID: added.CategoryID, BrandID: noneOr(added.BrandID), Text: added.Text,
		Price: added.Price, DiscountedPrice: added.DiscountedPrice, Pictures: added.Pictures, Marks: added.Marks, At: u.At(),
	}
	for _, command := range []catalog.ProductCommand{
		put, catalog.CodeProduct{GTIN: added.GTIN, At: u.At()}, catalog.ShelveProduct{Shelf: added.Shelf, At: u.At()},
		catalog.TranslateProduct{Kazakh: added.Kazakh, At: u.At()}, catalog.SetLowLine{LowLine: added.LowLine, At: u.At()},
	} {
		if err := stream.Do(u, command); err != nil {
			return err
		}
	}
	return commands.StockStream(key).Do(u, stock.Count{
		ProductID: key, OnHand: added.OnHand, Cause: stock.Cause{Kind: "count", Ref: by.paper()}, At: u.At(),
	})
}

// place takes the article and the link of a new product, and looks at where it goes.
func (a *AddedProduct) place(u *commands.Unit, id domain.ID) error {
	if id != commands.ProductID(a.Article) {
		return ErrNotNew
	}
	if err := commands.ClaimProduct(u, id, a.Article, a.Link); err != nil {
		return err
	}
	if s := commands.CategoryStream(a.CategoryID).State(u); !s.Exists() || s.Archived {
		return catalog.ErrNoCategory
	}
	if a.BrandID != nil {
		if s := commands.BrandStream(*a.BrandID).State(u); !s.Exists() || s.Archived {
			return catalog.ErrUnknown.With("There is no such brand.")
		}
	}
	return nil
}

// Plan is what a catalog file would change.
type Plan struct {
	// Columns are the columns of the file and what each was taken for; empty: it is ignored. A catalog in XML has none.
	Columns []PlannedColumn `json:"columns"`
	// Matched are those that were matched by hand, now or for the last file with such headers: our fields and their headers. An empty header
	// means that no column is read as the field.
	Matched map[string]string `json:"matched"`
	// Count is how many products the file names, Same how many of them are so already.
	Count int `json:"count"`
	Same  int `json:"same"`
	// Rows are those that change something; Items are all that the change has to do, in order.
	Rows  []PlannedRow `json:"rows"`
	Items []Asked      `json:"items"`
	// Bad are the rows that cannot be used.
	Bad []BadRow `json:"bad"`
	// Refused is why the file cannot be used as a whole; empty: it can.
	Refused string `json:"refused"`
}

// PlannedColumn is a header of a file and our field of it.
type PlannedColumn struct {
	Theirs string `json:"theirs"`
	Ours   string `json:"ours"`
}

// PlannedRow is a row of a file with its part of the items.
type PlannedRow struct {
	Line    int    `json:"line"`
	Article string `json:"article"`
	Name    string `json:"name"`
	New     bool   `json:"new"`
	// First is its first item, Items how many it has.
	First int `json:"first"`
	Items int `json:"items"`
}

// BadRow is a row that cannot be used, and why.
type BadRow struct {
	Line   int    `json:"line"`
	Field  string `json:"field"`
	Reason string `json:"reason"`
	// Cells are the row as it is in the file; empty: it has none, or they cannot be read.
	Cells []string `json:"cells"`
}
