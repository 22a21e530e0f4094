package edge

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/app"
	"shop/cmd/shop/live"
	"shop/cmd/shop/ops"
	"shop/cmd/shop/pages"
	"shop/commands"
	"shop/commands/identity"
	"shop/commands/identity/passkeys"
	"shop/commands/identity/securitylog"
	"shop/commands/identity/signin"
	"shop/commands/mail"
	"shop/commands/payments"
	"shop/commands/photos"
	"shop/commands/shopapi"
	"shop/commands/staffapi"
	"shop/readapi"
	"shop/readapi/endpoint"
	"shop/readapi/replicas"
)

// Site is everything the URLs below lead to.
type Site struct {
	Config app.Config
	Log    *slog.Logger
	Https  bool
	// Traced: requests get spans.
	Traced bool

	Pages  *pages.Pages
	Assets assets
	Health Health

	Fresh readapi.Fresh
	// Epoch is the history of the log; nil in a region, whose commands go home.
	Epoch   *Epoch
	Answers *readapi.Answers
	// Replicas answer what shoppers read; nil: the primary does.
	Replicas *replicas.Set
	// Reads answer what shoppers read.
	Reads Reads

	// Yml and google are the feeds of marketplaces.
	Yml, Google *pages.MarketFeed
	SiteMap     *pages.SiteMap

	Baskets *commands.Baskets
	Orders  *commands.Orders
	// Bank is nil with a provider that has a page of its own.
	Bank *payments.Bank
	// Unsubscription is where letters of a list lead.
	Unsubscription mail.Unsubscription

	Reviews *commands.Reviews
	// StaffOrders and StaffReviews are the calls of staff about both.
	StaffOrders  *staffapi.Orders
	StaffReviews *staffapi.Reviews
	StaffToday   staffapi.Today
	StaffParcels *staffapi.Parcels
	// Desks are the other desks of the office, by noun.
	Desks        staffapi.Desks
	StaffNotices staffapi.Notices
	Team         *staffapi.Team
	// Live tells the office's open pages what changed.
	Live    *live.Hub
	Restock *commands.Restock
	Album   *photos.Album

	Customers *identity.Accounts
	Guests    *identity.Guests

	Staff    *signin.Accounts
	Passkeys *passkeys.Passkeys
	Ops      *ops.Ops
	// Security is the security log; nil: nothing is recorded.
	Security securitylog.Recorder
}

// Reads are what shoppers read, by noun.
type Reads struct {
	Products   readapi.Products
	Categories readapi.Categories
	Brands     readapi.Brands
	Content    readapi.Content
	Texts      readapi.Pages
	Documents  readapi.Documents
	Posts      readapi.Posts
	Rules      readapi.Rules
	Promocodes readapi.Promocodes
	Reviews    readapi.Reviews
	Restock    readapi.Restock
	Bonuses    readapi.Bonuses
	Orders     readapi.Orders
	Profiles   readapi.Profiles
	Shop       readapi.Shop
}

// Routes is every URL of the shop. A final slash may be there or not.
func (s *Site) Routes() http.Handler {
	r := chi.NewRouter()
	r.Use(drained)
	if s.Traced {
		r.Use(Spans)
	}
	r.Use(boundForwarded(s.Log), clientIP(s.Config.TrustedProxies), IgnoredProxies(s.Config.TrustedProxies, s.Log), endpoint.Identified, watched(s.Security), accessLog(s.Log), recovered(s.Log), secured(s.Pages.Policy(), s.Https), Compress, pages.Slashless, s.Epoch.marked(s.Https), limited)
	limit := newLimits(s.Config)
	s.Pages.Misses = budget(limit.pages)
	if s.Answers != nil {
		s.Answers.Misses = budget(limit.reads)
	}
	remember := budget(limit.remembered)
	remembers := func(r *http.Request) bool { _, ok := remember(r); return ok }

	// Shoppers, in Russian: what they read and write, as readapi/openapi.yaml describes it, and the storefront.
	by := s.guards(limit)
	s.reads(r, limit)
	shopapi.Baskets{Baskets: s.Baskets, Secure: s.Https, Remembers: remembers}.Routes(r, by)
	shopapi.Orders{Orders: s.Orders}.Routes(r, by)
	shopapi.Payments{Orders: s.Orders}.Routes(r, by)
	shopapi.Reviews{Reviews: s.Reviews}.Routes(r, by)
	shopapi.Restock{Restock: s.Restock}.Routes(r, by)
	shopapi.Guests{Guests: s.Guests, Orders: s.Orders}.Routes(r, by)
	shopapi.Accounts{Accounts: s.Customers, Secure: s.Https}.Routes(r, by)
	s.outside(r, by)
	s.storefront(r)
	s.files(r)

	// Staff.
	s.sessions(r, limit)
	s.StaffOrders.Routes(r, s.allowed, s.Fresh.For)
	s.StaffReviews.Routes(r, s.allowed)
	s.Desks.Routes(r, s.allowed, s.Fresh.For)
	s.Team.Routes(r, s.allowed)
	s.StaffToday.Routes(r, s.allowed, s.Fresh.For)
	s.StaffParcels.Routes(r, s.allowed, s.Fresh.For)
	s.StaffNotices.Routes(r, s.allowed)
	shopapi.PhoneOrders{Orders: s.Orders, Baskets: s.Baskets, ConsentText: s.Config.ConsentText}.Routes(r, s.allowedAsShoppers)
	r.Method("GET", "/api/staff/live", s.allowed("", s.Live.Stream))

	// Operators and analysts: the calls are in cmd/shop/ops, each with the permission it takes.
	s.Ops.Routes(r, s.allowed)
	s.staffPages(r)

	r.NotFound(s.elsewhere)
	r.MethodNotAllowed(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed(r, req), ", "))
		tell(w, req, http.StatusMethodNotAllowed, TextMethod)
	})
	return r
}

// elsewhere answers what is no route: a file of the storefront, or that there is nothing.
func (s *Site) elsewhere(w http.ResponseWriter, r *http.Request) {
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case reading && s.Assets.Serve(w, r):
	case strings.HasPrefix(r.URL.Path+"/", "/api/"), !reading:
		tell(w, r, http.StatusNotFound, textNotFound)
	case strings.HasPrefix(r.URL.Path, "/assets/"), strings.HasPrefix(r.URL.Path, "/img/"):
		// A page in place of a missing script would only confuse.
		http.Error(w, "not found", http.StatusNotFound)
	default:
		s.Pages.NotFound(w, r)
	}
}

// allowed lists the methods that the request's path knows.
func allowed(routes chi.Routes, r *http.Request) []string {
	path := "/" + strings.Trim(r.URL.Path, "/")
	var methods []string
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			methods = append(methods, method)
		}
	}
	return methods
}
