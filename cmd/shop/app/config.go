package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	mailing "shop/commands/mail"
	"shop/commands/photos"
	"shop/eventstore/relay"
)

// Config is what the environment says. readConfig makes the only valid ones.
type Config struct {
	// Addr is host:port to listen on.
	Addr string
	// Roles are what a serving process does.
	Roles Roles
	// DataDir keeps the embedded server's cluster and whatever else the shop stores in files.
	DataDir string
	// DatabaseURL names a PostgreSQL server; empty: the embedded one.
	DatabaseURL string
	// DatabaseOwnerURL names the same server with the role that owns the tables; empty: the role of DatabaseURL.
	DatabaseOwnerURL string
	// AsOwner has the owner do everything: an import sets positions, which a serving role cannot.
	AsOwner bool
	// DatabaseInClear: that server is reached without encryption, over a private network.
	DatabaseInClear bool
	// Nats is where the log is published, or a region's log comes from; no servers: nowhere.
	Nats relay.Address
	// Region is the region that this process serves; the zero value: home.
	Region Region
	// DatabaseConns is the most connections this process opens, to each server.
	DatabaseConns int
	// ReadURLs are read replicas, which answer shoppers and analysts; ReadLag is how far behind one may be.
	ReadURLs []string
	ReadLag  time.Duration
	// BlobsKey and BlobsSecret are an account at the S3 service where photos are; blobs is where they are.
	BlobsKey, BlobsSecret string
	blobs                 photos.Place
	// SnapshotEvery is how many events a stream grows by before its state is written down again.
	SnapshotEvery int
	// PostgresBin is the folder with postgres and initdb; empty: found in web/node_modules.
	PostgresBin string
	// KeyFile wraps the keys in the database; empty: shop.key in the data folder, made if need be.
	KeyFile string
	// PublicURL is how browsers reach the shop, without a final slash.
	PublicURL string
	// SMTPURL names a mail server; empty or folder: letters are files in the data folder.
	SMTPURL string
	// MailKept is how long such files stay.
	MailKept time.Duration
	// MailRate is how many letters a second are sent at most; 0: no limit.
	MailRate float64
	// MailFrom is the sender of letters; empty: the name and e-mail of the contact.
	MailFrom string
	// NoticesPrivate lets notices to staff go to private networks, and without https.
	NoticesPrivate bool
	// TelegramURL is where the bot interface of Telegram is, without a final slash.
	TelegramURL string
	// Payments names the payment provider. The next three are CloudPayments' account and address.
	Payments                                               string
	CloudPaymentsID, CloudPaymentsSecret, CloudPaymentsURL string
	// TrustedProxies are the networks whose X-Forwarded-For is believed; empty: nobody's.
	TrustedProxies []netip.Prefix
	// CheckoutRate and PromocodeRate are requests per second and address; 0: no limit.
	CheckoutRate, PromocodeRate float64
	// OrderRate is orders per second and address; 0: no limit.
	OrderRate float64
	// NewBasketRate is pricings without a basket per second and address, BasketRate pricings of it that the log remembers, and
	// BasketEvents those of one basket in an hour; 0: no limit.
	NewBasketRate, BasketRate float64
	BasketEvents              int
	// PageRate and ReadRate are pages and answers that are not kept ready per second and address; 0: no limit.
	PageRate, ReadRate float64
	// SearchRate is searches per second and address; 0: no limit.
	SearchRate float64
	// SigninRate is attempts of staff to sign in per second and address; 0: no limit.
	SigninRate float64
	// ReviewsAnHour are reviews per hour and address; 0: no limit.
	ReviewsAnHour float64
	// AccountRate is sign-ins, registrations and resets of customers per second and address, EmailRate those of them with
	// one e-mail; 0: no limit.
	AccountRate, EmailRate float64
	// GuessesAnHour are wrong passwords per hour and network, and per hour and e-mail of unknown devices; 0: no limit.
	GuessesAnHour int
	// SessionIdle is when a customer's sign-in without a request ends.
	SessionIdle time.Duration
	// StaffIdle is when a session of staff without a request ends, StaffSession when every one does.
	StaffIdle, StaffSession time.Duration
	// SecurityDays is how long records of the security log stay, in days.
	SecurityDays int
	// ConsentText is the version of the text on personal data that customers agree to when they register.
	ConsentText string
	// ShutdownAfter is how long requests in flight and projections may take to end.
	ShutdownAfter time.Duration
	// AuditInterval is the least pause between two looks of the auditor of the read models; 0: no auditing.
	AuditInterval time.Duration
	// ClockAhead is how far the shop's clock runs ahead of the machine's.
	ClockAhead time.Duration
	LogLevel   slog.Level
	// LogFormat is text or json.
	LogFormat string
	Contact   Contact
	// Telemetry says that traces and metrics are wanted, by OpenTelemetry's own variables.
	Telemetry bool
	// LostSecrets has new secrets made in place of those that are lost.
	LostSecrets bool
	// stated are the variables that were set, by name; the others have their defaults.
	stated map[string]bool
}

