//go:build profile

package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"syscall"
)

// With the build tag "profile" each SIGUSR1 writes a profile of the heap to a file of its own, SHOP_HEAP_PROFILE with a number
// behind it, and says beside it what Go's runtime holds.
func init() {
	path := os.Getenv("SHOP_HEAP_PROFILE")
	if path == "" || len(os.Args) < 2 || os.Args[1] != "serve" {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for n := 1; ; n++ {
			<-asked
			runtime.GC() // what is dead is not what the profile looks for
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			file, err := os.Create(fmt.Sprintf("%s.%d", path, n))
			if err != nil {
				panic(err)
			}
			if err := pprof.WriteHeapProfile(file); err != nil {
				panic(err)
			}
			if err := file.Close(); err != nil {
				panic(err)
			}
			fmt.Fprintf(os.Stderr, "heap: %d MB in use, %d idle, %d released, %d of stacks, %d of the runtime, next collection at %d; %d goroutines\n",
				m.HeapInuse>>20, m.HeapIdle>>20, m.HeapReleased>>20, m.StackInuse>>20, (m.MSpanSys+m.MCacheSys+m.BuckHashSys+m.GCSys+m.OtherSys)>>20, m.NextGC>>20, runtime.NumGoroutine())
		}
	}()
}
