// Package persons says who people were at a moment of the past. The read models of the past hold no personal data: those of the people on a
// page are read from the log with their keys, for that page alone, and kept nowhere. Somebody erased or forgotten since was so then, too.
package persons
