// Package skew tells when the clock of this process and that of the database differ: events get their times from the former,
// and what the log was at a time is found by them.
package skew
