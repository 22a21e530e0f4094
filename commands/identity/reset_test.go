package identity_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands/identity"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
)

// life is one account whose owner and an attacker do things in any order. The attacker has everything but the owner's
// mailbox: the first password, tokens, an account and mailboxes of their own.
type life struct {
	*accountDesk
	t     *testing.T
	dice  *rand.Rand
	id    domain.ID
	other domain.ID
	// owner is the owner's e-mail, attackers are the attacker's.
	owner     string
	attackers []string
	// tokens and passwords are those that were ever given out, the attacker's last chosen one first.
	tokens, passwords []string
}

func beginLife(t *testing.T, d *accountDesk, seed uint64) *life {
	t.Helper()
	l := &life{
		accountDesk: d, t: t, dice: rand.New(rand.NewPCG(seed, 20260302)), passwords: []string{goodPassword},
		owner: fmt.Sprintf("owner%d@b.kz", seed), attackers: []string{fmt.Sprintf("x%d@b.kz", seed), fmt.Sprintf("y%d@b.kz", seed)},
	}
	a := d.registered(l.owner)
	l.id, l.tokens = a.ID, []string{a.Access}
	l.other = d.registered(fmt.Sprintf("other%d@b.kz", seed)).ID
	return l
}

// do sends a request as whoever a token signs in; one that does not count is nobody. Limits on tries are no defence here.
func (l *life) do(endpoint func(http.ResponseWriter, *http.Request) error, method, path, token string, body testshop.Fields) testshop.Response {
	l.t.Helper()
	if _, err := l.Pool.Exec(l.t.Context(), "DELETE FROM customer_attempts"); err != nil {
		l.t.Fatal(err)
	}
	as, err := l.accounts.SignIns.Holder(l.t.Context(), token)
	if err != nil {
		as = uuid.Nil
	}
	return l.call(endpoint, method, path, as, body)
}

func (l *life) any(of []string) string { return of[l.dice.IntN(len(of))] }

