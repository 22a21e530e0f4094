// Package signin authenticates staff: passwords (Argon2id, RFC 9106), codes of an authenticator (TOTP,
// RFC 6238), recovery codes, sessions. All of that is state in tables, never events: deleted rows leave no history. Only
// hashes of tokens and codes are stored; the secrets of authenticators are sealed.
//
//	an e-mail nobody has        the same answer, after the same work
//	five failures for an e-mail it waits a minute, then two, four, … at most an hour, in all processes
//	guesses at the same moment  each is counted before it is checked
//	a code seen over a shoulder no code of its time step or before is taken again
//	a copy of the table         its authenticators open only with the shop's key, each in its own row
//	a disabled account          its sessions are gone; no request of theirs passes any more
package signin
