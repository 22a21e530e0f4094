package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/accounts"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/customer"
)

const oldLinkText = `{"token":["Ссылка устарела: запросите новое письмо"]}`

// asks asks for another e-mail with the password of a registration.
func (d *accountDesk) asks(as domain.ID, email string) testshop.Response {
	d.T.Helper()
	return d.change(as, testshop.Fields{"email": email, "password": goodPassword})
}

func (d *accountDesk) cancel(token string) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.CancelEmail, "POST", "/api/auth/email/cancel/", uuid.Nil, testshop.Fields{"token": token})
}

func (d *accountDesk) takeBack(token, password string) testshop.Response {
	d.T.Helper()
	return d.call(shopapi.Accounts{Accounts: d.accounts}.TakeEmailBack, "POST", "/api/auth/email/take-back/", uuid.Nil,
		testshop.Fields{"token": token, "new_password": password, "password": password})
}

func (d *accountDesk) state(id domain.ID) customer.State {
	d.T.Helper()
	state, err := commands.See(d.T.Context(), commands.New(d.Log, commands.Options{}), commands.CustomerStream(id))
	if err != nil {
		d.T.Fatal(err)
	}
	return state
}

// proved is an account whose e-mail is proved.
func (d *accountDesk) proved(email string) shopapi.Access {
	d.T.Helper()
	a := d.registered(email)
	if r := d.verify(d.letters.token(d.T, email), a.ID); r.Code != 204 {
		d.T.Fatalf("verify: %d %s", r.Code, r.Text())
	}
	return a
}

// moved is an account that was given another e-mail, and the token that takes the former one back.
func (d *accountDesk) moved(id domain.ID, from, to string) (takeBack string) {
	d.T.Helper()
	if r := d.asks(id, to); r.Code != 200 {
		d.T.Fatalf("ask for %s: %d %s", to, r.Code, r.Text())
	}
	if r := d.verify(d.letters.token(d.T, to), id); r.Code != 204 {
		d.T.Fatalf("verify %s: %d %s", to, r.Code, r.Text())
	}
	return d.letters.token(d.T, from)
}

func TestEmailIsProvedByItsLetter(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	d.registered("taken@b.kz")
	first := d.letters.token(t, "a@b.kz")
	d.verify("nothing", a.ID).Wants(400, oldLinkText)
	if r := d.verify(first, a.ID); r.Code != 204 {
		t.Fatalf("verify: %d %s", r.Code, r.Text())
	}
	for _, as := range []domain.ID{a.ID, uuid.Nil} {
		if r := d.verify(first, as); r.Code != 204 {
			t.Errorf("again: %d %s", r.Code, r.Text())
		}
	}
	d.asks(a.ID, "TAKEN@b.kz").Wants(400, `{"email":["Пользователь с таким e-mail уже зарегистрирован"]}`)
	p := testshop.Read[identity.Profile](d.asks(a.ID, "new@b.kz"))
	if p.Email != "a@b.kz" || p.EmailWanted == nil || *p.EmailWanted != "new@b.kz" || !p.EmailVerified {
		t.Errorf("asked for another e-mail: %+v", p)
	}
	if r := d.signIn("new@b.kz", goodPassword); r.Code != 401 {
		t.Errorf("an e-mail that is not proved signs in: %d", r.Code)
	}
	if r := d.verify(d.letters.token(t, "new@b.kz"), a.ID); r.Code != 204 {
		t.Fatalf("verify the new one: %d %s", r.Code, r.Text())
	}
	d.verify(first, a.ID).Wants(400, oldLinkText)
	if old, now := d.signIn("a@b.kz", goodPassword), d.signIn("new@b.kz", goodPassword); old.Code != 401 || now.Code != 200 {
		t.Errorf("the old e-mail: %d, the new: %d", old.Code, now.Code)
	}
	// Nothing is left to prove.
	sent := len(d.letters.sent)
	again := func() testshop.Response {
		t.Helper()
		return d.call(shopapi.Accounts{Accounts: d.accounts}.MailLink, "POST", "/api/auth/profile/email/", a.ID, "")
	}
	if r := again(); r.Code != 204 || len(d.letters.sent) != sent {
		t.Errorf("another letter: %d, %d sent", r.Code, len(d.letters.sent)-sent)
	}
	d.Clock.Advance(time.Hour)
	d.asks(a.ID, "newer@b.kz") // a letter to each
	former := d.letters.token(t, "newer@b.kz")
	if r := again(); r.Code != 204 || len(d.letters.sent) != sent+3 {
		t.Errorf("another letter: %d, %d sent", r.Code, len(d.letters.sent)-sent)
	}
	d.verify(former, a.ID).Wants(400, oldLinkText)
}

