package settings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"shop/domain"
)

// Limits, in characters and entries.
const (
	maxLine     = 200
	maxText     = 2_000
	maxHolidays = 100
)

// Refusals of settings; staff meet them, not shoppers.
var (
	// ErrMoved: somebody else published settings meanwhile.
	ErrMoved    = domain.Refuse("settings/moved", "The settings have changed meanwhile.")
	ErrEmail    = domain.Refuse("settings/email", "An e-mail address is needed, such as hello@shop.example.")
	ErrLine     = domain.Refuse("settings/line", "A line may have 200 characters.")
	ErrMissing  = domain.Refuse("settings/missing", "Must not be empty.")
	ErrText     = domain.Refuse("settings/text", "A text may have 2000 characters.")
	ErrAddress  = domain.Refuse("settings/address", "An address must be a path of the shop's own or begin with https://.")
	ErrWeekdays = domain.Refuse("settings/weekdays", "Days without delivery ascend from 1 (Monday) to 7 (Sunday), at most six of them.")
	ErrHolidays = domain.Refuse("settings/holidays", "A shop may have 100 holidays; each needs a date of its own, ascending, such as 2027-03-22.")
)

// State is the settings in force. Before the first event they are the default ones, as version 0.
type State struct {
	// Version counts publications and withdrawals.
	Version  int64
	Settings Settings
	// Published: the settings are of an event. Else they are the default ones, and the configuration says more.
	Published bool
}

// Decider is the shop's settings.
var Decider = domain.Decider[Command, Event, State]{Initial: State{Settings: Default()}, Decide: decide, Evolve: evolve}

// Default are the settings of a shop that has published none. Contacts and legal data are empty: the configuration has them.
func Default() Settings {
	return Settings{
		OfferVersion: "2026-11",
		NoDelivery:   []int{7},
		Returns: Text{
			RU: "По закону о защите прав потребителей парфюмерия и косметика надлежащего качества возврату и обмену не подлежат.",
			KK: "Тұтынушылар құқығын қорғау туралы заң бойынша тиісті сападағы парфюмерия мен косметика қайтарылмайды және айырбасталмайды.",
		},
	}
}

func decide(command Command, s State) ([]Event, error) {
	switch c := command.(type) {
	case Publish:
		if c.Expected != nil && *c.Expected != s.Version {
			return nil, ErrMoved.With(fmt.Sprintf("The settings are at version %d, the change was made of version %d.", s.Version, *c.Expected))
		}
		if err := c.Settings.Check(); err != nil {
			return nil, err
		}
		if s.Published && s.Settings.Equal(c.Settings) {
			return nil, nil
		}
		return []Event{Changed{Version: s.Version + 1, Settings: c.Settings, At: c.At}}, nil

	case Withdraw:
		if !s.Published {
			return nil, nil
		}
		return []Event{Withdrawn{Version: s.Version + 1, At: c.At}}, nil
	}
	return nil, domain.UnknownCommand(command)
}

func evolve(s State, event Event) State {
	switch e := event.(type) {
	case Changed:
		s = State{Version: e.Version, Settings: e.Settings, Published: true}
	case Withdrawn:
		s = State{Version: e.Version, Settings: Default()}
	}
	return s
}

