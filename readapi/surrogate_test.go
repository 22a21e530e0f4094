package readapi

import (
	"fmt"
	"testing"
)

func TestSurrogateKeys(t *testing.T) {
	t.Parallel()
	got := surrogateKeys([]Part{{"stock", "stock-7"}, {"catalog", "product-7"}, {"rules", ""}, {"catalog", "product-7"}})
	if want := "catalog/product-7 rules stock/stock-7"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var many []Part
	for i := range mostKeys + 1 {
		many = append(many, Part{"catalog", fmt.Sprint("product-", i)})
	}
	// All of a model is more than the part that changed: a CDN that purges model and model/name still drops it.
	if got := surrogateKeys(many); got != "catalog" {
		t.Errorf("%q, want the model alone", got)
	}
}

// TestSurrogateKeysOfAnAnswerAreMadeOnce: a kept answer is written for every request.
func TestSurrogateKeysOfAnAnswerAreMadeOnce(t *testing.T) {
	kept := reply(revalidate, nil, Part{"stock", "stock-7"}, Part{"rules", ""})
	if got := kept.surrogateKeys(); got != "rules stock/stock-7" {
		t.Errorf("%q", got)
	}
	if n := testing.AllocsPerRun(10, func() { kept.surrogateKeys() }); n != 0 {
		t.Errorf("written again they take %v allocations", n)
	}
}