func TestAnotherEmailNeedsThePassword(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	head, sent := d.Head(), len(d.letters.sent)
	d.change(a.ID, testshop.Fields{"email": "new@b.kz"}).Wants(400, `{"password":["Заполните поле"]}`)
	d.change(a.ID, testshop.Fields{"email": "new@b.kz", "password": ""}).Wants(400, `{"password":["Заполните поле"]}`)
	// What else was asked for is not changed either.
	d.change(a.ID, testshop.Fields{"email": "new@b.kz", "password": "wrong password", "last_name": "Ким"}).Wants(400, `{"password":["Неверный пароль"]}`)
	for range 9 {
		d.change(a.ID, testshop.Fields{"email": "new@b.kz", "password": "wrong password"}).Wants(400, `{"password":["Неверный пароль"]}`)
	}
	r := d.asks(a.ID, "new@b.kz")
	r.Wants(429, `{"detail":"Слишком много попыток. Попробуйте ещё раз позже"}`)
	if r.Header().Get("Retry-After") == "" || d.Head() != head || len(d.letters.sent) != sent {
		t.Error("wrong passwords left something behind")
	}
	// The same tries count for leaving, and the present e-mail needs none.
	d.leave(a.ID, goodPassword).Wants(429, `{"detail":"Слишком много попыток. Попробуйте ещё раз позже"}`)
	if r := d.change(a.ID, testshop.Fields{"email": "A@b.kz", "last_name": "Ким"}); r.Code != 200 {
		t.Errorf("the present e-mail: %d %s", r.Code, r.Text())
	}
	d.Clock.Advance(15 * time.Minute)
	p := testshop.Read[testshop.Fields](d.asks(a.ID, "new@b.kz"))
	// The page sends back what it was answered, with the e-mail asked for as the e-mail.
	p["email"] = p["email_wanted"]
	if r := d.change(a.ID, p); r.Code != 200 || testshop.Read[identity.Profile](r).EmailWanted == nil {
		t.Errorf("the same again: %d %s", r.Code, r.Text())
	}
}

// A change is over when its day is, by the log and by the link.
func TestAWishForAnotherEmailLastsADay(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.proved("a@b.kz")
	d.asks(a.ID, "new@b.kz")
	link, cancel := d.letters.token(t, "new@b.kz"), d.letters.token(t, "a@b.kz")
	d.Clock.Advance(customer.ChangeFor)
	d.verify(link, a.ID).Wants(400, oldLinkText)
	d.cancel(cancel).Wants(400, oldLinkText)
	sent := len(d.letters.sent)
	if r := d.call((shopapi.Accounts{Accounts: d.accounts}).MailLink, "POST", "/api/auth/profile/email/", a.ID, ""); r.Code != 204 || len(d.letters.sent) != sent {
		t.Errorf("a letter for a wish that is over: %d", r.Code)
	}
	if p := testshop.Read[identity.Profile](d.change(a.ID, testshop.Fields{})); p.EmailWanted != nil {
		t.Errorf("a wish that is over is shown: %s", *p.EmailWanted)
	}
	d.change(a.ID, testshop.Fields{"email": "new@b.kz"}).Wants(400, `{"password":["Заполните поле"]}`)
	d.moved(a.ID, "a@b.kz", "new@b.kz")
}

