package settingsfile_test

import (
	"slices"
	"strings"
	"testing"

	"shop/commands/importer/settingsfile"
	"shop/domain/settings"
)

func TestRead(t *testing.T) {
	t.Parallel()
	now := settings.Default()
	now.Hours = settings.Text{RU: "с 10 до 19", KK: "10-нан 19-ға дейін"}
	now.Holidays = []settings.Holiday{{Date: "2027-01-01", Name: settings.Text{RU: "Новый год", KK: "Жаңа жыл"}}, {Date: "2027-03-08"}}
	file, err := settingsfile.Read([]byte("version: 3\nphone: '+7 701'\nhours:\n  ru: круглосуточно\nno_delivery: []\nholidays:\n- date: '2027-03-22'\n"), now)
	if err != nil {
		t.Fatal(err)
	}
	if *file.Version != 3 || file.Phone != "+7 701" || file.Hours != (settings.Text{RU: "круглосуточно", KK: "10-нан 19-ға дейін"}) || len(file.NoDelivery) != 0 ||
		!slices.Equal(file.Holidays, []settings.Holiday{{Date: "2027-03-22"}}) || file.OfferVersion != now.OfferVersion {
		t.Errorf("%+v", file)
	}
	if same, err := settingsfile.Read([]byte(`{}`), now); err != nil || !same.Equal(now) || same.Version != nil {
		t.Errorf("nothing given: %+v, %v", same, err)
	}
	for text, want := range map[string]string{
		"phone: 5": "phone: must be no number", "colour: red": `unknown field "colour"`, "- 1": "want fields", "holidays: 5": "holidays: must be no number", "hours: x": "hours: must be no string",
	} {
		if _, err := settingsfile.Read([]byte(text), now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
