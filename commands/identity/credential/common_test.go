package credential

import (
	"errors"
	"slices"
	"testing"
)

func TestGuessablePasswords(t *testing.T) {
	t.Parallel()
	if list := commonList(); len(list) < 10_000 || !slices.IsSorted(list) {
		t.Fatalf("%d passwords, sorted %v", len(list), slices.IsSorted(list))
	}
	own := []string{"aigul.s@mail.example", "Айгуль", "Серикова", "Дала", "hello@dala.example"}
	for password, want := range map[string]error{
		"password": ErrCommon, "PassWord1": ErrCommon, "1234567890": ErrCommon, "ghjcnjghjcnj": ErrCommon,
		"aigul.s@mail.example": ErrOwn, "Aigul.S-1990": ErrOwn, "2024айгуль!": ErrOwn, "СериковаАйгуль": ErrOwn, "Дала2026": ErrOwn, "dala-dala-1": ErrOwn, "дала айгуль": ErrOwn,
		"correct horse battery": nil, "айгуль любит кофе": nil, "83920174655": nil, "dalanews today": nil, "long enough": nil,
	} {
		if got := Guessable(password, own...); !errors.Is(got, want) || (want == nil) != (got == nil) {
			t.Errorf("%q: %v, want %v", password, got, want)
		}
	}
	if err := Guessable("x-y-z-12345", "", "a@b.kz"); err != nil {
		t.Errorf("short own words refuse what they should not: %v", err)
	}
}
