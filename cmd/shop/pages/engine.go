package pages

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"modernc.org/quickjs"

	"shop/readapi/endpoint"
)

const (
	// rendersPerEngine is when an engine makes way for a new one: its memory grows by some 45 KB a render.
	rendersPerEngine = 200
	// renderWithin ends a render that will not end by itself.
	renderWithin = 2 * time.Second
	// engineMemory is what an engine may take, several times what the largest page needs.
	engineMemory = 256 << 20
	// rendersWaiting is how many pages may wait for an engine; more are not rendered.
	rendersWaiting = 64
)

var (
	errNotRendered = errors.New("pages are not rendered")
	errEnginesBusy = errors.New("too many pages wait to be rendered")
)

// engines render pages: each runs the storefront's own code, built for the server. A nil *engines renders nothing.
type engines struct {
	script, shop string
	asked        chan Rendering
	all          sync.WaitGroup
	close        func()
}

// Rendering is a page that is asked for.
type Rendering struct {
	Language, Address, given string
	done                     chan<- rendered
}

type rendered struct {
	html string
	err  error
}

// StartEngines starts so many engines on a script; stop ends them.
func StartEngines(script, shop string, count int) *engines {
	closing := make(chan struct{})
	e := &engines{script: script, shop: shop, asked: make(chan Rendering, rendersWaiting), close: sync.OnceFunc(func() { close(closing) })}
	for range count {
		e.all.Go(func() { e.work(closing) })
	}
	return e
}

// busy: somebody waits for a page.
func (e *engines) busy() bool { return e != nil && len(e.asked) > 0 }

// Stop ends the engines after what they are rendering.
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
	done := make(chan rendered, 1)
	select {
	case e.asked <- Rendering{language, address, given, done}:
	default:
		return "", errEnginesBusy
	}
	select {
	case r := <-done:
		return r.html, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// work is an engine's life. A virtual machine belongs to one goroutine; the first page asked for opens it.
func (e *engines) work(closing <-chan struct{}) {
	var vm *quickjs.VM
	used := 0
	drop := func() {
		if vm != nil {
			discard(vm)
			vm, used = nil, 0
		}
	}
	defer drop()
	for {
		select {
		case <-closing:
			return
		case page := <-e.asked:
			var r rendered
			if vm == nil {
				vm, r.err = e.open()
			}
			if r.err == nil {
				r.html, r.err = Call(vm, page, e.shop)
				used++
			}
			page.done <- r
			if r.err != nil || used >= rendersPerEngine {
				drop()
			}
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
	vm.SetEvalTimeout(renderWithin)
	if _, err = vm.Eval(e.script, quickjs.EvalGlobal); err == nil {
		_, err = vm.ExecutePendingJobs() // the pages' modules
	}
	if err != nil {
		vm.Close()
		return nil, fmt.Errorf("load the storefront into an engine: %w", err)
	}
	return vm, nil
}

// Call has a virtual machine render a page. What breaks it breaks this page and nothing else of the shop.
func Call(vm *quickjs.VM, page Rendering, shop string) (_ string, err error) {
	defer endpoint.OrError(&err)
	_, err = vm.Call("speak", page.Language)
	if err == nil {
		_, err = vm.ExecutePendingJobs() // the language's texts
	}
	if err != nil {
		return "", fmt.Errorf("speak %s: %w", page.Language, err)
	}
	html, err := vm.Call("render", page.Address, page.given, shop)
	if err != nil {
		return "", fmt.Errorf("render %s: %w", page.Address, err)
	}
	text, ok := html.(string)
	if !ok {
		return "", fmt.Errorf("render %s: got %T", page.Address, html)
	}
	return text, nil
}
