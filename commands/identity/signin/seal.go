package signin

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// errSealed: an authenticator's secret does not open. Its table was restored without the key, or somebody wrote in it.
var errSealed = errors.New("the authenticator's secret does not open with this shop's key (name authenticators in secrets); void it with 'shop staff reset'")

// newSeal is AES-256-GCM with a random nonce before each ciphertext.
func newSeal(key []byte) (cipher.AEAD, error) {
	if len(key) != 32 {
		return nil, fmt.Errorf("key of the authenticators: %d bytes, want 32", len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("key of the authenticators: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// sealed is a secret as the account's row has it. It opens in no other row.
func (a *Accounts) sealed(id uuid.UUID, secret []byte) []byte {
	return a.seal.Seal(nil, nil, secret, id[:])
}

// opened is the secret that an account's row has.
func (a *Accounts) opened(id uuid.UUID, sealed []byte) ([]byte, error) {
	secret, err := a.seal.Open(nil, nil, sealed, id[:])
	if err != nil {
		return nil, fmt.Errorf("staff account %s: %w", id, errSealed)
	}
	return secret, nil
}

// sealOpen seals the secrets that were kept before they were sealed. It may be repeated, and run in several processes.
func (a *Accounts) sealOpen(ctx context.Context) error {
	rows, _ := a.pool.Query(ctx, `SELECT id, totp AS secret FROM staff_accounts WHERE octet_length(totp) = $1`, secretSize)
	type open struct {
		ID     uuid.UUID
		Secret []byte
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[open])
	if err != nil {
		return fmt.Errorf("look for open authenticators: %w", err)
	}
	for _, o := range found {
		if _, err := a.pool.Exec(ctx, `UPDATE staff_accounts SET totp = $2 WHERE id = $1 AND totp = $3`, o.ID, a.sealed(o.ID, o.Secret), o.Secret); err != nil {
			return fmt.Errorf("seal the authenticator of %s: %w", o.ID, err)
		}
	}
	return nil
}
