package notices

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// answerMost is how many bytes of an answer are read.
const answerMost = 16 << 10

const (
	notHTTPS = "The address must begin with https://."
	private  = "The address must be public."
)

var errPrivate = errors.New("the address is not public")

// Guard bounds where the shop sends what somebody else gave the address of: https only, public networks only, no redirects,
// a few seconds. Names are resolved by the guard itself, and what was looked at is what is dialled.
type Guard struct {
	// Private allows other networks than public ones, and http: for targets in the shop's own network.
	Private bool
	// Resolve finds the addresses of a name. Default net.DefaultResolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Transport has other trust than the system's; nil: that of the system.
	Transport *http.Transport
	// Within is how long a target may take to answer. Default 5s.
	Within time.Duration
}

// Check says why an address cannot be a target, as far as can be said without asking for its name; empty: it can.
func (g *Guard) Check(address string) (wrong string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Hostname() == "" {
		return "Is not an address."
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !g.Private) {
		return notHTTPS
	}
	if g.Private {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil && !public(ip) {
		return private
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") || !strings.ContainsAny(host, ".:") {
		return private
	}
	return ""
}

// reserved are networks that are not the public Internet's and that netip has no question for.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
}

// public says whether an address is one of the public Internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return false
	}
	for _, network := range reserved {
		if network.Contains(ip) {
			return false
		}
	}
	return true
}

// dial connects to a name's first address that may be a target. One that may not refuses the name.
func (g *Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs := []netip.Addr{}
	if ip, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, ip)
	} else {
		resolve := g.Resolve
		if resolve == nil {
			resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
				return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
			}
		}
		if addrs, err = resolve(ctx, host); err != nil {
			return nil, errors.New("its name is not found")
		}
	}
	for _, ip := range addrs {
		if !g.Private && !public(ip) {
			return nil, errPrivate
		}
	}
	last := errors.New("its name has no address")
	for _, ip := range addrs {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, net.JoinHostPort(ip.Unmap().String(), port))
		if err == nil {
			return conn, nil
		}
		last = errors.New("it cannot be reached")
	}
	return nil, last
}

// client makes the requests to targets.
func (g *Guard) client() *http.Client {
	t := &http.Transport{}
	if g.Transport != nil {
		t = g.Transport.Clone()
	}
	within := g.Within
	if within <= 0 {
		within = 5 * time.Second
	}
	t.Proxy, t.DialContext = nil, g.dial
	t.TLSHandshakeTimeout, t.ResponseHeaderTimeout, t.MaxResponseHeaderBytes = within, within, answerMost
	t.MaxIdleConnsPerHost, t.IdleConnTimeout, t.ForceAttemptHTTP2 = 1, 30*time.Second, true
	return &http.Client{
		Transport: t, Timeout: within,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// plain is an error without the address, which is a secret of its own.
func plain(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		if of.Timeout() {
			return errors.New("it did not answer in time")
		}
		err = of.Err
	}
	return fmt.Errorf("not delivered: %w", err)
}
