// Package projections folds the log into the tables that shoppers and staff read.
//
// A Projection is a set of tables in a PostgreSQL schema of its own. A Table is two pure functions: which rows
// an event touches, and what the event makes of such a row. Apply and package rebuild do the rest, live and in a rebuild:
//
//	events > Keys > one SELECT per table > Fold in memory > one upsert and one DELETE per table
//
// all in the transaction that also moves the consumer's checkpoint, so every event counts exactly once.
//
// One rule keeps ranges of slices independent of each other: a row is written from the events of one stream
// only, or its key names the range it was written in. Whatever needs two streams is joined when it is read.
package projections
