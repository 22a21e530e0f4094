package relay_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"log/slog"

	"github.com/nats-io/nats-server/v2/server"

	"shop/eventstore/relay"
	"shop/eventstore/relay/natstest"
)

// authority makes a certificate authority, its file, and a certificate of it for this machine.
func authority(t *testing.T) (file string, of tls.Certificate) {
	t.Helper()
	certify := func(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if signer == nil {
			signer = key
		}
		made, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		if err != nil {
			t.Fatal(err)
		}
		return made, key
	}
	valid := func(n int64) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(n), Subject: pkix.Name{CommonName: fmt.Sprint("test ", n)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	}
	root := valid(1)
	root.IsCA, root.BasicConstraintsValid, root.KeyUsage = true, true, x509.KeyUsageCertSign
	rootDER, rootKey := certify(root, root, nil)
	leaf := valid(2)
	leaf.IPAddresses, leaf.ExtKeyUsage = []net.IP{net.IPv4(127, 0, 0, 1)}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	leafDER, leafKey := certify(leaf, root, rootKey)
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: rootDER}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: leafKey}
}

// words collects what a log says.
type words struct {
	mu   sync.Mutex
	said strings.Builder
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.Write(b)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.String()
}

// TestForeignCertificatesAreRefused: a server whose certificate another authority signed is not talked to, and the log says so.
func TestForeignCertificatesAreRefused(t *testing.T) {
	t.Parallel()
	ours, certificate := authority(t)
	theirs, _ := authority(t)
	nats := natstest.Start(t, func(o *server.Options) {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
		o.TLS, o.TLSTimeout = true, 5
	})
	at := strings.Replace(nats.URL(), "nats://", "tls://", 1)
	connect := func(ca string, told *words) func() bool {
		t.Helper()
		conn, err := relay.Connect(relay.Address{Servers: at, Name: t.Name(), CA: ca}, slog.New(slog.NewTextHandler(told, nil)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn.IsConnected
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("never: %s", what)
			}
		}
	}
	var told, foreign words
	until("a server with our certificate is connected", connect(ours, &told))
	connected := connect(theirs, &foreign)
	until("the log says why", func() bool { return strings.Contains(foreign.String(), "certificate signed by unknown authority") })
	if connected() {
		t.Error("connected to a server with a foreign certificate")
	}
}
