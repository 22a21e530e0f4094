// Package memory has a Source and Checkpoints without a database: for tests of the feed, and of whatever is built on it.
//
// Here live a Log of events and the Tables beside it, with the guarantees that the interfaces of package feed ask for.
// Nothing is kept beyond the process, and nothing is as fast as it could be. Personal fields, browsing and everything
// else that the log does for its own sake live in package eventstore.
//
// A transaction of Tables sees and changes a copy of all that consumers have written; one runs at a time, and its commit
// puts the copy in place. Two processes are two feeds over the same Log and Tables.
package memory
