package edge

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// clientOf is who asks, for the handlers behind clientIP.
func clientOf(r *http.Request, trusted []netip.Prefix) (client string) {
	clientIP(trusted)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { client = clientAddr(r).String() })).
		ServeHTTP(httptest.NewRecorder(), r)
	return client
}

func TestClientAddr(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:5", "", "192.0.2.1"},
		{"192.0.2.1:5", "198.51.100.7", "192.0.2.1"},                // not a proxy of ours: its word counts nothing
		{"10.0.0.1:5", "198.51.100.7", "198.51.100.7"},              //
		{"10.0.0.1:5", "203.0.113.9, 198.51.100.7", "198.51.100.7"}, // what the client claims itself counts nothing
		{"10.0.0.1:5", "198.51.100.7, 10.0.0.2", "198.51.100.7"},    // two proxies of ours
		{"10.0.0.1:5", "garbage", "10.0.0.1"},
		{"10.0.0.1:5", "198.51.100.7, garbage", "10.0.0.1"},
		{"10.0.0.1:5", "198.51.100.7,, 10.0.0.2", "198.51.100.7"},
		{"10.0.0.1:5", "198.51.100.7:4711", "198.51.100.7"}, // some proxies add the port
		{"10.0.0.1:5", "[2001:db8::1:2]:4711, 10.0.0.2", "2001:db8::"},
		{"10.0.0.1:5", "198.51.100.7" + strings.Repeat(", 203.0.113.9", 100), "203.0.113.9"},
		{"10.0.0.1:5", strings.Repeat("203.0.113.9, ", 100) + "198.51.100.7", "198.51.100.7"},
		{"10.0.0.1:5", "10.0.0.3, 10.0.0.2", "10.0.0.1"}, // nobody but proxies
		{"10.0.0.1:5", strings.Repeat(",", 1<<20), "10.0.0.1"},
		{"[2001:db8::1:2]:5", "", "2001:db8::"},
		{"[::ffff:192.0.2.1]:5", "", "192.0.2.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := clientOf(r, trusted); got != c.want {
			t.Errorf("%s for %q is %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}
