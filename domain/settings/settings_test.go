package settings_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"shop/domain/settings"
	"shop/domain/spec"
)

var noon = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)

// whole are settings that may be published.
func whole(change ...func(*settings.Settings)) settings.Settings {
	s := settings.Default()
	s.Email, s.LegalName, s.Address = "hello@shop.example", "ТОО «Дала»", settings.Text{RU: "Алматы, пр. Достык, 208/5"}
	for _, c := range change {
		c(&s)
	}
	return s
}

func TestPublish(t *testing.T) {
	t.Parallel()
	at := func(version int64) *int64 { return &version }
	first := settings.Changed{Version: 1, Settings: whole(), At: noon}
	other := whole(func(s *settings.Settings) { s.Phone = "+7 701 000 00 00" })
	subject := spec.For(t, settings.Decider)

	subject.When(settings.Publish{Settings: whole(), At: noon}).Then(first)
	subject.When(settings.Publish{Settings: whole(), Expected: at(0), At: noon}).Then(first)
	subject.Given(first).When(settings.Publish{Settings: whole(), At: noon}).Then()
	withdrawn := settings.Withdrawn{Version: 2, At: noon}
	subject.When(settings.Withdraw{At: noon}).Nothing()
	subject.Given(first).When(settings.Withdraw{At: noon}).Then(withdrawn)
	again := subject.Given(first, withdrawn)
	again.When(settings.Withdraw{At: noon}).Nothing()
	again.When(settings.Publish{Settings: whole(), Expected: at(1), At: noon}).Refused(settings.ErrMoved)
	again.When(settings.Publish{Settings: whole(), Expected: at(2), At: noon}).Then(settings.Changed{Version: 3, Settings: whole(), At: noon})
	if s := again.State(); s.Published || !s.Settings.Equal(settings.Default()) {
		t.Errorf("after a withdrawal: %+v", s)
	}
	subject.Given(first).When(settings.Publish{Settings: other, Expected: at(1), At: noon}).Then(settings.Changed{Version: 2, Settings: other, At: noon})
	subject.Given(first).When(settings.Publish{Settings: other, Expected: at(0), At: noon}).Refused(settings.ErrMoved)
}

