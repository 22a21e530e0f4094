package edge

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5/middleware"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
)

// clientIP notes who asks: the peer, or what trusted proxies say of it.
func clientIP(trusted []netip.Prefix) func(http.Handler) http.Handler {
	if len(trusted) == 0 {
		return middleware.ClientIPFromRemoteAddr
	}
	networks := make([]string, len(trusted))
	for i, n := range trusted {
		networks[i] = n.String()
	}
	fromProxies := middleware.ClientIPFromXFF(networks...)
	return func(next http.Handler) http.Handler {
		return withoutPorts(middleware.ClientIPFromRemoteAddr(fromProxies(next)))
	}
}

// maxForwarded is how many addresses X-Forwarded-For may have; no chain of proxies is longer.
const maxForwarded = 20

const textForwarded = "Слишком много адресов в X-Forwarded-For"

// boundForwarded refuses requests that name more addresses than any proxies do, so that nobody makes the shop read them.
func boundForwarded(log *slog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			addresses := 0
			for _, line := range r.Header["X-Forwarded-For"] {
				addresses += 1 + strings.Count(line, ",")
			}
			if addresses > maxForwarded {
				// It comes before the access log, which wants to know who asks.
				log.InfoContext(r.Context(), "request refused: it names too many forwarded addresses", "addresses", addresses)
				tell(w, r, http.StatusBadRequest, textForwarded)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// withoutPorts takes the ports from X-Forwarded-For: some proxies add them to addresses.
func withoutPorts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i, line := range r.Header["X-Forwarded-For"] {
			if !strings.Contains(line, ":") {
				continue
			}
			hops := strings.Split(line, ",")
			for j, hop := range hops {
				if with, err := netip.ParseAddrPort(strings.TrimSpace(hop)); err == nil {
					hops[j] = with.Addr().String()
				}
			}
			r.Header["X-Forwarded-For"][i] = strings.Join(hops, ",")
		}
		next.ServeHTTP(w, r)
	})
}

// clientAddr is who asks, as clientIP noted it: the last proxy where the proxies do not say. An IPv6 client counts by its
// /64, of which it has all addresses.
func clientAddr(r *http.Request) netip.Addr {
	addr := middleware.GetClientIPAddr(r.Context())
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return addr
}

// peerOf is who holds the connection: the client, or the last proxy.
func peerOf(r *http.Request) netip.Addr {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	return peer.Addr().Unmap()
}

func within(addr netip.Addr, networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(addr) })
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
