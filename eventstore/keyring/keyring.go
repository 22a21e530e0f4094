package keyring

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// Size is that of a key, WrappedSize that of one that is wrapped.
	Size        = 32
	WrappedSize = 1 + len(ID{}) + nonceSize + Size + tagSize

	nonceSize, tagSize = 12, 16
	version            = 1
)

// ID names a key; it tells nothing of it.
type ID [4]byte

// String is the id in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Use is what a wrapped key is for. It unwraps for no other use.
type Use struct {
	// Kind is person or secret, Of the person's id or the secret's name.
	Kind, Of string
}

// String is the use as errors tell it.
func (u Use) String() string {
	if u.Kind == "person" {
		return "person " + hex.EncodeToString([]byte(u.Of))
	}
	return fmt.Sprintf("%s %q", u.Kind, u.Of)
}

// Unknown: a key is wrapped with one that the file does not have. Nothing can be done but to put that key back.
type Unknown struct {
	Use  Use
	ID   ID
	Path string
	// Reading is why the file could not be read again; nil: it was.
	Reading error
}

func (e *Unknown) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("the key of %s is wrapped with key %s, and no key file was read: set SHOP_KEY_FILE", e.Use, e.ID)
	}
	text := fmt.Sprintf("the key of %s is wrapped with key %s, which is not in the key file %s: add that key to the file, or take the file that belongs to this database", e.Use, e.ID, e.Path)
	if e.Reading != nil {
		text += " (" + e.Reading.Error() + ")"
	}
	return text
}

func (e *Unknown) Unwrap() error { return e.Reading }

// ErrDamaged: a wrapped key does not unwrap. It was changed, or belongs to another person, purpose or shop.
var ErrDamaged = errors.New("does not unwrap: it was changed, or it is another's")

// key is one of a file.
type key struct {
	id   ID
	aead cipher.AEAD
}

func newKey(secret []byte) (key, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return key{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return key{idOf(secret), aead}, err
}

func idOf(secret []byte) ID {
	sum := sha256.Sum256(secret)
	return ID(sum[:])
}

func (k key) wrap(use Use, secret []byte) []byte {
	wrapped := append(make([]byte, 0, WrappedSize), version)
	wrapped = append(wrapped, k.id[:]...)
	return k.aead.Seal(wrapped, nil, secret, use.data(wrapped))
}

func (k key) unwrap(use Use, wrapped []byte) ([]byte, error) {
	head := wrapped[:1+len(ID{})]
	secret, err := k.aead.Open(nil, nil, wrapped[len(head):], use.data(head))
	if err != nil {
		return nil, fmt.Errorf("the key of %s %w", use, ErrDamaged)
	}
	return secret, nil
}

// data is the additional data of a wrapped key that begins with head.
func (u Use) data(head []byte) []byte {
	return slices.Concat(head, []byte(u.Kind), []byte{0}, []byte(u.Of))
}

// WrappedBy is the id of the key that a stored key is wrapped with; false: it is stored as it is.
func WrappedBy(stored []byte) (ID, bool) {
	if len(stored) != WrappedSize || stored[0] != version {
		return ID{}, false
	}
	return ID(stored[1:]), true
}

// parse reads the text of a key file. Its errors quote nothing of it.
func parse(text []byte) (keys []key, err error) {
	for n, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		secret, err := base64.StdEncoding.DecodeString(fields[len(fields)-1])
		switch {
		case len(fields) > 2 || err != nil:
			return nil, fmt.Errorf("line %d is no key: want the base64 of 32 bytes, with its id before it or without", n+1)
		case len(secret) != Size:
			return nil, fmt.Errorf("line %d has a key of %d bytes, want %d", n+1, len(secret), Size)
		case bytes.Count(secret, secret[:1]) == Size:
			return nil, fmt.Errorf("line %d has a key of one byte repeated", n+1)
		}
		k, err := newKey(secret)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		if len(fields) == 2 && fields[0] != k.id.String() {
			return nil, fmt.Errorf("line %d: the key is not the one of its id, so one of the two was changed", n+1)
		}
		if slices.ContainsFunc(keys, func(other key) bool { return other.id == k.id }) {
			return nil, fmt.Errorf("line %d repeats the key %s", n+1, k.id)
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key in it")
	}
	return keys, nil
}

// Make is a new key as a line of a key file, and its id.
func Make() (line string, id ID) {
	secret := make([]byte, Size)
	rand.Read(secret) // never fails
	id = idOf(secret)
	return id.String() + " " + base64.StdEncoding.EncodeToString(secret) + "\n", id
}