func TestSettingsThatAreRefused(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*settings.Settings){
		"email": func(s *settings.Settings) { s.Email = "hello" }, "legal_name": func(s *settings.Settings) { s.LegalName = " " },
		"address.ru": func(s *settings.Settings) { s.Address.RU = "" }, "hours.ru": func(s *settings.Settings) { s.Hours.RU = "10\n19" },
		"phone": func(s *settings.Settings) { s.Phone = strings.Repeat("1", 201) }, "social_name": func(s *settings.Settings) { s.SocialURL = "https://a.example" },
		"offer_url": func(s *settings.Settings) { s.OfferURL = "javascript:alert(1)" }, "privacy_url": func(s *settings.Settings) { s.PrivacyURL = "//evil.example" },
		"offer_version": func(s *settings.Settings) { s.OfferVersion = "" }, "returns.kk": func(s *settings.Settings) { s.Returns.KK = strings.Repeat("ә", 2001) },
		"no_delivery":      func(s *settings.Settings) { s.NoDelivery = []int{1, 2, 3, 4, 5, 6, 7} },
		"holidays[0].date": func(s *settings.Settings) { s.Holidays = []settings.Holiday{{Date: "2027-02-30"}} },
		"holidays[1].date": func(s *settings.Settings) {
			s.Holidays = []settings.Holiday{{Date: "2027-03-22"}, {Date: "2027-03-22"}}
		},
		"menu": func(s *settings.Settings) { s.Menu = slices.Repeat(settings.DefaultMenu()[:1], 13) },
		"menu[1].text.ru": func(s *settings.Settings) {
			s.Menu = []settings.MenuEntry{entry("О нас", "/about"), entry(" ", "/news")}
		},
		"menu[0].text.kk": func(s *settings.Settings) {
			s.Menu = []settings.MenuEntry{{settings.Text{RU: "О нас", KK: strings.Repeat("ә", 201)}, "/about"}}
		},
		"menu[0].address":        func(s *settings.Settings) { s.Menu = []settings.MenuEntry{entry("О нас", "javascript:alert(1)")} },
		"footer_menu[0].address": func(s *settings.Settings) { s.FooterMenu = []settings.MenuEntry{entry("О нас", "")} },
		"footer_menu[1].text.ru": func(s *settings.Settings) {
			s.FooterMenu = []settings.MenuEntry{entry("О нас", "/about"), entry("Две\nстроки", "/news")}
		},
	} {
		if err := whole(change).Check(); err == nil || !strings.Contains(err.Error(), ": "+field+": ") {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, days := range [][]int{{0}, {8}, {7, 6}, {6, 6}} {
		if whole(func(s *settings.Settings) { s.NoDelivery = days }).Check() == nil {
			t.Errorf("no delivery on %v is taken", days)
		}
	}
	if err := whole().Check(); err != nil {
		t.Error(err)
	}
}

// TestEqualSeesEveryField: a field that Equal forgets could never be published alone.
func TestEqualSeesEveryField(t *testing.T) {
	t.Parallel()
	for i, change := range []func(*settings.Settings){
		func(s *settings.Settings) { s.Email = "b@shop.example" }, func(s *settings.Settings) { s.Phone = "1" }, func(s *settings.Settings) { s.Hours.KK = "1" },
		func(s *settings.Settings) { s.LegalName = "1" }, func(s *settings.Settings) { s.RegistrationNumber = "1" }, func(s *settings.Settings) { s.Address.KK = "1" },
		func(s *settings.Settings) { s.Pickup.RU = "1" }, func(s *settings.Settings) { s.SocialName = "1" }, func(s *settings.Settings) { s.SocialURL = "/1" },
		func(s *settings.Settings) { s.PrivacyURL = "/1" }, func(s *settings.Settings) { s.OfferURL = "/1" }, func(s *settings.Settings) { s.OfferVersion = "1" },
		func(s *settings.Settings) { s.Returns.RU = "1" }, func(s *settings.Settings) { s.NoDelivery = nil },
		func(s *settings.Settings) { s.Holidays = []settings.Holiday{{Date: "2027-03-22"}} },
		func(s *settings.Settings) { s.Menu = settings.DefaultMenu() }, func(s *settings.Settings) { s.FooterMenu = settings.DefaultMenu() },
	} {
		if whole().Equal(whole(change)) {
			t.Errorf("change %d is not seen", i)
		}
	}
}

func entry(text, address string) settings.MenuEntry {
	return settings.MenuEntry{Text: settings.Text{RU: text}, Address: address}
}

// TestMenusThatAreTheDefaultAreNotKept: settings that nobody changed stay equal although staff were shown the menus in force.
func TestMenusThatAreTheDefaultAreNotKept(t *testing.T) {
	t.Parallel()
	shown := whole().WithMenus()
	if err := shown.Check(); err != nil || len(shown.Menu) != 6 || len(shown.FooterMenu) != 6 || shown.FooterMenu[0].Text.RU != "Все категории" {
		t.Errorf("%v: %+v", err, shown)
	}
	if !shown.WithoutDefaultMenus().Equal(whole()) {
		t.Errorf("%+v", shown.WithoutDefaultMenus())
	}
	shown.Menu = shown.Menu[1:]
	if kept := shown.WithoutDefaultMenus(); len(kept.Menu) != 5 || kept.FooterMenu != nil || len(kept.WithMenus().Menu) != 5 {
		t.Errorf("%+v", kept)
	}
}

func TestHolidaysPutDeliveryOff(t *testing.T) {
	t.Parallel()
	s := whole(func(s *settings.Settings) {
		s.Holidays = []settings.Holiday{{Date: "2026-03-02"}, {Date: "2026-03-03"}}
	})
	if got := s.DeliveryDate(noon.Add(-time.Hour), 12); got != "2026-03-04" {
		t.Errorf("before two holidays: %s", got)
	}
	s.NoDelivery = []int{1, 2, 3, 4, 5, 6}
	for day := time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC); len(s.Holidays) < 100; day = day.AddDate(0, 0, 7) {
		s.Holidays = append(s.Holidays, settings.Holiday{Date: day.Format(time.DateOnly)})
	}
	if got := s.DeliveryDate(noon, 12); got != "2028-01-23" {
		t.Errorf("ninety-eight Sundays later: %s", got)
	}
}

func TestDeliveryDate(t *testing.T) {
	t.Parallel()
	almaty := time.FixedZone("", 5*60*60)
	for at, want := range map[time.Time]string{
		time.Date(2026, 3, 2, 0, 0, 0, 0, almaty):              "2026-03-02", // Monday
		time.Date(2026, 3, 2, 11, 59, 59, 999_999_999, almaty): "2026-03-02",
		time.Date(2026, 3, 2, 12, 0, 0, 0, almaty):             "2026-03-03",
		time.Date(2026, 3, 7, 11, 59, 59, 0, almaty):           "2026-03-07", // Saturday
		time.Date(2026, 3, 7, 12, 0, 0, 0, almaty):             "2026-03-09",
		time.Date(2026, 3, 8, 9, 0, 0, 0, almaty):              "2026-03-09", // Sunday
		time.Date(2026, 3, 8, 15, 0, 0, 0, almaty):             "2026-03-09",
		time.Date(2026, 12, 31, 12, 0, 0, 0, almaty):           "2027-01-01",
		// The hour is Almaty's, wherever the clock that was read stands.
		time.Date(2026, 3, 2, 6, 59, 59, 0, time.UTC): "2026-03-02",
		time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC):   "2026-03-03",
		time.Date(2026, 3, 2, 19, 0, 0, 0, time.UTC):  "2026-03-03",
	} {
		if got := settings.Default().DeliveryDate(at, 12); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
}
