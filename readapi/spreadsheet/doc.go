// Package spreadsheet writes the CSV files that people open in a spreadsheet: in its letters, and so that no text of theirs becomes a
// formula or another number.
package spreadsheet
