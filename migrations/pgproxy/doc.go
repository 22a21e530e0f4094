// Package pgproxy stands between a program and PostgreSQL, for tests: it can stop forwarding, as a network that is cut, and
// it knows the moment in which a program has a transaction open and the server waits for it.
package pgproxy
