package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/credential"
)

const (
	// CodeFor is how long a reset code and its link work, codeTries how often a code may be tried by who asked for it.
	CodeFor   = 15 * time.Minute
	codeTries = 5
	// maxCodes are alive side by side for an e-mail.
	maxCodes = 3
	// dayTries are wrong codes of an e-mail in a day, whoever asked for them; then only links work. warnAfter of them are told.
	dayTries, warnAfter = 20, 5
	// MaxResets is how many requests a browser remembers.
	MaxResets = maxCodes
)

// Renewal is what a letter about a reset carries.
type Renewal struct {
	// Code is six digits, Link a token of 256 bits.
	Code, Link string
	Until      time.Time
}

// Letter writes a letter about a reset to a person into tx, to be sent once that is committed.
type Letter func(ctx context.Context, tx pgx.Tx, person uuid.UUID, to string, r Renewal) error

// Warning writes a letter to the owner about wrong codes.
type Warning func(ctx context.Context, tx pgx.Tx, person uuid.UUID, to string) error

// RequestReset makes a code and a link for an e-mail, and a letter with them. Former codes stay. It returns the token by which who
// asked is known when the code comes back. Without an account all is made the same, the letter to be thrown away. When three codes
// are alive, or the network, or all of them together, asked for as many letters as an e-mail gets, no letter is written.
func (a *Accounts) RequestReset(ctx context.Context, network, email string, letter Letter) (asked string, err error) {
	asked, hash := credential.NewToken()
	err = a.attempt(ctx, a.pairKey("reset", network, email), resetLimit, resetWindow)
	if err == nil {
		err = a.attempt(ctx, a.keyed("reset", email), resetLetters, resetWindow)
	}
	var many *TooMany
	if errors.As(err, &many) {
		return asked, nil
	}
	if err != nil {
		return "", err
	}
	code, err := newCode()
	if err != nil {
		return "", err
	}
	link, linkHash := credential.NewToken()
	key, now := a.emailKey(email), a.now()
	until := now.Add(CodeFor)
	err = a.Tx(ctx, func(tx pgx.Tx) error {
		if err := lockEmail(ctx, tx, key); err != nil {
			return err
		}
		var account *[16]byte
		err := tx.QueryRow(ctx, `INSERT INTO customer_resets (id, email, account, network, code, link, ends_at)
			SELECT $1, $2, (SELECT id FROM customer_accounts WHERE email = $2 AND opened_at IS NOT NULL), $3, $4, $5, $6
			WHERE (SELECT count(*) FROM customer_resets WHERE email = $2 AND ends_at > $7) < $8
			RETURNING account`, hash, key, a.keyed("reset from", network), a.codeKey(email, code), linkHash, until, now, maxCodes).Scan(&account)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("keep code: %w", err)
		}
		return write(ctx, tx, account, email, func(ctx context.Context, tx pgx.Tx, person uuid.UUID, to string) error {
			return letter(ctx, tx, person, to, Renewal{Code: code, Link: link, Until: until})
		})
	})
	return asked, err
}

// newCode is six random digits.
func newCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", fmt.Errorf("make code: %w", err)
	}
	return fmt.Sprintf("%06d", n), nil
}

func (a *Accounts) codeKey(email, code string) []byte {
	return a.keyed("reset code", email+"\x00"+code)
}

// Try is a code that somebody gives.
type Try struct {
	// Asked are the tokens by which a browser says which codes it asked for. Without one, codes that Network asked for are tried.
	Asked   []string
	Network string
	Email   string
	Code    string
}

// CheckCode says whether a code is one that was mailed to who asked for it, without using it up. A wrong one costs a try: when
// they are used up, the right one is refused as well. It refuses with ErrCode. The owner is warned of many wrong codes.
func (a *Accounts) CheckCode(ctx context.Context, t Try, warn Warning) error {
	_, err := a.tried(ctx, t, warn)
	return err
}

// tried is the request whose code was given.
func (a *Accounts) tried(ctx context.Context, t Try, warn Warning) (request []byte, err error) {
	// The tries are taken before the codes are compared, so that no number of parallel ones gets more than there are.
	requests, byNetwork, err := a.takeTry(ctx, t)
	if err != nil {
		return nil, err
	}
	given := a.codeKey(t.Email, t.Code)
	for id, code := range requests {
		if subtle.ConstantTimeCompare(code, given) == 1 {
			request = []byte(id)
		}
	}
	wrong, err := a.wrongToday(ctx, t.Email)
	var many *TooMany
	switch {
	case errors.As(err, &many):
		return nil, ErrCode
	case err != nil:
		return nil, err
	case request == nil && wrong == warnAfter:
		if err := a.WarnOwner(ctx, "reset tries", t.Email, warn); err != nil {
			return nil, err
		}
	}
	if request == nil {
		return nil, ErrCode
	}
	return request, a.takeTryBack(ctx, t, request, byNetwork)
}

