package main

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/commands"
	"shop/commands/mail"
	"shop/commands/payments"
	"shop/commands/photos"
	"shop/commands/signin"
	"shop/domain/staff"
	"shop/readapi"
)

// site is everything the URLs below lead to.
type site struct {
	config config
	log    *slog.Logger
	https  bool
	// traced: requests get spans.
	traced bool

	pages  *pages
	views  *views
	assets assets
	health health

	fresh      readapi.Fresh
	answers    *readapi.Answers
	products   readapi.Products
	categories readapi.Categories
	brands     readapi.Brands
	content    readapi.Content
	posts      readapi.Posts
	rules      readapi.Rules
	promocodes readapi.Promocodes
	reviews    readapi.Reviews
	waits      readapi.Restock
	bonuses    readapi.Bonuses
	shop       readapi.Shop

	// yml and google are the feeds of marketplaces.
	yml, google *marketFeed
	siteMap     *siteMap

	baskets *commands.Baskets
	orders  *commands.Orders
	// bank is nil with a provider that has a page of its own.
	bank *payments.Bank
	// unsubscription is where letters of a list lead.
	unsubscription mail.Unsubscription

	opinions *commands.Reviews
	// staffOrders and staffReviews are the calls of staff about both.
	staffOrders  *staffOrders
	staffReviews *staffReviews
	restock      *commands.Restock
	album        *photos.Album

	customers *commands.Accounts
	profiles  readapi.Profiles
	mine      readapi.Orders

	staff *signin.Accounts
	ops   *ops
}

