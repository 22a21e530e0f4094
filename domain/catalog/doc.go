// Package catalog holds what the shop sells: products, and the categories, brands and marks that order them.
// Stock is an aggregate of its own.
package catalog
