// Package mirror keeps a copy of the log in a region's own database, fed from NATS JetStream. Everything that reads a log
// works on the copy as on the log itself: the feed, its consumers, rebuilds and audits.
//
// Each range of slices is written in order, its events and its place in one transaction, a compare-and-set.
//
//	what may happen                           what the mirror does
//	a message comes again, or overlaps        what is there is passed over
//	a gap (lost, purged, made anew, forged)   it reads what is missing from the home region's database, and says so
//	the region is new                         the same, from the beginning; keys of persons first
//	the end of the stream is lost             relays tell how far the log is; after three seconds it reads that from the database
//	the timeline of the home server changes   the events at the ends of the ranges are compared by id; the same: it goes on
//	the copy knows events that the log lost   ErrForked; nothing is written any more, and the copy has to be made anew
//	two processes feed one copy               an advisory lock lets one; should two believe that they hold it, the compare-and-set does
//	a person is erased                        within a second the key is gone here too, and readers are told
//	the home database is away                 messages without new persons go on; gaps and new persons wait
package mirror
