// Package credential authenticates staff and customers: passwords as Argon2id hashes, and opaque tokens, of which only a hash
// is stored. It also bounds what guessing costs: a queue before the hashing, a list of passwords that are guessed first, and
// tokens by which a device that has signed in before is known.
package credential
