// Package hashchain writes and reads lines of JSON that name the hash of themselves and of the line before, so that a line that was
// changed, lost or added is found. What the lines say is the business of eventstore.
package hashchain
