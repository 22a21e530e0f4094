package promocode_test

import (
	"testing"

	"shop/domain/promocode"
)

func TestGuessableCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"": true, "SALE50": true, "SUMMERSALE": true, "1234567890": true, "AAAAAAAAA1": true, "K7QX2M9RT": true, "K7QX2M9RTB": false, "k7qx2m9rtb": false, "ВЕСНА7Х2К9М": false,
	} {
		if got := promocode.IsGuessable(code); got != want {
			t.Errorf("%q: %v, want %v", code, got, want)
		}
	}
	for _, c := range []struct {
		terms promocode.Terms
		want  bool
	}{
		{promocode.Terms{Kind: promocode.Percent, Value: 19}, false},
		{promocode.Terms{Kind: promocode.Percent, Value: 20}, true},
		{promocode.Terms{Kind: promocode.Fixed, Value: 4999}, false},
		{promocode.Terms{Kind: promocode.Fixed, Value: 5000}, true},
	} {
		if got := promocode.WorthGuessing(c.terms); got != c.want {
			t.Errorf("%+v: %v, want %v", c.terms, got, c.want)
		}
	}
}
