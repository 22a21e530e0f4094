// Package anchor holds the event by which the log vouches for its own past: once a day, a hash of all events so far, signed with a key that
// is not in the database in clear. How it is made and checked is in eventstore/anchor.
package anchor
