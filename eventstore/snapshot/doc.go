// Package snapshot keeps states of long streams beside the log, so that whoever needs one reads what came after it instead of
// the whole stream. It knows no aggregate: what a state is made of is a text of its owner's, the shape.
//
// A snapshot is used only when nothing speaks against it:
//
//	what may be wrong                     how it shows
//	another fold, another set of fields   another shape
//	another log, a restored dump          another system identifier
//	a log that went back in time          the timeline is not of its past, or the stream has another event at the version, or none
//	a damaged row, a state by hand        the sum, which is sealed with the key file
//	a state that its owner cannot read    the owner says so (Refuse)
//
// A row that is refused is named in the process's log and ignored; the next snapshot of the stream takes its place. Rows may be
// deleted at any time.
package snapshot
