package relay

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// Address is where NATS is, and how this process proves who it is.
type Address struct {
	// Servers are nats:// or tls:// addresses, separated by commas.
	Servers string
	// Credentials is a file of NATS credentials; empty: what the addresses say.
	Credentials string
	// CA is a file of the certificates that the servers' must be signed by; empty: the system's.
	CA string
	// Name is what this process calls itself.
	Name string
}

// ErrInClear: a server that is not on this machine is to be reached without TLS.
var ErrInClear = errors.New("NATS on another machine needs TLS: write tls://host:port")

// Check answers what is wrong with the addresses. It does not quote them, because they may hold a password.
func (a Address) Check() error {
	for server := range strings.SplitSeq(a.Servers, ",") {
		u, err := url.Parse(strings.TrimSpace(server))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return errors.New("want nats://host:port or tls://host:port, several with commas between them")
		}
		if u.Scheme == "nats" && !loopback(u.Hostname()) {
			return ErrInClear
		}
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// tellAgainAfter is the least pause between two lines about a server that cannot be reached: it is tried four times a second.
const tellAgainAfter = time.Minute

// seldom lets a line through now and then.
type seldom struct{ last atomic.Int64 }

func (s *seldom) may() bool {
	now, last := time.Now().UnixNano(), s.last.Load()
	return (last == 0 || now-last >= int64(tellAgainAfter)) && s.last.CompareAndSwap(last, now)
}

// Connect keeps a connection to NATS. It returns at once, also while no server answers, and goes on trying.
func Connect(a Address, log *slog.Logger) (*nats.Conn, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	told := &seldom{}
	options := []nats.Option{
		nats.Name(a.Name), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(250 * time.Millisecond),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("NATS is away", "error", err)
			}
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if told.may() {
				log.Warn("NATS cannot be reached", "error", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log.Info("NATS is back") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Warn("NATS", "error", err) }),
	}
	// A certificate is demanded of each server that is not on this machine: those that the cluster names later, too.
	if strings.Contains(a.Servers, "tls://") {
		settings := &tls.Config{MinVersion: tls.VersionTLS12}
		if a.CA != "" {
			pem, err := os.ReadFile(a.CA)
			if err != nil {
				return nil, fmt.Errorf("read the certificates of NATS: %w", err)
			}
			settings.RootCAs = x509.NewCertPool()
			if !settings.RootCAs.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("%s holds no certificate", a.CA)
			}
		}
		options = append(options, nats.Secure(settings))
	}
	if a.Credentials != "" {
		options = append(options, nats.UserCredentials(a.Credentials))
	}
	conn, err := nats.Connect(a.Servers, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	return conn, nil
}
