// Package accounts keeps how customers sign in: passwords, tokens, reset codes and links, as tables and never as events.
//
// Nothing in its tables names a person or opens a door: an e-mail is a hash under the shop's key, a password Argon2id, a
// token or code a hash. What it does for an e-mail without an account costs what it costs for one with an account: the
// same hashes and the same statements.
package accounts
