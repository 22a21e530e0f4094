package app

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"shop/cmd/shop/shoptest"
)

func TestConfigDefaults(t *testing.T) {
	t.Parallel()
	c, err := ReadConfig(shoptest.Env())
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:8080" || c.DataDir != ".data" || c.DatabaseURL != "" || c.Payments != "sandbox" ||
		c.Contact.Name != "Дала" || c.ShutdownAfter != 20*time.Second || c.LogLevel != slog.LevelInfo || c.LogFormat != "text" ||
		c.DatabaseConns != 24 || c.CheckoutRate != 20 || c.OrderRate != 0.08334 || c.PromocodeRate != 1 {
		t.Errorf("defaults are %+v", c)
	}
}

func TestConfigTakesGoodValues(t *testing.T) {
	t.Parallel()
	c, err := ReadConfig(shoptest.Env(
		"SHOP_ADDR", "[::1]:9000", "SHOP_PUBLIC_URL", "https://shop.example/", "SHOP_DATABASE_URL", "postgres://u:p@db/shop?sslmode=verify-full",
		"SHOP_TRUSTED_PROXIES", "10.0.0.0/8, fd00::/8", "SHOP_CHECKOUT_RATE", "0", "SHOP_LOG_LEVEL", "DEBUG", "SHOP_OFFER_URL", "/offer.pdf", "SHOP_SMTP_URL", "folder"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "[::1]:9000" || c.PublicURL != "https://shop.example" || len(c.TrustedProxies) != 2 || c.CheckoutRate != 0 || c.LogLevel != slog.LevelDebug {
		t.Errorf("read %+v", c)
	}
}

// Letters of a shop that the world can reach are not left in a folder by an oversight.
func TestConfigWantsAMailServerWithHTTPS(t *testing.T) {
	t.Parallel()
	for chosen, refused := range map[string]bool{"": true, "folder": false, "smtps://mail.example": false} {
		c, err := ReadConfig(shoptest.Env("SHOP_PUBLIC_URL", "https://shop.example", "SHOP_SMTP_URL", chosen, "SHOP_PAYMENTS", "sandbox", "SHOP_TRUSTED_PROXIES", "none",
			"SHOP_KEY_FILE", "shop.key", "SHOP_DATABASE_URL", "embedded"))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Demands(); (err != nil) != refused || refused && !strings.Contains(err.Error(), "SHOP_SMTP_URL: ") {
			t.Errorf("with %q: %v", chosen, err)
		}
	}
}

func TestConfigRefusesBadValues(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"SHOP_ADDR":       {"8080", "localhost", "127.0.0.1:http", "127.0.0.1:70000"},
		"SHOP_PUBLIC_URL": {"shop.example", "ftp://shop.example", "https://", "https://shop.example/path", "https://shop.example/?q"},
		"SHOP_DATA_DIR":   {"  "},
		"SHOP_DATABASE_URL": {"mysql://u:secret@h/db", "host=db password=secret", "postgres://u:secret@%zz",
			// To another machine nothing travels in clear unless that is said, and then not over the internet.
			"postgres://u:secret@db.example/shop", "postgres://u:secret@10.0.0.5/shop", "postgres://u:secret@db/shop", "postgres://u:secret@db/shop?sslmode=",
			"postgres://u:secret@db.example/shop?sslmode=prefer", "postgres://u:secret@10.0.0.5/shop?sslmode=allow", "postgres://u:secret@[2001:db8::1]/shop",
			"postgres://u:secret@db.example/shop?sslmode=disable", "postgres://u:secret@203.0.113.5/shop?sslmode=disable",
			"postgres://u:secret@localhost,db.example/shop", "postgres:///shop?user=u&password=secret&host=db.example",
			// Of several servers, connections must lead to the one that takes writes.
			"postgres://u:secret@localhost,127.0.0.1/shop", "postgres:///shop?host=/run/a,/run/b",
			"postgres://u:secret@localhost,127.0.0.1/shop?target_session_attrs=any", "postgres://u:secret@localhost,127.0.0.1/shop?target_session_attrs=prefer-standby"},
		"SHOP_DATABASE_OWNER_URL": {"postgres://u:secret@localhost/shop"}, // without SHOP_DATABASE_URL
		"SHOP_DATABASE_CONNS":     {"many", "0", "-1", "100000"},
		"SHOP_SNAPSHOT_EVERY":     {"never", "0", "-1", "9", "1000000"},
		"SHOP_PAYMENTS":           {"paypal", "Sandbox"},
		"SHOP_SMTP_URL":           {"mail:25", "http://mail", "smtp://u:secret@mail?tls=never", "smtp://u:secret@%zz"},
		"SHOP_MAIL_KEPT":          {"7", "0s", "-1h", "7d"},
		"SHOP_MAIL_FROM":          {"shop", "a@shop.example, b@shop.example"},
		"SHOP_TRUSTED_PROXIES":    {"10.0.0.1", "10.0.0.0/8,nonsense", "none,10.0.0.0/8", "None", ",", "0.0.0.0/0", "::/0", "::ffff:10.0.0.0/104"},
		"SHOP_CLOUDPAYMENTS_URL":  {"api.cloudpayments.ru", "http://api.cloudpayments.ru", "http://127.0.0.1.evil.example", "http://10.0.0.1", "https://secret@api.cloudpayments.ru"},
		"SHOP_CHECKOUT_RATE":      {"fast", "-1", "NaN", "Inf"},
		"SHOP_ORDER_RATE":         {"5/m", "-1"},
		"SHOP_PROMOCODE_RATE":     {"1,5"},
		"SHOP_NEW_BASKET_RATE":    {"-1"}, "SHOP_BASKET_RATE": {"many"}, "SHOP_PAGE_RATE": {"NaN"}, "SHOP_READ_RATE": {"1,5"}, "SHOP_BASKET_EVENTS_AN_HOUR": {"-1", "1.5", "all"},
		"SHOP_SESSION_IDLE":     {"14", "0s", "-1h", "59m", "14d"},
		"SHOP_STAFF_IDLE":       {"12", "0s", "-1h"},
		"SHOP_STAFF_SESSION":    {"7d", "30s"},
		"SHOP_SHUTDOWN_TIMEOUT": {"20", "0s", "-1s"},
		"SHOP_CLOCK_AHEAD":      {"9", "-1h", "9d"},
		"SHOP_AUDIT_INTERVAL":   {"often", "-1s", "1ms"},
		"SHOP_LOG_LEVEL":        {"loud"},
		"SHOP_LOG_FORMAT":       {"xml"},
		"SHOP_NAME":             {" ", strings.Repeat("я", 41)},
		"SHOP_EMAIL":            {"nobody", "Shop <a@b.example>"},
		"SHOP_SOCIAL_URL":       {"javascript:alert(1)", "//evil.example"},
		"SHOP_PRIVACY_URL":      {"privacy.pdf"},
		"SHOP_OFFER_URL":        {"data:text/html,x"},
	} {
		for _, value := range values {
			_, err := ReadConfig(shoptest.Env(name, value))
			if err == nil {
				t.Errorf("%s=%q was taken", name, value)
				continue
			}
			if !strings.HasPrefix(err.Error(), name+": ") {
				t.Errorf("%s=%q: the message does not begin with the variable: %v", name, value, err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: the message tells the password: %v", name, err)
			}
		}
	}
}

func TestConfigOfCloudPayments(t *testing.T) {
	t.Parallel()
	_, err := ReadConfig(shoptest.Env("SHOP_PAYMENTS", "cloudpayments", "SHOP_CLOUDPAYMENTS_SECRET", "s"))
	if err == nil || !strings.Contains(err.Error(), "SHOP_CLOUDPAYMENTS_PUBLIC_ID: must be set") {
		t.Errorf("without an account: %v", err)
	}
	c, err := ReadConfig(shoptest.Env("SHOP_PAYMENTS", "cloudpayments", "SHOP_CLOUDPAYMENTS_SECRET", "s", "SHOP_CLOUDPAYMENTS_PUBLIC_ID", "pk"))
	if err != nil || c.CloudPaymentsURL != "https://api.cloudpayments.ru" || c.CloudPaymentsID != "pk" || c.CloudPaymentsSecret != "s" {
		t.Errorf("account %q, API %q, %v", c.CloudPaymentsID, c.CloudPaymentsURL, err)
	}
}

func TestConfigTellsAllBadValuesAtOnce(t *testing.T) {
	t.Parallel()
	_, err := ReadConfig(shoptest.Env("SHOP_ADDR", "x", "SHOP_EMAIL", "y"))
	if err == nil || !strings.Contains(err.Error(), "SHOP_ADDR: ") || !strings.Contains(err.Error(), "SHOP_EMAIL: ") {
		t.Errorf("got %v", err)
	}
}

func TestSettingsAreListed(t *testing.T) {
	t.Parallel()
	var help strings.Builder
	WriteSettings(&help)
	for _, s := range Settings {
		if !strings.Contains(help.String(), s.Name) {
			t.Errorf("%s is missing from the help", s.Name)
		}
	}
}

func TestConfigTakesDatabasesThatAreSafeToReach(t *testing.T) {
	t.Parallel()
	for url, inClear := range map[string]bool{
		"postgres://u:p@localhost/shop": false, "postgres://u:p@127.0.0.1:5433/shop": false, "postgres://u:p@[::1]/shop": false,
		"postgres:///shop?host=/var/run/postgresql": false, "postgres://u:p@localhost/shop?sslmode=disable": false,
		"postgres://u:p@db.example/shop?sslmode=require": false, "postgres://u:p@db.example/shop?sslmode=verify-ca": false,
		"postgres://u:p@db.example/shop?sslmode=verify-full": false, "postgres://u:p@10.0.0.5/shop?sslmode=require": false,
		"postgres://u:p@10.0.0.5/shop?sslmode=disable": true, "postgres://u:p@[fd00::5]/shop?sslmode=disable": true,
		"postgres://u:p@postgres:5432/shop?sslmode=disable": true, "postgres://u:p@db.internal/shop?sslmode=disable": true,
		"postgres://u:p@localhost,127.0.0.1/shop?target_session_attrs=read-write": false, "postgres:///shop?host=/run/a,/run/b&target_session_attrs=read-write": false,
	} {
		c, err := ReadConfig(shoptest.Env("SHOP_DATABASE_URL", url))
		if err != nil || c.DatabaseInClear != inClear {
			t.Errorf("%s: in clear %t, %v", url, c.DatabaseInClear, err)
		}
	}
}

func TestConfigTakesCloudPaymentsOfThisMachine(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://127.0.0.1:9999", "http://localhost:9999/", "http://[::1]:1", "https://api.cloudpayments.kz"} {
		if _, err := ReadConfig(shoptest.Env("SHOP_CLOUDPAYMENTS_URL", url)); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestTheEmbeddedServerOfAPublicShopIsChosen: its word is a choice, and the default is none.
func TestTheEmbeddedServerOfAPublicShopIsChosen(t *testing.T) {
	t.Parallel()
	public := map[string]string{
		"SHOP_PUBLIC_URL": "https://shop.example", "SHOP_PAYMENTS": "sandbox", "SHOP_TRUSTED_PROXIES": "none", "SHOP_SMTP_URL": "folder", "SHOP_KEY_FILE": "shop.key",
	}
	demanded := func(database string) error {
		t.Helper()
		c, err := ReadConfig(func(name string) string {
			if name == "SHOP_DATABASE_URL" {
				return database
			}
			return public[name]
		})
		if err != nil || c.DatabaseURL != "" {
			t.Fatalf("%q: %q, %v", database, c.DatabaseURL, err)
		}
		return c.Demands()
	}
	if err := demanded(""); err == nil || !strings.Contains(err.Error(), "SHOP_DATABASE_URL: must name a server") {
		t.Errorf("unstated: %v", err)
	}
	if err := demanded("embedded"); err != nil {
		t.Errorf("chosen: %v", err)
	}
	var said strings.Builder
	c := Config{PublicURL: public["SHOP_PUBLIC_URL"]}
	c.Warn(t.Context(), slog.New(slog.NewTextHandler(&said, nil)))
	if !strings.Contains(said.String(), "embedded database serves a public shop") {
		t.Errorf("the start says %q", said.String())
	}
}

// TestTheClockOfAPublicShopIsTrue: only a shop for trials runs ahead.
func TestTheClockOfAPublicShopIsTrue(t *testing.T) {
	t.Parallel()
	c, err := ReadConfig(shoptest.Env("SHOP_CLOCK_AHEAD", "216h"))
	if ahead := time.Until(c.Now()); err != nil || ahead < 215*time.Hour || ahead > 216*time.Hour {
		t.Fatalf("ahead by %s, %v", ahead, err)
	}
	if err := c.Demands(); err != nil {
		t.Errorf("a shop of this machine: %v", err)
	}
	c.PublicURL = "https://shop.example"
	if err := c.Demands(); err == nil || !strings.Contains(err.Error(), "SHOP_CLOCK_AHEAD: ") {
		t.Errorf("a public shop: %v", err)
	}
}
