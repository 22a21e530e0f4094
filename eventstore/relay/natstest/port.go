package natstest

import (
	"log/slog"
	"net"
	"testing"
)

var quiet = slog.New(slog.DiscardHandler)

// freePort is one that nobody listens on now.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
