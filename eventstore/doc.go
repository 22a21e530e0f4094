// Package eventstore is an append-only log of events on PostgreSQL. It knows no business.
//
// Here live append, read, the sealing of personal fields, scan, export, import, browse and idempotency keys. Consumers,
// with their checkpoints, leases and dead letters, live in package feed; the log knows none of them.
//
// Every event has a version in its stream (1, 2, 3 … without holes) and a position in the log (ascending, with holes
// where transactions rolled back). Within a stream, version order is position order. Readers never pass a position that
// may still be filled, and appends of one process that wait at the same time share a transaction.
//
// The README beside this file has the protocol of appenders and readers, why it is safe, and what happens when something fails.
package eventstore
