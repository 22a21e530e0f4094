// Package relay carries the log to NATS JetStream, for regions and for other programs.
//
// JetStream is a carrier, never the truth: it may lose what it acknowledged (a folder that is deleted, a cluster that is
// gone), and every reader that needs all events refills from the log. So the protocol makes every loss visible.
//
// One stream holds the log. Each range of slices has a subject, and each message on it is a batch of that range's events
// (feed.CloudEvent) with these headers:
//
//	Nats-Msg-Id                          log, system, timeline, range and positions: a repetition is told
//	Nats-Expected-Last-Subject-Sequence  what the relay believes to be the last message of the range: a deposed relay is refused
//	Shop-Epoch                           the log, the server and its timeline
//	Shop-Previous, Shop-First, Shop-Last the position before the batch, and those of its first and last event
//
// Beside the stream, on subjects that nothing keeps, the relay says how far each range is complete, because a range in
// which nothing happens has no messages (Progress).
//
//	what may happen                            what the relay does
//	crash between publishing and checkpoint    the last message of the range says what is there; only the rest is published
//	two relays believe they lead               the sequence on the subject lets one win; the other reads the last message and goes on after it
//	the answer of JetStream is lost            the same
//	JetStream is away                          the feed tries again, more and more slowly; the log is unharmed
//	the stream lost its end                    what is missing is read from the log and published first
//	the stream was purged, or made anew        it goes on at the checkpoint; Shop-Previous shows readers that they miss something
//	the server of the log was promoted         the epoch in the headers changes; where the stream knows events that the log lost, that is logged
//	somebody else publishes on its subjects    it says so, and goes on after it; readers do not use the message
//	a stream of another log has our name       ErrForeign, in one line, and nothing is published
//	a message would be too large               it is cut in two; a single event that is too large stops its range, and says so
package relay
