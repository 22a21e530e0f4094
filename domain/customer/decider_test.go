package customer_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"shop/domain"
	"shop/domain/customer"
	"shop/domain/spec"
)

const (
	mail  = "anna@example.kz"
	other = "anna@work.kz"
)

var (
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	id   = uuid.UUID{15: 1}
	face = uuid.UUID{15: 8}
	cat  = uuid.UUID{15: 9}
	anna = customer.Profile{FirstName: "Анна", LastName: "Ким", Phone: "+77011234567", City: "Алматы"}

	registered = customer.Registered{ID: id, Email: mail, Profile: anna, ConsentText: "2026-01", At: noon}
	verified   = customer.EmailVerified{ID: id, Email: mail, At: noon}
	wanted     = customer.EmailChangeRequested{ID: id, Email: other, Until: noon.Add(24 * time.Hour), At: noon}
	moved      = customer.EmailVerified{ID: id, Email: other, Previous: mail, At: noon}
	shown      = customer.PhotoChanged{ID: id, PhotoID: face, At: noon}
	leaving    = customer.ErasureRequested{ID: id, By: "customer", At: noon}
	report     = customer.Report{Orders: 3, Reviews: 1, Subscriptions: 2, Files: 4}
	erased     = customer.Erased{ID: id, Report: report, At: noon}
)

// given is an account with this history.
func given(t testing.TB, events ...customer.Event) spec.Subject[customer.Command, customer.Event, customer.State] {
	return spec.For(t, customer.Decider).Given(events...)
}

func register(change ...func(*customer.Register)) customer.Register {
	c := customer.Register{ID: id, Email: mail, Profile: anna, ConsentText: "2026-01", At: noon}
	for _, f := range change {
		f(&c)
	}
	return c
}

func TestRegister(t *testing.T) {
	t.Parallel()
	given(t).When(register()).Then(registered)
	given(t, registered).When(register()).Refused(customer.ErrExists)
	given(t).When(register(func(c *customer.Register) { c.EmailTaken = true })).Refused(customer.ErrEmailTaken)
	given(t).When(register(func(c *customer.Register) { c.ConsentText = "" })).Refused(customer.ErrNoConsent)
	given(t).When(register(func(c *customer.Register) { c.Email = "anna" })).Refused(customer.ErrBadEmail)
	given(t).When(register(func(c *customer.Register) { c.Profile.Phone = "" })).Refused(customer.ErrBadPhone)
	s := given(t, registered).State()
	if !s.Open() || s.Verified || s.Email != mail || s.Profile != anna || s.ConsentText != "2026-01" {
		t.Errorf("%+v", s)
	}
}

func TestEmailsThatAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 245) + "@shop.kz"
	for _, email := range []string{
		"", "anna", "@shop.kz", "anna@", "anna@shop", "anna@.kz", "anna@shop.", "an@na@shop.kz", "an na@shop.kz", "anna@sh\x00op.kz",
		"Anna@shop.kz", " anna@shop.kz", "anna@shop.kz\n", "\xff@shop.kz", long + "aa",
	} {
		given(t).When(register(func(c *customer.Register) { c.Email = email })).Refused(customer.ErrBadEmail)
		given(t, registered).When(customer.ChangeEmail{Email: email}).Refused(customer.ErrBadEmail)
	}
	for _, email := range []string{"a@b.kz", "anna.kim+shop@mail.example.kz", "анна@пример.қаз", long + "a"} {
		given(t).When(register(func(c *customer.Register) { c.Email = email })).
			Then(customer.Registered{ID: id, Email: email, Profile: anna, ConsentText: "2026-01", At: noon})
	}
	if got := customer.NormalEmail(" Anna@Example.KZ\n"); got != mail {
		t.Errorf("normal e-mail %q", got)
	}
}

func TestProfilesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   error
		change func(*customer.Profile)
	}{
		{customer.ErrBadName, func(p *customer.Profile) { p.FirstName = "" }},
		{customer.ErrBadName, func(p *customer.Profile) { p.LastName = " 42 " }},
		{customer.ErrBadName, func(p *customer.Profile) { p.LastName = strings.Repeat("я", 61) }},
		{customer.ErrBadName, func(p *customer.Profile) { p.FirstName = "Анна\x00" }},
		{customer.ErrBadPhone, func(p *customer.Profile) { p.Phone = "" }},
		{customer.ErrBadPhone, func(p *customer.Profile) { p.Phone = "87011234567" }},
		{customer.ErrBadPhone, func(p *customer.Profile) { p.Phone = "+7701123456" }},
		{customer.ErrBadPhone, func(p *customer.Profile) { p.Phone = "+770112345678" }},
		{customer.ErrBadPhone, func(p *customer.Profile) { p.Phone = "+7701123456a" }},
		{customer.ErrBadAddress, func(p *customer.Profile) { p.City = strings.Repeat("я", 101) }},
		{customer.ErrBadAddress, func(p *customer.Profile) { p.Street = strings.Repeat("я", 201) }},
		{customer.ErrBadAddress, func(p *customer.Profile) { p.House = strings.Repeat("я", 31) }},
		{customer.ErrBadAddress, func(p *customer.Profile) { p.Floor = strings.Repeat("я", 21) }},
		{customer.ErrBadAddress, func(p *customer.Profile) { p.Apartment = strings.Repeat("я", 21) }},
		{customer.ErrBadAddress, func(p *customer.Profile) { p.Entrance = "\xff" }},
	} {
		bad := anna
		c.change(&bad)
		given(t, registered).When(customer.ChangeProfile{Profile: bad}).Refused(c.want)
		given(t).When(register(func(r *customer.Register) { r.Profile = bad })).Refused(c.want)
	}
}

func TestChangeProfile(t *testing.T) {
	t.Parallel()
	full := customer.Profile{
		FirstName: strings.Repeat("я", 60), LastName: "Ли", Phone: "+79990000000", City: strings.Repeat("я", 100),
		Street: strings.Repeat("я", 200), House: strings.Repeat("я", 30), Floor: strings.Repeat("1", 20),
		Apartment: strings.Repeat("2", 20), Entrance: strings.Repeat("3", 20),
	}
	changed := customer.ProfileChanged{ID: id, Profile: full, At: noon}
	given(t, registered).When(customer.ChangeProfile{Profile: full, At: noon}).Then(changed)
	given(t, registered).When(customer.ChangeProfile{Profile: anna, At: noon}).Nothing()
	given(t, registered, changed).When(customer.ChangeProfile{Profile: full, At: noon}).Nothing()
	// Goods can be ordered without an address in the account.
	bare := customer.Profile{FirstName: "Анна", LastName: "Ким", Phone: "+77011234567"}
	given(t, registered).When(customer.ChangeProfile{Profile: bare, At: noon}).Then(customer.ProfileChanged{ID: id, Profile: bare, At: noon})
}

func TestVerifyEmail(t *testing.T) {
	t.Parallel()
	verify := customer.VerifyEmail{Email: mail, At: noon}
	given(t, registered).When(verify).Then(verified)
	given(t, registered, verified).When(verify).Nothing()
	given(t, registered).When(customer.VerifyEmail{Email: other}).Refused(customer.ErrOtherEmail)
	given(t, registered).When(customer.VerifyEmail{}).Refused(customer.ErrOtherEmail)
	if !given(t, registered, verified).State().Verified {
		t.Error("a verified e-mail is not")
	}
}

