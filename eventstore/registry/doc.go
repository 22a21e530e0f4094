// Package registry knows every event of the shop by its stored name and turns it into JSON and back.
//
// A stored name and a schema version, once written, mean the same for ever. When an event's shape changes, the type
// changes, its schema version goes up by one, and an upcaster turns the JSON of the version before into the new one:
//
//	r.Upcast("review.posted", 1, addEmptyTitle)
//
// testdata holds a golden payload of every name and version; a golden is never edited.
package registry
