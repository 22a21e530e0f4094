package credential

import (
	"context"
	"net/netip"
	"strings"
)

// Client is what a request says about the program that sent it. The zero value: nothing is known.
type Client struct {
	// Device is what it is called, such as "Chrome, Windows", Network where it is, coarsely.
	Device, Network string
	// Browser is the value of the cookie by which a customer's browser is known again; empty: it has none.
	Browser string
	// Page: the request comes from a page in a browser, which keeps cookies. Tokens that customers are given there count with
	// Browser only.
	Page bool
}

type clientKey struct{}

// WithClient says which program a request comes from.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// ClientOf is the program that a request comes from.
func ClientOf(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	return c
}

// systems and browsers are what user agents are told apart by. The first that fits is the one: an agent also names what it
// is compatible with.
var (
	systems = []struct{ mark, name string }{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}
	browsers = []struct{ mark, name string }{
		{"YaBrowser/", "Yandex Browser"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"}, {"Edg/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
		{"curl/", "curl"}, {"Go-http-client/", "Go"}, {"python-requests/", "Python"}, {"node", "Node.js"}, {"okhttp/", "okhttp"},
	}
)

// Device is what a user agent is called, such as "Chrome, Windows"; empty: nothing of it is known. It consists of names of
// the lists above alone, so it may stand in letters.
func Device(userAgent string) string {
	var names []string
	for _, b := range browsers {
		if strings.Contains(userAgent, b.mark) {
			names = append(names, b.name)
			break
		}
	}
	for _, s := range systems {
		if strings.Contains(userAgent, s.mark) {
			names = append(names, s.name)
			break
		}
	}
	return strings.Join(names, ", ")
}

// Network is where an address belongs to, coarsely: the first three numbers of IPv4, the first 48 bits of IPv6; empty for
// what is no address.
func Network(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		text := addr.String()
		return text[:strings.LastIndexByte(text, '.')] + ".*"
	}
	prefix, err := addr.Prefix(48)
	if err != nil {
		return ""
	}
	return prefix.Addr().String() + "*"
}
