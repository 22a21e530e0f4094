// Package live sends browsers of staff what changes, as server-sent events.
//
// [Send] writes one stream: heartbeat, deadlines, end. [Hub] is what the office listens to: it says which part of the
// shop changed and up to which position of the log, and nothing else. A page then asks again for what it shows. One hub
// looks once a second for all pages of a process, and only while there are any.
package live
