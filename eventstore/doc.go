// Package eventstore is an append-only log of events on PostgreSQL. It knows no business.
//
// Here live append, read, the sealing of personal fields, scan, export, import, browse and idempotency keys. Consumers,
// with their checkpoints, leases and dead letters, live in package feed; the log knows none of them.
//
// Order. Every event has a version in its stream (1, 2, 3 … without holes) and a position in the log
// (ascending, with holes where transactions rolled back). Within a stream, version order is position order.
//
// # Gap safety
//
// Commit order differs from position order, so a reader must not pass a position that a live transaction may still fill.
// Appenders and readers use one protocol:
//
//	append, last in its transaction          read, READ COMMITTED, in this order
//	1 lock the stream rows, by name          1 L = the highest position visible
//	2 shared advisory lock on (group, m),    2 m = per slice group the least marker
//	  m = the sequence's present value,          among the locks held, if any
//	  before any nextval                     3 rows in (checkpoint, least(L, m)]
//	3 insert
//
// An appender that may still fill a position below L allocated it before L became visible, and had taken its marker
// before that. When the reader looks at the markers, it either still holds that marker, and m lies below, or it released
// it, and PostgreSQL makes a commit visible before it releases locks. Holes below least(L, m) are rolled back for ever.
// A marker may be taken late and lie below what a reader has passed; what was safe once stays safe, so a reader's
// place never goes back. The steps are the functions append, append_one, mark and heads of the migrations; a model in
// the tests walks through every interleaving of them. The present value is read under the sequence's lock: a plain SELECT
// may see it too high while nextval writes to the WAL.
//
// # Crashes
//
// nextval writes to the WAL once in 32 calls, and only a commit brings that to the disk. A crash of the server
// therefore takes the sequence back to its last record on disk, and positions that were taken but not committed are assigned
// again. Visible events are committed and on disk, with the sequence's record before them, so L is never assigned again. This
// needs synchronous_commit to be on. Holes at the end of the log wait for the next event.
//
// # Servers
//
// A promoted standby or a restored backup may lack the end of the log, and gives its positions out again. What a process has
// in memory must not meet such a log: Server checks each new connection, and each look at the heads, for the system
// identifier, the timeline and the last event known. A process that finds another one ends. A server in recovery is
// refused, because appenders' markers are not there.
//
// # Appending
//
// Appends of one process that wait at the same time share a transaction (group commit), in one or two batches at once and
// without a timer: a lone one goes at once, in one round trip, and under load a group costs little more than one. The group is
// judged in order before it is written; a refused member does not affect the others, except those of AppendEach that were
// decided over it. AppendLocked locks streams before anything is decided, so that nobody can be faster. Streams are locked in the order of
// their names, everywhere, so that appenders cannot deadlock. What is appended is announced to other processes after the
// commit, on a connection of its own, because a NOTIFY inside would take a lock of the whole cluster.
//
//	what fails                            what happens
//	a process is stopped or cut off       the server ends its append's transaction after 1.5 s without a message, or 2 s in
//	between an append's round trips       all (PostgreSQL 17); when the process goes on, it looks and appends again
//	a decision under the lock takes long  the server ends its transaction, and it is decided again over what is there then
//	a stream stays locked                 an append tries again, 500 ms at a time, until Options.Within is over
//	an appender hangs in its transaction  readers wait before its positions in its slice groups' ranges, nowhere else
//	the answer to an append is lost       the store looks for the events' ids and appends again if they are not there
//	a caller gives up                     an append that waits is not written; one in flight may be
//	a person is erased                    the key is gone; personal fields read as zero values, also from memory
//	a notification is lost                readers poll
//	the server is another one             no connection is used, heads fail with *ServerChanged, the process ends
package eventstore
