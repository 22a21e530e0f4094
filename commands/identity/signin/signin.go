package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands/identity/credential"
	"shop/commands/identity/securitylog"
)

var (
	// ErrWrong: e-mail, password or code is wrong, and which stays untold. So it is for disabled accounts.
	ErrWrong = errors.New("e-mail, password or code is wrong")
	// ErrCodeWanted: e-mail and password are right, and a code is needed besides.
	ErrCodeWanted = errors.New("the code of the authenticator is needed")
	// ErrNoSession: the session is not known, or is over.
	ErrNoSession = errors.New("not signed in")
)

// Locked: too many attempts failed for this e-mail, from this network or device.
type Locked struct{ For time.Duration }

// RetryAfter is when to come again.
func (e *Locked) RetryAfter() time.Duration { return e.For }

func (e *Locked) Error() string {
	return fmt.Sprintf("too many attempts, wait %s", e.For.Round(time.Second))
}

// Attempt is what somebody signs in with. Code may be a recovery code; empty: not asked for yet.
// Devices are the tokens by which the browser says that it has signed in before.
type Attempt struct {
	Email, Password, Code string
	Network               string
	Devices               []string
}

// SignedIn is how an attempt ended well.
type SignedIn struct {
	// Token is the session's, for the cookie; empty: Enrolment comes first.
	Token   string
	Account Account
	// Enrolment: the account has no authenticator yet; the attempt is to be repeated with its first code.
	Enrolment *Enrolment
	// RecoveryCodes are shown once, when an authenticator was enrolled.
	RecoveryCodes []string
}

// Enrolment is what an authenticator needs.
type Enrolment struct {
	Secret string `json:"secret"`
	URI    string `json:"uri"`
}

const (
	// freeAttempts may fail before a network has to wait with an e-mail.
	freeAttempts = 5
	// recoveryCodes are made at an enrolment.
	recoveryCodes = 10
)

const (
	// LongestSession is when a session ends in any case, and IdleSession when one without a request does, unless Options say
	// otherwise.
	LongestSession = 7 * 24 * time.Hour
	IdleSession    = 12 * time.Hour
	// seenEvery spares most requests a write.
	seenEvery = time.Minute
)

// SignIn checks an attempt. It refuses with ErrWrong, ErrCodeWanted or *Locked. At the first sign-in it answers with an
// Enrolment, and when that is confirmed by a code, with recovery codes.
func (a *Accounts) SignIn(ctx context.Context, at Attempt) (SignedIn, error) {
	seen := securitylog.Entry{Kind: securitylog.SignIn, Outcome: securitylog.OK, How: securitylog.ByPassword, Email: at.Email, Who: securitylog.Who{Party: securitylog.Staff}}
	in, err := a.signIn(ctx, at, &seen)
	if in.Enrolment != nil {
		seen.Outcome = securitylog.Half
	}
	seen.Who.Role = in.Account.Role
	note(ctx, seen, err)
	var locked *Locked
	var busy *credential.Busy
	if err != nil && !errors.Is(err, ErrWrong) && !errors.Is(err, ErrCodeWanted) && !errors.As(err, &locked) && !errors.As(err, &busy) {
		return in, fmt.Errorf("sign in: %w", err)
	}
	return in, err
}

// credentials are an account's.
type credentials struct {
	ID       uuid.UUID
	Password *string
	// TOTP is the authenticator's secret, sealed.
	TOTP      []byte
	Confirmed bool
	Step      int64
}

// signIn is SignIn that notes in seen how far an attempt came.
func (a *Accounts) signIn(ctx context.Context, at Attempt, seen *securitylog.Entry) (in SignedIn, err error) {
	now := a.now()
	rows, _ := a.pool.Query(ctx, `SELECT id, password, totp, totp_confirmed AS confirmed, totp_step AS step
		FROM staff_accounts WHERE email = $1 AND disabled_at IS NULL`, at.Email)
	c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[credentials])
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return in, err
	}
	seen.Who.ID = c.ID
	try, err := a.count(ctx, at, c.ID, now)
	if err != nil {
		return in, err
	}
	hash := credential.Nobodys
	if c.Password != nil {
		hash = *c.Password
	}
	if ok, err := a.hashes.Matches(ctx, try.lane, hash, at.Password); err != nil {
		return in, errors.Join(err, a.uncount(context.WithoutCancel(ctx), try, at.Email)) // nothing was looked at
	} else if !ok || c.Password == nil {
		return in, ErrWrong
	}

	code := plainCode(at.Code)
	if code == "" {
		// Half a sign-in is no failure. What was counted before stays, so that codes cannot be guessed in between.
		if err := a.uncount(ctx, try, at.Email); err != nil {
			return in, err
		}
		if c.Confirmed {
			return in, ErrCodeWanted
		}
		in.Enrolment, err = a.enrol(ctx, c.ID, at.Email)
		return in, err
	}
	seen.How = means(code)
	fresh := hash
	if credential.IsOld(hash) {
		if fresh, err = a.hashes.Hash(ctx, credential.Trusted, at.Password); err != nil {
			return in, err
		}
	}
	err = pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
		in = SignedIn{}
		if err := a.useCode(ctx, tx, c, code, now); err != nil {
			return err
		}
		if !c.Confirmed {
			codes, err := newRecoveryCodes(ctx, tx, c.ID)
			if err != nil {
				return err
			}
			in.RecoveryCodes = codes
		}
		token, err := a.begin(ctx, tx, c.ID, c.Password, now)
		if err != nil {
			return err
		}
		in.Token = token
		if fresh != *c.Password {
			if _, err := tx.Exec(ctx, `UPDATE staff_accounts SET password = $2 WHERE id = $1`, c.ID, fresh); err != nil {
				return err
			}
		}
		return forget(ctx, tx, try, at.Email, now)
	})
	if err != nil {
		return SignedIn{}, err
	}
	in.Account, err = a.Find(ctx, at.Email)
	return in, err
}

