package natstest

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"shop/eventstore/relay"
)

// Server is a NATS server with JetStream in a folder, whose data is flushed before it is acknowledged.
type Server struct {
	t       testing.TB
	options server.Options
	running *server.Server
	// member is a server in a process of its own; nil: it runs in this one. stdin ends the process with the test.
	member  *member
	process *exec.Cmd
	stdin   io.Closer
}

// Start runs one server on a free port of this machine. change, when given, changes its options.
func Start(t testing.TB, change ...func(*server.Options)) *Server {
	t.Helper()
	s := &Server{t: t, options: server.Options{
		ServerName: "nats-0", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: t.TempDir(), SyncAlways: true,
	}}
	for _, c := range change {
		c(&s.options)
	}
	s.run()
	t.Cleanup(s.Stop)
	return s
}

func (s *Server) run() {
	s.t.Helper()
	if s.member != nil {
		s.start()
		return
	}
	options := s.options
	running, err := server.NewServer(&options)
	if err != nil {
		s.t.Fatal(err)
	}
	running.Start()
	if !running.ReadyForConnections(20 * time.Second) {
		s.t.Fatal("NATS does not take connections")
	}
	at, err := url.Parse(running.ClientURL())
	if err != nil {
		s.t.Fatal(err)
	}
	s.running = running
	// It comes back at the same port.
	if _, err := fmt.Sscan(at.Port(), &s.options.Port); err != nil {
		s.t.Fatal(err)
	}
}

// URL is where clients find it.
func (s *Server) URL() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.options.Port) }

// Stop ends it; again it does nothing.
func (s *Server) Stop() {
	if s.process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
		_ = s.stdin.Close()
		s.process = nil
	}
	if s.running != nil {
		s.running.Shutdown()
		s.running.WaitForShutdown()
		s.running = nil
	}
}

// Restart brings a stopped one back, at the same address and folder.
func (s *Server) Restart() {
	s.t.Helper()
	s.run()
}

// Cluster runs servers that know each other.
func Cluster(t testing.TB, n int) []*Server {
	t.Helper()
	routes := make([]*url.URL, n)
	ports := make([]int, n)
	for i := range n {
		ports[i] = freePort(t)
		routes[i] = &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", ports[i])}
	}
	servers := make([]*Server, n)
	for i := range n {
		servers[i] = Start(t, func(o *server.Options) {
			o.ServerName = fmt.Sprint("nats-", i)
			o.Cluster = server.ClusterOpts{Name: "shop", Host: "127.0.0.1", Port: ports[i], NoAdvertise: true} // clients go where they are told to
			o.Routes = routes
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !led(servers) {
		select {
		case <-ctx.Done():
			t.Fatal("the cluster of NATS has no leader")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return servers
}

// led says that the cluster has elected who answers, and everybody is there.
func led(servers []*Server) bool {
	leaders := 0
	for _, s := range servers {
		if s.running.JetStreamIsLeader() && len(s.running.JetStreamClusterPeers()) == len(servers) {
			leaders++
		}
	}
	return leaders == 1
}

// Connect is a client's connection that ends with the test.
func (s *Server) Connect() *nats.Conn {
	s.t.Helper()
	return Connect(s.t, s.URL())
}

// Connect is a connection to any of some servers that ends with the test.
func Connect(t testing.TB, servers string) *nats.Conn {
	t.Helper()
	conn, err := relay.Connect(relay.Address{Servers: servers, Name: t.Name()}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for until := time.Now().Add(20 * time.Second); !conn.IsConnected(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("NATS cannot be reached")
		}
	}
	return conn
}

// Forget deletes the folder of a stopped server.
func (s *Server) Forget() {
	s.t.Helper()
	if err := os.RemoveAll(s.options.StoreDir); err != nil {
		s.t.Fatal(err)
	}
}

// Restart brings stopped servers back.
func Restart(servers []*Server) {
	for _, s := range servers {
		s.Restart()
	}
}
