package domain

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scope is the part of the goods that something is for: the products that it names, and all of its brands and of its categories with
// those below them. The zero value is all goods.
type Scope struct {
	Categories []ID `json:"categories,omitempty"`
	Brands     []ID `json:"brands,omitempty"`
	Products   []ID `json:"products,omitempty"`
}

// Everything says whether the scope is all goods.
func (s Scope) Everything() bool {
	return len(s.Categories) == 0 && len(s.Brands) == 0 && len(s.Products) == 0
}

// Has says whether a product is in the scope. Its categories are its own and the one above that.
func (s Scope) Has(product, brand ID, categories ...ID) bool {
	return s.Everything() || slices.Contains(s.Products, product) || slices.Contains(s.Brands, brand) ||
		slices.ContainsFunc(categories, func(id ID) bool { return slices.Contains(s.Categories, id) })
}

// Size is how many categories, brands and products the scope names.
func (s Scope) Size() int { return len(s.Categories) + len(s.Brands) + len(s.Products) }

// Plain is the scope in its one spelling: in order, each once.
func (s Scope) Plain() Scope {
	return Scope{Categories: plainIDs(s.Categories), Brands: plainIDs(s.Brands), Products: plainIDs(s.Products)}
}

func plainIDs(ids []ID) []ID {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// NamesNothing says whether the scope names an id that is none.
func (s Scope) NamesNothing() bool {
	return slices.Contains(s.Categories, ID{}) || slices.Contains(s.Brands, ID{}) || slices.Contains(s.Products, ID{})
}

// Equal says whether both are the same goods by the same names.
func (s Scope) Equal(other Scope) bool {
	s, other = s.Plain(), other.Plain()
	return slices.Equal(s.Categories, other.Categories) && slices.Equal(s.Brands, other.Brands) && slices.Equal(s.Products, other.Products)
}

// MaxGroupName is how long the name of a group of customers may be, in characters.
const MaxGroupName = 40

// GroupName is the one spelling of the name of a group of customers: letters, digits, and single spaces between them. It is
// empty when the text is no such name.
func GroupName(text string) string {
	name := strings.Join(strings.Fields(text), " ")
	foreign := func(c rune) bool { return c != ' ' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > MaxGroupName || strings.ContainsFunc(name, foreign) {
		return ""
	}
	return name
}
