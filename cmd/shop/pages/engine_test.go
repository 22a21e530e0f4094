package pages

import (
	"testing"
	"testing/synctest"
	"time"
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

func TestAnEngineWithoutWorkIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, closing, works := &engines{script: counted}, make(chan struct{}), make(chan Work)
		e.all.Go(func() { e.work(closing, nil, works, engineLife{uses: 4, idle: time.Minute}) })
		defer e.all.Wait()
		defer close(closing)
		for _, c := range []struct {
			after time.Duration
			want  string
		}{{0, "1"}, {59 * time.Second, "2"}, {59 * time.Second, "3"}, {61 * time.Second, "1"}, {0, "2"}, {0, "3"}, {0, "4"}, {0, "1"}} {
			time.Sleep(c.after)
			done := make(chan worked, 1)
			works <- Work{"", "render", nil, done}
			if got := <-done; got.err != nil || got.text != c.want {
				t.Errorf("after %s: render %s of its engine, want %s, %v", c.after, got.text, c.want, got.err)
			}
		}
	})
}
