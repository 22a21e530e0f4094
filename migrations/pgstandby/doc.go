// Package pgstandby starts a standby that streams from an embedded PostgreSQL, for tests and cmd/hostile. It can be frozen, killed,
// started again and promoted.
package pgstandby
