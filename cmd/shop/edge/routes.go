package edge

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/app"
	"shop/cmd/shop/ops"
	"shop/cmd/shop/pages"
	"shop/commands"
	"shop/commands/mail"
	"shop/commands/payments"
	"shop/commands/photos"
	"shop/commands/signin"
	"shop/domain/staff"
	"shop/readapi"
	"shop/readapi/endpoint"
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

	Fresh      readapi.Fresh
	Answers    *readapi.Answers
	Products   readapi.Products
	Categories readapi.Categories
	Brands     readapi.Brands
	Content    readapi.Content
	Posts      readapi.Posts
	Rules      readapi.Rules
	Promocodes readapi.Promocodes
	Reviews    readapi.Reviews
	Waits      readapi.Restock
	Bonuses    readapi.Bonuses
	Shop       readapi.Shop

	// Yml and google are the feeds of marketplaces.
	Yml, Google *pages.MarketFeed
	SiteMap     *pages.SiteMap

	Baskets *commands.Baskets
	Orders  *commands.Orders
	// Bank is nil with a provider that has a page of its own.
	Bank *payments.Bank
	// Unsubscription is where letters of a list lead.
	Unsubscription mail.Unsubscription

	Opinions *commands.Reviews
	// StaffOrders and staffReviews are the calls of staff about both.
	StaffOrders  *StaffOrders
	StaffReviews *StaffReviews
	Restock      *commands.Restock
	Album        *photos.Album

	Customers *commands.Accounts
	Profiles  readapi.Profiles
	Mine      readapi.Orders

	Staff *signin.Accounts
	Ops   *ops.Ops
}

