package commands_test

import (
	"errors"
	"testing"

	"shop/commands"
	"shop/commands/testshop"
	"shop/domain/content"
	"shop/eventstore"
)

// A request that comes again under its key is answered as the first time, whatever made it fail, and adds nothing.
func TestOnceIsOnce(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	type receipt struct{ Text string }
	no := errors.New("no")
	calls := 0
	ask := func(key, request, text string, refuse error) (receipt, eventstore.Position, bool, error) {
		k := eventstore.Key{Scope: "test", Key: key, Request: []byte(request)}
		return commands.Once(t.Context(), s.Handler, k, func() (receipt, eventstore.Position, error) {
			calls++
			block := commands.ContentStream("once")
			position, err := s.Handler.Do(t.Context(), false, func(u *commands.Unit) error {
				if err := u.Load(block); err != nil {
					return err
				}
				if err := block.Do(u, content.Change{Name: "once", Text: text, At: u.At()}); err != nil {
					return err
				}
				if refuse != nil {
					return refuse
				}
				return u.Remember(k, receipt{text})
			})
			return receipt{text}, position, err
		})
	}
	before := s.Head()
	first, position, repeated, err := ask("a", "1", "one", nil)
	if first.Text != "one" || position <= before || repeated || err != nil {
		t.Fatalf("the first: %v at %d, %v %v", first, position, repeated, err)
	}
	for name, refuse := range map[string]error{"the key is used": nil, "what it took is gone": no} {
		again, at, repeated, err := ask("a", "1", "two", refuse)
		if again.Text != "one" || at != 0 || !repeated || err != nil {
			t.Errorf("again, %s: %v at %d, %v %v", name, again, at, repeated, err)
		}
	}
	if _, _, repeated, err := ask("a", "2", "three", nil); !errors.Is(err, commands.ErrKeyTaken) || !repeated {
		t.Errorf("another request under the key: %v %v", repeated, err)
	}
	if _, _, repeated, err := ask("b", "1", "four", no); !errors.Is(err, no) || repeated {
		t.Errorf("a refusal of the first time: %v %v", repeated, err)
	}
	if _, _, repeated, err := ask("", "1", "five", nil); repeated || err != nil {
		t.Errorf("without a key: %v %v", repeated, err)
	}
	if _, at, repeated, err := ask("", "1", "six", nil); repeated || err != nil || at == 0 {
		t.Errorf("without a key, again: at %d, %v %v", at, repeated, err)
	}
	testshop.EqualText(t, "events", s.Types(before), "[content.changed content.changed content.changed]")
	testshop.Equal(t, "calls", calls, 7)
}
