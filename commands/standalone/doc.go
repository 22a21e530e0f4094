// Package standalone writes pages that stand beside the storefront, such as the sandbox bank's: a layout that all share, with one inline
// stylesheet and one form, and a content security policy that allows nothing else.
//
// What a page shows and what its form does lives with whoever serves it. Pages of the storefront are cmd/shop/pages.
package standalone