// Check answers the refusal that forbids these settings, with the field that it is about; nil when they may be used.
func (s Settings) Check() error {
	if local, host, ok := strings.Cut(s.Email, "@"); !ok || local == "" || !strings.Contains(host, ".") || strings.ContainsAny(s.Email, " \t\n<>,") {
		return about("email", ErrEmail)
	}
	for _, l := range []struct {
		field, line string
		needed      bool
	}{
		{"email", s.Email, true}, {"phone", s.Phone, false}, {"hours.ru", s.Hours.RU, false}, {"hours.kk", s.Hours.KK, false},
		{"legal_name", s.LegalName, true}, {"registration_number", s.RegistrationNumber, false},
		{"address.ru", s.Address.RU, true}, {"address.kk", s.Address.KK, false}, {"pickup.ru", s.Pickup.RU, false}, {"pickup.kk", s.Pickup.KK, false},
		{"social_name", s.SocialName, s.SocialURL != ""}, {"offer_version", s.OfferVersion, true},
	} {
		if l.needed && strings.TrimSpace(l.line) == "" {
			return about(l.field, ErrMissing)
		}
		if !domain.TextFits(l.line, maxLine) || strings.ContainsAny(l.line, "\r\n") {
			return about(l.field, ErrLine)
		}
	}
	for _, a := range []struct{ field, address string }{{"social_url", s.SocialURL}, {"privacy_url", s.PrivacyURL}, {"offer_url", s.OfferURL}} {
		if a.address != "" && !domain.PublicAddress(a.address) {
			return about(a.field, ErrAddress)
		}
	}
	for _, t := range []struct{ field, text string }{{"returns.ru", s.Returns.RU}, {"returns.kk", s.Returns.KK}} {
		if !domain.TextFits(t.text, maxText) {
			return about(t.field, ErrText)
		}
	}
	if err := checkMenu("menu", s.Menu); err != nil {
		return err
	}
	if err := checkMenu("footer_menu", s.FooterMenu); err != nil {
		return err
	}
	return s.checkDays()
}

func (s Settings) checkDays() error {
	if len(s.NoDelivery) > 6 || !ascends(s.NoDelivery) || len(s.NoDelivery) > 0 && (s.NoDelivery[0] < 1 || s.NoDelivery[len(s.NoDelivery)-1] > 7) {
		return about("no_delivery", ErrWeekdays)
	}
	if len(s.Holidays) > maxHolidays {
		return about("holidays", ErrHolidays)
	}
	for i, h := range s.Holidays {
		field := fmt.Sprintf("holidays[%d]", i)
		if _, err := time.Parse(time.DateOnly, h.Date); err != nil || i > 0 && h.Date <= s.Holidays[i-1].Date {
			return about(field+".date", ErrHolidays)
		}
		if !domain.TextFits(h.Name.RU, maxLine) || !domain.TextFits(h.Name.KK, maxLine) {
			return about(field+".name", ErrLine)
		}
	}
	return nil
}

func ascends(days []int) bool {
	for i := 1; i < len(days); i++ {
		if days[i] <= days[i-1] {
			return false
		}
	}
	return true
}

// about is a refusal that says which field, by its name in JSON, it is about.
func about(field string, refusal *domain.Refusal) error {
	return refusal.With(field + ": " + refusal.Message)
}

// Equal says whether both say the same; an empty list and none are the same.
func (s Settings) Equal(other Settings) bool {
	return s.Email == other.Email && s.Phone == other.Phone && s.Hours == other.Hours &&
		s.LegalName == other.LegalName && s.RegistrationNumber == other.RegistrationNumber && s.Address == other.Address && s.Pickup == other.Pickup &&
		s.SocialName == other.SocialName && s.SocialURL == other.SocialURL &&
		s.PrivacyURL == other.PrivacyURL && s.OfferURL == other.OfferURL && s.OfferVersion == other.OfferVersion && s.Returns == other.Returns &&
		slices.Equal(s.NoDelivery, other.NoDelivery) && slices.Equal(s.Holidays, other.Holidays) &&
		slices.Equal(s.Menu, other.Menu) && slices.Equal(s.FooterMenu, other.FooterMenu)
}

// DeliveryDate is the promised day, YYYY-MM-DD in Almaty, of an order made at this moment: the same day before an hour, the next
// one from it on, and the first later day on which the shop delivers.
func (s Settings) DeliveryDate(at time.Time, sameDayUntil int) string {
	day := at.In(domain.Almaty)
	if day.Hour() >= sameDayUntil {
		day = day.AddDate(0, 0, 1)
	}
	// One day of the week has delivery, so that all holidays together put it off by so many weeks at most.
	for range 7 * (maxHolidays + 1) {
		if s.delivers(day) {
			break
		}
		day = day.AddDate(0, 0, 1)
	}
	return day.Format(time.DateOnly)
}

func (s Settings) delivers(day time.Time) bool {
	weekday := (int(day.Weekday())+6)%7 + 1
	date := day.Format(time.DateOnly)
	return !slices.Contains(s.NoDelivery, weekday) && !slices.ContainsFunc(s.Holidays, func(h Holiday) bool { return h.Date == date })
}
