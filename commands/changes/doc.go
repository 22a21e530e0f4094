// Package changes is how staff change what the shop is: products, prices, stock counts, contents, rules, promo codes. A change is tried
// before, approved where the rules ask for a second person, applied at once or at its time, ended and undone (changes.go). What may be
// changed is a registry of fields (fields.go); every event that a change writes names it as its cause.
package changes
