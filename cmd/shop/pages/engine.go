package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"modernc.org/quickjs"

	"shop/readapi/endpoint"
)

const (
	// renderWithin ends a render that will not end by itself.
	renderWithin = 2 * time.Second
	// loadWithin bounds loading the storefront, our own script, into an engine: a fraction of a second, and more on a busy machine.
	loadWithin = 30 * time.Second
	// engineMemory is what an engine may take, several times what the largest page needs.
	engineMemory = 256 << 20
	// idleEngine is how long an engine beside the one that is always kept stays open without work: it takes 6 MB and more.
	idleEngine = time.Minute
	// rendersWaiting is how many pages may wait for an engine; more are not rendered.
	rendersWaiting = 64
)

var (
	errNotRendered = errors.New("pages are not rendered")
	// errNarrowed: another filtered or later page of a list is being rendered.
	errNarrowed    = errors.New("a page of its kind is rendered already")
	errEnginesBusy = errors.New("too many pages wait to be rendered")
)

// engines run the storefront's own code, built for the server: some render pages, and one says what a page asks and what
// its head is, so that nobody waits for a render to learn that. A nil *engines renders nothing.
type engines struct {
	script, shop, origin string
	// first takes a render while the engine that is always kept is free, and renders those for whichever is free next: others are
	// opened only for pages that are wanted at the same time.
	first, renders, questions chan Work
	all                       sync.WaitGroup
	close                     func()
}

// Work is a function of the storefront's that an engine is to call, with what it takes. It answers with a text.
type Work struct {
	// Language is spoken before; empty: the function says nothing in any.
	Language, Function string
	Takes              []any
	done               chan<- worked
}

type worked struct {
	text string
	err  error
}

// StartEngines starts so many engines that render for a shop at an origin, and the one for questions; Stop ends them.
func StartEngines(script, shop, origin string, count int) *engines {
	closing := make(chan struct{})
	e := &engines{script: script, shop: shop, origin: origin, first: make(chan Work), renders: make(chan Work, rendersWaiting), questions: make(chan Work),
		close: sync.OnceFunc(func() { close(closing) })}
	e.all.Go(func() { e.work(closing, e.first, e.renders, 0) })
	for range count - 1 {
		e.all.Go(func() { e.work(closing, nil, e.renders, idleEngine) })
	}
	e.all.Go(func() { e.work(closing, nil, e.questions, 0) })
	return e
}

// busy: somebody waits for a page.
func (e *engines) busy() bool { return e != nil && len(e.renders) > 0 }

// Stop ends the engines after what they are doing.
func (e *engines) Stop() {
	if e == nil {
		return
	}
	e.close()
	e.all.Wait()
}

// Render gives the HTML of the page at an address, in a language, from what is given for it as JSON.
func (e *engines) Render(ctx context.Context, language, address, given string) (string, error) {
	if e == nil {
		return "", errNotRendered
	}
	done := make(chan worked, 1)
	w := Work{language, "render", []any{address, given, e.shop}, done}
	select {
	case e.first <- w:
	default:
		select {
		case e.renders <- w:
		default:
			return "", errEnginesBusy
		}
	}
	return waitFor(ctx, done)
}

// asks says what the first paint at an address asks.
func (e *engines) asks(ctx context.Context, address string) (plan, error) {
	return answered[plan](e.question(ctx, Work{Function: "asks", Takes: []any{address}}))
}

// head says what a page says about itself in a language, from what is given for it as JSON.
func (e *engines) head(ctx context.Context, language, address, given string) (outcome, error) {
	return answered[outcome](e.question(ctx, Work{Language: language, Function: "head", Takes: []any{address, given, e.shop, e.origin}}))
}

// visited says where most visits begin, from what is given with the first page.
func (e *engines) visited(ctx context.Context, given string) ([]string, error) {
	return answered[[]string](e.question(ctx, Work{Function: "visited", Takes: []any{given}}))
}

func (e *engines) question(ctx context.Context, w Work) (string, error) {
	if e == nil {
		return "", errNotRendered
	}
	done := make(chan worked, 1)
	w.done = done
	select {
	case e.questions <- w:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	return waitFor(ctx, done)
}

func waitFor(ctx context.Context, done <-chan worked) (string, error) {
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func answered[T any](text string, err error) (T, error) {
	var of T
	if err == nil {
		if err = json.Unmarshal([]byte(text), &of); err != nil {
			err = fmt.Errorf("read what the storefront says: %w", err)
		}
	}
	return of, err
}

// work is an engine's life. A virtual machine belongs to one goroutine; the first work opens it, and so long without any closes it (0:
// nothing does). Works come from either channel.
func (e *engines) work(closing <-chan struct{}, first, works <-chan Work, idleFor time.Duration) {
	var vm *quickjs.VM
	drop := func() {
		if vm != nil {
			discard(vm)
			vm = nil
		}
	}
	defer drop()
	do := func(w Work) {
		var r worked
		if vm == nil {
			vm, r.err = e.open()
		}
		if r.err == nil {
			r.text, r.err = Call(vm, w)
		}
		w.done <- r
		if r.err != nil {
			drop()
		}
	}
	for {
		var idle <-chan time.Time
		if vm != nil && idleFor > 0 {
			idle = time.After(idleFor)
		}
		select {
		case <-closing:
			return
		case w := <-first:
			do(w)
		case w := <-works:
			do(w)
		case <-idle:
			drop()
		}
	}
}

// discard closes a virtual machine. One that broke may not even close; then its memory is left behind.
func discard(vm *quickjs.VM) {
	var broken error
	defer endpoint.OrError(&broken)
	vm.Close()
}

// open starts a virtual machine and loads the storefront into it.
func (e *engines) open() (_ *quickjs.VM, err error) {
	defer endpoint.OrError(&err)
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("start an engine: %w", err)
	}
	vm.SetMemoryLimit(engineMemory)
	if err = vm.SetEvalTimeout(loadWithin); err == nil {
		_, err = vm.Eval(e.script, quickjs.EvalGlobal)
	}
	if err == nil {
		_, err = vm.ExecutePendingJobs() // the pages' modules
	}
	if err == nil {
		err = vm.SetEvalTimeout(renderWithin)
	}
	if err != nil {
		vm.Close()
		return nil, fmt.Errorf("load the storefront into an engine: %w", err)
	}
	return vm, nil
}

// Call has a virtual machine do some work. What breaks it breaks this page and nothing else of the shop.
func Call(vm *quickjs.VM, w Work) (_ string, err error) {
	defer endpoint.OrError(&err)
	if w.Language != "" {
		_, err = vm.Call("speak", w.Language)
		if err == nil {
			_, err = vm.ExecutePendingJobs() // the language's texts
		}
		if err != nil {
			return "", fmt.Errorf("speak %s: %w", w.Language, err)
		}
	}
	said, err := vm.Call(w.Function, w.Takes...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", w.Function, err)
	}
	text, ok := said.(string)
	if !ok {
		return "", fmt.Errorf("%s: got %T", w.Function, said)
	}
	return text, nil
}
