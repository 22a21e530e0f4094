package commands_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"shop/commands"
	"shop/commands/testshop"
	"shop/domain/content"
	"shop/eventstore"
	"shop/eventstore/registry"
)

// write adds to a block of content, so often as it is called.
func write(ctx context.Context, h *commands.Handler, busy bool, name string, attempts *atomic.Int64) error {
	block := commands.ContentStream(name)
	_, err := h.Do(ctx, busy, func(u *commands.Unit) error {
		attempts.Add(1)
		if err := u.Load(block); err != nil {
			return err
		}
		return block.Do(u, content.Change{Name: name, Text: block.State(u).Text + "+", At: u.At()})
	})
	return err
}

// TestCommandsOfSeveralProcessesOnOneStreamAllEnd: each process has a store of its own, and few attempts. Every command ends,
// and what it added is there once.
func TestCommandsOfSeveralProcessesOnOneStreamAllEnd(t *testing.T) {
	t.Parallel()
	for _, busy := range []bool{true, false} {
		s := testshop.Open(t)
		var all sync.WaitGroup
		var attempts, quiet atomic.Int64
		const processes, clients, each = 4, 8, 5
		for p := range processes {
			store := eventstore.Open(s.Pool, registry.New(), eventstore.Options{})
			t.Cleanup(store.Close)
			h := commands.New(store, commands.Options{Attempts: 4})
			for range clients {
				all.Go(func() {
					for range each {
						if err := write(t.Context(), h, busy, "hot", &attempts); err != nil {
							t.Errorf("busy %t: %v", busy, err)
						}
					}
				})
			}
			all.Go(func() {
				for range each {
					if err := write(t.Context(), h, busy, fmt.Sprint("own-", p), &quiet); err != nil {
						t.Errorf("busy %t, a stream of its own: %v", busy, err)
					}
				}
			})
		}
		all.Wait()
		state, err := commands.See(t.Context(), s.Handler, commands.ContentStream("hot"))
		testshop.EqualText(t, "added", fmt.Sprint(len(state.Text), " ", err), fmt.Sprint(processes*clients*each, " <nil>"))
		t.Logf("busy %t: %d commands of one stream took %d decisions, %d of others %d",
			busy, processes*clients*each, attempts.Load(), processes*each, quiet.Load())
	}
}

// TestAConflictCostsOnlyThoseItConcerns: of a batch, the commands of a stream that another process moved decide again; the others
// are written at once.
func TestAConflictCostsOnlyThoseItConcerns(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	elsewhere := commands.New(s.Log, commands.Options{})
	log := gated(s)
	var all sync.WaitGroup
	var first, hot, quiet, rival atomic.Int64
	do := func(name string, attempts *atomic.Int64) {
		all.Go(func() {
			if err := write(t.Context(), s.Handler, true, name, attempts); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	do("first", &first)
	testshop.Eventually(t, "the first appended", func() bool { return log.appends.Load() == 1 })
	for range 5 {
		do("hot", &hot)
	}
	for i := range 5 {
		do(fmt.Sprint("quiet-", i), &quiet)
	}
	waiting(t, s.Handler, 10)
	if err := write(t.Context(), elsewhere, false, "hot", &rival); err != nil {
		t.Fatal(err)
	}
	close(log.gate)
	all.Wait()
	testshop.Equal(t, "decisions of who was not concerned", quiet.Load(), 5)
	state, err := commands.See(t.Context(), s.Handler, commands.ContentStream("hot"))
	testshop.EqualText(t, "added", fmt.Sprint(state.Text, " ", err), "++++++ <nil>")
}

// TestWhatABatchOnlyReadIsAsserted: a command goes by what another one of its batch decided about a stream that it does not write
// itself. When the other one is refused, so is it.
func TestWhatABatchOnlyReadIsAsserted(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	elsewhere := commands.New(s.Log, commands.Options{})
	log := gated(s)
	var all sync.WaitGroup
	var attempts, copies atomic.Int64
	all.Go(func() { _ = write(t.Context(), s.Handler, true, "first", &attempts) })
	testshop.Eventually(t, "the first appended", func() bool { return log.appends.Load() == 1 })
	all.Go(func() { _ = write(t.Context(), s.Handler, true, "read", &attempts) })
	waiting(t, s.Handler, 1)
	read, written := commands.ContentStream("read"), commands.ContentStream("copy")
	all.Go(func() {
		_, err := s.Handler.Do(t.Context(), true, func(u *commands.Unit) error {
			if err := u.Load(read, written); err != nil {
				return err
			}
			copies.Add(1)
			return written.Do(u, content.Change{Name: "copy", Text: "of " + read.State(u).Text, At: u.At()})
		})
		if err != nil {
			t.Error(err)
		}
	})
	waiting(t, s.Handler, 2)
	if _, err := (&commands.Content{Handler: elsewhere}).Change(t.Context(), "read", "else", nil); err != nil {
		t.Fatal(err)
	}
	close(log.gate)
	all.Wait()
	state, err := commands.See(t.Context(), s.Handler, written)
	if text := state.Text; err != nil || text != "of else" && text != "of else+" {
		t.Errorf("it went by what never was: %q, %v", text, err)
	}
}

// TestAPanicUnderTheLockIsTheCommands: it reaches the caller, as a refusal does, and leaves nothing locked.
func TestAPanicUnderTheLockIsTheCommands(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	elsewhere := commands.New(s.Log, commands.Options{})
	var rivals atomic.Int64
	ouch := errors.New("ouch")
	block := commands.ContentStream("a")
	run := func(end func()) (recovered any, err error) {
		decided := 0
		defer func() { recovered = recover() }()
		_, err = s.Handler.Do(t.Context(), false, func(u *commands.Unit) error {
			if err := u.Load(block); err != nil {
				return err
			}
			if decided++; decided > 2 {
				end()
				return ouch
			}
			if err := write(t.Context(), elsewhere, false, "a", &rivals); err != nil {
				return err
			}
			return block.Do(u, content.Change{Name: "a", Text: "mine", At: u.At()})
		})
		return nil, err
	}
	if recovered, _ := run(func() { panic("ouch") }); recovered == nil {
		t.Error("the panic was swallowed")
	}
	if _, err := run(func() {}); !errors.Is(err, ouch) {
		t.Errorf("a refusal under the lock: %v", err)
	}
	// And nothing stays locked.
	if err := write(t.Context(), elsewhere, false, "a", &rivals); err != nil {
		t.Error(err)
	}
}
