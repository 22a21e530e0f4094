package main

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// mailDesk is a running shop whose letters can be read: what a victim and an attacker have.
type mailDesk struct {
	program
	*served
}

func openMailDesk(t *testing.T) mailDesk {
	t.Helper()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_ACCOUNT_RATE=0", "SHOP_MAIL_RATE=0")
	return mailDesk{p, p.serve()}
}

// call sends JSON and reads the answer.
func (s *served) call(method, path string, body map[string]any, headers ...string) (int, string) {
	s.t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		sent = strings.NewReader(string(text))
	}
	status, _, answer := s.send(method, path, sent, headers...)
	return status, answer
}

// mailed are the texts of a kind that an address has got so far, oldest first.
func (d mailDesk) mailed(kind, to string) (texts []string) {
	d.served.t.Helper()
	files, err := filepath.Glob(filepath.Join(d.config().DataDir, "mail", "*-"+kind+"-*.eml"))
	if err != nil {
		d.served.t.Fatal(err)
	}
	slices.Sort(files)
	for _, file := range files {
		if text, received := letterTo(d.served.t, file, to); received {
			texts = append(texts, text)
		}
	}
	return texts
}

// letterTo is the plain text of a letter, when it went to an address.
func letterTo(t *testing.T, file, to string) (text string, received bool) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := mail.ReadMessage(f)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.Header.Get("To"), to) {
		return "", false
	}
	_, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	part, err := multipart.NewReader(m.Body, parameters["boundary"]).NextPart()
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(part)
	if err != nil {
		t.Fatal(err)
	}
	return string(all), true
}

var (
	secretInLink = regexp.MustCompile(`/[a-z-]+#([\w-]{43})`)
	codeInLetter = regexp.MustCompile(`(?m)^\s*(\d{6})\s*$`)
)

// secret waits for the n-th letter of a kind to an address and takes its link's token or its code.
func (d mailDesk) secret(kind, to string, n int) string {
	d.served.t.Helper()
	var texts []string
	until(d.served.t, fmt.Sprintf("letter %d %s to %s", n, kind, to), func() bool {
		texts = d.mailed(kind, to)
		return len(texts) >= n
	})
	for _, pattern := range []*regexp.Regexp{codeInLetter, secretInLink} {
		if found := pattern.FindStringSubmatch(texts[n-1]); found != nil {
			return found[1]
		}
	}
	d.served.t.Fatalf("the letter has no secret:\n%s", texts[n-1])
	return ""
}

const registeredWith = "long enough"

// wants asks for another e-mail in each way that there is.
func (d mailDesk) wants(email, password string, headers []string) bool {
	d.served.t.Helper()
	status, _ := d.call("PATCH", "/api/auth/profile/", map[string]any{"email": email}, headers...)
	if status != 200 {
		status, _ = d.call("PATCH", "/api/auth/profile/", map[string]any{"email": email, "password": password}, headers...)
	}
	return status == 200
}

// tries opens a link in each way that there is, and says whether one was let in.
func (d mailDesk) tries(token, password string, headers ...string) bool {
	d.served.t.Helper()
	for _, body := range []map[string]any{
		{"token": token},
		{"token": token, "current_password": password},
		{"token": token, "new_password": password, "password": password},
	} {
		for _, path := range []string{"verify", "cancel", "take-back"} {
			for _, who := range [][]string{nil, headers} {
				if status, _ := d.call("POST", "/api/auth/email/"+path+"/", body, who...); status < 300 {
					return true
				}
			}
		}
	}
	return false
}

// resets chooses another password by the n-th code mailed to an address.
func (d mailDesk) resets(email, password string, n int) {
	d.served.t.Helper()
	d.call("POST", "/api/auth/profile/password-reset/request/", map[string]any{"email": email})
	code := d.secret("reset-code", email, n)
	status, body := d.call("POST", "/api/auth/profile/password-reset/", map[string]any{"email": email, "code": code, "new_password": password, "password": password})
	if status != 200 {
		d.served.t.Fatalf("the reset of %s: %d %s", email, status, body)
	}
}

// signIn gives the header of who signed in; nil: refused.
func (d mailDesk) signIn(email, password string) []string {
	d.served.t.Helper()
	_, body := d.call("POST", "/api/token/", map[string]any{"username": email, "password": password})
	var in struct{ Access string }
	if err := json.Unmarshal([]byte(body), &in); err != nil || in.Access == "" {
		return nil
	}
	return []string{"Authorization", "Bearer " + in.Access}
}

// emailOf is the e-mail that an account's owner sees.
func (d mailDesk) emailOf(headers []string) string {
	d.served.t.Helper()
	_, body := d.call("GET", "/api/auth/profile/", nil, headers...)
	var profile struct{ Email string }
	_ = json.Unmarshal([]byte(body), &profile)
	return profile.Email
}

// TestAttackEmailTakeoverBeforeTheOwner: somebody registers a stranger's address, asks for their own and keeps the link.
// After the stranger has reset the password the link leads nowhere.
func TestAttackEmailTakeoverBeforeTheOwner(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	const victim, attacker = "victim@example.kz", "attacker@example.kz"
	attackers := d.register(victim)
	if !d.wants(attacker, registeredWith, attackers) {
		t.Fatal("the attack does not begin: no other e-mail is asked for")
	}
	link := d.secret("verify-email", attacker, 1)

	d.resets(victim, "the victim's own", 1)
	other := d.register("attackers-other@example.kz")
	for _, password := range []string{registeredWith, "the attacker's"} {
		if d.tries(link, password, append([]string{}, other...)...) || d.tries(link, password, attackers...) {
			t.Error("the attacker's link works after the owner's reset")
		}
	}
	if d.signIn(attacker, registeredWith) != nil || d.signIn(attacker, "the attacker's") != nil {
		t.Error("the attacker signs in with an e-mail of their own")
	}
	victims := d.signIn(victim, "the victim's own")
	if victims == nil || d.emailOf(victims) != victim {
		t.Error("the owner does not sign in any more")
	}
}