func TestAnotherEmailCountsOnceItsLetterIsAnswered(t *testing.T) {
	t.Parallel()
	change := customer.ChangeEmail{Email: other, At: noon}
	account := given(t, registered, verified)
	account.When(change).Then(wanted)
	account.When(customer.ChangeEmail{Email: mail, At: noon}).Nothing()
	account.When(customer.ChangeEmail{Email: mail, EmailTaken: true, At: noon}).Nothing() // by this very account
	account.When(customer.ChangeEmail{Email: other, EmailTaken: true}).Refused(customer.ErrEmailTaken)

	asked := account.Given(wanted)
	asked.When(change).Nothing()
	if s := asked.State(); s.Email != mail || !s.Verified || s.Wanted != other {
		t.Errorf("%+v", s)
	}
	answer := customer.VerifyEmail{Email: other, At: noon}
	asked.When(answer).Then(moved)
	asked.When(customer.VerifyEmail{Email: other, EmailTaken: true}).Refused(customer.ErrEmailTaken)
	asked.When(customer.VerifyEmail{Email: mail, At: noon}).Nothing()
	// The one that was never verified may still be.
	given(t, registered, wanted).When(customer.VerifyEmail{Email: mail, At: noon}).Then(verified)
	if s := given(t, registered, wanted, verified).State(); s.Wanted != other {
		t.Errorf("verifying the old e-mail took the wish away: %+v", s)
	}

	done := asked.Given(moved)
	if s := done.State(); s.Email != other || !s.Verified || s.Wanted != "" {
		t.Errorf("%+v", s)
	}
	done.When(answer).Nothing()
	done.When(customer.VerifyEmail{Email: mail}).Refused(customer.ErrOtherEmail)

	// A second wish voids the first one's letter, the present e-mail cancels any wish.
	third := customer.EmailChangeRequested{ID: id, Email: "third@example.kz", Until: noon.Add(24 * time.Hour), At: noon}
	asked.When(customer.ChangeEmail{Email: "third@example.kz", At: noon}).Then(third)
	asked.Given(third).When(answer).Refused(customer.ErrOtherEmail)
	cancelled := customer.EmailChangeCancelled{ID: id, At: noon}
	asked.When(customer.ChangeEmail{Email: mail, At: noon}).Then(cancelled)
	asked.When(customer.CancelEmailChange{At: noon}).Then(cancelled)
	account.When(customer.CancelEmailChange{At: noon}).Nothing()
	// Older logs cancel by a request for the present e-mail.
	for _, back := range []customer.Event{cancelled, customer.EmailChangeRequested{ID: id, Email: mail, At: noon}} {
		asked.Given(back).When(answer).Refused(customer.ErrOtherEmail)
		asked.Given(back).When(customer.VerifyEmail{Email: mail, At: noon}).Nothing()
		asked.Given(back).When(change).Then(wanted)
	}
	// The account signs in with the answered one already: the log follows, whatever was asked for since.
	asked.Given(third).When(customer.VerifyEmail{Email: other, Moved: true, At: noon}).Then(moved)
	asked.Given(third, moved).When(customer.VerifyEmail{Email: other, Moved: true, At: noon}).Nothing()
}

func TestAWishForAnotherEmailEnds(t *testing.T) {
	t.Parallel()
	asked := given(t, registered, verified, wanted)
	answer := func(after time.Duration) customer.VerifyEmail {
		return customer.VerifyEmail{Email: other, At: noon.Add(after)}
	}
	asked.When(answer(customer.ChangeFor - 1)).Then(customer.EmailVerified{ID: id, Email: other, Previous: mail, At: noon.Add(customer.ChangeFor - 1)})
	asked.When(answer(customer.ChangeFor)).Refused(customer.ErrOtherEmail)
	if s := asked.State(); s.Wish(noon) != other || s.Wish(noon.Add(customer.ChangeFor)) != "" {
		t.Errorf("%+v", s)
	}
	// It may be asked for again.
	late := noon.Add(customer.ChangeFor)
	asked.When(customer.ChangeEmail{Email: other, At: late}).Then(customer.EmailChangeRequested{ID: id, Email: other, Until: late.Add(customer.ChangeFor), At: late})
	// Another password ends it.
	asked.Given(customer.PasswordChanged{ID: id, At: noon}).When(answer(0)).Refused(customer.ErrOtherEmail)
	// So does the schema that asked for no password.
	given(t, registered, verified, customer.EmailChangeRequested{ID: id, Email: other, At: noon}).When(answer(0)).Refused(customer.ErrOtherEmail)
}

