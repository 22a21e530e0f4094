package accounts

import (
	"context"
	"crypto/hmac"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/credential"
	"shop/eventstore/coalesce"
)

// looks are for tokens of concurrent requests, in one statement. None begins before the request that asks, so a sign-in that was
// ended before does not count.
type looks = coalesce.Group[[]byte, holding]

// holding is what is kept of a token; zero: no such sign-in counts.
type holding struct {
	account uuid.UUID
	browser []byte
	seen    time.Time
}

const (
	// looksAtOnce are the statements under way, tokensALook the most tokens of one.
	looksAtOnce, tokensALook = 2, 256
	// lookTimeout bounds a statement, which belongs to several requests.
	lookTimeout = 10 * time.Second
)

// Holder is whose token it is, or ErrNoToken. One that was given to a page counts only with the cookie of that browser.
func (a *Accounts) Holder(ctx context.Context, token string) (uuid.UUID, error) {
	hash, client := credential.HashOf(token), credential.ClientOf(ctx)
	found, err := a.looks.Do(ctx, hash)
	if err != nil {
		return uuid.Nil, fmt.Errorf("look for token: %w", err)
	}
	if found.account == uuid.Nil || found.browser != nil && !hmac.Equal(found.browser, a.browserKey(client.Browser)) {
		return uuid.Nil, ErrNoToken
	}
	if now := a.now(); now.Sub(found.seen) >= seenEvery {
		_, err := a.pool.Exec(ctx, `UPDATE customer_tokens SET seen_at = $2, network = coalesce(nullif($3, ''), network) WHERE token = $1 AND seen_at < $2`, hash, now, client.Network)
		if err != nil {
			return uuid.Nil, fmt.Errorf("note use of token: %w", err)
		}
	}
	return found.account, nil
}

// answerLooks tells each request of its own token.
func (a *Accounts) answerLooks(batch []*coalesce.Call[[]byte, holding]) {
	hashes := make([][]byte, len(batch))
	for i, call := range batch {
		hashes[i] = call.In
	}
	found, err := a.holdings(context.WithoutCancel(batch[0].Context()), hashes)
	for _, call := range batch {
		call.Reply(found[string(call.In)], err)
	}
}

// holdings are those of the tokens that count, by hash.
func (a *Accounts) holdings(ctx context.Context, hashes [][]byte) (map[string]holding, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	now := a.now()
	rows, _ := a.pool.Query(ctx, `SELECT token, account, browser, seen_at FROM customer_tokens WHERE token = ANY ($1) AND ends_at > $2 AND seen_at > $3`,
		hashes, now, now.Add(-a.idle))
	found := make(map[string]holding, len(hashes))
	var token, browser []byte
	var account [16]byte
	var seen time.Time
	_, err := pgx.ForEachRow(rows, []any{&token, &account, &browser, &seen}, func() error {
		found[string(token)] = holding{account, browser, seen}
		return nil
	})
	return found, err
}
