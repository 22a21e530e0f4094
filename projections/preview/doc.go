// Package preview shows read models as they would be with events that are in no log. The events are folded by the read models' own folds
// over copies of the rows that they touch. The copies are temporary tables of one connection, in a transaction that is rolled back: nobody
// else sees them, nobody waits for them, and they end with the connection, also when the process is killed.
package preview
