package customer

import (
	"strings"
	"time"
	"unicode"

	"shop/domain"
)

// Limits of texts, in characters; an e-mail's in bytes, as RFC 5321 has it.
const (
	maxEmail  = 254
	maxName   = 60
	maxCity   = 100
	maxStreet = 200
	maxHouse  = 30
	maxShort  = 20
)

// Refusals of customer commands.
var (
	ErrUnknown = domain.Refuse("customer/unknown", "Аккаунт не найден")
	ErrExists  = domain.Refuse("customer/exists", "Аккаунт уже создан")
	// ErrErased: the account is being erased or was.
	ErrErased = domain.Refuse("customer/erased", "Аккаунт удалён")

	ErrEmailTaken = domain.Refuse("customer/email-taken", "Пользователь с таким e-mail уже зарегистрирован")
	ErrBadEmail   = domain.Refuse("customer/bad-email", "Email введен неверно")
	// ErrOtherEmail: the letter was sent to an e-mail that is neither the account's nor asked for any more.
	ErrOtherEmail = domain.Refuse("customer/other-email", "Ссылка устарела: запросите новое письмо")

	ErrBadPhone   = domain.Refuse("customer/bad-phone", "Введите номер телефона Казахстана или России, например +7 701 234 56 78")
	ErrBadName    = domain.Refuse("customer/bad-name", "Введите имя буквами")
	ErrBadAddress = domain.Refuse("customer/bad-address", "Адрес слишком длинный")
	ErrNoPhoto    = domain.Refuse("customer/no-photo", "Выберите фотографию")

	ErrNoConsent = domain.Refuse("customer/no-consent", "Нужно согласие на обработку персональных данных")
	// ErrOpenOrders: a customer with open orders cannot be erased.
	ErrOpenOrders = domain.Refuse("customer/open-orders", "Сначала дождитесь завершения заказов или отмените их")
	ErrBadAsker   = domain.Refuse("customer/bad-asker", "An erasure is asked for by customer or staff.")
	// ErrNotRequested: nobody asked for the erasure.
	ErrNotRequested = domain.Refuse("customer/erasure-not-requested", "Ask for the erasure first.")
)

// State is the present state of an account. The zero value was never opened. Personal fields are empty once it is erased.
type State struct {
	ID domain.ID
	// Email signs in; Verified says whether its letter was answered. Wanted is the one asked for instead until
	// WantedUntil, empty: none; see Wish.
	Email       string
	Verified    bool
	Wanted      string
	WantedUntil time.Time
	// Formers are the proved e-mails before Email, oldest first; each may be taken back for TakeBackFor.
	Formers []Former
	Profile Profile
	// PhotoID is zero without a photo.
	PhotoID domain.ID
	// ConsentText is the version of the text agreed to; empty when the consent was withdrawn.
	ConsentText string
	// Language is that of letters; empty is Russian.
	Language string
	// Leaving: the erasure was asked for. Erased: it is done.
	Leaving bool
	Erased  bool
	// Groups are those that staff put the customer into, in order.
	Groups []string
	// ProposedBy is the account of staff that proposed the erasure and waits for a second one; zero: none.
	ProposedBy domain.ID
}

// Exists says whether the account was ever opened.
func (s State) Exists() bool { return s.ID != domain.ID{} }

// Open says whether the account may be used.
func (s State) Open() bool { return s.Exists() && !s.Leaving }

// Wish is the e-mail that is asked for at a time; empty: none.
func (s State) Wish(at time.Time) string {
	if !at.Before(s.WantedUntil) {
		return ""
	}
	return s.Wanted
}

// NormalEmail is the one spelling of an e-mail: trimmed and in small letters.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Decider is a customer's account.
var Decider = domain.Decider[Command, Event, State]{Decide: decide, Evolve: evolve}

