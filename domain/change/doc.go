// Package change is what staff change of the shop, as a thing of its own: proposed with its items, approved where that needs a
// second person, applied at once or at a time, ended when it was for a while, and undone.
package change