func TestThePresentEmailCancelsAChange(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.proved("a@b.kz")
	d.asks(a.ID, "new@b.kz")
	link, cancel := d.letters.token(t, "new@b.kz"), d.letters.token(t, "a@b.kz")
	d.cancel("nothing").Wants(400, oldLinkText)
	d.cancel(link).Wants(400, oldLinkText)
	d.takeBack(cancel, "another password").Wants(400, oldLinkText)
	if r := d.cancel(cancel); r.Code != 204 || r.Header().Get("X-Event-Position") == "" {
		t.Errorf("cancel: %d %s", r.Code, r.Text())
	}
	d.cancel(cancel).Wants(400, oldLinkText)
	d.verify(link, a.ID).Wants(400, oldLinkText)
	if types := d.Types(0); types[len(types)-1] != "customer.email-change-cancelled" {
		t.Errorf("the log ends with %v", types)
	}
	// Who is signed in cancels by asking for the present one.
	d.asks(a.ID, "new@b.kz")
	link = d.letters.token(t, "new@b.kz")
	if p := testshop.Read[identity.Profile](d.change(a.ID, testshop.Fields{"email": "a@b.kz"})); p.EmailWanted != nil {
		t.Errorf("a cancelled wish is shown: %s", *p.EmailWanted)
	}
	d.verify(link, a.ID).Wants(400, oldLinkText)
}

// A change is made by somebody who has the new mailbox and is signed in, or gives the password: who has a mailbox alone
// cannot be talked into taking over somebody's account.
func TestAnotherEmailIsAnsweredByTheAccountsOwner(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a, other := d.proved("a@b.kz"), d.registered("other@b.kz")
	d.asks(a.ID, "new@b.kz")
	link := d.letters.token(t, "new@b.kz")
	for _, as := range []domain.ID{uuid.Nil, other.ID} {
		d.verify(link, as).Wants(400, `{"current_password":["Заполните поле"]}`)
		answer := func(password string) testshop.Response {
			return d.call(shopapi.Accounts{Accounts: d.accounts}.Verify, "POST", "/api/auth/email/verify/", as, testshop.Fields{"token": link, "current_password": password})
		}
		answer("wrong password").Wants(400, `{"current_password":["Неверный пароль"]}`)
	}
	// A password to be opens nothing here.
	r := d.call(shopapi.Accounts{Accounts: d.accounts}.Verify, "POST", "/api/auth/email/verify/", uuid.Nil, testshop.Fields{"token": link, "new_password": "new password", "password": "new password"})
	r.Wants(400, `{"current_password":["Заполните поле"]}`)
	r = d.call(shopapi.Accounts{Accounts: d.accounts}.Verify, "POST", "/api/auth/email/verify/", uuid.Nil, testshop.Fields{"token": link, "current_password": goodPassword})
	if r.Code != 204 || d.state(a.ID).Email != "new@b.kz" || !d.counts(a.Access) {
		t.Errorf("with the password: %d %s", r.Code, r.Text())
	}
	if events := d.Types(0); events[len(events)-1] != "customer.email-verified" {
		t.Errorf("the log ends with %v", events)
	}
}

// Who answers the letter of a registration without being signed in has the mailbox, and may not be who registered.
func TestAFirstLetterAnsweredBySomebodyElse(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a, other := d.registered("a@b.kz"), d.registered("other@b.kz")
	d.reset("a@b.kz")
	link, code := "", d.letters.code(t, "a@b.kz")
	for _, l := range d.letters.sent {
		if _, is := l.Content.(identity.LinkLetter); is && l.To == "a@b.kz" {
			link = tokenOf(l.Content)
		}
	}
	claim := func(as domain.ID, password, again string) testshop.Response {
		return d.call(shopapi.Accounts{Accounts: d.accounts}.Verify, "POST", "/api/auth/email/verify/", as, testshop.Fields{"token": link, "new_password": password, "password": again})
	}
	d.verify(link, uuid.Nil).Wants(400, `{"new_password":["Заполните поле"]}`)
	d.verify(link, other.ID).Wants(400, `{"new_password":["Заполните поле"]}`)
	claim(uuid.Nil, "short", "short").Wants(400, `{"new_password":["Пароль: от 8 до 256 символов"]}`)
	claim(uuid.Nil, "new password", "other password").Wants(400, `{"password":["Пароли не совпадают"]}`)
	if s := d.state(a.ID); s.Verified || !d.counts(a.Access) {
		t.Errorf("a refused answer changed something: %+v", s)
	}
	d.asks(a.ID, "attacker@b.kz")
	wanted := d.letters.token(t, "attacker@b.kz")
	if r := claim(uuid.Nil, "new password", "new password"); r.Code != 204 || r.Header().Get("X-Event-Position") == "" {
		t.Fatalf("claim: %d %s", r.Code, r.Text())
	}
	if s := d.state(a.ID); !s.Verified || s.Wanted != "" || s.Email != "a@b.kz" {
		t.Errorf("the account is %+v", s)
	}
	if d.counts(a.Access) || !d.counts(other.Access) || d.signIn("a@b.kz", goodPassword).Code != 401 || d.signIn("a@b.kz", "new password").Code != 200 {
		t.Error("who registered is still in")
	}
	d.verify(wanted, a.ID).Wants(400, oldLinkText)
	claim(uuid.Nil, "third password", "third password").Wants(400, oldLinkText)
	d.choose("a@b.kz", code, "third password").Wants(400, `{"code":["Неверный или устаревший код"]}`)
	if types := d.Types(0); strings.Join(types[len(types)-2:], " ") != "customer.email-verified customer.password-changed" {
		t.Errorf("the log ends with %v", types)
	}
}