// enrol gives the account the secret it has to confirm, the same until then.
func (a *Accounts) enrol(ctx context.Context, id uuid.UUID, email string) (*Enrolment, error) {
	var sealed []byte
	err := a.pool.QueryRow(ctx, `UPDATE staff_accounts SET totp = coalesce(totp, $2) WHERE id = $1 AND NOT totp_confirmed RETURNING totp`,
		id, a.sealed(id, newSecret())).Scan(&sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrCodeWanted // confirmed at this very moment
	}
	if err != nil {
		return nil, err
	}
	secret, err := a.opened(id, sealed)
	if err != nil {
		return nil, err
	}
	return &Enrolment{Secret: base32Text.EncodeToString(secret), URI: KeyURI(a.issuer, email, secret)}, nil
}

// useCode takes a code of the authenticator, or a recovery code, for good.
func (a *Accounts) useCode(ctx context.Context, tx pgx.Tx, c credentials, code string, now time.Time) error {
	if len(code) != codeDigits {
		if !c.Confirmed {
			return ErrWrong
		}
		tag, err := tx.Exec(ctx, `DELETE FROM staff_recovery_codes WHERE account = $1 AND code = $2`, c.ID, credential.HashOf(code))
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrWrong
		}
		return err
	}
	if c.TOTP == nil {
		return ErrWrong
	}
	secret, err := a.opened(c.ID, c.TOTP)
	if err != nil {
		return err
	}
	step, ok := stepOf(secret, code, now, c.Step)
	if !ok {
		return ErrWrong
	}
	// Of two simultaneous uses of one code, one is second here.
	tag, err := tx.Exec(ctx, `UPDATE staff_accounts SET totp_step = $2, totp_confirmed = true WHERE id = $1 AND totp_step < $2 AND totp = $3 AND totp_confirmed = $4`,
		c.ID, step, c.TOTP, c.Confirmed)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrWrong
	}
	return err
}

// newRecoveryCodes replaces an account's recovery codes.
func newRecoveryCodes(ctx context.Context, tx pgx.Tx, id uuid.UUID) ([]string, error) {
	codes, hashes := make([]string, recoveryCodes), make([][]byte, recoveryCodes)
	for i := range codes {
		code := rand.Text()[:16] // base32: 80 bits
		codes[i], hashes[i] = code[:4]+"-"+code[4:8]+"-"+code[8:12]+"-"+code[12:], credential.HashOf(code)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM staff_recovery_codes WHERE account = $1`, id); err != nil {
		return nil, err
	}
	_, err := tx.Exec(ctx, `INSERT INTO staff_recovery_codes (account, code) SELECT $1, unnest($2::bytea[])`, id, hashes)
	return codes, err
}

// Standing is what a session may still do.
type Standing struct {
	Role string
	// ProvedToday: its second factor was shown within LookFor.
	ProvedToday bool
}

// SignedInAs returns the roles of tokens with a valid session, see Standings.
func (a *Accounts) SignedInAs(ctx context.Context, tokens []string) (map[string]string, error) {
	standings, err := a.Standings(ctx, tokens)
	roles := make(map[string]string, len(standings))
	for token, s := range standings {
		roles[token] = s.Role
	}
	return roles, err
}

// Standings says how the tokens stand that have a valid session. Unlike Session it does not extend the session: an open page
// alone is idle.
func (a *Accounts) Standings(ctx context.Context, tokens []string) (map[string]Standing, error) {
	now, hashes := a.now(), make([][]byte, len(tokens))
	for i, token := range tokens {
		hashes[i] = credential.HashOf(token)
	}
	rows, err := a.pool.Query(ctx, `SELECT t.nth, a.role, coalesce(s.proved_at > $4, false) FROM unnest($1::bytea[]) WITH ORDINALITY AS t (token, nth)
		JOIN staff_sessions s USING (token) JOIN staff_accounts a ON a.id = s.account
		WHERE s.created_at > $2 AND s.seen_at > $3 AND a.disabled_at IS NULL`, hashes, now.Add(-a.longest), now.Add(-a.idle), now.Add(-LookFor))
	if err != nil {
		return nil, fmt.Errorf("look for sessions: %w", err)
	}
	standings := make(map[string]Standing, len(tokens))
	var nth int
	var s Standing
	if _, err := pgx.ForEachRow(rows, []any{&nth, &s.Role, &s.ProvedToday}, func() error { standings[tokens[nth-1]] = s; return nil }); err != nil {
		return nil, fmt.Errorf("look for sessions: %w", err)
	}
	return standings, nil
}

// SignOut ends a session; one that is over is fine.
func (a *Accounts) SignOut(ctx context.Context, token string) error {
	if _, err := a.pool.Exec(ctx, `DELETE FROM staff_sessions WHERE token = $1`, credential.HashOf(token)); err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.SessionEnd, Outcome: securitylog.OK})
	return nil
}

// CSRF is what a session's page sends along with whatever changes something. Only the page can know it: another
// site's makes the browser send the cookie at most, and cannot read it.
func CSRF(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("csrf"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// IsCSRF says whether sent is the CSRF of a session.
func IsCSRF(token, sent string) bool { return hmac.Equal([]byte(CSRF(token)), []byte(sent)) }
