// Package testevents has the events that tests of the log, of its feed and of its copies write, and their codec. Nothing but tests
// imports it.
//
// It knows nothing of the log, so that the log's own tests can use it. The shop's events and their codec are domain and registry.
package testevents
