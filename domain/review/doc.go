// Package review is one review of a product: its rating, text and photos, the shop's reply, and whether it is shown.
//
// A review is shown at once, or waits for staff when the rules of the moment say so. Staff hide it with a reason and
// show it again. Guests may write one too, and nobody is held to one per product: neither is asked for.
//
// The author's name, e-mail and phone are personal and sealed; e-mail and phone are never public. Rating, text and
// photos are the opinion that was published: they outlive their author's name, and staff take away what names somebody.
package review
