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

// Argon2id as OWASP's Password Storage Cheat Sheet recommends it first: 46 MiB, one pass, one lane. A hash of other parameters
// is replaced at the next sign-in.
const (
	hashMemory = 46 << 10 // KiB
	hashPasses = 1
	hashLanes  = 1
	hashSize   = 32
	saltSize   = 16
)

// Hasher bounds how many hashes are computed at once, and so the memory and the time that strangers can take. A process has one
// for customers and staff together.
type Hasher struct {
	queue  *queue
	hashed atomic.Int64
}

// NewHasher makes a hasher of n hashes at once, 46 MiB each.
func NewHasher(n int) *Hasher { return &Hasher{queue: newQueue(n)} }

// Hashed counts the hashes computed so far.
func (h *Hasher) Hashed() int64 { return h.hashed.Load() }

func (h *Hasher) key(ctx context.Context, lane Lane, password string, salt []byte, memory, passes uint32, lanes uint8, size uint32) ([]byte, error) {
	if err := h.queue.enter(ctx, lane); err != nil {
		return nil, err
	}
	defer h.queue.leave()
	h.hashed.Add(1)
	return argon2.IDKey([]byte(password), salt, passes, memory, lanes, size), nil
}

var phc = base64.RawStdEncoding

// Hash is the PHC string of a password. It refuses with *Busy.
func (h *Hasher) Hash(ctx context.Context, lane Lane, password string) (string, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	key, err := h.key(ctx, lane, password, salt, hashMemory, hashPasses, hashLanes, hashSize)
	if err != nil {
		return "", err
	}
	return prefix + phc.EncodeToString(salt) + "$" + phc.EncodeToString(key), nil
}

// prefix is what hashes of the present parameters begin with.
var prefix = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, hashMemory, hashPasses, hashLanes)

// Nobodys is the hash of no password: checking it takes as long as checking any other of the present parameters.
var Nobodys = prefix + phc.EncodeToString(make([]byte, saltSize)) + "$" + phc.EncodeToString(make([]byte, hashSize))

// IsOld says whether a stored hash was made with other parameters than the present ones.
func IsOld(stored string) bool { return !strings.HasPrefix(stored, prefix) }

// Matches says whether a stored hash is of a password. It refuses with *Busy.
func (h *Hasher) Matches(ctx context.Context, lane Lane, stored, password string) (bool, error) {
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
	got, err := h.key(ctx, lane, password, salt, memory, passes, lanes, uint32(len(want)))
	return err == nil && subtle.ConstantTimeCompare(got, want) == 1, err
}
