package keyring

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Ring is the keys of a file. It notices when the file changes, so that a process need not be started again. A nil Ring has
// no keys: it wraps nothing, and unwraps what is not wrapped. It is safe for concurrent use.
type Ring struct {
	path string

	mu     sync.Mutex
	keys   []key
	stamp  stamp
	looked time.Time
	// failed is why the file that changed could not be read.
	failed error
}

// lookEvery bounds how long a process wraps with a key that is no longer the first of the file.
const lookEvery = time.Second

// Open reads a key file. It refuses one that others than its owner and group may read, or others than its owner write.
func Open(path string) (*Ring, error) {
	keys, at, err := read(path)
	if err != nil {
		return nil, err
	}
	return &Ring{path: path, keys: keys, stamp: at, looked: time.Now()}, nil
}

// Path is where the file is; empty for a nil Ring.
func (r *Ring) Path() string {
	if r == nil {
		return ""
	}
	return r.path
}

// First is the key that wraps now. Not for a nil Ring.
func (r *Ring) First() ID { return r.present()[0].id }

// IDs are those of all keys, the first one first.
func (r *Ring) IDs() []ID {
	if r == nil {
		return nil
	}
	var ids []ID
	for _, k := range r.present() {
		ids = append(ids, k.id)
	}
	return ids
}

// Wrap wraps a key for a use with the first key of the file, and says which that was.
func (r *Ring) Wrap(use Use, secret []byte) (wrapped []byte, by ID) {
	if r == nil {
		return secret, ID{}
	}
	first := r.present()[0]
	return first.wrap(use, secret), first.id
}

// Unwrap is the key that was stored for a use. One from before keys were wrapped is returned as it is. It refuses with
// *Unknown or ErrDamaged.
func (r *Ring) Unwrap(use Use, stored []byte) ([]byte, error) {
	id, wrapped := WrappedBy(stored)
	switch {
	case !wrapped && len(stored) == Size:
		return stored, nil
	case !wrapped:
		return nil, fmt.Errorf("the key of %s %w", use, ErrDamaged)
	case r == nil:
		return nil, &Unknown{Use: use, ID: id}
	}
	k, failed := r.find(id)
	if k == nil {
		return nil, &Unknown{Use: use, ID: id, Path: r.path, Reading: failed}
	}
	return k.unwrap(use, stored)
}

// Has says whether the file has a key.
func (r *Ring) Has(id ID) bool {
	if r == nil {
		return false
	}
	k, _ := r.find(id)
	return k != nil
}

// present are the keys, read again when the file has changed for as long as lookEvery.
func (r *Ring) present() []key {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.looked) > lookEvery {
		r.look()
	}
	return r.keys
}

// find is a key by its id; nil: it is not in the file now. Then failed is why the file could not be read again, if so.
func (r *Ring) find(id ID) (found *key, failed error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, fresh := range []bool{false, true} {
		if fresh {
			r.look()
		}
		if i := slices.IndexFunc(r.keys, func(k key) bool { return k.id == id }); i >= 0 {
			return &r.keys[i], nil
		}
	}
	return nil, r.failed
}

// look reads the file again if it has changed. A file that cannot be read leaves the keys as they were.
func (r *Ring) look() {
	r.looked = time.Now()
	at, err := stampOf(r.path)
	if err == nil && at == r.stamp {
		return
	}
	keys, at, err := read(r.path)
	if r.failed = err; err == nil {
		r.keys, r.stamp = keys, at
	}
}
