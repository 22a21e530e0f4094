package series_test

import (
	"errors"
	"strings"
	"testing"

	"shop/commands/series"
	"shop/domain/promocode"
)

func TestCodesOfASeriesDifferAndAreNotGuessed(t *testing.T) {
	t.Parallel()
	codes, err := series.Codes(" vesna- ", 200)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, code := range codes {
		if !strings.HasPrefix(code, "VESNA-") || promocode.IsGuessable(strings.TrimPrefix(code, "VESNA-")) || seen[code] {
			t.Errorf("code %s", code)
		}
		seen[code] = true
	}
	for _, bad := range []struct {
		prefix string
		count  int
	}{{"", 0}, {"", series.Longest + 1}, {"a b", 1}, {strings.Repeat("A", 21), 1}} {
		if _, err := series.Codes(bad.prefix, bad.count); !errors.Is(err, series.ErrBadSeries) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
