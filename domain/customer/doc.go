// Package customer is a person with an account: who they are, which e-mail proved to be theirs, what they agreed to,
// and how their account is erased.
//
// Who somebody is, is personal and sealed under a key of their own; the customer is the person. How they prove it
// (password, tokens, codes) is state and no history: no event here holds a credential, PasswordChanged says only that
// one changed.
//
// An e-mail counts from the registration on, and is verified by a letter. Another one is asked for first and becomes
// the account's when its letter was answered within ChangeFor, so that a slip of the hand locks nobody out; until then
// the old one signs in. Cancelling, asking for the present one and another password end the wish. A proved e-mail that
// was replaced may be taken back for TakeBackFor. docs/accounts.md has the whole.
//
// To leave is two events. ErasureRequested shuts the account at once; what follows (sessions and password away, files
// deleted, keys of the person and of their guest orders deleted) may be repeated after a crash, and Erased ends it with
// the report of what went. What stays carries no name: the account's id and times, the versions of the texts agreed
// to, orders with their sums and the city, the bonus ledger, reviews without their author.
package customer
