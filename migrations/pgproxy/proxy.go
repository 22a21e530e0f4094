package pgproxy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy forwards connections to a server. Close it.
type Proxy struct {
	listener net.Listener
	working  sync.WaitGroup

	mu      sync.Mutex
	network string
	target  string
	closed  bool
	conns   map[net.Conn]bool
	// open is closed while the proxy forwards.
	open   chan struct{}
	isOpen bool
	idle   func(backend int)
}

// Start makes a proxy of the server that a URL names, on a free port of this machine.
func Start(of string) (*Proxy, error) {
	config, err := pgconn.ParseConfig(of)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	network, target := pgconn.NetworkAddress(config.Host, config.Port)
	p := &Proxy{listener: listener, network: network, target: target, conns: map[net.Conn]bool{}, open: make(chan struct{}), isOpen: true}
	close(p.open)
	p.working.Go(p.accept)
	return p, nil
}

// URL is the address of a database by way of the proxy. The proxy reads what passes, so there is no TLS.
func (p *Proxy) URL(of string) (string, error) {
	u, err := url.Parse(of)
	if err != nil {
		return "", err
	}
	u.Host = p.listener.Addr().String()
	query := u.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// Cut stops forwarding, in both directions and for new connections too. Nobody is told: what is sent waits.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isOpen && !p.closed {
		p.open, p.isOpen = make(chan struct{}), false
	}
}

// Mend forwards again, beginning with what waits.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isOpen {
		close(p.open)
		p.isOpen = true
	}
}

// Turn leads to another server from now on, and ends the connections to the former one.
func (p *Proxy) Turn(to string) error {
	config, err := pgconn.ParseConfig(to)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.network, p.target = pgconn.NetworkAddress(config.Host, config.Port)
	for conn := range p.conns {
		_ = conn.Close()
	}
	return nil
}

// OnIdle calls f whenever the server has answered a client and waits with a transaction open. The client gets the answer
// when f returns. backend is the process of the server, as in pg_stat_activity. nil: nobody is called.
func (p *Proxy) OnIdle(f func(backend int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = f
}

// Close ends all connections.
func (p *Proxy) Close() {
	p.Mend()
	p.mu.Lock()
	p.closed, p.idle = true, nil
	for conn := range p.conns {
		_ = conn.Close()
	}
	p.mu.Unlock()
	_ = p.listener.Close()
	p.working.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.working.Go(func() { p.connect(client) })
	}
}

func (p *Proxy) connect(client net.Conn) {
	defer client.Close()
	p.wait()
	p.mu.Lock()
	network, target := p.network, p.target
	p.mu.Unlock()
	server, err := net.Dial(network, target)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.keep(target, client, server) {
		return
	}
	defer p.drop(client, server)
	var both sync.WaitGroup
	both.Go(func() {
		_ = p.requests(server, client)
		_ = server.Close()
	})
	both.Go(func() {
		_ = p.answers(client, server)
		_ = client.Close()
	})
	both.Wait()
}

// keep notes connections, unless the proxy leads elsewhere by now.
func (p *Proxy) keep(target string, conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.target != target {
		return false
	}
	for _, conn := range conns {
		p.conns[conn] = true
	}
	return true
}

func (p *Proxy) drop(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		delete(p.conns, conn)
	}
}

// wait returns when the proxy forwards.
func (p *Proxy) wait() {
	p.mu.Lock()
	open := p.open
	p.mu.Unlock()
	<-open
}

func (p *Proxy) requests(server io.Writer, client io.Reader) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if n > 0 {
			p.wait()
			if _, err := server.Write(buffer[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// answers forwards message by message: a byte of type, four of length, the rest.
func (p *Proxy) answers(client io.Writer, server net.Conn) error {
	in, out := bufio.NewReader(server), bufio.NewWriter(client)
	backend := 0
	for {
		var head [5]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return err
		}
		length := int64(binary.BigEndian.Uint32(head[1:])) - 4
		if length < 0 {
			return fmt.Errorf("a message of %d bytes", length)
		}
		if head[0] == 'K' { // the process and its secret
			data, err := in.Peek(4)
			if err != nil {
				return err
			}
			backend = int(binary.BigEndian.Uint32(data))
		}
		idle := false
		if head[0] == 'Z' && length == 1 { // ready for a query: I, or T in a transaction
			status, err := in.Peek(1)
			if err != nil {
				return err
			}
			idle = status[0] == 'T'
		}
		p.mu.Lock()
		tell := p.idle
		p.mu.Unlock()
		if idle && tell != nil {
			tell(backend)
		}
		p.wait()
		if _, err := out.Write(head[:]); err != nil {
			return err
		}
		if _, err := io.CopyN(out, in, length); err != nil {
			return err
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}