func TestAFormerEmailIsTakenBack(t *testing.T) {
	t.Parallel()
	done := given(t, registered, verified, wanted, moved)
	back := customer.TakeEmailBack{Email: mail, At: noon}
	taken := customer.EmailTakenBack{ID: id, Email: mail, Previous: other, At: noon}
	done.When(back).Then(taken)
	done.Given(taken).When(back).Nothing()
	done.When(customer.TakeEmailBack{Email: mail, At: noon.Add(customer.TakeBackFor)}).Refused(customer.ErrOtherEmail)
	done.When(customer.TakeEmailBack{Email: "third@example.kz", At: noon}).Refused(customer.ErrOtherEmail)
	done.When(customer.TakeEmailBack{At: noon}).Refused(customer.ErrOtherEmail)
	// A password that was changed since does not end it.
	done.Given(customer.PasswordChanged{ID: id, At: noon}).When(back).Then(taken)
	// An e-mail that nobody proved has nothing to take back: it may have been a slip of the hand.
	given(t, registered, wanted, moved).When(back).Refused(customer.ErrOtherEmail)

	// Of several former e-mails the older ends the younger, and not the other way round.
	third := customer.EmailVerified{ID: id, Email: "third@example.kz", Previous: other, At: noon}
	twice := done.Given(third)
	younger := customer.EmailTakenBack{ID: id, Email: other, Previous: "third@example.kz", At: noon}
	older := customer.EmailTakenBack{ID: id, Email: mail, Previous: "third@example.kz", At: noon}
	twice.When(customer.TakeEmailBack{Email: other, At: noon}).Then(younger)
	twice.Given(younger).When(back).Then(taken)
	twice.When(back).Then(older)
	twice.Given(older).When(customer.TakeEmailBack{Email: other, At: noon}).Refused(customer.ErrOtherEmail)
	if s := twice.Given(older, wanted, taken).State(); s.Email != mail || !s.Verified || s.Wanted != "" {
		t.Errorf("%+v", s)
	}
}

func TestPhoto(t *testing.T) {
	t.Parallel()
	given(t, registered).When(customer.ChangePhoto{PhotoID: face, At: noon}).Then(shown)
	given(t, registered).When(customer.ChangePhoto{}).Refused(customer.ErrNoPhoto)
	given(t, registered).When(customer.RemovePhoto{At: noon}).Nothing()
	given(t, registered, shown).When(customer.ChangePhoto{PhotoID: face, At: noon}).Nothing()
	given(t, registered, shown).When(customer.ChangePhoto{PhotoID: cat, At: noon}).
		Then(customer.PhotoChanged{ID: id, PhotoID: cat, Previous: face, At: noon})
	removed := customer.PhotoRemoved{ID: id, Previous: face, At: noon}
	given(t, registered, shown).When(customer.RemovePhoto{At: noon}).Then(removed)
	given(t, registered, shown, removed).When(customer.RemovePhoto{At: noon}).Nothing()
	given(t, registered, shown, removed).When(customer.ChangePhoto{PhotoID: face, At: noon}).Then(shown)
}

func TestConsent(t *testing.T) {
	t.Parallel()
	newer := customer.ConsentGiven{ID: id, Text: "2026-03", At: noon}
	given(t, registered).When(customer.GiveConsent{Text: "2026-03", At: noon}).Then(newer)
	given(t, registered).When(customer.GiveConsent{Text: "2026-01", At: noon}).Nothing()
	given(t, registered, newer).When(customer.GiveConsent{Text: "2026-03", At: noon}).Nothing()
	given(t, registered).When(customer.GiveConsent{}).Refused(customer.ErrNoConsent)

	withdrawn := customer.ConsentWithdrawn{ID: id, Text: "2026-03", At: noon}
	given(t, registered, newer).When(customer.WithdrawConsent{At: noon}).Then(withdrawn, leaving)
	given(t, registered, newer).When(customer.WithdrawConsent{OpenOrders: 1}).Refused(customer.ErrOpenOrders)
	if s := given(t, registered, newer, withdrawn, leaving).State(); s.ConsentText != "" || s.Open() {
		t.Errorf("%+v", s)
	}
}

func TestPasswordChangeIsNotedEachTime(t *testing.T) {
	t.Parallel()
	changed := customer.PasswordChanged{ID: id, At: noon}
	given(t, registered).When(customer.NotePasswordChange{At: noon}).Then(changed)
	given(t, registered, changed).When(customer.NotePasswordChange{At: noon}).Then(changed)
}

