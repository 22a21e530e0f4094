package signin

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// ErrWeakPassword: a password has 12 to 256 characters.
var ErrWeakPassword = errors.New("a password needs 12 to 256 characters")

// Acceptable is nil for a password that may be chosen.
func Acceptable(password string) error {
	if n := utf8.RuneCountInString(password); n < 12 || n > 256 || !utf8.ValidString(password) {
		return ErrWeakPassword
	}
	return nil
}

// Argon2id as OWASP asks for it: 19 MiB, two passes, one lane.
const (
	hashMemory = 19 << 10 // KiB
	hashPasses = 2
	hashLanes  = 1
	hashSize   = 32
	saltSize   = 16
)

// hashing bounds how many hashes are computed at once, and so the memory that strangers can make us take.
type hashing chan struct{}

func (h hashing) key(ctx context.Context, password string, salt []byte, memory, passes uint32, lanes uint8, size uint32) ([]byte, error) {
	select {
	case h <- struct{}{}:
		defer func() { <-h }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, passes, memory, lanes, size), nil
}

var phc = base64.RawStdEncoding

// hash is the PHC string of a password.
func (h hashing) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	key, err := h.key(ctx, password, salt, hashMemory, hashPasses, hashLanes, hashSize)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashLanes,
		phc.EncodeToString(salt), phc.EncodeToString(key)), nil
}

// nobodys is the hash of no password: to look at it takes as long as at any other.
var nobodys = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashLanes,
	phc.EncodeToString(make([]byte, saltSize)), phc.EncodeToString(make([]byte, hashSize)))

// matches says whether a stored hash is of a password.
func (h hashing) matches(ctx context.Context, stored, password string) (bool, error) {
	var (
		version        int
		memory, passes uint32
		lanes          uint8
		rest           string
	)
	if _, err := fmt.Sscanf(stored, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &memory, &passes, &lanes, &rest); err != nil || version != argon2.Version {
		return false, errors.New("a stored password is not understood")
	}
	saltText, keyText, _ := strings.Cut(rest, "$")
	salt, saltErr := phc.DecodeString(saltText)
	want, keyErr := phc.DecodeString(keyText)
	if saltErr != nil || keyErr != nil || len(want) == 0 {
		return false, errors.New("a stored password is not understood")
	}
	got, err := h.key(ctx, password, salt, memory, passes, lanes, uint32(len(want)))
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}