// TestAttackEmailTakeoverWithAStolenToken: whoever has a token of an account gets no e-mail of their own with it; whoever
// has the password too is ended by the owner's reset before the change, and by the owner's link after it.
func TestAttackEmailTakeoverWithAStolenToken(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	const owner, attacker = "owner@example.kz", "attacker@example.kz"
	stolen := d.register(owner)
	if status, body := d.call("POST", "/api/auth/email/verify/", map[string]any{"token": d.secret("verify-email", owner, 1)}, stolen...); status != 204 {
		t.Fatalf("the owner verifies: %d %s", status, body)
	}
	// The token alone.
	status, body := d.call("PATCH", "/api/auth/profile/", map[string]any{"email": attacker}, stolen...)
	if status != 400 || !strings.Contains(body, `"password"`) {
		t.Errorf("a token alone asks for another e-mail: %d %s", status, body)
	}
	if status, body := d.call("PATCH", "/api/auth/profile/", map[string]any{"email": attacker, "password": "a guess"}, stolen...); status != 400 || !strings.Contains(body, `"password":["Неверный пароль"]`) {
		t.Errorf("a wrong password: %d %s", status, body)
	}
	// The token and the password, before the change is carried out.
	if !d.wants(attacker, registeredWith, stolen) {
		t.Fatal("the attack does not begin: no other e-mail is asked for")
	}
	link := d.secret("verify-email", attacker, 1)
	d.resets(owner, "the owner's second", 1)
	if d.tries(link, registeredWith, stolen...) {
		t.Error("the attacker's link works after the owner's reset")
	}
	owners := d.signIn(owner, "the owner's second")
	if owners == nil || d.emailOf(owners) != owner {
		t.Fatal("the owner does not sign in any more")
	}

	// And once more with the new password, up to the end: the attacker has the account and resets the password.
	if !d.wants(attacker, "the owner's second", owners) {
		t.Fatal("no other e-mail is asked for")
	}
	if status, body := d.call("POST", "/api/auth/email/verify/", map[string]any{"token": d.secret("verify-email", attacker, 2)}, owners...); status != 204 {
		t.Fatalf("the attacker's link: %d %s", status, body)
	}
	back := d.secret("email-changed", owner, 1)
	d.resets(attacker, "the attacker's", 1)
	if status, body := d.call("POST", "/api/auth/register/", map[string]any{
		"first_name": "А", "last_name": "Б", "phone": "87011234567", "email": owner, "password": "the attacker's", "password_check": "the attacker's", "consent": true,
	}); status != 400 {
		t.Errorf("the owner's address is given to another account while it can be taken back: %d %s", status, body)
	}
	attackers := d.signIn(attacker, "the attacker's")
	if status, body := d.call("POST", "/api/auth/email/take-back/", map[string]any{"token": back, "new_password": "the owner's third", "password": "the owner's third"}); status != 204 {
		t.Errorf("the owner takes the e-mail back: %d %s", status, body)
	}
	owners = d.signIn(owner, "the owner's third")
	if owners == nil || d.emailOf(owners) != owner {
		t.Error("the owner does not have the account back")
	}
	if attackers == nil || d.emailOf(attackers) != "" || d.signIn(attacker, "the attacker's") != nil {
		t.Error("the attacker is still signed in")
	}
}

// TestAttackEmailTakeoverOfGuestOrders: somebody registers a stranger's address and waits until the stranger answers the
// letter. The guest's orders join nobody before who has the mailbox has chosen the password.
func TestAttackEmailTakeoverOfGuestOrders(t *testing.T) {
	t.Parallel()
	d := openMailDesk(t)
	cream := d.stocked("MK-1", 9000, 10)
	placed := d.orderOf(cream)
	attackers := d.register(personEmail)
	link := d.secret("verify-email", personEmail, 1)
	status, body := d.call("POST", "/api/auth/email/verify/", map[string]any{"token": link})
	sees := func(headers []string) bool {
		_, orders := d.call("GET", "/api/orders/", nil, headers...)
		return strings.Contains(orders, placed.ID.String())
	}
	if status != 400 || !strings.Contains(body, `"new_password"`) {
		t.Errorf("who has the mailbox is not asked for a password: %d %s", status, body)
		for began := time.Now(); !sees(attackers) && time.Since(began) < 20*time.Second; {
			time.Sleep(50 * time.Millisecond)
		}
	}
	if sees(attackers) {
		t.Fatal("the attacker has the guest's orders")
	}
	if status, body := d.call("POST", "/api/auth/email/verify/", map[string]any{"token": link, "new_password": "the victim's own", "password": "the victim's own"}); status != 204 {
		t.Fatalf("the owner of the mailbox chooses a password: %d %s", status, body)
	}
	if status, _ := d.call("GET", "/api/auth/profile/", nil, attackers...); status != 401 {
		t.Errorf("the attacker is still signed in: %d", status)
	}
	if d.signIn(personEmail, registeredWith) != nil {
		t.Error("the attacker's password still signs in")
	}
	victims := d.signIn(personEmail, "the victim's own")
	until(t, "the guest's orders join", func() bool { return sees(victims) })
}
