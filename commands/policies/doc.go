// Package policies turns what happened, or the time that passed, into commands: the only way from events back to
// the write side.
package policies
