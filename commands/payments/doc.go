// Package payments is the shop's side of taking money: the Provider port, and the sandbox, a bank that says what
// the person on its page tells it to.
package payments
