// Package turn lets appends of several processes queue for streams that all of them want, before they decide. Whoever waits for
// the rows of the streams has decided what to append; whoever waits for its turn may still take more along. Nothing depends on a
// turn: an append that does not get it in time goes on without, and so may any other.
package turn
