package edge

import (
	"shop/cmd/shop/pages"
	"shop/readapi"
)

// PageReads are the calls that pages may ask: of the API, those that answer everybody alike.
func (s *Site) PageReads() *pages.Reads {
	return pages.NewReads(map[string]readapi.Endpoint{
		"/api/products":              s.Products.List,
		"/api/products/popular":      s.Products.Popular,
		"/api/products/{id}":         s.Products.Show,
		"/api/products/{id}/similar": s.Products.Similar,
		"/api/categories":            s.Categories.List,
		"/api/brands":                s.Brands.List,
		"/api/brands/{id}":           s.Brands.Show,
		"/api/content/find/{name}":   s.Content.Find,
		"/api/blog/posts":            s.Posts.List,
		"/api/blog/posts/{id}":       s.Posts.Show,
		"/api/rules":                 s.Rules.Show,
		"/api/shop":                  s.Shop.Show,
	})
}
