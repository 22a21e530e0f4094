// Package mail writes the shop's letters and sees that they arrive.
//
// A letter waits as a row of the outbox (table mail_jobs) that was written together with what it tells of. A row made
// for an event names only the event: who gets the letter and what it says is read from the log when it is sent, so that
// nothing personal waits, and an erased person's letters vanish. A row made for a secret that is no event (a code, a
// link) carries recipient and content sealed, and is deleted when it was sent.
//
// Delivery is at least once. A letter's Message-ID is the event's or the row's id, so that a repeat is recognisable.
// What the recipient's server refuses for good becomes a dead letter at once, all else is tried again with growing
// pauses. Neither recipients nor contents reach logs, errors or lists.
package mail
