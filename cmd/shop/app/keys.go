package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"shop/eventstore"
	"shop/eventstore/keyring"
)

// keyFileName is the key file's where nobody names another, in the data folder and among systemd's credentials.
const keyFileName = "shop.key"

var (
	errKeyFileUnstated = errors.New("SHOP_KEY_FILE: must be set with an https SHOP_PUBLIC_URL, to a file that 'shop keys new' made and that is kept apart from the database")
	// errNoSecrets: shop keys rotate --lost-secrets is the way out.
	errNoSecrets = errors.New("the table secrets is empty and was not: restore it before the shop starts (docs/backup.md), or, if the secrets are lost for ever, run 'shop keys rotate --lost-secrets'")
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// KeyPath is where the key file is.
func (c Config) KeyPath() string {
	if c.KeyFile != "" {
		return c.KeyFile
	}
	return filepath.Join(c.DataDir, keyFileName)
}

// openKeys opens the key file, or makes one for a shop that has none and is not public.
func (s *Shop) openKeys(ctx context.Context) (ring *keyring.Ring, fresh bool, err error) {
	c := s.Config
	if c.Https() && c.KeyFile == "" {
		return nil, false, errKeyFileUnstated
	}
	if err := os.MkdirAll(c.DataDir, 0o711); err != nil && c.KeyFile == "" {
		return nil, false, fmt.Errorf("data folder: %w", err)
	}
	ring, made, fresh, err := eventstore.OpenKeys(ctx, s.Pool, c.KeyPath(), c.KeyFile == "")
	if made && err == nil {
		s.Log.InfoContext(ctx, "a key file was made: without it neither this database nor a copy of it can be read; keep a copy of the file apart", "file", c.KeyPath())
	}
	return ring, fresh, err
}

// settleSecrets makes the secrets of a new shop, wraps those of before, and returns them by purpose. It refuses a database that lost
// them: with new ones, no authenticator would work and no link in a sent letter.
func (s *Shop) settleSecrets(ctx context.Context, fresh bool) (map[string][]byte, error) {
	if !fresh && !s.Config.LostSecrets {
		by, bare, err := secretsByKey(ctx, s.Pool)
		if err == nil && len(by) == 0 && bare == 0 {
			err = errNoSecrets
		}
		if err != nil {
			return nil, err
		}
	}
	keys, err := secrets(ctx, s.Store, purposes...)
	if err != nil {
		return nil, err
	}
	if err := s.Store.NoteKey(ctx, s.Store.Keys().First()); err != nil {
		return nil, err
	}
	_, bare, err := s.Store.Wrapping(ctx)
	if err == nil && bare {
		err = rewrapSecrets(ctx, s.Store)
	}
	return keys, err
}

// WrapKeys wraps the keys of persons from before there was a key file. It is for a goroutine beside the shop; what it does not
// come to, it does after the next start.
func (s *Shop) WrapKeys(ctx context.Context) {
	_, bare, err := s.Store.Wrapping(ctx)
	if err == nil && !bare {
		return
	}
	var done Rotated
	if err == nil {
		done, err = s.RotateKeys(ctx, nil)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.Log.ErrorContext(ctx, "keys in the database could not be wrapped; 'shop keys rotate' does it", "error", err)
	default:
		s.Log.InfoContext(ctx, "the keys in the database are wrapped with the key file", "persons", done.Persons, "key", done.First.String())
	}
}

// Rotated is what a rotation did.
type Rotated struct {
	First keyring.ID
	// Persons is how many keys were wrapped anew.
	Persons int64
	// Idle are the other keys of the file, which wrap nothing any more. Others still wrap keys that processes made meanwhile.
	Idle, Others []keyring.ID
}

// RotateKeys wraps everything in the database with the first key of the file, while the shop is open. It may be repeated.
// progress hears how many of how many persons were looked at.
func (s *Shop) RotateKeys(ctx context.Context, progress func(looked, of int64)) (done Rotated, err error) {
	ring := s.Store.Keys()
	done.First = ring.First()
	if err := rewrapSecrets(ctx, s.Store); err != nil {
		return done, err
	}
	const passes = 3 // processes that have not read the file again make keys with the former key
	for range passes {
		by, bare, err := s.Store.PersonsByKey(ctx)
		if err != nil {
			return done, err
		}
		total := bare
		for _, n := range by {
			total += n
		}
		if by[done.First] == total {
			break
		}
		n, err := s.Store.Rewrap(ctx, func(looked int64) {
			if progress != nil {
				progress(looked, total)
			}
		})
		if done.Persons += n; err != nil {
			return done, err
		}
	}
	by, bare, err := secretsByKey(ctx, s.Pool)
	if err != nil {
		return done, err
	}
	others := map[keyring.ID]bool{}
	for id := range by {
		others[id] = true
	}
	if err := s.Store.ForgetWrapping(ctx, others, bare > 0); err != nil {
		return done, err
	}
	still, _, err := s.Store.Wrapping(ctx)
	if err != nil {
		return done, err
	}
	wraps := map[keyring.ID]bool{}
	for _, id := range still {
		if wraps[id] = true; id != done.First {
			done.Others = append(done.Others, id)
		}
	}
	for _, id := range ring.IDs() {
		if !wraps[id] {
			done.Idle = append(done.Idle, id)
		}
	}
	return done, nil
}

// KeyUse is what a key of the file is used for.
type KeyUse struct {
	ID keyring.ID
	// Wraps: it is the first. Secrets and Persons are how many keys it wraps.
	Wraps            bool
	Secrets, Persons int64
}

// KeyUses are those of the keys of the file; bare is how many keys in the database are not wrapped.
func (s *Shop) KeyUses(ctx context.Context) (uses []KeyUse, bare int64, err error) {
	secrets, bareSecrets, err := secretsByKey(ctx, s.Pool)
	if err != nil {
		return nil, 0, err
	}
	persons, barePersons, err := s.Store.PersonsByKey(ctx)
	if err != nil {
		return nil, 0, err
	}
	for i, id := range s.Store.Keys().IDs() {
		uses = append(uses, KeyUse{id, i == 0, secrets[id], persons[id]})
	}
	return uses, bareSecrets + barePersons, nil
}
