// Package rebuild makes read models anew beside the live ones, compares them and swaps them in.
//
// Builder starts, lists and ends builds, which are rows in projections.builds. Any process with a Builder can work on a
// build (runner.go): it folds the log in bulk (bulk_fold.go), at a pace that leaves appends alone (throttle.go), creates
// indexes, catches up with the live read model (batch_fold.go), compares the two (compare.go) and swaps them (swap.go,
// rollback.go). Deploy does that for each read model that the program defines otherwise than the database has it.
// Forget removes erased persons from what is kept beside the live read models, or being built (erasure.go).
//
// Auditor compares samples of the live read models with the log again and again (audit.go).
//
// The read models themselves, and how one of them is folded live, are in package projections. This package knows no
// read model by name.
package rebuild
