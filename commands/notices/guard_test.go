package notices

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestTargetsAreHTTPSAndPublic(t *testing.T) {
	t.Parallel()
	g := &Guard{}
	for address, ok := range map[string]bool{
		"https://hooks.example/x": true, "https://8.8.8.8/x": true, "https://hooks.example:8443/": true,
		"http://hooks.example/": false, "ftp://hooks.example/": false, "https://": false, "": false, "hooks.example": false, "https://a:b@hooks.example/": false,
		"https://localhost/": false, "https://LOCALHOST./": false, "https://app.localhost/": false, "https://router/": false, "https://nas.local/": false, "https://db.internal/": false,
		"https://127.0.0.1/": false, "https://10.1.2.3/": false, "https://169.254.169.254/latest": false, "https://[::1]/": false, "https://[::ffff:10.0.0.1]/": false,
		"https://192.168.1.1/": false, "https://100.64.0.1/": false, "https://0.0.0.0/": false, "https://[fd00::1]/": false, "https://[64:ff9b::a00:1]/": false, "https://[2002:a00:1::]/": false, "https://224.0.0.1/": false,
	} {
		if wrong := g.Check(address); (wrong == "") != ok {
			t.Errorf("%s: %s", address, wrong)
		}
	}
	private := &Guard{Private: true}
	if private.Check("http://127.0.0.1:1/x") != "" || private.Check("file:///x") == "" {
		t.Error("the setting for a private network")
	}
}

// TestANameOfAPrivateAddressIsNotDialled: what a name resolves to is looked at, whatever the name looks like.
func TestANameOfAPrivateAddressIsNotDialled(t *testing.T) {
	t.Parallel()
	reached := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, addrs := range [][]netip.Addr{{netip.MustParseAddr("127.0.0.1")}, {netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("127.0.0.1")}, {netip.MustParseAddr("::ffff:127.0.0.1")}} {
		g := &Guard{
			Resolve: func(context.Context, string) ([]netip.Addr, error) { return addrs, nil }, Transport: server.Client().Transport.(*http.Transport),
		}
		address := "https://example.com:" + port + "/"
		if wrong := g.Check(address); wrong != "" {
			t.Fatal(wrong)
		}
		response, err := g.client().Get(address)
		if err == nil {
			response.Body.Close()
		}
		if err == nil || !strings.Contains(err.Error(), errPrivate.Error()) {
			t.Errorf("%v: %v", addrs, err)
		}
	}
	if reached {
		t.Error("the private server was reached")
	}
	// The same with leave.
	g := &Guard{
		Private: true, Transport: server.Client().Transport.(*http.Transport), Within: time.Minute,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	}
	response, err := g.client().Get("https://example.com:" + port + "/")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if !reached {
		t.Error("the setting lets nothing through")
	}
}