// Contact is what the storefront says about itself.
type Contact struct {
	Name, Email, Phone, Hours, LegalName, RegistrationNumber, Address string
	SocialName, SocialURL, PrivacyURL, OfferURL                       string
}

// setting is one environment variable.
type setting struct {
	Name, fallback, help string
	set                  func(c *Config, value string) error
}

// Settings are all variables the shop reads, in the order they are shown. OpenTelemetry's own are read by its SDK.
var Settings = []setting{
	{"SHOP_ADDR", "127.0.0.1:8080", "address to listen on, host:port; port 0 takes a free one", func(c *Config, v string) error {
		c.Addr = v
		_, port, err := net.SplitHostPort(v)
		if err != nil {
			return errors.New("want host:port, such as 127.0.0.1:8080")
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return fmt.Errorf("port %q is not a number from 0 to 65535", port)
		}
		return nil
	}},
	{"SHOP_ROLES", "web,projectors,policies", "roles of this process, separated by commas", func(c *Config, v string) error {
		return c.Roles.Set(v)
	}},
	{"SHOP_PUBLIC_URL", "", "address at which browsers reach the shop; default http:// and SHOP_ADDR", func(c *Config, v string) error {
		c.PublicURL = strings.TrimSuffix(v, "/")
		if v == "" {
			return nil
		}
		u, err := webURL(v)
		if err == nil && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "") {
			err = errors.New("want scheme and host only, such as https://shop.example")
		}
		return err
	}},
	{"SHOP_DATA_DIR", ".data", "folder of the embedded PostgreSQL and of stored files", func(c *Config, v string) error {
		c.DataDir = v
		return required(v)
	}},
	{"SHOP_DATABASE_URL", "", "postgres://… of your own server, 15 or later; on another machine with sslmode=verify-full; several hosts with target_session_attrs=read-write; default: the embedded server, which with an https SHOP_PUBLIC_URL must be chosen by the word embedded", func(c *Config, v string) error {
		if v == "" || v == embedded {
			return nil
		}
		c.DatabaseURL = v
		if err := onePrimary(v); err != nil {
			return err
		}
		var err error
		c.DatabaseInClear, err = databaseInClear(v)
		return err
	}},
	{"SHOP_DATABASE_OWNER_URL", "", "the same server with the role that owns the tables: it migrates and builds read models, and the role of SHOP_DATABASE_URL gets no right to change events; default: one role for both", func(c *Config, v string) error {
		c.DatabaseOwnerURL = v
		if v == "" {
			return nil
		}
		if c.DatabaseURL == "" {
			return errors.New("needs SHOP_DATABASE_URL; the embedded server has roles of its own")
		}
		if err := onePrimary(v); err != nil {
			return err
		}
		_, err := databaseInClear(v)
		return err
	}},
	{"SHOP_DATABASE_CONNS", "24", "the most connections of this process to the database", func(c *Config, v string) (err error) {
		c.DatabaseConns, err = between(v, 8, 1000)
		return err
	}},
	readURLs, readLag, blobsKey, blobsSecret, blobsAt,
	{"SHOP_SNAPSHOT_EVERY", "1000", "how many events the stock of a product or a promo code gets before its state is written down again, so that a process that starts reads no more", func(c *Config, v string) (err error) {
		c.SnapshotEvery, err = between(v, 10, 100_000)
		return err
	}},
	{"SHOP_POSTGRES_BIN", "", "folder with postgres and initdb; default: the one that npm ci installed in web/", func(c *Config, v string) error {
		c.PostgresBin = v
		return nil
	}},
	{"SHOP_KEY_FILE", "", "file of the keys that wrap the keys in the database, made by 'shop keys new'; default: shop.key in $CREDENTIALS_DIRECTORY, or in the data folder, where it is made; must be set with an https SHOP_PUBLIC_URL", func(c *Config, v string) error {
		c.KeyFile = v
		return nil
	}},
	natsURL, natsCredentials, natsCA, regionSetting, homeURL, homeDatabaseURL,
	{"SHOP_PAYMENTS", "sandbox", "payment provider: sandbox (a test bank page that takes no money) or cloudpayments; must be set unless only browsers on this machine use the shop", func(c *Config, v string) error {
		c.Payments = v
		return OneOf(v, "sandbox", "cloudpayments")
	}},
	{"SHOP_CLOUDPAYMENTS_PUBLIC_ID", "", "CloudPayments: public id of the account", func(c *Config, v string) error {
		c.CloudPaymentsID = v
		return neededFor(c.Payments, v)
	}},
	{"SHOP_CLOUDPAYMENTS_SECRET", "", "CloudPayments: API secret; it signs notifications too", func(c *Config, v string) error {
		c.CloudPaymentsSecret = v
		return neededFor(c.Payments, v)
	}},
	{"SHOP_CLOUDPAYMENTS_URL", "https://api.cloudpayments.ru", "CloudPayments: address of the API", func(c *Config, v string) error {
		c.CloudPaymentsURL = strings.TrimSuffix(v, "/")
		return secretsURL(v)
	}},
	{"SHOP_SMTP_URL", "", "smtp://user:password@host:port or smtps://…; with folder, the default without https, letters are files in mail/ of the data folder", func(c *Config, v string) error {
		c.SMTPURL = v
		if v == "" || v == lettersInFolder {
			return nil
		}
		_, err := mailing.NewSMTP(v) // its errors do not quote the URL
		return err
	}},
	{"SHOP_MAIL_KEPT", "168h", "how long letters stay in mail/ of the data folder", func(c *Config, v string) (err error) {
		c.MailKept, err = time.ParseDuration(v)
		if err != nil || c.MailKept < time.Minute {
			return errors.New("want a duration of 1m or more, such as 168h")
		}
		return nil
	}},
	{"SHOP_MAIL_FROM", "", "sender of letters, such as Shop <orders@shop.example>; default: SHOP_NAME and SHOP_EMAIL", func(c *Config, v string) error {
		c.MailFrom = v
		if v == "" {
			return nil
		}
		if _, err := mail.ParseAddress(v); err != nil {
			return errors.New("want an e-mail address, with a name or without")
		}
		return nil
	}},
	{"SHOP_TRUSTED_PROXIES", "none", "networks whose X-Forwarded-For is trusted, separated by commas, such as 10.0.0.0/8, or none; must be set with an https SHOP_PUBLIC_URL", func(c *Config, v string) (err error) {
		c.TrustedProxies, err = proxies(v)
		return err
	}},
	{"SHOP_CHECKOUT_RATE", "20", "pricings a second from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.CheckoutRate, err = rateOf(v)
		return err
	}},
	{"SHOP_ORDER_RATE", "0.08334", "orders a second from one address, after ten at once; the default is 5 a minute; 0: no limit", func(c *Config, v string) (err error) {
		c.OrderRate, err = rateOf(v)
		return err
	}},
	{"SHOP_PROMOCODE_RATE", "1", "promo code look-ups a second from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.PromocodeRate, err = rateOf(v)
		return err
	}},
	{"SHOP_NEW_BASKET_RATE", "2", "pricings without a basket of ours a second from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.NewBasketRate, err = rateOf(v)
		return err
	}},
	{"SHOP_BASKET_RATE", "1", "pricings a second from one address that the log remembers, after sixty at once; the others are only answered; 0: all", func(c *Config, v string) (err error) {
		c.BasketRate, err = rateOf(v)
		return err
	}},
	{"SHOP_BASKET_EVENTS_AN_HOUR", "200", "pricings and refused orders of one basket that the log remembers in an hour; 0: all", func(c *Config, v string) (err error) {
		c.BasketEvents, err = between(v, 0, 1_000_000)
		return err
	}},
	{"SHOP_PAGE_RATE", "3", "pages that are not kept ready, a second from one address, after thirty at once; 0: no limit", func(c *Config, v string) (err error) {
		c.PageRate, err = rateOf(v)
		return err
	}},
	{"SHOP_READ_RATE", "20", "answers of the API that are not kept ready, a second from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.ReadRate, err = rateOf(v)
		return err
	}},
	{"SHOP_SEARCH_RATE", "20", "searches a second from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.SearchRate, err = rateOf(v)
		return err
	}},
	{"SHOP_MAIL_RATE", "20", "the most letters sent a second, so that the letters of a sale overload neither the mail server nor the shop; 0: no limit", func(c *Config, v string) (err error) {
		c.MailRate, err = rateOf(v)
		return err
	}},
	{"SHOP_NOTICES_TO", "public", "where webhooks and pushes to staff may go: public, or private for private networks too and without https", func(c *Config, v string) error {
		c.NoticesPrivate = v == "private"
		if v != "private" && v != "public" {
			return errors.New("want public or private")
		}
		return nil
	}},
	{"SHOP_TELEGRAM_URL", "https://api.telegram.org", "where Telegram's bot interface is, for notices to staff", func(c *Config, v string) error {
		c.TelegramURL = strings.TrimSuffix(v, "/")
		_, err := webURL(v)
		return err
	}},
	{"SHOP_EMAIL_RATE", "0.2", "sign-ins, registrations and password resets of customers a second for one e-mail from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.EmailRate, err = rateOf(v)
		return err
	}},
	{"SHOP_SIGNIN_RATE", "1", "attempts of staff to sign in a second from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.SigninRate, err = rateOf(v)
		return err
	}},
	{"SHOP_REVIEWS_AN_HOUR", "5", "reviews an hour from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.ReviewsAnHour, err = rateOf(v)
		return err
	}},
	{"SHOP_ACCOUNT_RATE", "1", "sign-ins, registrations and password resets of customers a second from one address; 0: no limit", func(c *Config, v string) (err error) {
		c.AccountRate, err = rateOf(v)
		return err
	}},
	{"SHOP_GUESSES_AN_HOUR", "100", "wrong passwords of customers an hour from one network, and as many for one e-mail from all devices that have not signed in to it before; 0: no limit", func(c *Config, v string) (err error) {
		c.GuessesAnHour, err = between(v, 0, 1_000_000)
		return err
	}},
	{"SHOP_SESSION_IDLE", "336h", "when a customer's sign-in that is not used ends; every sign-in ends after 720h", func(c *Config, v string) (err error) {
		c.SessionIdle, err = durationOf(v, time.Hour)
		return err
	}},
	{"SHOP_STAFF_IDLE", "12h", "when a session of staff that is not used ends", func(c *Config, v string) (err error) {
		c.StaffIdle, err = durationOf(v, time.Minute)
		return err
	}},
	{"SHOP_STAFF_SESSION", "168h", "when every session of staff ends", func(c *Config, v string) (err error) {
		c.StaffSession, err = durationOf(v, time.Minute)
		return err
	}},
	{"SHOP_SECURITY_DAYS", "180", "how many days records of the security log stay, at least 30", func(c *Config, v string) (err error) {
		c.SecurityDays, err = between(v, 30, 3650)
		return err
	}},
	{"SHOP_CONSENT_VERSION", "2026-01", "version of the text on personal data that customers agree to when they register", func(c *Config, v string) error {
		c.ConsentText = v
		return required(v)
	}},
	{"SHOP_SHUTDOWN_TIMEOUT", "20s", "how long requests in flight may take to end after SIGTERM", func(c *Config, v string) (err error) {
		c.ShutdownAfter, err = time.ParseDuration(v)
		if err != nil || c.ShutdownAfter <= 0 {
			return errors.New("want a duration above zero, such as 20s")
		}
		return nil
	}},
	{"SHOP_AUDIT_INTERVAL", "1s", "the least pause between two samples of the auditor, which compares read models with the log; 0: no audit", func(c *Config, v string) (err error) {
		c.AuditInterval, err = time.ParseDuration(v)
		if err != nil || c.AuditInterval < 0 || c.AuditInterval > 0 && c.AuditInterval < 10*time.Millisecond {
			return errors.New("want a duration of 10ms or more, such as 1s, or 0")
		}
		return nil
	}},
	{"SHOP_CLOCK_AHEAD", "0s", "how far the clock of the shop runs ahead, to try out what happens days later; refused with an https SHOP_PUBLIC_URL", func(c *Config, v string) (err error) {
		if c.ClockAhead, err = time.ParseDuration(v); err != nil || c.ClockAhead < 0 {
			return errors.New("want a duration, such as 216h for nine days")
		}
		return nil
	}},
	{"SHOP_LOG_LEVEL", "info", "debug, info, warn or error", func(c *Config, v string) error {
		if c.LogLevel.UnmarshalText([]byte(v)) != nil {
			return errors.New("want debug, info, warn or error")
		}
		return nil
	}},
	{"SHOP_LOG_FORMAT", "text", "text or json", func(c *Config, v string) error {
		c.LogFormat = v
		return OneOf(v, "text", "json")
	}},
	{"SHOP_NAME", "Дала", "name of the storefront", func(c *Config, v string) error {
		c.Contact.Name = v
		if utf8.RuneCountInString(v) > 40 {
			return errors.New("is longer than 40 characters")
		}
		return required(v)
	}},
	{"SHOP_EMAIL", "hello@dala.example", "e-mail address shown to customers", func(c *Config, v string) error {
		c.Contact.Email = v
		if a, err := mail.ParseAddress(v); err != nil || a.Address != v {
			return errors.New("want an e-mail address")
		}
		return nil
	}},
	{"SHOP_PHONE", "", "phone shown to customers", func(c *Config, v string) error { c.Contact.Phone = v; return nil }},
	{"SHOP_HOURS", defaultHours, "working hours as shown", func(c *Config, v string) error { c.Contact.Hours = v; return nil }},
	{"SHOP_LEGAL_NAME", "ТОО «Дала»", "legal entity", func(c *Config, v string) error { c.Contact.LegalName = v; return nil }},
	{"SHOP_REGISTRATION_NUMBER", "БИН 000000000000", "registration number of the legal entity", func(c *Config, v string) error { c.Contact.RegistrationNumber = v; return nil }},
	{"SHOP_ADDRESS", "Алматы, пр. Достык, 208/5", "street address; orders are picked up there", func(c *Config, v string) error { c.Contact.Address = v; return nil }},
	{"SHOP_SOCIAL_NAME", "Instagram", "social network as shown", func(c *Config, v string) error { c.Contact.SocialName = v; return nil }},
	{"SHOP_SOCIAL_URL", "https://www.instagram.com/", "social-media page", func(c *Config, v string) error { c.Contact.SocialURL = v; return link(v) }},
	{"SHOP_PRIVACY_URL", "/documents/privacy.pdf", "privacy policy, PDF", func(c *Config, v string) error { c.Contact.PrivacyURL = v; return link(v) }},
	{"SHOP_OFFER_URL", "/documents/offer.pdf", "public offer, PDF", func(c *Config, v string) error { c.Contact.OfferURL = v; return link(v) }},
}