// takeTry takes a try from every request that the code may answer, and returns their codes by their ids. Those that a browser shows
// are counted apart from those found by the network, so that neighbours in a network use up no tries of a browser.
func (a *Accounts) takeTry(ctx context.Context, t Try) (codes map[string][]byte, byNetwork bool, err error) {
	key, hashes := a.emailKey(t.Email), make([][]byte, 0, len(t.Asked))
	for _, token := range t.Asked {
		hashes = append(hashes, credential.HashOf(token))
	}
	codes = map[string][]byte{}
	collect := func(sql string, args ...any) error {
		rows, _ := a.pool.Query(ctx, sql, args...)
		var id, code []byte
		_, err := pgx.ForEachRow(rows, []any{&id, &code}, func() error {
			codes[string(id)] = code
			code = nil
			return nil
		})
		if err != nil {
			return fmt.Errorf("try code: %w", err)
		}
		return nil
	}
	err = collect(`UPDATE customer_resets SET tries = tries + 1 WHERE email = $1 AND id = ANY ($2) AND tries < $3 AND ends_at > $4
		RETURNING id, code`, key, hashes, codeTries, a.now())
	if err != nil || len(codes) > 0 {
		return codes, false, err
	}
	err = collect(`UPDATE customer_resets SET network_tries = network_tries + 1 WHERE email = $1 AND network = $2 AND network_tries < $3 AND ends_at > $4
		RETURNING id, code`, key, a.keyed("reset from", t.Network), codeTries, a.now())
	if err == nil && len(codes) == 0 {
		err = ErrCode
	}
	return codes, true, err
}

// wrongToday counts a code as wrong, until it is found to be right.
func (a *Accounts) wrongToday(ctx context.Context, email string) (int, error) {
	return a.attempts(ctx, a.pool, a.keyed("reset tries", email), dayTries, perDay)
}

// takeTryBack gives the try of a right code back, everywhere it was counted.
func (a *Accounts) takeTryBack(ctx context.Context, t Try, request []byte, byNetwork bool) error {
	shown := 1
	if byNetwork {
		shown = 0
	}
	_, err := a.pool.Exec(ctx, `WITH day AS (UPDATE customer_attempts SET count = greatest(0, count - 1) WHERE key = $3)
		UPDATE customer_resets SET tries = greatest(0, tries - $2), network_tries = greatest(0, network_tries - (1 - $2)) WHERE id = $1`,
		request, shown, a.keyed("reset tries", t.Email))
	if err != nil {
		return fmt.Errorf("give try back: %w", err)
	}
	return nil
}

// Allowed says whether an account may have a password; its error is returned as it is.
type Allowed func(ctx context.Context, id uuid.UUID) error

// Reset uses a code up and sets the password, which ends what setPassword says; the network may sign in again. It refuses
// with ErrCode.
// The caller has found the password Acceptable; allowed says the rest, before the code is used up.
func (a *Accounts) Reset(ctx context.Context, t Try, password string, allowed Allowed, warn Warning) (uuid.UUID, error) {
	request, err := a.tried(ctx, t, warn)
	if err != nil {
		return uuid.Nil, err
	}
	return a.renew(ctx, byID, request, password, allowed, a.pairKey("sign in", t.Network, t.Email))
}

// ResetByLink is Reset by the token of a letter's link. It refuses with ErrLink.
func (a *Accounts) ResetByLink(ctx context.Context, token, password string, allowed Allowed) (uuid.UUID, error) {
	id, err := a.renew(ctx, byLink, credential.HashOf(token), password, allowed, nil)
	if errors.Is(err, ErrCode) {
		err = ErrLink
	}
	return id, err
}

// How the account of a request is found. A request is good as long as its e-mail is the account's.
const (
	byID = `SELECT a.id FROM customer_accounts a JOIN customer_resets r ON r.account = a.id AND r.email = a.email
		WHERE r.id = $1 AND r.ends_at > $2 FOR NO KEY UPDATE OF a`
	byLink = `SELECT a.id FROM customer_accounts a JOIN customer_resets r ON r.account = a.id AND r.email = a.email
		WHERE r.link = $1 AND r.ends_at > $2 FOR NO KEY UPDATE OF a`
)

// renew sets the password of the account of a request, which find finds by a hash, and forgets the attempts of a key.
func (a *Accounts) renew(ctx context.Context, find string, hash []byte, password string, allowed Allowed, attempts []byte) (uuid.UUID, error) {
	var id [16]byte
	err := a.pool.QueryRow(ctx, find, hash, a.now()).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, ErrCode
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("look for reset: %w", err)
	}
	if err := allowed(ctx, id); err != nil {
		return uuid.Nil, err
	}
	hashed, err := a.hashes.Hash(ctx, credential.Trusted, password)
	if err != nil {
		return uuid.Nil, fmt.Errorf("hash password: %w", err)
	}
	err = a.Tx(ctx, func(tx pgx.Tx) error {
		// Of two with the right code one is second here: the first query waits for the account, but sees the request as it was before
		// it waited; the other one sees whether it is still there.
		for range 2 {
			err := tx.QueryRow(ctx, find, hash, a.now()).Scan(&id)
			if errors.Is(err, pgx.ErrNoRows) {
				return ErrCode
			}
			if err != nil {
				return fmt.Errorf("use code: %w", err)
			}
		}
		if err := a.setPassword(ctx, tx, id, hashed, except{}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM customer_attempts WHERE key = ANY ($1)`, [][]byte{orNone(attempts), a.keyed("password of", uuid.UUID(id).String())})
		return err
	})
	return id, err
}
