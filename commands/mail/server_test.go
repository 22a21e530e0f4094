package mail

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"
)

// server is a mail server that speaks as much of SMTP as a delivery needs.
type server struct {
	t        *testing.T
	listener net.Listener
	// starttls is offered when it is set; auth are the ways to sign in that are.
	starttls *tls.Config
	auth     string
	// answer is what a command gets in place of the usual; empty: the usual. "DATA." is the end of a message.
	answer func(verb, line string) string

	mu       sync.Mutex
	mails    []delivered
	sessions [][]string
}

// delivered is a message as the server took it.
type delivered struct {
	to   string
	data string
	tls  bool
	user bool
}

func listen(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, listener: l, answer: func(string, string) string { return "" }}
	t.Cleanup(func() { l.Close() })
	return s
}

// start serves until the test ends.
func (s *server) start() *server {
	go func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *server) url(user string) string {
	if user != "" {
		user += "@"
	}
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return "smtp://" + user + "localhost:" + port
}

func (s *server) all() []delivered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]delivered(nil), s.mails...)
}

// said says whether a client sent a command in any session.
func (s *server) said(verb string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		for _, line := range session {
			if strings.HasPrefix(strings.ToUpper(line), verb) {
				return true
			}
		}
	}
	return false
}

func (s *server) serve(conn net.Conn) {
	defer func() { conn.Close() }()
	conn.SetDeadline(time.Now().Add(time.Minute))
	in := bufio.NewReader(conn)
	say := func(line string) { conn.Write([]byte(line + "\r\n")) }
	var now delivered
	s.mu.Lock()
	number := len(s.sessions)
	s.sessions = append(s.sessions, nil)
	s.mu.Unlock()
	say("220 test ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.mu.Lock()
		s.sessions[number] = append(s.sessions[number], line)
		s.mu.Unlock()
		verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
		if answer := s.answer(verb, line); answer != "" {
			say(answer)
			continue
		}
		switch verb {
		case "EHLO":
			offers := []string{"test", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"}
			if s.starttls != nil && !now.tls {
				offers = append(offers, "STARTTLS")
			}
			if s.auth != "" {
				offers = append(offers, "AUTH "+s.auth)
			}
			for i, offer := range offers {
				if i == len(offers)-1 {
					say("250 " + offer)
				} else {
					say("250-" + offer)
				}
			}
		case "STARTTLS":
			say("220 go on")
			secure := tls.Server(conn, s.starttls)
			if secure.Handshake() != nil {
				return
			}
			conn, now.tls = secure, true
			in = bufio.NewReader(conn)
		case "AUTH":
			now.user = true
			say("235 2.7.0 welcome")
		case "MAIL", "RSET", "NOOP":
			say("250 2.0.0 ok")
		case "RCPT":
			_, now.to, _ = strings.Cut(line, ":")
			say("250 2.1.5 ok")
		case "DATA":
			say("354 go on")
			data, err := textproto.NewReader(in).ReadDotBytes()
			if err != nil {
				return
			}
			if answer := s.answer("DATA.", ""); answer != "" {
				say(answer)
				continue
			}
			now.data = string(data)
			s.mu.Lock()
			s.mails = append(s.mails, now)
			s.mu.Unlock()
			say("250 2.0.0 taken")
		case "QUIT":
			say("221 2.0.0 bye")
			return
		default:
			say("502 5.5.1 what?")
		}
	}
}

// certificate is for localhost, with what a client must trust.
func certificate(t *testing.T) (server, trust *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12},
		&tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS12}
}
