package edge

import (
	"shop/cmd/shop/pages"
	"shop/readapi"
)

// PageReads are the calls that pages may ask: of the API, those that answer everybody alike.
func (s *Site) PageReads() *pages.Reads {
	return pages.NewReads(map[string]readapi.Endpoint{
		"/api/products":              s.Reads.Products.List,
		"/api/products/popular":      s.Reads.Products.Popular,
		"/api/products/{id}":         s.Reads.Products.Show,
		"/api/products/{id}/similar": s.Reads.Products.Similar,
		"/api/categories":            s.Reads.Categories.List,
		"/api/brands":                s.Reads.Brands.List,
		"/api/brands/{id}":           s.Reads.Brands.Show,
		"/api/content/find/{name}":   s.Reads.Content.Find,
		"/api/blog/posts":            s.Reads.Posts.List,
		"/api/blog/posts/{id}":       s.Reads.Posts.Show,
		"/api/rules":                 s.Reads.Rules.Show,
		"/api/shop":                  s.Reads.Shop.Show,
	})
}
