// Package feed delivers the log to consumers: each wanted event once, in the order of its stream, from any number of
// processes that share the work.
//
// Here live the watcher of the log's head, the recent events kept in memory, the partitions (a consumer's range of
// slices), checkpoints, leases, dead letters, singleton jobs, and Control, by which operators look and act. The log lives
// in package eventstore, what consumers do in their handlers. Nothing here knows an event's meaning.
//
// The feed works on two interfaces. A Source is the log: *eventstore.Store is one. Checkpoints hold places, leases and
// dead letters, and make the transaction in which a handler's writes and the move of the checkpoint happen together. New
// takes both from PostgreSQL (tables.go); Over takes any. Package memory has both without a database, and the tests of
// delivery run over either.
//
// The transaction belongs to the Checkpoints; the feed passes it on without a look. A PostgreSQL consumer's Handle gets
// it as a pgx.Tx. A consumer of other Checkpoints sets HandleIn, which gets the Tx and asserts its own type.
//
// # Reading
//
// A Feed is a Watermill subscriber and router: one watcher per process follows the head and keeps the recent events,
// decoded once, for all consumers; a consumer that is behind reads pages from the Source. Each consumer has a checkpoint
// per range of slices. The processes that run a consumer share its ranges by leases: a range has a holder, which lives as
// long as it renews one row for all it holds, by the database's clock, and a term that grows with every change of holder.
// The others follow the range: they are told how far it is, pass what nobody wants by themselves, and so know when what
// was written can be read. A handler's writes and the move of the checkpoint, a compare-and-set, are one transaction, and
// so every event is applied exactly once. Live batches of a consumer's ranges that are ready at the same moment may share
// one (Consumer.Together); when it fails each is handled by itself. Such a consumer rests between its transactions, the
// longer the longer they take, while nobody waits for it. Whatever happens:
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
//	a newer version of the program      this process handles what lies before it, gives the consumer up and follows; a
//	  writes what this one cannot read    process of the newer version goes on there, and nothing is parked
//	two believe they hold a range       the compare-and-set of position and term lets one win; the other reads its place again
//	a person is erased                  the recent events are forgotten, and read again without the person's fields
//
// # For other programs
//
// Subscriber serves a Watermill router that is not the feed's, Relay publishes to a broker. With Consumer.Messages each message
// holds its events as they are stored, as CloudEvents.
//
// # Observing
//
// Feed.Observe shows everything the watcher reads, with how fresh that is: whoever keeps streams folded in memory can
// follow the log instead of asking it, and asks when the sight is too old.
package feed
