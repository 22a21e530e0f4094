// Package feed delivers the log to consumers: each wanted event once, in the order of its stream, from any number of
// processes that share the work.
//
// Here live the watcher of the log's head, the recent events kept in memory, the partitions (a consumer's range of
// slices), checkpoints, leases, dead letters, singleton jobs, and Control, by which operators look and act. The log lives
// in package eventstore, what consumers do in their handlers. Nothing here knows an event's meaning.
//
// The feed works on two interfaces: a Source is the log, Checkpoints hold places, leases and dead letters, and make the
// transaction in which a handler's writes and the move of the checkpoint happen together. New takes both from PostgreSQL,
// Over takes any; package memory has both without a database.
//
// The README beside this file tells how ranges are shared and read, what happens when something fails, and how other programs
// get events.
package feed
