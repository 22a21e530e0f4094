// Package replicas lets reads go to physical read replicas of the log's PostgreSQL, as fresh as they would be at the primary.
//
// A replica repeats the primary's write-ahead log (WAL). A mark is the end of the primary's WAL at a moment after which the
// process heard of no change; a replica that has replayed it shows everything that the process knows. So a read at a replica is
// never older than a position that the process has waited for, nor than an answer that it keeps.
//
//	what happens                           what a read does
//	a replica has replayed the mark        it answers
//	none has, one is near                  the read waits a little for it, then asks the primary
//	it lags longer than Options.Lag        it is out, and back when it has caught up
//	it stops answering, freezes, restarts  it is out within Options.Silence; reads at it are asked again at the primary
//	it conflicts with a read               that read is asked again at the primary
//	it is promoted, of another server,     it is out
//	or has events that the primary lacks
//	the primary stops answering            replicas that have the last mark go on; others wait for the primary
package replicas
