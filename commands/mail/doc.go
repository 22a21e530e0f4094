// Package mail writes the shop's letters and sees that they arrive.
//
// A letter waits as a row of the outbox (table mail_jobs), written in the transaction of the change that it reports. A row for
// an event names only the event: recipient and content are read from the log when the letter is sent, so no personal data
// waits, and letters to erased persons vanish. A row for a secret that is no event (a code, a link) has recipient and content
// sealed, and is deleted when it was sent.
//
// Delivery is at least once. A letter's Message-ID is the event's or the row's id, so that a repeat is recognisable.
// A letter that the recipient's server refuses permanently becomes a dead letter at once; any other failure is retried with
// growing pauses. Neither recipients nor contents reach logs, errors or lists.
package mail
