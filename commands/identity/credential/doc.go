// Package credential is how people prove who they are, staff and customers alike: passwords as Argon2id hashes, and
// opaque tokens of which only a hash is kept.
package credential
