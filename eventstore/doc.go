// Package eventstore is an append-only log of events on PostgreSQL. It knows no business.
//
// Order. Every event has a version in its stream (1, 2, 3 … without holes) and a position in the log
// (ascending, with holes where transactions rolled back). Within a stream, version order is position order.
//
// Gap safety. Commit order differs from position order, so a reader must not pass a position that a live
// transaction may still fill. Appenders and readers follow one protocol:
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
// Crashes. nextval writes to the WAL once in 32 calls, and only a commit brings that to the disk. A crash of the server
// therefore takes the sequence back to its last record on disk, and positions that were taken but not committed are given
// out again. What is visible is committed and on disk, with the sequence's record before it, so L is never given out
// again. This rests on synchronous_commit being on. Holes at the end of the log wait for the next event.
//
// Appending. Appends of one process that wait at the same time share a transaction, in one or two lanes and without a
// timer: a lone one goes at once, in one round trip, and under load a group costs little more than one. The group is
// judged in order before it is written; a refused member harms no other. Streams are locked in the order of their names,
// everywhere, so that appenders cannot deadlock. What is appended is announced to other processes after the commit, on
// a connection of its own, because a NOTIFY inside would take a lock of the whole cluster.
//
// Observing. Feed.Observe shows everything the watcher reads, with how fresh that is: whoever keeps streams folded in
// memory can follow the log instead of asking it, and asks when the sight is too old.
//
// Reading. A Feed is a Watermill subscriber and router: one watcher per process follows the head and keeps the recent
// events, decoded once, for all consumers; a consumer that is behind reads pages from the table. Each consumer has a
// checkpoint per range of slices. The processes that run a consumer share its ranges by leases: a range has a holder, which
// lives as long as it renews one row for all it holds, by the database's clock, and a term that grows with every change of
// holder. The others follow the range: they are told how far it is, pass what nobody wants by themselves, and so know when
// what was written can be read. A handler's writes and the move of the checkpoint, a compare-and-set, are one
// transaction, and so every event is applied exactly once. Live batches of a consumer's ranges that are ready at the same
// moment may share one (Consumer.Together); when it fails each is handled by itself. Such a consumer rests between its
// transactions, the longer the longer they take, while nobody waits for it. Whatever happens:
//
//	what fails                          what happens
//	the handler, for one event          its stream is parked as dead letters, in order; all others go on
//	connection, deadlock, lock timeout, everything is rolled back and tried again, more and more slowly;
//	  missing table or right              the consumer shows as stalled
//	process, also with kill -9          its leases run out (1.5 s); another goes on at the checkpoint
//	process stops in good order         it frees its leases and says so; another goes on at once
//	process stands still and wakes up   meanwhile its leases ran out, and its transactions that kept ranges locked were ended;
//	                                      the term refuses what it was about to write, and it follows
//	lease's renewal, the network        the same; while nobody else takes the lease, work goes on
//	a notification is lost              the feed looks by itself within the second; every 50 ms when it cannot listen at all
//	an operator pauses a consumer       its ranges stay and change hands as ever; WaitFor says so at once
//	database, in a crash                checkpoints are not flushed, but lost only together with what was applied;
//	                                      it is applied again; no reader has passed what the crash took back
//	two believe they hold a range       the compare-and-set of position and term lets one win; the other reads its place again
//	an appender hangs in its transaction readers wait before its positions in its slice groups' ranges, nowhere else
//	the answer to an append is lost     the store looks for the events' ids and appends again if they are not there
//	a person is erased                  the key is gone; personal fields read as zero values, also from memory
package eventstore
