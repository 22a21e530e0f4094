// Package eventstore is an append-only log of events on PostgreSQL. It knows no business.
//
// Order. Every event has a version in its stream (1, 2, 3 … without holes) and a position in the log
// (ascending, with holes where transactions rolled back). Within a stream, version order is position order.
//
// Gap safety. Commit order differs from position order, so a reader must not pass a position that a live
// transaction may still fill. Appenders and readers follow one protocol:
//
//	append, last in its transaction          read, READ COMMITTED, in this order
//	1 lock the stream rows, by name          1 L = the sequence's present value
//	2 shared advisory lock on (group, m),    2 m = per slice group the least marker
//	  m = the sequence's present value,          among the locks held, if any
//	  before any nextval                     3 rows in (checkpoint, least(L, m)]
//	3 insert
//
// An appender not seen among the locks either released its lock, and PostgreSQL makes a commit visible before
// it releases locks, or takes it later and then allocates above L.
package eventstore