// Routes is every URL of the shop. A final slash may be there or not.
func (s *Site) Routes() http.Handler {
	r := chi.NewRouter()
	r.Use(lingering)
	if s.Traced {
		r.Use(Spans)
	}
	r.Use(clientIP(s.Config.TrustedProxies), IgnoredProxies(s.Config.TrustedProxies, s.Log), endpoint.Identified, AccessLog(s.Log), Recovered(s.Log), secured(s.Pages.Policy(), s.Https), Compress, pages.Slashless, Limited)

	get := func(path string, h http.Handler) { r.Method("GET", path, h); r.Method("HEAD", path, h) }
	post := func(path string, h http.Handler) { r.Method("POST", path, h) }
	// read answers from the named projections, once they have come as far as the shopper has seen; from memory if it can.
	read := func(e readapi.Endpoint, projections ...string) http.Handler {
		return s.Fresh.For(projections...)(Answer(s.Log, s.Answers.Endpoint(e)))
	}
	ask := func(e readapi.Endpoint, projections ...string) http.Handler {
		return s.Fresh.For(projections...)(Answer(s.Log, e.ServeJSON))
	}
	write := func(e endpoint.Endpoint) http.Handler { return s.From(Answer(s.Log, e)) }
	limit := NewLimits(s.Config)
	// open is write for calls that know who is signed in, own for calls that need it.
	open := func(e endpoint.Endpoint) http.Handler { return s.From(s.signedIn(Answer(s.Log, e))) }
	own := func(e endpoint.Endpoint) http.Handler { return s.From(s.customersOnly(Answer(s.Log, e))) }

	// The API, as readapi/openapi.yaml describes it.
	get("/api/openapi.json", read(readapi.Describe))
	get("/api/products", limit.Searches(read(s.Products.List, "catalog", "stock", "rules", "reviews")))
	get("/api/products/popular", read(s.Products.Popular, "catalog", "stock", "rules", "popularity", "reviews"))
	get("/api/products/suggest", limit.Searches(read(s.Products.Suggest, "catalog", "stock")))
	get("/api/products/{id}", s.eitherWay(read(s.Products.Show, "catalog", "stock", "rules", "reviews"),
		ask(s.Products.ShowMine, "catalog", "stock", "rules", "reviews", "restock")))
	get("/api/products/{id}/reviews", read(s.Reviews.OfProduct, "catalog", "reviews"))
	get("/api/products/{id}/stock", read(s.Products.Stock, "catalog", "stock", "rules"))
	get("/api/products/{id}/similar", read(s.Products.Similar, "catalog", "stock", "rules", "reviews"))
	get("/api/categories", read(s.Categories.List, "catalog"))
	get("/api/categories/{id}", read(s.Categories.Show, "catalog", "stock", "rules", "reviews"))
	get("/api/brands", read(s.Brands.List, "catalog"))
	get("/api/brands/{id}", read(s.Brands.Show, "catalog", "stock", "rules", "reviews"))
	get("/api/geonames", read(readapi.Geonames))
	get("/api/content/find/{name}", read(s.Content.Find, "content", "rules"))
	get("/api/blog/posts", read(s.Posts.List, "posts"))
	get("/api/blog/posts/{id}", read(s.Posts.Show, "posts"))
	get("/api/rules", read(s.Rules.Show, "rules"))
	get("/api/shop", read(s.Shop.Show))
	get("/api/promocodes/{code}", limit.Guesses(ask(s.Promocodes.Show, "promocode")))
	post("/api/orders/calculate-price", limit.Pricings(open(s.Baskets.Calculate)))
	post("/api/orders", limit.orders(open(s.Orders.Place)))
	get("/api/orders", s.customersOnly(ask(s.Mine.List, "orders")))
	get("/api/orders/{id}", s.signedIn(ask(s.Mine.Show, "orders")))
	post("/api/orders/{id}/cancellation", limit.Pricings(open(s.Orders.CancelOwn)))
	post("/api/orders/{id}/payment", limit.Pricings(open(s.Orders.PayOwn)))
	post("/api/products/review", limit.Reviews(open(s.Opinions.Post)))
	get("/api/subscriptions/products", s.customersOnly(ask(s.Waits.List, "restock")))
	post("/api/subscriptions/products/{id}", own(s.Restock.Subscribe))
	r.Method("DELETE", "/api/subscriptions/products/{id}", own(s.Restock.Unsubscribe))
	get("/api/auth/profile/bonuses", s.customersOnly(ask(s.Bonuses.Show, "bonus", "orders")))
	post("/api/payments/{provider}", write(s.Orders.Notify))
	post("/api/payments/{provider}/{kind}", write(s.Orders.Notify))

	// Accounts.
	post("/api/token", limit.Accounts(write(s.Customers.SignIn)))
	r.Method("DELETE", "/api/token", own(s.Customers.SignOut))
	post("/api/auth/register", limit.Accounts(write(s.Customers.Register)))
	get("/api/auth/profile", s.customersOnly(ask(s.Profiles.Show, "customer", "bonus")))
	r.Method("PATCH", "/api/auth/profile", own(s.Customers.Change))
	r.Method("DELETE", "/api/auth/profile", limit.Accounts(own(s.Customers.Leave)))
	post("/api/auth/profile/photo", s.From(s.customersOnly(limit.portraits(Answer(s.Log, s.Customers.SetPhoto)))))
	r.Method("DELETE", "/api/auth/profile/photo", own(s.Customers.RemovePhoto))
	get("/api/auth/profile/export", s.Fresh.For("orders", "reviews", "restock")(own(s.Customers.Export)))
	post("/api/auth/profile/email", limit.Accounts(own(s.Customers.MailLink)))
	post("/api/auth/email/verify", limit.Accounts(s.From(s.eitherWay(Answer(s.Log, s.Customers.Verify), Answer(s.Log, s.Customers.Verify)))))
	post("/api/auth/email/cancel", limit.Accounts(write(s.Customers.CancelEmail)))
	post("/api/auth/email/take-back", limit.Accounts(write(s.Customers.TakeEmailBack)))
	post("/api/auth/profile/password-reset/request", limit.Accounts(write(s.Customers.RequestReset)))
	post("/api/auth/profile/password-reset/validate-code", limit.Accounts(write(s.Customers.CheckCode)))
	post("/api/auth/profile/password-reset", limit.Accounts(write(s.Customers.ResetPassword)))

	// Staff, in English.
	anyone := s.StaffOnly("")
	post("/api/staff/session", limit.Staff(staffAnswer(s.Log, s.signIn)))
	r.Method("DELETE", "/api/staff/session", anyone(staffAnswer(s.Log, s.signOut)))
	get("/api/staff/me", anyone(staffAnswer(s.Log, s.me)))
	post("/api/staff/password", limit.Staff(staffAnswer(s.Log, s.choosePassword)))

	s.StaffOrders.routes(r, s.allowed)
	s.StaffReviews.routes(r, s.allowed)

	// Operators: the calls are in ops.go, each with the permission it takes.
	s.Ops.Routes(r, s.allowed)

	// On to where a payment is paid, and the sandbox's bank page.
	get("/pay/{payment}", write(s.Orders.Forward))
	if s.Bank != nil {
		get("/pay/sandbox/{payment}", write(s.Bank.Page))
		post("/pay/sandbox/{payment}", write(s.Bank.Decide))
	}

	// The way off a list, by the link in a letter.
	get("/unsubscribe/restock/{product}/{customer}", write(s.Unsubscription.Page))
	post("/unsubscribe/restock/{product}/{customer}", write(s.Unsubscription.Confirm))

	// The storefront's pages, as web/src/app/pages.ts lists them.
	p := s.Pages
	for _, page := range p.List {
		for _, route := range page.Routes() {
			get(route, p.Show(page))
		}
	}
	get("/shell", http.HandlerFunc(p.Bare))

	get("/ops", pages.StaffPage(p.Staff))
	get("/ops/*", pages.StaffPage(p.Staff))
	get("/analytics", pages.StaffPage(p.Staff))
	get("/analytics/*", pages.StaffPage(p.Staff))

	get("/media/{name}", http.HandlerFunc(s.media))
	get("/feeds/yml.xml", Answer(s.Log, s.Yml.Serve))
	get("/feeds/google.xml", Answer(s.Log, s.Google.Serve))
	get("/robots.txt", http.HandlerFunc(s.robots))
	get("/sitemap.xml", Answer(s.Log, s.SiteMap.Serve))
	get("/sitemap-{part}.xml", Answer(s.Log, s.SiteMap.Serve))
	get("/healthz", http.HandlerFunc(s.Health.alive))
	get("/readyz", http.HandlerFunc(s.Health.ready))

	r.NotFound(s.elsewhere)
	r.MethodNotAllowed(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed(r, req), ", "))
		endpoint.WriteJSON(w, http.StatusMethodNotAllowed, endpoint.Detail(TextMethod))
	})
	return r
}

