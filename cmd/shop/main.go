package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"shop/cmd/shop/cli"
	"shop/cmd/shop/terminal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	world := terminal.World{Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr}
	status := cli.Run(ctx, os.Args[1:], world, serveCommand(world))
	stop()
	os.Exit(status)
}
