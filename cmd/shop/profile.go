//go:build profile

package main

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// With the build tag "profile" the program writes a profile of its processor time, from its start to the signal that ends it, to
// the file that SHOP_CPU_PROFILE names, for go tool pprof.
func init() {
	path := os.Getenv("SHOP_CPU_PROFILE")
	if path == "" || len(os.Args) < 2 || os.Args[1] != "serve" {
		return
	}
	file, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		panic(err)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ended
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			panic(err)
		}
	}()
}
