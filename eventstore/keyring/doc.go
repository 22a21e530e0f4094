// Package keyring wraps the keys that lie in the database with a key that does not: one of a file.
//
// A key file is lines of text. An empty line and one that begins with # say nothing; any other is a key: the base64 of 32
// bytes, and before it, if wished, the key's id and a space. The id is the first four bytes, in hexadecimal, of the key's
// SHA-256; where it stands in the file it is checked. The first key wraps, all of them unwrap.
//
// A wrapped key has 65 bytes: version (1), id of the key that wraps it (4), nonce (12), AES-256-GCM ciphertext (32) and
// tag (16). Additional data is version, id, and what the key is for ("person" and an id, "secret" and a name), so that it
// unwraps in no other place.
package keyring
