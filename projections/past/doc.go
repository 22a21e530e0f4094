// Package past shows read models as they were at a position of the log. Their own folds fold the log up to there into temporary tables of one
// connection, which is kept for some minutes: what is asked again is there at once. A statement names tables as it does everywhere, and the
// tables that it names are folded first. They hold no personal data: no key of a person is read for them, and they have no personal columns.
package past