// routes is every URL of the shop. A final slash may be there or not.
func (s *site) routes() http.Handler {
	r := chi.NewRouter()
	r.Use(lingering)
	if s.traced {
		r.Use(spans)
	}
	r.Use(ignoredProxies(s.config.TrustedProxies, s.log), identified, accessLog(s.log), recovered(s.log), secured(s.pages.policy(), s.https), compress, slashless, limited)

	get := func(path string, h http.Handler) { r.Method("GET", path, h); r.Method("HEAD", path, h) }
	post := func(path string, h http.Handler) { r.Method("POST", path, h) }
	// read answers from the named projections, once they have come as far as the shopper has seen; from memory if it can.
	read := func(e readapi.Endpoint, projections ...string) http.Handler {
		return s.fresh.For(projections...)(answer(s.log, s.answers.Endpoint(e)))
	}
	ask := func(e readapi.Endpoint, projections ...string) http.Handler {
		return s.fresh.For(projections...)(answer(s.log, e.ServeJSON))
	}
	write := func(e endpoint) http.Handler { return s.from(answer(s.log, e)) }
	limit := newLimits(s.config)
	// open is write for calls that know who is signed in, own for calls that need it.
	open := func(e endpoint) http.Handler { return s.from(s.signedIn(answer(s.log, e))) }
	own := func(e endpoint) http.Handler { return s.from(s.customersOnly(answer(s.log, e))) }

	// The API, as readapi/openapi.yaml describes it.
	get("/api/openapi.json", read(readapi.Describe))
	get("/api/products", limit.searches(read(s.products.List, "catalog", "stock", "rules", "reviews")))
	get("/api/products/popular", read(s.products.Popular, "catalog", "stock", "rules", "popularity", "reviews"))
	get("/api/products/suggest", limit.searches(read(s.products.Suggest, "catalog", "stock")))
	get("/api/products/{id}", s.eitherWay(read(s.products.Show, "catalog", "stock", "rules", "reviews"),
		ask(s.products.ShowMine, "catalog", "stock", "rules", "reviews", "restock")))
	get("/api/products/{id}/reviews", read(s.reviews.OfProduct, "catalog", "reviews"))
	get("/api/products/{id}/stock", read(s.products.Stock, "catalog", "stock", "rules"))
	get("/api/products/{id}/similar", read(s.products.Similar, "catalog", "stock", "rules", "reviews"))
	get("/api/categories", read(s.categories.List, "catalog"))
	get("/api/categories/{id}", read(s.categories.Show, "catalog", "stock", "rules", "reviews"))
	get("/api/brands", read(s.brands.List, "catalog"))
	get("/api/brands/{id}", read(s.brands.Show, "catalog", "stock", "rules", "reviews"))
	get("/api/geonames", read(readapi.Geonames))
	get("/api/content/find/{name}", read(s.content.Find, "content", "rules"))
	get("/api/blog/posts", read(s.posts.List, "posts"))
	get("/api/blog/posts/{id}", read(s.posts.Show, "posts"))
	get("/api/rules", read(s.rules.Show, "rules"))
	get("/api/shop", read(s.shop.Show))
	get("/api/promocodes/{code}", limit.guesses(ask(s.promocodes.Show, "promocode")))
	post("/api/orders/calculate-price", limit.pricings(open(s.baskets.Calculate)))
	post("/api/orders", limit.orders(open(s.orders.Place)))
	get("/api/orders", s.customersOnly(ask(s.mine.List, "orders")))
	get("/api/orders/{id}", s.signedIn(ask(s.mine.Show, "orders")))
	post("/api/orders/{id}/cancellation", limit.pricings(open(s.orders.CancelOwn)))
	post("/api/orders/{id}/payment", limit.pricings(open(s.orders.PayOwn)))
	post("/api/products/review", limit.reviews(open(s.opinions.Post)))
	get("/api/subscriptions/products", s.customersOnly(ask(s.waits.List, "restock")))
	post("/api/subscriptions/products/{id}", own(s.restock.Subscribe))
	r.Method("DELETE", "/api/subscriptions/products/{id}", own(s.restock.Unsubscribe))
	get("/api/auth/profile/bonuses", s.customersOnly(ask(s.bonuses.Show, "bonus", "orders")))
	post("/api/payments/{provider}", write(s.orders.Notify))
	post("/api/payments/{provider}/{kind}", write(s.orders.Notify))

	// Accounts.
	post("/api/token", limit.accounts(write(s.customers.SignIn)))
	r.Method("DELETE", "/api/token", own(s.customers.SignOut))
	post("/api/auth/register", limit.accounts(write(s.customers.Register)))
	get("/api/auth/profile", s.customersOnly(ask(s.profiles.Show, "customer", "bonus")))
	r.Method("PATCH", "/api/auth/profile", own(s.customers.Change))
	r.Method("DELETE", "/api/auth/profile", limit.accounts(own(s.customers.Leave)))
	post("/api/auth/profile/photo", s.from(s.customersOnly(limit.portraits(answer(s.log, s.customers.SetPhoto)))))
	r.Method("DELETE", "/api/auth/profile/photo", own(s.customers.RemovePhoto))
	get("/api/auth/profile/export", s.fresh.For("orders", "reviews", "restock")(own(s.customers.Export)))
	post("/api/auth/profile/email", limit.accounts(own(s.customers.MailLink)))
	post("/api/auth/email/verify", limit.accounts(s.from(s.eitherWay(answer(s.log, s.customers.Verify), answer(s.log, s.customers.Verify)))))
	post("/api/auth/email/cancel", limit.accounts(write(s.customers.CancelEmail)))
	post("/api/auth/email/take-back", limit.accounts(write(s.customers.TakeEmailBack)))
	post("/api/auth/profile/password-reset/request", limit.accounts(write(s.customers.RequestReset)))
	post("/api/auth/profile/password-reset/validate-code", limit.accounts(write(s.customers.CheckCode)))
	post("/api/auth/profile/password-reset", limit.accounts(write(s.customers.ResetPassword)))

	// Staff, in English.
	anyone := s.staffOnly("")
	post("/api/staff/session", limit.staff(staffAnswer(s.log, s.signIn)))
	r.Method("DELETE", "/api/staff/session", anyone(staffAnswer(s.log, s.signOut)))
	get("/api/staff/me", anyone(staffAnswer(s.log, s.me)))
	post("/api/staff/password", limit.staff(staffAnswer(s.log, s.choosePassword)))

	s.staffOrders.routes(r, s.allowed)
	s.staffReviews.routes(r, s.allowed)

	// Operators: the calls are in ops.go, each with the permission it takes.
	s.ops.routes(r, s.allowed)

	// On to where a payment is paid, and the sandbox's bank page.
	get("/pay/{payment}", write(s.orders.Forward))
	if s.bank != nil {
		get("/pay/sandbox/{payment}", write(s.bank.Page))
		post("/pay/sandbox/{payment}", write(s.bank.Decide))
	}

	// The way off a list, by the link in a letter.
	get("/unsubscribe/restock/{product}/{customer}", write(s.unsubscription.Page))
	post("/unsubscribe/restock/{product}/{customer}", write(s.unsubscription.Confirm))

	// The storefront's pages.
	p, v := s.pages, s.views
	get("/", p.show(v.homePage()))
	get("/about", p.show(fixed("src/routes/about.tsx", head{title: "О нас", description: aboutDescription})))
	get("/brands", p.show(fixed("src/routes/brands.tsx", head{title: "Бренды", description: brandsDescription}, v.brandsOf(""))))
	get("/brands/{id}", p.show(v.brandPage))
	get("/categories", p.show(v.categoriesPage()))
	get("/categories/{id}", p.show(v.categoryPage("src/routes/categories.tsx", v.childrenAsked)))
	get("/category/{id}", p.show(v.categoryPage("src/routes/category.tsx", v.productsAsked)))
	get("/product/{id}", p.show(v.productPage))
	get("/dostavka-i-skidki", p.show(fixed("src/routes/delivery.tsx", head{title: "Доставка и скидки", description: deliveryDescription})))
	get("/news", p.show(v.newsPage))
	get("/news/{id}", p.show(v.postPage))
	get("/basket", p.show(ownPage("src/routes/basket.tsx", "Корзина")))
	get("/checkout", p.show(ownPage("src/routes/checkout.tsx", "Check-Out")))
	get("/login", p.show(ownPage("src/routes/login.tsx", "Вход")))
	get("/registration", p.show(ownPage("src/routes/registration.tsx", "Регистрация")))
	get("/reset-password", p.show(ownPage("src/routes/reset-password.tsx", "Восстановление пароля")))
	get("/verify-email", p.show(ownPage("src/routes/verify-email.tsx", "Подтверждение e-mail")))
	get("/cancel-email", p.show(ownPage("src/routes/cancel-email.tsx", "Отмена смены e-mail")))
	get("/take-back-email", p.show(ownPage("src/routes/take-back-email.tsx", "Возврат e-mail")))
	get("/account/info", p.show(ownPage("src/routes/account-info.tsx", "Личные данные")))
	get("/account/bonuses", p.show(ownPage("src/routes/account-bonuses.tsx", "Бонусная система")))
	get("/account/orders", p.show(ownPage("src/routes/account-orders.tsx", "Мои заказы")))
	get("/account/waiting", p.show(ownPage("src/routes/account-waiting.tsx", "Жду поступления")))
	get("/account/order/{id}", p.show(ownPage("src/routes/account-order.tsx", "Заказ")))
	get("/order/{id}", p.show(ownPage("src/routes/order.tsx", "Заказ")))

	get("/shell", http.HandlerFunc(p.bare))

	get("/ops", staffPage(p.operators))
	get("/ops/*", staffPage(p.operators))
	get("/analytics", staffPage(p.analysts))
	get("/analytics/*", staffPage(p.analysts))

	get("/media/{name}", http.HandlerFunc(s.media))
	get("/feeds/yml.xml", answer(s.log, s.yml.serve))
	get("/feeds/google.xml", answer(s.log, s.google.serve))
	get("/robots.txt", http.HandlerFunc(s.robots))
	get("/sitemap.xml", answer(s.log, s.siteMap.serve))
	get("/sitemap-{part}.xml", answer(s.log, s.siteMap.serve))
	get("/healthz", http.HandlerFunc(s.health.alive))
	get("/readyz", http.HandlerFunc(s.health.ready))

	r.NotFound(s.elsewhere)
	r.MethodNotAllowed(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed(r, req), ", "))
		writeJSON(w, http.StatusMethodNotAllowed, detail(textMethod))
	})
	return r
}