func TestErasure(t *testing.T) {
	t.Parallel()
	given(t, registered).When(customer.RequestErasure{By: "customer", At: noon}).Then(leaving)
	given(t, registered).When(customer.RequestErasure{By: "staff", At: noon}).
		Then(customer.ErasureRequested{ID: id, By: "staff", At: noon})
	given(t, registered).When(customer.RequestErasure{By: "neighbour"}).Refused(customer.ErrBadAsker)
	given(t, registered).When(customer.RequestErasure{By: "customer", OpenOrders: 1}).Refused(customer.ErrOpenOrders)
	given(t, registered).When(customer.Erase{Report: report}).Refused(customer.ErrNotRequested)
	given(t, registered, leaving).When(customer.RequestErasure{By: "staff", OpenOrders: 1}).Nothing()
	given(t, registered, leaving).When(customer.Erase{Report: report, At: noon}).Then(erased)
	given(t, registered, leaving, erased).When(customer.Erase{At: noon}).Nothing()
	given(t, registered, leaving, erased).When(customer.RequestErasure{By: "customer", At: noon}).Nothing()
	if s := given(t, registered, leaving).State(); s.Open() || s.Erased || !s.Exists() {
		t.Errorf("%+v", s)
	}
	// What is kept in memory of somebody erased says nothing of them.
	want := customer.State{ID: id, Leaving: true, Erased: true}
	if s := given(t, registered, verified, wanted, leaving, erased).State(); !reflect.DeepEqual(s, want) || s.Open() {
		t.Errorf("%+v", s)
	}
}

var everyChange = []customer.Command{
	customer.ChangeEmail{Email: other}, customer.VerifyEmail{Email: mail}, customer.ChangeProfile{Profile: anna},
	customer.CancelEmailChange{}, customer.TakeEmailBack{Email: mail},
	customer.ChangePhoto{PhotoID: face}, customer.RemovePhoto{}, customer.GiveConsent{Text: "2026-03"}, customer.WithdrawConsent{},
	customer.NotePasswordChange{},
}

func TestAnAccountThatIsNotOpenStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, c := range everyChange {
		given(t).When(c).Refused(customer.ErrUnknown)
		given(t, registered, leaving).When(c).Refused(customer.ErrErased)
		given(t, registered, leaving, erased).When(c).Refused(customer.ErrErased)
	}
	given(t).When(customer.RequestErasure{By: "customer"}).Refused(customer.ErrUnknown)
	given(t).When(customer.Erase{}).Refused(customer.ErrUnknown)
	given(t, registered, leaving, erased).When(register()).Refused(customer.ErrExists)
}

// TestWithoutItsKeyAnAccountIsStillErased: the log reads sealed fields as empty once the key is gone.
func TestWithoutItsKeyAnAccountIsStillErased(t *testing.T) {
	t.Parallel()
	blank := given(t, customer.Registered{ID: id, ConsentText: "2026-01"}, customer.EmailChangeRequested{ID: id}, customer.EmailVerified{ID: id}, leaving)
	blank.When(customer.Erase{Report: report, At: noon}).Then(erased)
	for _, c := range everyChange {
		blank.When(c).Refused(customer.ErrErased)
	}
	given(t, customer.Registered{ID: id}).When(customer.VerifyEmail{}).Refused(customer.ErrOtherEmail)
}

// TestOnlyAnAnsweredLetterChangesTheEmail throws e-mail commands at an account.
func TestOnlyAnAnsweredLetterChangesTheEmail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		state := customer.Decider.Fold(customer.State{}, customer.Event(registered))
		emails := []string{mail, other, "third@example.kz"}
		wish := ""
		for range rapid.IntRange(1, 20).Draw(t, "commands") {
			email, taken := rapid.SampledFrom(emails).Draw(t, "email"), rapid.Bool().Draw(t, "taken")
			var command customer.Command = customer.ChangeEmail{Email: email, EmailTaken: taken}
			verify := rapid.Bool().Draw(t, "verify")
			if verify {
				command = customer.VerifyEmail{Email: email, EmailTaken: taken}
			}
			before := state
			events, err := customer.Decider.Decide(command, state)
			state = customer.Decider.Fold(state, events...)
			if state.Email != before.Email && (!verify || taken || email != wish || state.Email != email || !state.Verified) {
				t.Fatalf("%#v led from %q to %q", command, before.Email, state.Email)
			}
			if !verify && err == nil {
				wish = email
			}
			if again, err := customer.Decider.Decide(command, state); len(again) > 0 && err == nil {
				t.Fatalf("%#v adds again %#v", command, again)
			}
		}
	})
}

func TestPersonalFieldsAreTheCustomers(t *testing.T) {
	t.Parallel()
	for _, e := range []domain.HasPersonal{registered, wanted, moved, customer.EmailTakenBack{ID: id}, customer.ProfileChanged{ID: id}} {
		if e.Personal().Person != id {
			t.Errorf("%s is sealed under another key", e.EventType())
		}
	}
}
