// Command bench-peers measures this log beside others on one PostgreSQL with fsync on, in one run: Emmett and Castore (Node),
// watermill-sql (Go, in a module of its own), and readers that a team would write by hand. What lives elsewhere: the shop's own
// figures (cmd/bench).
//
//	make bench-peers
//
// Each peer appends one event of some 420 bytes at a time, expecting the stream's version, with 1, 8 and 32 clients. Then a
// follower reads the log from its first event, goes on while 8 clients append, and its lag is measured at a steady rate. Events
// that were acknowledged and never came are lost, those that came again are doubled.
//
// node/package-lock.json and watermill/go.sum pin what is measured; npm ci and go build fetch it.
package main