// guard makes a handler of an endpoint of staff: sessions whose role has the permission may call it ("" is any role), and
// errors are answered as staff read them.
type guard func(staff.Permission, endpoint) http.Handler

func (s *site) allowed(permission staff.Permission, e endpoint) http.Handler {
	return s.staffOnly(permission)(staffAnswer(s.log, e))
}

// elsewhere answers what is no route: a file of the storefront, or that there is nothing.
func (s *site) elsewhere(w http.ResponseWriter, r *http.Request) {
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case reading && s.assets.serve(w, r):
	case strings.HasPrefix(r.URL.Path+"/", "/api/"), !reading:
		writeJSON(w, http.StatusNotFound, detail(textNotFound))
	case strings.HasPrefix(r.URL.Path, "/assets/"), strings.HasPrefix(r.URL.Path, "/img/"):
		// A page in place of a missing script would only confuse.
		http.Error(w, "not found", http.StatusNotFound)
	default:
		s.pages.notFound(w, r)
	}
}

func (s *site) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Write([]byte("User-agent: *\nDisallow: /api/\nDisallow: /pay/\nDisallow: /unsubscribe/\nDisallow: /ops\nDisallow: /analytics\nDisallow: /basket\nDisallow: /checkout\nDisallow: /account/\n\nSitemap: " + s.pages.origin + "/sitemap.xml\n"))
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

// from tells commands which request they come from.
func (s *site) from(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(commands.WithOrigin(r.Context(), commands.Origin{
			Correlation: requestID(r.Context()), Actor: "guest", Network: clientAddr(r, s.config.TrustedProxies).String(),
		})))
	})
}
