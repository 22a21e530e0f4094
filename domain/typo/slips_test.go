package typo

import "testing"

func TestSlips(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]int{{"shampun", "shapmun"}: 1, {"krem", "krem"}: 0, {"", "abc"}: 3, {"dizodorant", "dezodorant"}: 1} {
		if got := Slips(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d slips, want %d", pair, got, want)
		}
	}
}
