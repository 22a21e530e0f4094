// Package domain holds the words all aggregates share: money, identifiers, refusals, the calculation of a
// basket, the Decider that every aggregate is, and an immutable Map for states that remember many keys.
//
// Everything below this folder is pure: no I/O, no clock, no randomness, no context. Time, identifiers and
// facts from elsewhere arrive inside commands.
package domain
