package domain_test

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"shop/domain"
)

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", -1000: "-1\u00a0000", 1234567: "1\u00a0234\u00a0567"} {
		if got := domain.Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestTenge(t *testing.T) {
	t.Parallel()
	for amount, want := range map[domain.Money]string{
		0: "0\u00a0₸", 7: "7\u00a0₸", 999: "999\u00a0₸", 1_000: "1\u00a0000\u00a0₸", -3_000: "−3\u00a0000\u00a0₸", -100: "−100\u00a0₸",
		1_234_567: "1\u00a0234\u00a0567\u00a0₸", math.MaxInt64: "9\u00a0223\u00a0372\u00a0036\u00a0854\u00a0775\u00a0807\u00a0₸", math.MinInt64: "−9\u00a0223\u00a0372\u00a0036\u00a0854\u00a0775\u00a0808\u00a0₸",
	} {
		if got := domain.Tenge(amount); got != want {
			t.Errorf("Tenge(%d) = %q, want %q", amount, got, want)
		}
	}
}

func TestPercentOfIsRoundedHalfUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sum, percent, want int64 }{
		{0, 5, 0}, {100, 5, 5}, {110, 5, 6}, {109, 5, 5}, {30_010, 5, 1_501}, {math.MaxInt64, 100, math.MaxInt64}, {math.MaxInt64, 0, 0},
	} {
		if got := domain.PercentOf(c.sum, c.percent); got != c.want {
			t.Errorf("%d %% of %d is %d, want %d", c.percent, c.sum, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		sum, percent := rapid.Int64Min(0).Draw(t, "sum"), rapid.Int64Range(0, 100).Draw(t, "percent")
		exact := new(big.Int).Mul(big.NewInt(sum), big.NewInt(percent))
		exact.Add(exact, big.NewInt(50)).Div(exact, big.NewInt(100))
		if got := domain.PercentOf(sum, percent); got != exact.Int64() {
			t.Fatalf("%d %% of %d is %d, want %d", percent, sum, got, exact)
		}
	})
}

func TestPartOfIsRoundedHalfUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sum, part, whole, want int64 }{
		{0, 1, 2, 0}, {100, 0, 7, 0}, {100, 7, 7, 100}, {1, 1, 2, 1}, {1, 1, 3, 0}, {3, 1, 2, 2}, {math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		if got := domain.PartOf(c.sum, c.part, c.whole); got != c.want {
			t.Errorf("%d × %d / %d is %d, want %d", c.sum, c.part, c.whole, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		sum, whole := rapid.Int64Min(0).Draw(t, "sum"), rapid.Int64Min(1).Draw(t, "whole")
		part := rapid.Int64Range(0, whole).Draw(t, "part")
		exact := new(big.Int).Mul(big.NewInt(sum), big.NewInt(part))
		exact.Add(exact.Lsh(exact, 1), big.NewInt(whole)).Div(exact, new(big.Int).Lsh(big.NewInt(whole), 1))
		if got := domain.PartOf(sum, part, whole); got != exact.Int64() {
			t.Fatalf("%d × %d / %d is %d, want %d", sum, part, whole, got, exact)
		}
	})
}

func TestTextFits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": true, "мыло": true, "мыло!": false, "a\x00": false, "\xff": false} {
		if got := domain.TextFits(text, 4); got != want {
			t.Errorf("%q fits: %v", text, got)
		}
	}
	if !domain.Blank(" \n\u00a0") || domain.Blank(" a ") {
		t.Error("blank is what shows nothing")
	}
}

