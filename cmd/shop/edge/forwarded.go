package edge

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
)

// peerOf is who holds the connection: the client, or the last proxy.
func peerOf(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, _ := netip.ParseAddr(host)
	return addr.Unmap()
}

// ClientAddr is who asks: the peer, or what a trusted proxy says of it. An IPv6 client counts by its /64, of
// which it has all addresses.
func ClientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	addr := peerOf(r)
	if within(addr, trusted) {
		addr = forwarded(addr, r, trusted)
	}
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return addr
}

// maxHops is how many proxies a request may have come through: more than any shop has, and little work.
const maxHops = 16

// forwarded reads X-Forwarded-For from the right: each hop was added by the proxy before it, so the first untrusted one is
// the client, and what stands left of it is what the client says. A hop that is no address ends it.
func forwarded(addr netip.Addr, r *http.Request, trusted []netip.Prefix) netip.Addr {
	lines := r.Header.Values("X-Forwarded-For")
	for hops := 0; len(lines) > 0; {
		last := len(lines) - 1
		rest, hop := "", lines[last]
		comma := strings.LastIndexByte(hop, ',')
		if comma >= 0 {
			rest, hop = hop[:comma], hop[comma+1:]
		}
		next, ok := hopAddr(strings.TrimSpace(hop))
		if !ok {
			return addr
		}
		addr = next
		if hops++; hops == maxHops || !within(addr, trusted) {
			return addr
		}
		if comma >= 0 {
			lines = append(lines[:last:last], rest)
		} else {
			lines = lines[:last]
		}
	}
	return addr
}

// hopAddr reads an address; some proxies add the port.
func hopAddr(hop string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(hop)
	if err != nil {
		with, err := netip.ParseAddrPort(hop)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = with.Addr()
	}
	return addr.Unmap().WithZone(""), true
}

func within(addr netip.Addr, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

// IgnoredProxies counts requests with an X-Forwarded-For of a peer on a private network that is not believed, and warns of
// the first: most likely it is the shop's own proxy, and all shoppers share one address and its limits.
func IgnoredProxies(trusted []netip.Prefix, log *slog.Logger) func(http.Handler) http.Handler {
	// An instrument with a valid constant name cannot fail.
	ignored, _ := otel.Meter("shop/http").Int64Counter("shop.proxy.ignored", metric.WithUnit("{request}"),
		metric.WithDescription("Requests of private or loopback peers whose X-Forwarded-For was not believed"))
	var once sync.Once
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if len(r.Header["X-Forwarded-For"]) > 0 {
				peer := peerOf(r)
				if (peer.IsPrivate() || peer.IsLoopback() || peer.IsLinkLocalUnicast()) && !within(peer, trusted) {
					ignored.Add(r.Context(), 1)
					once.Do(func() {
						log.WarnContext(r.Context(), "X-Forwarded-For is ignored, so all who come through this peer count as one; if it is the shop's own proxy, name it in SHOP_TRUSTED_PROXIES", "peer", peer)
					})
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}
