package migrations_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"testing"

	"shop/migrations"
	"shop/migrations/pgtest"
)

// TestServersThatLose: whoever confirms commits that are not on the disk is refused, with the setting that mends it.
func TestServersThatLose(t *testing.T) {
	t.Parallel()
	server := pgtest.Server(t, nil)
	with := func(options string) string {
		address, err := url.Parse(server.URL())
		if err != nil {
			t.Fatal(err)
		}
		query := address.Query()
		query.Set("options", options)
		address.RawQuery = query.Encode()
		return address.String()
	}
	check := func(url string) error { return migrations.CheckSession(t.Context(), connect(t, url)) }
	mustFail(t, check(with("-csynchronous_commit=off")), "synchronous_commit is off", "Set synchronous_commit = on")
	for _, safe := range []string{"local", "remote_write", "on", "remote_apply"} {
		if err := check(with("-csynchronous_commit=" + safe)); err != nil {
			t.Errorf("synchronous_commit = %s: %v", safe, err)
		}
	}
	exec(t, connect(t, server.URL()), "ALTER ROLE shop SET synchronous_commit = off")
	mustFail(t, check(server.URL()), "synchronous_commit is off", "ALTER ROLE")
	exec(t, connect(t, server.URL()), "ALTER ROLE shop SET synchronous_commit = on")

	exec(t, connect(t, server.URL()), "ALTER SYSTEM SET fsync = off")
	exec(t, connect(t, server.URL()), "SELECT pg_reload_conf()")
	conn := connect(t, server.URL())
	for scan[string](t, conn, "SHOW fsync") != "off" {
	}
	mustFail(t, migrations.CheckSession(t.Context(), conn), "fsync is off", "Set fsync = on")
	exec(t, conn, "ALTER SYSTEM SET fsync = on")
	exec(t, conn, "SELECT pg_reload_conf()")
	for scan[string](t, conn, "SHOW fsync") != "on" {
	}
	if err := migrations.CheckSession(t.Context(), conn); err != nil {
		t.Error(err)
	}
}

// TestPoolers: a pooler makes up the process number that it announces, because connections share its processes.
func TestPoolers(t *testing.T) {
	t.Parallel()
	mustFail(t, migrations.Up(t.Context(), pooler(t, pgtest.URL(t))), "a connection pooler stands before PostgreSQL", "name the host and port of PostgreSQL itself")
}

// pooler is the address of something before a database that announces process numbers of its own.
func pooler(t *testing.T, databaseURL string) string {
	t.Helper()
	address, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	behind := query.Get("host") + "/.s.PGSQL." + query.Get("port")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", behind)
			if err != nil {
				client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client); server.Close() }()
			go func() { announceAnother(client, server); client.Close() }()
		}
	}()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	return "postgres://" + query.Get("user") + "@" + listener.Addr().String() + address.Path + "?" + query.Encode()
}

// announceAnother passes on what a server says, with another process number.
func announceAnother(client io.Writer, server io.Reader) {
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(server, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(server, body); err != nil {
			return
		}
		if head[0] == 'K' {
			binary.BigEndian.PutUint32(body, 1<<30)
		}
		if _, err := client.Write(append(head, body...)); err != nil {
			return
		}
	}
}