func TestAFormerEmailIsTakenBack(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.proved("a@b.kz")
	d.reset("a@b.kz")
	early := d.letters.code(t, "a@b.kz")
	back := d.moved(a.ID, "a@b.kz", "new@b.kz")
	// A code of before the change is one for an e-mail that is no longer the account's.
	d.choose("a@b.kz", early, "early password").Wants(400, `{"code":["Неверный или устаревший код"]}`)

	// Meanwhile nobody else gets the e-mail, and another password does not end the link.
	d.register(registration("a@b.kz")).Wants(400, `{"email":["Пользователь с таким e-mail уже зарегистрирован"]}`)
	other := d.registered("other@b.kz")
	d.asks(other.ID, "a@b.kz").Wants(400, `{"email":["Пользователь с таким e-mail уже зарегистрирован"]}`)
	d.reset("new@b.kz")
	d.choose("new@b.kz", d.letters.code(t, "new@b.kz"), "second password").Wants(200, "{}")
	second := testshop.Read[shopapi.Access](d.signIn("new@b.kz", "second password"))
	if r := d.change(second.ID, testshop.Fields{"email": "third@b.kz", "password": "second password"}); r.Code != 200 {
		t.Fatalf("a third e-mail: %d %s", r.Code, r.Text())
	}
	third := d.letters.token(t, "third@b.kz")

	d.takeBack(back, "short").Wants(400, `{"new_password":["Пароль: от 8 до 256 символов"]}`)
	if r := d.takeBack(back, "third password"); r.Code != 204 || r.Header().Get("X-Event-Position") == "" {
		t.Fatalf("take back: %d %s", r.Code, r.Text())
	}
	if s := d.state(a.ID); s.Email != "a@b.kz" || !s.Verified || s.Wanted != "" || len(s.Formers) != 0 {
		t.Errorf("the account is %+v", s)
	}
	if d.counts(second.Access) || d.signIn("new@b.kz", "second password").Code != 401 || d.signIn("a@b.kz", "third password").Code != 200 {
		t.Error("the account is not its owner's again")
	}
	d.verify(third, a.ID).Wants(400, oldLinkText)
	d.takeBack(back, "fourth password").Wants(400, oldLinkText)
	if types := d.Types(0); strings.Join(types[len(types)-2:], " ") != "customer.email-taken-back customer.password-changed" {
		t.Errorf("the log ends with %v", types)
	}
	// An export tells it.
	if r := d.call((shopapi.Accounts{Accounts: d.accounts}).Export, "GET", "/api/auth/profile/export/", a.ID, ""); !strings.Contains(r.Text(), `"customer.email-taken-back"`) {
		t.Error("the export lacks it")
	}
	// The e-mail of whoever had the account meanwhile is free.
	d.registered("new@b.kz")
}

func TestATakeBackLastsAWeek(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.proved("a@b.kz")
	back := d.moved(a.ID, "a@b.kz", "new@b.kz")
	d.Clock.Advance(customer.TakeBackFor - time.Second)
	if _, err := d.accounts.SignIns.Linked(t.Context(), back, accounts.TakeBack); err != nil {
		t.Error("the link ended early")
	}
	d.Clock.Advance(time.Second)
	d.takeBack(back, "new password").Wants(400, oldLinkText)
	d.registered("a@b.kz")
}

