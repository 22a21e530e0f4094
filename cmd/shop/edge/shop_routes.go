package edge

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/pages"
	"shop/commands/shopapi"
	"shop/readapi"
	"shop/readapi/endpoint"
)

// getOn adds routes that answer HEAD as they answer GET.
func getOn(r chi.Router) func(path string, h http.Handler) {
	return func(path string, h http.Handler) { r.Method("GET", path, h); r.Method("HEAD", path, h) }
}

// reads are the calls of shoppers that change nothing.
func (s *Site) reads(r chi.Router, limit Limits) {
	get := getOn(r)
	// read answers from the named projections, once they have come as far as the shopper has seen; from memory if it can.
	read := func(e readapi.Endpoint, projections ...string) http.Handler {
		return s.Fresh.For(projections...)(answer(s.Log, s.Answers.Endpoint(e)))
	}
	ask := func(e readapi.Endpoint, projections ...string) http.Handler {
		return s.Fresh.For(projections...)(answer(s.Log, e.ServeJSON))
	}
	get("/api/openapi.json", read(readapi.Describe))
	get("/api/products", limit.Searches(read(s.Reads.Products.List, "catalog", "stock", "rules", "reviews")))
	get("/api/products/popular", read(s.Reads.Products.Popular, "catalog", "stock", "rules", "popularity", "reviews"))
	get("/api/products/suggest", limit.Searches(read(s.Reads.Products.Suggest, "catalog", "stock")))
	get("/api/products/{id}", s.eitherWay(read(s.Reads.Products.Show, "catalog", "stock", "rules", "reviews"),
		ask(s.Reads.Products.ShowMine, "catalog", "stock", "rules", "reviews", "restock")))
	get("/api/products/{id}/reviews", read(s.Reads.Reviews.OfProduct, "catalog", "reviews"))
	get("/api/products/{id}/stock", read(s.Reads.Products.Stock, "catalog", "stock", "rules"))
	get("/api/products/{id}/similar", read(s.Reads.Products.Similar, "catalog", "stock", "rules", "reviews"))
	get("/api/categories", read(s.Reads.Categories.List, "catalog"))
	get("/api/categories/{id}", read(s.Reads.Categories.Show, "catalog", "stock", "rules", "reviews"))
	get("/api/brands", read(s.Reads.Brands.List, "catalog"))
	get("/api/brands/{id}", read(s.Reads.Brands.Show, "catalog", "stock", "rules", "reviews"))
	get("/api/geonames", read(readapi.Geonames))
	get("/api/content/find/{name}", read(s.Reads.Content.Find, "content", "rules"))
	get("/api/blog/posts", read(s.Reads.Posts.List, "posts"))
	get("/api/blog/posts/{id}", read(s.Reads.Posts.Show, "posts"))
	get("/api/rules", read(s.Reads.Rules.Show, "rules"))
	get("/api/shop", read(s.Reads.Shop.Show))
	get("/api/promocodes/{code}", limit.Guesses(ask(s.Reads.Promocodes.Show, "promocode")))
	get("/api/orders", s.customersOnly(ask(s.Reads.Orders.List, "orders")))
	get("/api/orders/{id}", s.signedIn(ask(s.Reads.Orders.Show, "orders")))
	get("/api/subscriptions/products", s.customersOnly(ask(s.Reads.Restock.List, "restock")))
	get("/api/auth/profile/bonuses", s.customersOnly(ask(s.Reads.Bonuses.Show, "bonus", "orders")))
	get("/api/auth/profile", s.customersOnly(ask(s.Reads.Profiles.Show, "customer", "bonus")))
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
	get("/feeds/yml.xml", answer(s.Log, s.Yml.Serve))
	get("/feeds/google.xml", answer(s.Log, s.Google.Serve))
	get("/robots.txt", http.HandlerFunc(s.robots))
	get("/sitemap.xml", answer(s.Log, s.SiteMap.Serve))
	get("/sitemap-{part}.xml", answer(s.Log, s.SiteMap.Serve))
	get("/healthz", http.HandlerFunc(s.Health.alive))
	get("/readyz", http.HandlerFunc(s.Health.ready))
}

// staffPages is the pages of operators and analysts.
func (s *Site) staffPages(r chi.Router) {
	get := getOn(r)
	get("/ops", pages.StaffPage(s.Pages.Staff))
	get("/ops/*", pages.StaffPage(s.Pages.Staff))
	get("/admin", pages.StaffPage(s.Pages.Staff))
	get("/admin/*", pages.StaffPage(s.Pages.Staff))
	get("/analytics", pages.StaffPage(s.Pages.Staff))
	get("/analytics/*", pages.StaffPage(s.Pages.Staff))
}

func (s *Site) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Write([]byte("User-agent: *\nDisallow: /api/\nDisallow: /pay/\nDisallow: /unsubscribe/\nDisallow: /admin\nDisallow: /ops\nDisallow: /analytics\nDisallow: /basket\nDisallow: /checkout\nDisallow: /account/\n\nSitemap: " + s.Pages.Origin + "/sitemap.xml\n"))
}
