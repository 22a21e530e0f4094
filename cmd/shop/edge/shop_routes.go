package edge

import (
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/pages"
	"shop/commands"
	"shop/commands/shopapi"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// getOn adds routes that answer HEAD as they answer GET.
func getOn(r chi.Router) func(path string, h http.Handler) {
	return func(path string, h http.Handler) { r.Method("GET", path, h); r.Method("HEAD", path, h) }
}

// pageRead is a call that pages may ask too: it answers everybody alike.
type pageRead struct {
	route       string
	endpoint    readapi.Endpoint
	projections []string
	// mine answers who is signed in, also from the projection restock; nil: as everybody.
	mine readapi.Endpoint
	// around is what the call passes on its way to the endpoint, and a page does not; nil: nothing.
	around func(http.Handler) http.Handler
}

func (s *Site) pageReads(limit Limits) []pageRead {
	products, categories, brands, posts := s.Reads.Products, s.Reads.Categories, s.Reads.Brands, s.Reads.Posts
	mine, myCategories, myBrands := products, categories, brands
	mine.Customer, myCategories.Customer, myBrands.Customer = commands.CustomerOf, commands.CustomerOf, commands.CustomerOf
	return []pageRead{
		{"/api/products", products.List, []string{"catalog", "stock", "rules", "reviews"}, mine.List, limit.Searches},
		{"/api/products/popular", products.Popular, []string{"catalog", "stock", "rules", "popularity", "reviews"}, mine.Popular, nil},
		{"/api/products/{id}", products.Show, []string{"catalog", "stock", "rules", "reviews"}, mine.Show, nil},
		{"/api/products/{id}/similar", products.Similar, []string{"catalog", "stock", "rules", "reviews"}, mine.Similar, nil},
		{"/api/categories", categories.List, []string{"catalog"}, nil, nil},
		{"/api/categories/{id}", categories.Show, []string{"catalog", "stock", "rules", "reviews"}, myCategories.Show, nil},
		{"/api/brands", brands.List, []string{"catalog"}, nil, nil},
		{"/api/brands/{id}", brands.Show, []string{"catalog", "stock", "rules", "reviews"}, myBrands.Show, nil},
		{"/api/content/find/{name}", s.Reads.Content.Find, []string{"content", "rules"}, nil, nil},
		{"/api/content/home", s.Reads.Texts.Home, []string{"content", "rules"}, nil, nil},
		{"/api/content/pages/{name}", s.Reads.Texts.Show, []string{"content", "rules"}, nil, nil},
		{"/api/blog/posts", posts.List, []string{"posts"}, nil, nil},
		{"/api/blog/posts/{id}", posts.Show, []string{"posts"}, nil, nil},
		{"/api/rules", s.Reads.Rules.Show, []string{"rules", "settings"}, nil, nil},
		{"/api/documents/{name}", s.Reads.Documents.Show, []string{"documents", "settings"}, nil, nil},
		{"/api/shop", s.Reads.Shop.Show, []string{"settings", "documents"}, nil, nil},
	}
}

// PageReads gives pages the calls that they may ask.
func (s *Site) PageReads() *pages.Reads {
	endpoints := map[string]readapi.Endpoint{}
	for _, call := range s.pageReads(Limits{}) {
		endpoints[call.route] = call.endpoint.At(s.Replicas)
	}
	return pages.NewReads(endpoints)
}

// read answers from the named projections, once they have come as far as the shopper has seen; from memory if it can.
func (s *Site) read(e readapi.Endpoint, projections ...string) http.Handler {
	return s.Fresh.For(projections...)(answer(s.Log, s.Answers.Endpoint(e.At(s.Replicas))))
}

// ask answers as read does, but never from memory.
func (s *Site) ask(e readapi.Endpoint, projections ...string) http.Handler {
	return s.Fresh.For(projections...)(answer(s.Log, e.At(s.Replicas).ServeJSON))
}

// reads are the calls of shoppers that change nothing, pageReads among them.
func (s *Site) reads(r chi.Router, limit Limits) {
	get := getOn(r)
	for _, call := range s.pageReads(limit) {
		h := s.read(call.endpoint, call.projections...)
		if call.mine != nil {
			h = s.eitherWay(h, s.ask(call.mine, append(slices.Clip(call.projections), "restock")...))
		}
		if call.around != nil {
			h = call.around(h)
		}
		get(call.route, h)
	}
	get("/api/openapi.json", s.read(readapi.Describe))
	get("/api/products/suggest", limit.Searches(s.read(s.Reads.Products.Suggest, "catalog", "stock")))
	get("/api/products/{id}/reviews", s.read(s.Reads.Reviews.OfProduct, "catalog", "reviews"))
	get("/api/products/{id}/stock", s.read(s.Reads.Products.Stock, "catalog", "stock", "rules"))
	get("/api/geonames", s.read(readapi.Geonames))
	get("/api/promocodes/{code}", limit.Guesses(s.ask(s.Reads.Promocodes.Show, "promocode")))
	get("/api/orders", s.customersOnly(s.ask(s.Reads.Orders.List, "orders")))
	get("/api/orders/{id}", s.signedIn(s.ask(s.Reads.Orders.Show, "orders")))
	get("/api/subscriptions/products", s.customersOnly(s.ask(s.Reads.Restock.List, "restock")))
	get("/api/auth/profile/bonuses", s.customersOnly(s.ask(s.Reads.Bonuses.Show, "bonus", "orders")))
	get("/api/auth/profile", s.customersOnly(s.ask(s.Reads.Profiles.Show, "customer", "bonus")))
}

// outside are the pages that are neither the storefront's nor the API's: the sandbox's bank, and the way off a list by the link
// in a letter.
func (s *Site) outside(r chi.Router, by shopapi.Guards) {
	get, post := getOn(r), func(path string, e endpoint.Endpoint) { r.Method("POST", path, by.Anyone(e)) }
	if s.Bank != nil {
		get("/pay/sandbox/{payment}", by.Anyone(s.Bank.Page))
		post("/pay/sandbox/{payment}", s.Bank.Decide)
	}
	get("/unsubscribe/restock/{product}/{customer}", by.Anyone(s.Unsubscription.Page))
	post("/unsubscribe/restock/{product}/{customer}", s.Unsubscription.Confirm)
}

// storefront is the pages, as web/shop/app/pages.ts lists them.
func (s *Site) storefront(r chi.Router) {
	get := getOn(r)
	for _, page := range s.Pages.List {
		for _, route := range page.Routes() {
			get(route, s.Pages.Show(page))
		}
	}
	get("/shell", http.HandlerFunc(s.Pages.Bare))
}

// files are media, feeds, and what machines ask for.
func (s *Site) files(r chi.Router) {
	get := getOn(r)
	get("/media/{name}", http.HandlerFunc(s.media))
	get(pages.SharePath+"/*", newShares(s.pictures(), s.Pages.Misses))
	pdf := answer(s.Log, newDocumentFiles(s.Reads.Documents).serve)
	for _, path := range []string{"/documents/{name}.pdf", "/documents/{name}/{version}.pdf"} {
		get(path, s.Fresh.For("documents", "settings")(pdf))
	}
	for path, to := range formerly {
		get(path, moved(to))
	}
	get("/feeds/yml.xml", answer(s.Log, s.Yml.Serve))
	get("/feeds/google.xml", answer(s.Log, s.Google.Serve))
	get("/robots.txt", http.HandlerFunc(s.robots))
	get("/sitemap.xml", answer(s.Log, s.SiteMap.Serve))
	get("/sitemap-{part}.xml", answer(s.Log, s.SiteMap.Serve))
	r.Method("POST", pages.ReportsPath, reportLimit(newPolicyReports(s.Log)))
	get("/healthz", http.HandlerFunc(s.Health.alive))
	get("/readyz", http.HandlerFunc(s.Health.ready))
}

// pictures are those that pages show.
func (s *Site) pictures() http.Handler {
	r := chi.NewRouter()
	r.Method("GET", "/media/{name}", http.HandlerFunc(s.media))
	r.NotFound(func(w http.ResponseWriter, req *http.Request) {
		if !s.Assets.Serve(w, req) {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	return r
}

// staffPages is the pages of operators and analysts.
func (s *Site) staffPages(r chi.Router) {
	get := getOn(r)
	for _, path := range []string{"/admin", "/admin/*", "/ops", "/ops/*", "/analytics", "/analytics/*"} {
		get(path, s.Pages.StaffPage(s.Https))
	}
}

func (s *Site) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Write([]byte("User-agent: *\nDisallow: /api/\nDisallow: /pay/\nDisallow: /unsubscribe/\nDisallow: /admin\nDisallow: /ops\nDisallow: /analytics\nDisallow: /basket\nDisallow: /checkout\nDisallow: /account/\n\nSitemap: " + s.Pages.Origin + "/sitemap.xml\n"))
}