// TestMap compares with Go's map, and every older version with what it was.
func TestMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var m domain.Map[int]
		model := map[string]int{}
		var versions []domain.Map[int]
		var models []map[string]int
		for i := range rapid.IntRange(0, 80).Draw(t, "steps") {
			key := fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "key"))
			if rapid.IntRange(0, 2).Draw(t, "take out") == 0 {
				m = m.Without(key)
				delete(model, key)
			} else {
				m = m.With(key, i)
				model[key] = i
			}
			copied := map[string]int{}
			for k, v := range model {
				copied[k] = v
			}
			versions, models = append(versions, m), append(models, copied)
		}
		for i, version := range versions {
			if made := domain.MapOf(models[i]); !reflect.DeepEqual(made, version) {
				t.Fatalf("version %d made in one go is %v, not %v", i, maps.Collect(made.All()), models[i])
			}
			if version.Len() != len(models[i]) {
				t.Fatalf("version %d has %d keys, want %d", i, version.Len(), len(models[i]))
			}
			for key := range 21 {
				got, known := version.Get(fmt.Sprint(key))
				want, wantKnown := models[i][fmt.Sprint(key)]
				if got != want || known != wantKnown {
					t.Fatalf("version %d, key %d: %d %v, want %d %v", i, key, got, known, want, wantKnown)
				}
			}
		}
	})
}

func TestMapInOrder(t *testing.T) {
	t.Parallel()
	var m domain.Map[int]
	var keys []string
	for i := range 200 {
		m = m.With(fmt.Sprintf("%03d", i*37%200), i*37%200)
		keys = append(keys, fmt.Sprintf("%03d", i))
	}
	var got []string
	for key, value := range m.All() {
		if fmt.Sprintf("%03d", value) != key {
			t.Fatalf("%s has the value %d", key, value)
		}
		got = append(got, key)
	}
	if !slices.Equal(got, keys) {
		t.Errorf("%v", got)
	}
	for stop := range 200 {
		seen := 0
		for key := range m.All() {
			if seen++; key == keys[stop] {
				break
			}
		}
		if seen != stop+1 {
			t.Fatalf("went on after key %d", stop)
		}
	}
	for range (domain.Map[int]{}).All() {
		t.Error("an empty map has a key")
	}
}

// TestMapStaysFlat: keys that come sorted must not make a chain; one that did would copy 5 000 nodes a step.
func TestMapStaysFlat(t *testing.T) {
	var m domain.Map[int]
	for i := range 10_000 {
		m = m.With(fmt.Sprintf("%08d", i), i)
	}
	allocs := testing.AllocsPerRun(1, func() {
		for i := range 100 {
			m.With(fmt.Sprintf("%08d", i*100), 0)
		}
	})
	if perStep := allocs / 100; perStep > 45 {
		t.Errorf("a step copies %.0f nodes of 10000", perStep)
	}
}

func BenchmarkMapOf(b *testing.B) {
	all := map[string]int{}
	for i := range 10_000 {
		all[fmt.Sprint(uint32(i)*2654435761)] = i
	}
	b.Run("in one go", func(b *testing.B) {
		for b.Loop() {
			domain.MapOf(all)
		}
	})
	b.Run("key by key", func(b *testing.B) {
		for b.Loop() {
			var m domain.Map[int]
			for key, value := range all {
				m = m.With(key, value)
			}
		}
	})
}

func TestUnknownCommandNamesIt(t *testing.T) {
	t.Parallel()
	if err := domain.UnknownCommand(struct{}{}); err == nil || err.Error() != "no decision about command struct {}" {
		t.Error(err)
	}
}

func TestCalculationEqual(t *testing.T) {
	t.Parallel()
	full := func() domain.Calculation {
		return domain.Calculation{
			TotalSum: 100, Lines: []domain.PricedLine{{Name: "soap", Total: 100}},
			Explanation: []domain.Step{{Code: "list_prices", Amount: 100}},
		}
	}
	if !full().Equal(full()) {
		t.Error("equal calculations are not")
	}
	if !(domain.Calculation{}).Equal(domain.Calculation{Lines: []domain.PricedLine{}, Explanation: []domain.Step{}}) {
		t.Error("no lines and nil lines differ")
	}
	for name, change := range map[string]func(*domain.Calculation){
		"sum":         func(c *domain.Calculation) { c.TotalSum++ },
		"line":        func(c *domain.Calculation) { c.Lines[0].Total++ },
		"step":        func(c *domain.Calculation) { c.Explanation[0].Note = "why" },
		"reason":      func(c *domain.Calculation) { c.Reason = "empty" },
		"fewer lines": func(c *domain.Calculation) { c.Lines = nil },
	} {
		other := full()
		change(&other)
		if full().Equal(other) {
			t.Errorf("another %s is equal", name)
		}
	}
}