// links are the tokens of all letters to some addresses, oldest first.
func (l *life) links(to ...string) (tokens []string) {
	for _, letter := range l.letters.sent {
		if token := tokenOf(letter.Content); token != "" && slices.Contains(to, letter.To) {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// codes are the codes of all letters to some addresses.
func (l *life) codes(to ...string) (codes []string) {
	for _, letter := range l.letters.sent {
		if c, is := letter.Content.(identity.CodeLetter); is && slices.Contains(to, letter.To) {
			codes = append(codes, c.Code)
		}
	}
	return codes
}

// chooses resets the password by a code mailed to an address, if one is mailed.
func (l *life) chooses(email, password string) bool {
	l.t.Helper()
	l.do(shopapi.Accounts{Accounts: l.accounts}.RequestReset, "POST", "/api/auth/profile/password-reset/request/", "", testshop.Fields{"email": email})
	codes := l.codes(email)
	// With three codes alive no other is mailed; the last one is good as long as it lives.
	return len(codes) > 0 && l.resets(email, codes[len(codes)-1], password)
}

func (l *life) resets(email, code, password string) bool {
	l.t.Helper()
	return l.do(shopapi.Accounts{Accounts: l.accounts}.ResetPassword, "POST", "/api/auth/profile/password-reset/", "",
		testshop.Fields{"email": email, "code": code, "new_password": password, "password": password}).Code == 200
}

func (l *life) knows(password string) { l.passwords = append([]string{password}, l.passwords...) }

func (l *life) enters(email, password string) bool {
	l.t.Helper()
	r := l.do(shopapi.Accounts{Accounts: l.accounts}.SignIn, "POST", "/api/token/", "", testshop.Fields{"username": email, "password": password})
	if r.Code == 200 {
		l.tokens = append(l.tokens, testshop.Read[shopapi.Access](r).Access)
	}
	return r.Code == 200
}

// step does one thing that either of them may do.
func (l *life) step() {
	l.t.Helper()
	all := append([]string{l.owner}, l.attackers...)
	switch l.dice.IntN(10) {
	case 0, 1: // ask for another e-mail, or cancel by asking for the present one
		body := testshop.Fields{"email": l.any(all)}
		if r := l.do(shopapi.Accounts{Accounts: l.accounts}.Change, "PATCH", "/api/auth/profile/", l.session(), body); r.Code != 200 {
			l.do(shopapi.Accounts{Accounts: l.accounts}.Change, "PATCH", "/api/auth/profile/", l.session(), body.With("password", l.any(l.passwords)))
		}
	case 2: // another letter
		if token := l.session(); token != "" {
			l.do(shopapi.Accounts{Accounts: l.accounts}.MailLink, "POST", "/api/auth/profile/email/", token, testshop.Fields{})
		}
	case 3: // sign in
		l.enters(l.any(all), l.any(l.passwords))
	case 4: // ask for a code and leave it
		l.do(shopapi.Accounts{Accounts: l.accounts}.RequestReset, "POST", "/api/auth/profile/password-reset/request/", "", testshop.Fields{"email": l.any(all)})
	case 5: // the attacker resets by a mailbox of their own
		password := fmt.Sprintf("attacker's %d", len(l.passwords))
		if l.chooses(l.any(l.attackers), password) {
			l.knows(password)
		}
	case 6: // the attacker opens a link of their own
		if links := l.links(l.attackers...); len(links) > 0 {
			l.opens(l.any(links), l.session())
		}
	case 7: // the owner proves the e-mail, signed in
		if links := l.links(l.owner); len(links) > 0 {
			l.do(shopapi.Accounts{Accounts: l.accounts}.Verify, "POST", "/api/auth/email/verify/", l.session(), testshop.Fields{"token": l.any(links)})
		}
	case 8: // the attacker goes all the way
		email := l.any(l.attackers)
		r := l.do(shopapi.Accounts{Accounts: l.accounts}.Change, "PATCH", "/api/auth/profile/", l.session(), testshop.Fields{"email": email, "password": l.passwords[0]})
		if links := l.links(email); r.Code == 200 && len(links) > 0 {
			l.opens(links[len(links)-1], l.session())
		}
	case 9:
		l.Clock.Advance(time.Duration(l.dice.IntN(180)) * time.Minute)
	}
}

// session is a token that signs in; empty: none does.
func (l *life) session() string {
	for _, i := range l.dice.Perm(len(l.tokens)) {
		if l.counts(l.tokens[i]) {
			return l.tokens[i]
		}
	}
	return ""
}

// opens tries a link at every door, with every kind of password.
func (l *life) opens(link, token string) {
	l.t.Helper()
	fresh := fmt.Sprintf("attacker's %d", len(l.passwords))
	for _, body := range []testshop.Fields{
		{"token": link}, {"token": link, "current_password": l.any(l.passwords)}, {"token": link, "new_password": fresh, "password": fresh},
	} {
		for _, door := range l.doors() {
			if l.do(door.endpoint, "POST", door.path, token, body).Code < 300 && body["new_password"] != nil {
				l.knows(fresh)
			}
		}
	}
}

type door struct {
	endpoint func(http.ResponseWriter, *http.Request) error
	path     string
}

func (l *life) doors() []door {
	return []door{
		{shopapi.Accounts{Accounts: l.accounts}.Verify, "/api/auth/email/verify/"},
		{shopapi.Accounts{Accounts: l.accounts}.CancelEmail, "/api/auth/email/cancel/"},
		{shopapi.Accounts{Accounts: l.accounts}.TakeEmailBack, "/api/auth/email/take-back/"},
	}
}

// settles is the owner's last word: a reset, or where somebody moved the account away, the letter that takes the e-mail
// back. Empty: neither is possible, as the e-mail was moved before anybody proved it.
func (l *life) settles(password string) (how string) {
	l.t.Helper()
	if l.chooses(l.owner, password) {
		return "reset"
	}
	for _, link := range l.links(l.owner) {
		if r := l.do(l.takeBackDoor(), "POST", "/api/auth/email/take-back/", "", testshop.Fields{"token": link, "new_password": password, "password": password}); r.Code == 204 {
			return "take-back"
		}
	}
	return ""
}

func (l *life) takeBackDoor() func(http.ResponseWriter, *http.Request) error {
	return shopapi.Accounts{Accounts: l.accounts}.TakeEmailBack
}

// TestNothingIssuedBeforeAResetChangesTheAccount lets owner and attacker do anything, then the owner has the last word,
// and then everything that was ever given out is tried: the account stays as the owner left it.
func TestNothingIssuedBeforeAResetChangesTheAccount(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	ways := map[string]int{}
	for seed := range uint64(24) {
		l := beginLife(t, d, seed)
		if seed%2 == 0 { // else moving the account away ends the owner's claim
			l.do(shopapi.Accounts{Accounts: l.accounts}.Verify, "POST", "/api/auth/email/verify/", l.tokens[0], testshop.Fields{"token": l.links(l.owner)[0]})
		}
		for range 4 + l.dice.IntN(14) {
			l.step()
		}
		const chosen = "the owner's own"
		how := l.settles(chosen)
		ways[how]++
		if how == "" {
			continue
		}
		left := l.state(l.id)
		if left.Email != l.owner || left.Wanted != "" {
			t.Fatalf("seed %d: after the %s the account is %s's, wanted %q", seed, how, left.Email, left.Wanted)
		}
		l.tries(how)
		now := l.state(l.id)
		if now.Email != left.Email || now.Verified != left.Verified || now.Wanted != "" {
			t.Errorf("seed %d: after the %s the account is %s's, verified %v, wanted %q; its owner left it as %s's, verified %v",
				seed, how, now.Email, now.Verified, now.Wanted, left.Email, left.Verified)
		}
		for _, token := range l.tokens {
			if l.counts(token) {
				t.Errorf("seed %d: a token of before the %s counts", seed, how)
			}
		}
		for _, password := range l.passwords {
			if l.enters(l.owner, password) {
				t.Errorf("seed %d: a password of before the %s signs in", seed, how)
			}
		}
		for _, email := range l.attackers {
			if l.chooses(email, "the attacker's last") {
				t.Errorf("seed %d: %s has the account after the %s", seed, email, how)
			}
		}
		if !l.enters(l.owner, chosen) {
			t.Errorf("seed %d: the owner does not sign in after the %s", seed, how)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("the last word was %v", ways)
	if ways["reset"] < 6 || ways["take-back"] < 6 {
		t.Errorf("the last word was %v: the lives are too much alike", ways)
	}
}

// tries uses all that was given out before: links of all letters at every door, codes at every e-mail, tokens.
func (l *life) tries(how string) {
	l.t.Helper()
	all := append([]string{l.owner}, l.attackers...)
	own := ""
	if r := l.do(shopapi.Accounts{Accounts: l.accounts}.SignIn, "POST", "/api/token/", "", testshop.Fields{"username": fmt.Sprintf("other%s", l.owner[len("owner"):]), "password": goodPassword}); r.Code == 200 {
		own = testshop.Read[shopapi.Access](r).Access // the attacker's other account
	}
	for _, link := range l.links(all...) {
		for _, token := range []string{"", own, l.any(l.tokens)} {
			l.opens(link, token)
		}
	}
	for _, code := range l.codes(all...) {
		for _, email := range all {
			if l.resets(email, code, "the attacker's last") {
				l.t.Errorf("a code of before the %s is good at %s", how, email)
			}
		}
	}
	for _, token := range l.tokens {
		if l.counts(token) {
			l.do(shopapi.Accounts{Accounts: l.accounts}.Change, "PATCH", "/api/auth/profile/", token, testshop.Fields{"email": l.attackers[0], "password": l.any(l.passwords)})
			l.do(shopapi.Accounts{Accounts: l.accounts}.MailLink, "POST", "/api/auth/profile/email/", token, testshop.Fields{})
		}
	}
	for _, link := range l.links(l.attackers...) {
		l.opens(link, "")
	}
}
