// Package credential authenticates staff and customers: passwords as Argon2id hashes, and opaque tokens, of which only a hash
// is stored.
package credential
