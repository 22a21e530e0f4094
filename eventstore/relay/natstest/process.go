package natstest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// asServer holds, in the environment of a process that is a server of NATS, what it needs to know.
const asServer = "SHOP_TEST_NATS"

// member is a server of a cluster in a process of its own.
type member struct {
	Name, Dir     string
	Port, Cluster int
	Routes        []string
}

// Main is for TestMain, before anything else: where this process is to be a server of NATS, it is one until its test ends.
func Main() {
	text := os.Getenv(asServer)
	if text == "" {
		return
	}
	var m member
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		panic(err)
	}
	running, err := server.NewServer(m.options())
	if err != nil {
		panic(err)
	}
	running.Start()
	_, _ = io.Copy(io.Discard, os.Stdin) // it ends with the test
	os.Exit(0)
}

func (m member) options() *server.Options {
	o := &server.Options{
		ServerName: m.Name, Host: "127.0.0.1", Port: m.Port, NoSigs: true, NoLog: true, JetStream: true, StoreDir: m.Dir, SyncAlways: true,
		Cluster: server.ClusterOpts{Name: "shop", Host: "127.0.0.1", Port: m.Cluster, NoAdvertise: true}, // clients go where they are told to
	}
	for _, route := range m.Routes {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: route})
	}
	return o
}

// Processes is Cluster with a process of its own for each server: Stop is a kill -9. TestMain must call Main.
func Processes(t testing.TB, n int) []*Server {
	t.Helper()
	members, servers := make([]*member, n), make([]*Server, n)
	var routes, at []string
	for i := range n {
		members[i] = &member{Name: fmt.Sprint("nats-", i), Dir: t.TempDir(), Port: freePort(t), Cluster: freePort(t)}
		routes = append(routes, fmt.Sprintf("127.0.0.1:%d", members[i].Cluster))
	}
	for i, m := range members {
		m.Routes = routes
		servers[i] = &Server{t: t, options: server.Options{StoreDir: m.Dir, Port: m.Port}, member: m}
		servers[i].run()
		t.Cleanup(servers[i].Stop)
		at = append(at, servers[i].URL())
	}
	js, err := jetstream.New(Connect(t, strings.Join(at, ",")))
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		asking, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := js.AccountInfo(asking) // a cluster without a leader does not answer
		cancel()
		if err == nil {
			return servers
		}
		if time.Now().After(until) {
			t.Fatal("the cluster of NATS has no leader: ", err)
		}
	}
}

// start starts the process of a member, and returns when it takes connections.
func (s *Server) start() {
	s.t.Helper()
	text, err := json.Marshal(s.member)
	if err != nil {
		s.t.Fatal(err)
	}
	s.process = exec.Command(os.Args[0])
	s.process.Env = append(os.Environ(), asServer+"="+string(text))
	if s.stdin, err = s.process.StdinPipe(); err != nil {
		s.t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.member.Port))
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(until) {
			s.t.Fatal("NATS does not take connections: ", err)
		}
	}
}

// Signal sends a signal to a server in a process of its own.
func (s *Server) Signal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}
