package pages

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shop/cmd/shop/shoptest"
)

// counted says which of an engine's renders it is.
const counted = `var n = 0; function speak() {} function render() { return String(++n) }`

// TestPagesOneAfterTheOtherAreRenderedByOneEngine: each further engine takes several MB.
func TestPagesOneAfterTheOtherAreRenderedByOneEngine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := StartEngines(counted, "Дала", "https://shop.example", 3)
		defer e.Stop()
		for _, want := range []string{"1", "2", "3", "4", "5"} {
			synctest.Wait()
			if got, err := e.Render(t.Context(), russian, "/", "{}"); err != nil || got != want {
				t.Fatalf("render %s was render %s of its engine, %v", want, got, err)
			}
		}
	})
}

// TestAnEngineFreesWhatAPageTook asks for more than an engine could keep: so often what is given for a page is several times its memory.
func TestAnEngineFreesWhatAPageTook(t *testing.T) {
	t.Parallel()
	products, err := os.ReadFile("../../../readapi/testdata/products.json")
	if err != nil {
		t.Fatal(err)
	}
	var queries []string
	for n := range 8 {
		queries = append(queries, fmt.Sprintf(`[["list",%d],%s]`, n, products))
	}
	given := fmt.Sprintf(`{"position":"1","queries":[%s]}`, strings.Join(queries, ","))
	e := &engines{script: shoptest.ServerScript()}
	vm, err := e.open()
	if err != nil {
		t.Fatal(err)
	}
	defer vm.Close()
	vm.SetMemoryLimit(16 << 20)
	for n := range 400 {
		if _, err := Call(vm, Work{Function: "visited", Takes: []any{given}}); err != nil {
			t.Fatalf("call %d: %v", n, err)
		}
	}
}

func TestAnEngineWithoutWorkIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, closing, works := &engines{script: counted}, make(chan struct{}), make(chan Work)
		e.all.Go(func() { e.work(closing, nil, works, time.Minute) })
		defer e.all.Wait()
		defer close(closing)
		for _, c := range []struct {
			after time.Duration
			want  string
		}{{0, "1"}, {59 * time.Second, "2"}, {59 * time.Second, "3"}, {61 * time.Second, "1"}, {0, "2"}} {
			time.Sleep(c.after)
			done := make(chan worked, 1)
			works <- Work{"", "render", nil, done}
			if got := <-done; got.err != nil || got.text != c.want {
				t.Errorf("after %s: render %s of its engine, want %s, %v", c.after, got.text, c.want, got.err)
			}
		}
	})
}
