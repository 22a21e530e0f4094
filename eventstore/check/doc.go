// Package check proves what a reader of an event log promises: nothing lost, nothing twice, nothing out of order
// within a stream. It knows only what was delivered and what the log holds in the end, not how either came about,
// and so can judge any reader.
package check
