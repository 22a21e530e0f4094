// Package signin authenticates staff: passwords (Argon2id, RFC 9106), codes of an authenticator (TOTP,
// RFC 6238), recovery codes, sessions. All of that is state in tables, never events: deleted rows leave no history. Only
// hashes of tokens and codes are stored; the secrets of authenticators are sealed.
//
//	an e-mail nobody has        the same answer, after the same work
//	five failures for an e-mail the network waits a minute with it, then two, four, … at most an hour, in all processes
//	failures from many networks after twenty in an hour each attempt at the e-mail takes three seconds more
//	a browser that has been in  it is counted by itself, so that strangers keep nobody out
//	guesses at the same moment  each is counted before it is checked
//	a code seen over a shoulder no code of its time step or before is taken again
//	a copy of the table         its authenticators open only with the shop's key, each in its own row
//	a disabled account          its sessions are gone; no request of theirs passes any more
package signin