// Of several former e-mails the older one's holder has the last word: whoever moved an account twice cannot take it back
// from its owner.
func TestTheOlderEmailHasTheLastWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		first int
		code  int
	}{{"the older ends the younger", 0, 400}, {"the younger leaves the older", 1, 204}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := openAccounts(t)
			a := d.proved("a@b.kz")
			links := []string{d.moved(a.ID, "a@b.kz", "x@b.kz")}
			d.Clock.Advance(time.Minute)
			links = append(links, d.moved(a.ID, "x@b.kz", "y@b.kz"))
			if r := d.takeBack(links[c.first], "new password"); r.Code != 204 {
				t.Fatalf("first: %d %s", r.Code, r.Text())
			}
			if r := d.takeBack(links[1-c.first], "newer password"); r.Code != c.code {
				t.Errorf("second: %d %s", r.Code, r.Text())
			}
			if s := d.state(a.ID); s.Email != "a@b.kz" {
				t.Errorf("the account is %s's", s.Email)
			}
		})
	}
}

// An e-mail that nobody proved may have been a slip of the hand: whoever has it gets no way into the account.
func TestAnEmailNobodyProvedIsNotTakenBack(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("slip@b.kz")
	if token := d.moved(a.ID, "slip@b.kz", "a@b.kz"); token != "" {
		t.Error("a stranger may take the account")
	}
	if letter, is := d.letters.last(t, "slip@b.kz").(identity.MovedLetter); !is || letter.At.IsZero() {
		t.Error("nobody told of the change")
	}
	d.registered("slip@b.kz")
}

// A password that was changed between the check and the letter ends the wish.
func TestAWishIsOverWhenThePasswordChangesMeanwhile(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	checked, err := d.accounts.SignIns.IsPassword(t.Context(), a.ID, goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	d.asks(a.ID, "new@b.kz")
	state, sent := d.state(a.ID), len(d.letters.sent)
	d.reset("a@b.kz")
	d.choose("a@b.kz", d.letters.code(t, "a@b.kz"), "new password").Wants(200, "{}")
	if err := d.accounts.MailWish(t.Context(), state, checked); err == nil {
		t.Error("a letter was written with an old password")
	}
	if len(d.letters.sent) != sent+1 || d.state(a.ID).Wanted != "" {
		t.Errorf("%d letters more; wanted is %q", len(d.letters.sent)-sent, d.state(a.ID).Wanted)
	}
}

// The accounts' table follows first and the log next: what died in between is made good by the same link.
func TestAChangeThatDiedHalfwayIsFinishedByItsLink(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.proved("a@b.kz")
	d.asks(a.ID, "new@b.kz")
	link := d.letters.token(t, "new@b.kz")
	found, err := d.accounts.SignIns.Linked(t.Context(), link, accounts.Change)
	if err != nil {
		t.Fatal(err)
	}
	broken := *d.accounts
	broken.Handler = commands.New(testshop.CrashingLog{Store: d.Log, Before: true}, commands.Options{Clock: d.Clock.Now})
	if _, err := broken.Move(t.Context(), found, d.state(a.ID), "new@b.kz"); err == nil {
		t.Fatal("the log was written to")
	}
	back := d.letters.token(t, "a@b.kz")
	if r := d.signIn("new@b.kz", goodPassword); r.Code != 200 {
		t.Errorf("the new e-mail: %d", r.Code)
	}
	sent := len(d.letters.sent)
	if r := d.verify(link, a.ID); r.Code != 204 || d.state(a.ID).Email != "new@b.kz" || len(d.letters.sent) != sent {
		t.Errorf("once more: %d %s", r.Code, r.Text())
	}
	if _, err := broken.TakeEmailBack(t.Context(), back, "new password"); err == nil {
		t.Fatal("the log was written to")
	}
	if r := d.takeBack(back, "newer password"); r.Code != 204 || d.state(a.ID).Email != "a@b.kz" || d.signIn("a@b.kz", "newer password").Code != 200 {
		t.Errorf("taken back once more: %d %s", r.Code, r.Text())
	}
}
