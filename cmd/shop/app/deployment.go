package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Demands are what a serving process must be told where strangers can come, because its default is made for a developer's
// machine. Each is an error of its own.
func (c Config) Demands() error {
	var bad []error
	exposed := c.Published() || c.Roles.Has(RoleWeb) && c.PublicURL == "" && !listensHere(c.Addr)
	if exposed && (c.Roles.Has(RoleWeb) || c.Roles.Has(RolePolicies)) && !c.stated["SHOP_PAYMENTS"] {
		bad = append(bad, errPaymentsUnstated)
	}
	// The program speaks no TLS: with an https address there is a proxy, or it must be said that it is no proxy to believe.
	if c.Https() && c.Roles.Has(RoleWeb) && !c.stated["SHOP_TRUSTED_PROXIES"] {
		bad = append(bad, errors.New("SHOP_TRUSTED_PROXIES: must be set with an https SHOP_PUBLIC_URL, to the network of the TLS proxy, such as 10.0.0.0/8, or to none"))
	}
	if c.Https() && c.KeyFile == "" {
		bad = append(bad, errKeyFileUnstated)
	}
	if c.Https() && c.ClockAhead != 0 {
		bad = append(bad, errors.New("SHOP_CLOCK_AHEAD: is for trying things out, not for a shop whose SHOP_PUBLIC_URL is https"))
	}
	// Its binaries are a beta package of a third party: decision 23.
	if c.Https() && c.DatabaseURL == "" && !c.stated["SHOP_DATABASE_URL"] {
		bad = append(bad, errors.New("SHOP_DATABASE_URL: must name a server when SHOP_PUBLIC_URL is https; "+embedded+" chooses the one that came with npm, for development and small shops"))
	}
	// Letters of a shop that the world can reach are left in a folder only when somebody chose that.
	if c.Https() && c.Roles.Has(RolePolicies) && c.SMTPURL == "" {
		bad = append(bad, errors.New("SHOP_SMTP_URL: must name a mail server when SHOP_PUBLIC_URL is https; "+lettersInFolder+" leaves letters as files in mail/ of the data folder"))
	}
	return errors.Join(append(bad, c.regionDemands())...)
}

// embedded is how SHOP_DATABASE_URL names the server that the program runs itself.
const embedded = "embedded"

// errPaymentsUnstated: at the default, the test bank, whoever comes approves orders without paying.
var errPaymentsUnstated = errors.New("SHOP_PAYMENTS: must be set for a shop that is not on this machine alone, to cloudpayments, or to sandbox if it is to take no money")

func (c Config) Https() bool { return strings.HasPrefix(c.PublicURL, "https:") }

// Published: the public address is not that of a shop for the browsers of its own machine.
func (c Config) Published() bool {
	u, err := url.Parse(c.PublicURL)
	return err == nil && u.Host != "" && (u.Scheme == "https" || !isLoopback(u.Hostname()))
}

// Warn tells what is fit for development only, or for a network that is the operator's own.
func (c Config) Warn(ctx context.Context, log *slog.Logger) {
	if c.Payments == "sandbox" && (c.Roles.Has(RoleWeb) || c.Roles.Has(RolePolicies)) {
		log.WarnContext(ctx, "payments are made at the test bank: no money is taken, and whoever orders can say that it was", "setting", "SHOP_PAYMENTS=sandbox")
	}
	if c.Https() && c.DatabaseURL == "" {
		log.WarnContext(ctx, "the embedded database serves a public shop: its binaries are a beta package of a third party, without replicas and upgrades of their own", "setting", "SHOP_DATABASE_URL="+embedded)
	}
	if c.ClockAhead != 0 {
		log.WarnContext(ctx, "the clock of the shop runs ahead: what it writes bears a time to come", "setting", "SHOP_CLOCK_AHEAD", "ahead", c.ClockAhead)
	}
	if c.DatabaseInClear {
		log.WarnContext(ctx, "the database is reached without encryption; its network must be private", "setting", "SHOP_DATABASE_URL")
	}
}

// listensHere: an address that only this machine reaches.
func listensHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && isLoopback(host)
}

func isLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// isPrivate: a host of a network that is not the internet, by its address or its name. A name without a point is one that
// a container's network or a search domain resolves.
func isPrivate(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return isLoopback(host) || !strings.Contains(host, ".") ||
		slices.ContainsFunc([]string{".internal", ".local", ".lan", ".home.arpa"}, func(end string) bool { return strings.HasSuffix(host, end) })
}

// proxies reads networks by comma, or none.
func proxies(v string) ([]netip.Prefix, error) {
	if v == "none" {
		return nil, nil
	}
	var networks []netip.Prefix
	for network := range strings.SplitSeq(v, ",") {
		p, err := netip.ParsePrefix(strings.TrimSpace(network))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8; the word none stands alone", strings.TrimSpace(network))
		case p.Bits() == 0:
			return nil, fmt.Errorf("%s is everybody: whoever asks could name any address as theirs", p)
		case p.Addr().Is4In6():
			return nil, fmt.Errorf("%s: write the network as IPv4", p)
		}
		networks = append(networks, p)
	}
	return networks, nil
}

// secretsURL accepts an address to which secrets go: https, or of this machine.
func secretsURL(v string) error {
	u, err := webURL(v)
	switch {
	case err != nil:
		return err
	case u.User != nil:
		return errors.New("must not hold a user or a password")
	case u.Scheme != "https" && !isLoopback(u.Hostname()):
		return fmt.Errorf("%q must begin with https://: what travels there is confidential", v)
	}
	return nil
}

// databaseInClear reads a database's URL and says whether what goes there is not encrypted. It refuses what leaves that to
// chance, as the driver's default does, and what sends it over the internet. The URL may hold a password, so no error
// quotes it.
func databaseInClear(v string) (bool, error) {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return false, errors.New("want postgres://user:password@host:port/database")
	}
	c, err := pgconn.ParseConfig(v)
	if err != nil {
		return false, nil // who connects says why it is not understood
	}
	sealed, clear := map[string]bool{}, map[string]bool{}
	for _, attempt := range append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...) {
		if network, _ := pgconn.NetworkAddress(attempt.Host, attempt.Port); network == "unix" || isLoopback(attempt.Host) {
			continue
		}
		if attempt.TLSConfig == nil {
			clear[attempt.Host] = true
		} else {
			sealed[attempt.Host] = true
		}
	}
	for host := range clear {
		if sealed[host] || !isPrivate(host) {
			return false, errors.New("a server on another machine wants sslmode=verify-full in the URL (or verify-ca, or require); sslmode=disable is for a server on a private network")
		}
	}
	return len(clear) > 0, nil
}