func (s *Site) allowed(permission staff.Permission, e endpoint.Endpoint) http.Handler {
	return s.StaffOnly(permission)(staffAnswer(s.Log, e))
}

// elsewhere answers what is no route: a file of the storefront, or that there is nothing.
func (s *Site) elsewhere(w http.ResponseWriter, r *http.Request) {
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case reading && s.Assets.Serve(w, r):
	case strings.HasPrefix(r.URL.Path+"/", "/api/"), !reading:
		endpoint.WriteJSON(w, http.StatusNotFound, endpoint.Detail(textNotFound))
	case strings.HasPrefix(r.URL.Path, "/assets/"), strings.HasPrefix(r.URL.Path, "/img/"):
		// A page in place of a missing script would only confuse.
		http.Error(w, "not found", http.StatusNotFound)
	default:
		s.Pages.NotFound(w, r)
	}
}

func (s *Site) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Write([]byte("User-agent: *\nDisallow: /api/\nDisallow: /pay/\nDisallow: /unsubscribe/\nDisallow: /ops\nDisallow: /analytics\nDisallow: /basket\nDisallow: /checkout\nDisallow: /account/\n\nSitemap: " + s.Pages.Origin + "/sitemap.xml\n"))
}

// allowed lists the methods that the request's path knows.
func allowed(routes chi.Routes, r *http.Request) []string {
	path := "/" + strings.Trim(r.URL.Path, "/")
	var methods []string
	for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "DELETE"} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			methods = append(methods, method)
		}
	}
	return methods
}

// From tells commands which request they come from.
func (s *Site) From(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(commands.WithOrigin(r.Context(), commands.Origin{
			Correlation: endpoint.RequestID(r.Context()), Actor: "guest", Network: clientAddr(r).String(),
		})))
	})
}