func decide(command Command, s State) ([]Event, error) {
	if register, ok := command.(Register); ok {
		return decideRegister(register, s)
	}
	if !s.Exists() {
		return nil, ErrUnknown
	}
	switch c := command.(type) {
	case RequestErasure:
		return decideErasure(c, s)
	case Erase:
		switch {
		case s.Erased:
			return nil, nil
		case !s.Leaving:
			return nil, ErrNotRequested
		}
		return []Event{Erased{ID: s.ID, Report: c.Report, At: c.At}}, nil
	default:
		if s.Leaving {
			return nil, ErrErased
		}
	}
	switch c := command.(type) {
	case Register, RequestErasure, Erase: // decided above
	case ChangeEmail:
		return decideChangeEmail(c, s)
	case CancelEmailChange:
		if s.Wanted == "" {
			return nil, nil
		}
		return []Event{EmailChangeCancelled{ID: s.ID, At: c.At}}, nil
	case VerifyEmail:
		return decideVerifyEmail(c, s)
	case TakeEmailBack:
		return decideTakeEmailBack(c, s)
	case ChangeProfile:
		if refusal := c.Profile.refusal(); refusal != nil {
			return nil, refusal
		}
		if c.Profile == s.Profile {
			return nil, nil
		}
		return []Event{ProfileChanged{ID: s.ID, Profile: c.Profile, At: c.At}}, nil
	case ChangePhoto:
		switch c.PhotoID {
		case domain.ID{}:
			return nil, ErrNoPhoto
		case s.PhotoID:
			return nil, nil
		}
		return []Event{PhotoChanged{ID: s.ID, PhotoID: c.PhotoID, Previous: s.PhotoID, At: c.At}}, nil
	case RemovePhoto:
		if s.PhotoID == (domain.ID{}) {
			return nil, nil
		}
		return []Event{PhotoRemoved{ID: s.ID, Previous: s.PhotoID, At: c.At}}, nil
	case GiveConsent:
		switch c.Text {
		case "":
			return nil, ErrNoConsent
		case s.ConsentText:
			return nil, nil
		}
		return []Event{ConsentGiven{ID: s.ID, Text: c.Text, At: c.At}}, nil
	case WithdrawConsent:
		leave, err := decideErasure(RequestErasure{By: "customer", OpenOrders: c.OpenOrders, At: c.At}, s)
		if err != nil {
			return nil, err
		}
		return append([]Event{ConsentWithdrawn{ID: s.ID, Text: s.ConsentText, At: c.At}}, leave...), nil
	case Note, ProposeErasure, WithdrawErasure, ConfirmErasure:
		return decideDesk(command, s)
	case JoinGroup, LeaveGroup:
		return decideGroups(command, s)
	case NotePasswordChange:
		return []Event{PasswordChanged{ID: s.ID, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func decideRegister(c Register, s State) ([]Event, error) {
	switch {
	case s.Exists():
		return nil, ErrExists
	case !validEmail(c.Email):
		return nil, ErrBadEmail
	case c.EmailTaken:
		return nil, ErrEmailTaken
	case c.ConsentText == "":
		return nil, ErrNoConsent
	}
	if refusal := c.Profile.refusal(); refusal != nil {
		return nil, refusal
	}
	return []Event{Registered{ID: c.ID, Email: c.Email, Profile: c.Profile, ConsentText: c.ConsentText, Language: c.Language, At: c.At}}, nil
}

func decideErasure(c RequestErasure, s State) ([]Event, error) {
	switch {
	case c.By != "customer" && c.By != "staff":
		return nil, ErrBadAsker
	case s.Leaving:
		return nil, nil
	case c.OpenOrders > 0:
		return nil, ErrOpenOrders
	}
	return []Event{ErasureRequested{ID: s.ID, By: c.By, At: c.At}}, nil
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Registered:
		s = State{ID: e.ID, Email: e.Email, Profile: e.Profile, ConsentText: e.ConsentText, Language: e.Language}
	case EmailChangeRequested, EmailChangeCancelled, EmailVerified, EmailTakenBack, PasswordChanged:
		s = evolveEmail(s, event)
	case ProfileChanged:
		s.Profile = e.Profile
	case PhotoChanged:
		s.PhotoID = e.PhotoID
	case PhotoRemoved:
		s.PhotoID = domain.ID{}
	case ConsentGiven:
		s.ConsentText = e.Text
	case ConsentWithdrawn:
		s.ConsentText = ""
	case ErasureProposed:
		s.ProposedBy = e.By
	case ErasureWithdrawn:
		s.ProposedBy = domain.ID{}
	case GroupJoined, GroupLeft:
		s.Groups = evolveGroups(s.Groups, event)
	case Noted, ErasureConfirmed: // read by staff, decide nothing
	case ErasureRequested:
		s.Leaving, s.ProposedBy = true, domain.ID{}
	case Erased:
		// States are kept in memory; an erased one holds nobody's name there either.
		s = State{ID: s.ID, PhotoID: s.PhotoID, Leaving: true, Erased: true}
	}
	return s
}

// refusal is what is wrong with a profile, nil when nothing is. Forms name each field's fault before; this keeps
// what no form let through out of the log.
func (p Profile) refusal() *domain.Refusal {
	for _, name := range []string{p.FirstName, p.LastName} {
		if !domain.TextFits(name, maxName) || !strings.ContainsFunc(name, unicode.IsLetter) {
			return ErrBadName
		}
	}
	if !validPhone(p.Phone) {
		return ErrBadPhone
	}
	if !domain.TextFits(p.City, maxCity) || !domain.TextFits(p.Street, maxStreet) || !domain.TextFits(p.House, maxHouse) ||
		!domain.TextFits(p.Floor, maxShort) || !domain.TextFits(p.Apartment, maxShort) || !domain.TextFits(p.Entrance, maxShort) {
		return ErrBadAddress
	}
	return nil
}

// validEmail: one @ with something before and a domain with a dot after it, in the one spelling.
func validEmail(email string) bool {
	name, host, _ := strings.Cut(email, "@")
	dot := strings.LastIndexByte(host, '.')
	return len(email) <= maxEmail && domain.TextFits(email, maxEmail) && email == NormalEmail(email) &&
		name != "" && dot > 0 && dot < len(host)-1 && !strings.Contains(host, "@") &&
		!strings.ContainsFunc(email, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) })
}

// validPhone: +7 and ten digits.
func validPhone(phone string) bool {
	digits, ok := strings.CutPrefix(phone, "+7")
	return ok && len(digits) == 10 && !strings.ContainsFunc(digits, func(c rune) bool { return c < '0' || c > '9' })
}