// ReadConfig reads every setting through getenv and refuses all bad values in one error.
func ReadConfig(getenv func(string) string) (Config, error) {
	c := Config{stated: map[string]bool{}, Telemetry: TelemetryWanted(getenv)}
	var bad []error
	for _, s := range Settings {
		value := getenv(s.Name)
		c.stated[s.Name] = value != ""
		if value == "" {
			value = s.fallback
		}
		if err := s.set(&c, value); err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", s.Name, err))
		}
	}
	if credentials := getenv("CREDENTIALS_DIRECTORY"); c.KeyFile == "" && credentials != "" {
		// systemd puts there what LoadCredential=shop.key:… names.
		if path := filepath.Join(credentials, keyFileName); exists(path) {
			c.KeyFile = path
		}
	}
	return c, errors.Join(bad...)
}

// defaultHours is the SHOP_HOURS of a shop that states none.
const defaultHours = "ежедневно с 10:00 до 19:00"

// Now tells the shop's time.
func (c Config) Now() time.Time { return time.Now().Add(c.ClockAhead) }

// lettersInFolder is the SHOP_SMTP_URL of a shop that sends nothing.
const lettersInFolder = "folder"

// WriteSettings lists the variables for --help.
func WriteSettings(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range Settings {
		fallback := s.fallback
		if fallback == "" {
			fallback = "-"
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\n", s.Name, fallback, s.help)
	}
	fmt.Fprintln(table, "  OTEL_EXPORTER_OTLP_ENDPOINT\t-\twhere traces and metrics go (OTLP over HTTP); default: nowhere")
	table.Flush()
}
