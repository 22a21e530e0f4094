// Package projections defines the read models: the tables that shoppers and staff read, folded from the log.
//
// A Projection is a set of tables in a PostgreSQL schema of its own (projection.go). A Table is two pure functions: which rows
// an event touches, and what the event makes of such a row (table.go). Each read model has a file: rows, indexes, folds. The
// fields of a row are the table's columns (columns.go). A big one has more files, which begin with its name. Apply folds live:
//
//	events > Keys > one SELECT per table > Fold in memory > one upsert and one DELETE per table
//
// all in the transaction that also moves the consumer's checkpoint, so every event counts exactly once.
//
// One rule keeps ranges of slices independent of each other: a row is written from the events of one stream
// only, or its key names the range it was written in. Whatever needs two streams is joined when it is read.
//
// What makes read models anew, compares and swaps them is in package rebuild; what history says, in replay and dataset.
package projections
