package credential

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"golang.org/x/crypto/argon2"
)

// Argon2id as OWASP asks for it: 19 MiB, two passes, one lane.
const (
	hashMemory = 19 << 10 // KiB
	hashPasses = 2
	hashLanes  = 1
	hashSize   = 32
	saltSize   = 16
)

// Hasher bounds how many hashes are computed at once, and so the memory that strangers can make us take.
type Hasher struct {
	slots  chan struct{}
	hashed atomic.Int64
}

// NewHasher makes a hasher of n hashes at once, 19 MiB each.
func NewHasher(n int) *Hasher { return &Hasher{slots: make(chan struct{}, n)} }

// Hashed counts the hashes computed so far.
func (h *Hasher) Hashed() int64 { return h.hashed.Load() }

func (h *Hasher) key(ctx context.Context, password string, salt []byte, memory, passes uint32, lanes uint8, size uint32) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h.hashed.Add(1)
	return argon2.IDKey([]byte(password), salt, passes, memory, lanes, size), nil
}

var phc = base64.RawStdEncoding

// Hash is the PHC string of a password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	key, err := h.key(ctx, password, salt, hashMemory, hashPasses, hashLanes, hashSize)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashLanes,
		phc.EncodeToString(salt), phc.EncodeToString(key)), nil
}

// Nobodys is the hash of no password: checking it takes as long as checking any other.
var Nobodys = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashLanes,
	phc.EncodeToString(make([]byte, saltSize)), phc.EncodeToString(make([]byte, hashSize)))

// Matches says whether a stored hash is of a password.
func (h *Hasher) Matches(ctx context.Context, stored, password string) (bool, error) {
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
