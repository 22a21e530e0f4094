package main

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/readapi"
)

// The storefront's pages: what each asks before its first paint, under the keys of its queries (the *-queries.ts of
// web/src/features), and what it says about itself.

// views are the storefront's pages, by what they ask of the read models.
type views struct {
	pages      *pages
	contact    contact
	products   readapi.Products
	categories readapi.Categories
	brands     readapi.Brands
	content    readapi.Content
	posts      readapi.Posts
	rules      readapi.Rules
	shop       readapi.Shop
}

// fixed is a page without a subject.
func fixed(module string, h head, questions ...question) func(r *http.Request) view {
	return func(r *http.Request) view {
		h := h
		h.path = pathOf(r)
		return view{at: h.path, module: module, questions: questions, head: func() (head, error) { return h, nil }}
	}
}

// ownPage is a page of what is one shopper's own: all else comes to it by script. It is the same for every id.
func ownPage(module, title string) func(r *http.Request) view {
	h := head{title: title, private: true}
	return func(r *http.Request) view {
		return view{at: chi.RouteContext(r.Context()).RoutePattern(), module: module, head: func() (head, error) { return h, nil }}
	}
}

// around are the questions of every page: its header and footer show them.
func (s *views) around() []question {
	return []question{
		{key: []any{"category", "tree"}, path: "/api/categories/", ask: s.categories.List},
		{key: []any{"content", "rules"}, path: "/api/rules/", ask: s.rules.Show},
		{key: []any{"content", "shop"}, path: "/api/shop/", ask: s.shop.Show},
	}
}

func (s *views) brandsOf(category string) question {
	q := question{key: []any{"brand", "list", category}, path: "/api/brands/", ask: s.brands.List}
	if category != "" {
		q.path += "?category_id=" + url.QueryEscape(category)
	}
	return q
}

const (
	cardsShown = 12
	// listPage is the storefront's pageSize.
	listPage = 24
)

// What the home page shows of the catalog.
var (
	popularCards = fmt.Sprintf("/api/products/popular/?limit=%d", cardsShown)
	freshCards   = fmt.Sprintf("/api/products/?is_new=true&limit=%d", cardsShown)
)

// home is the first page. Its picture is preloaded by the width that it is chosen by.
func (s *views) homePage() func(r *http.Request) view {
	shell := s.pages.shell
	hero := func(name string, widths ...int) string {
		var set []string
		for _, width := range widths {
			set = append(set, fmt.Sprintf("%s %dw", shell.file(fmt.Sprintf("src/routes/hero/%s-%d.avif", name, width)), width))
		}
		return strings.Join(set, ", ")
	}
	c := s.contact
	h := head{
		title: "Натуральная и органическая косметика в Казахстане", home: true,
		description: homeDescription,
		picture:     picture{Src: shell.file("src/routes/hero/wide-1200.webp")},
		facts: []fact{
			{"@type": "Organization", "@id": s.pages.origin + "/#organization", "name": c.Name, "url": s.pages.origin + "/",
				"logo": s.pages.origin + "/favicon.svg", "email": c.Email, "telephone": c.Phone, "legalName": c.LegalName, "address": c.Address},
			{"@type": "WebSite", "name": c.Name, "url": s.pages.origin + "/", "inLanguage": []string{russian, kazakh},
				"publisher": fact{"@id": s.pages.origin + "/#organization"}},
		},
		preloads: preloadImage("image/avif", hero("narrow", 480, 800), "100vw", "(max-width: 989.98px)") +
			preloadImage("image/avif", hero("wide", 1200, 1600), "100vw", "(min-width: 990px)"),
	}
	return fixed("src/routes/home.tsx", h,
		question{key: []any{"product", "popular"}, path: popularCards, ask: s.products.Popular},
		question{key: []any{"product", "fresh"}, path: freshCards, ask: s.products.List},
		question{key: []any{"content", "block", "main-slider"}, path: "/api/content/find/main-slider/", id: "main-slider", ask: s.content.Find},
		s.brandsOf(""))
}

// categoriesPage is the catalog's first.
func (s *views) categoriesPage() func(r *http.Request) view {
	return fixed("src/routes/categories.tsx", head{title: "Категории", description: categoriesDescription}, s.brandsOf(""))
}

// thing names what a page is about; its address goes by the link.
type thing struct {
	ID   string `json:"id"`
	Link string `json:"link"`
	Name string `json:"name"`
}

type productFacts struct {
	thing
	Description     string  `json:"description"`
	PackageSize     string  `json:"package_size"`
	Article         string  `json:"article"`
	DiscountedPrice int64   `json:"discounted_price"`
	InStock         bool    `json:"in_stock"`
	MainImage       string  `json:"main_image"`
	Picture         picture `json:"picture"`
	Images          []struct {
		Image string `json:"image"`
	} `json:"images"`
	Rating       float64 `json:"rating"`
	ReviewsCount int     `json:"reviews_count"`
	Brand        thing   `json:"brand"`
	Category     struct {
		thing
		Parent thing `json:"parent"`
	} `json:"category"`
}

func (s *views) productPage(r *http.Request) view {
	id := subject(r)
	var p productFacts
	escaped := url.PathEscape(id)
	return view{
		at: pathOf(r), module: "src/routes/product.tsx",
		questions: []question{
			{key: []any{"product", "detail", id}, path: "/api/products/" + escaped + "/", id: id, ask: s.products.Show, into: &p, subject: true},
			{key: []any{"product", "similar", id}, path: fmt.Sprintf("/api/products/%s/similar/?limit=%d", escaped, cardsShown), id: id, ask: s.products.Similar},
		},
		head: func() (head, error) {
			path := "/product/" + url.PathEscape(p.Link)
			if p.Link != id {
				return head{}, moved(path)
			}
			if p.Picture.Src == "" {
				p.Picture.Src = p.MainImage
			}
			name := strings.Join(notEmpty(p.Name, p.PackageSize), ", ")
			return head{title: name, description: p.Description, path: path, picture: p.Picture, kind: "product",
				preloads: p.Picture.preload("(min-width: 700px) 46vw, 92vw"),
				facts:    []fact{p.offer(s.pages.origin, name, path), trail(s.pages.origin, p.way(name, path)...)}}, nil
		},
	}
}

// offer is the product for sale.
func (p productFacts) offer(origin, name, path string) fact {
	availability := "https://schema.org/OutOfStock"
	if p.InStock {
		availability = "https://schema.org/InStock"
	}
	var images []string
	for _, i := range p.Images {
		images = append(images, absolute(origin, i.Image))
	}
	if images == nil && p.Picture.Src != "" {
		images = []string{absolute(origin, p.Picture.Src)}
	}
	f := fact{"@type": "Product", "name": name, "sku": p.Article, "description": p.Description, "url": origin + path,
		"offers": fact{"@type": "Offer", "url": origin + path, "price": p.DiscountedPrice, "priceCurrency": "KZT",
			"availability": availability, "itemCondition": "https://schema.org/NewCondition"}}
	if images != nil {
		f["image"] = images
	}
	if p.Brand.Name != "" {
		f["brand"] = fact{"@type": "Brand", "name": p.Brand.Name}
	}
	if p.ReviewsCount > 0 {
		f["aggregateRating"] = fact{"@type": "AggregateRating", "ratingValue": p.Rating, "reviewCount": p.ReviewsCount, "bestRating": 5, "worstRating": 1}
	}
	return f
}

// way leads to the product.
func (p productFacts) way(name, path string) []step {
	steps := []step{{"Категории", "/categories"}}
	if p.Category.Parent.Link != "" {
		steps = append(steps, step{p.Category.Parent.Name, "/categories/" + p.Category.Parent.Link})
	}
	if p.Category.Link != "" {
		steps = append(steps, step{p.Category.Name, "/category/" + p.Category.Link})
	}
	return append(steps, step{name, path})
}

type brandFacts struct {
	thing
	Description string  `json:"description"`
	Image       string  `json:"image"`
	MainImage   string  `json:"main_image"`
	Picture     picture `json:"picture"`
}

func (s *views) brandPage(r *http.Request) view {
	id := subject(r)
	var b brandFacts
	return view{
		at: pathOf(r), module: "src/routes/brand.tsx",
		questions: []question{{key: []any{"brand", "detail", id}, path: "/api/brands/" + url.PathEscape(id) + "/", id: id, ask: s.brands.Show, into: &b, subject: true}},
		head: func() (head, error) {
			path := "/brands/" + url.PathEscape(b.Link)
			if b.Link != id {
				return head{}, moved(path)
			}
			preloads := b.Picture.preload("(min-width: 900px) 50vw, 92vw")
			b.Picture.Src = cmp.Or(b.Picture.Src, b.MainImage, b.Image)
			return head{title: b.Name, description: b.Description, path: path, picture: b.Picture, preloads: preloads,
				facts: []fact{trail(s.pages.origin, step{"Бренды", "/brands"}, step{b.Name, path})}}, nil
		},
	}
}

type categoryFacts struct {
	thing
	Description string           `json:"description"`
	Picture     picture          `json:"picture"`
	Parent      thing            `json:"parent"`
	Children    []*categoryFacts `json:"child_categories"`
}

// path is where a category leads: to its children when it has any, else to its products.
func (c *categoryFacts) path() string {
	if len(c.Children) > 0 {
		return "/categories/" + url.PathEscape(c.Link)
	}
	return "/category/" + url.PathEscape(c.Link)
}

// find searches a tree for an id or link; nil: not there.
func find(tree []*categoryFacts, id string) *categoryFacts {
	for _, c := range tree {
		if c.ID == id || c.Link == id {
			return c
		}
		if below := find(c.Children, id); below != nil {
			return below
		}
	}
	return nil
}

// categoryPage is a category's page, whichever kind its path says.
func (s *views) categoryPage(module string, questions func(id string, asked url.Values) ([]question, url.Values)) func(r *http.Request) view {
	return func(r *http.Request) view {
		id := subject(r)
		var tree []*categoryFacts
		asks, query := questions(id, r.URL.Query())
		at := pathOf(r)
		if len(query) > 0 {
			at += "?" + query.Encode()
		}
		return view{
			at: at, module: module,
			questions: append(asks, question{key: []any{"category", "tree"}, path: "/api/categories/", ask: s.categories.List, into: &tree, subject: true}),
			head: func() (head, error) {
				c := find(tree, id)
				if c == nil {
					return head{}, readapi.ErrNotFound
				}
				path := c.path()
				if path != pathOf(r) {
					return head{}, moved(path)
				}
				steps := []step{{"Категории", "/categories"}}
				if c.Parent.Link != "" {
					steps = append(steps, step{c.Parent.Name, "/categories/" + c.Parent.Link})
				}
				steps = append(steps, step{c.Name, path})
				if page := query.Get("page"); page != "" {
					path += "?page=" + page
				}
				return head{title: c.Name, description: c.Description, path: path, picture: c.Picture,
					facts: []fact{trail(s.pages.origin, steps...)}}, nil
			},
		}
	}
}

// productsAsked are the questions of a category's list of products, and its query without what changes nothing.
func (s *views) productsAsked(id string, asked url.Values) ([]question, url.Values) {
	query, filter, call := url.Values{}, map[string]any{"category": id}, url.Values{}
	brands := strings.FieldsFunc(asked.Get("brand"), func(c rune) bool { return c == ',' })
	if len(brands) > 0 {
		query.Set("brand", strings.Join(brands, ","))
		call.Set("brand_id", strings.Join(brands, ","))
	} else {
		brands = []string{}
	}
	filter["brands"] = brands
	if ordering := asked.Get("ordering"); ordering == "price" || ordering == "-price" {
		query.Set("ordering", ordering)
		call.Set("ordering", ordering)
		filter["ordering"] = ordering
	}
	page := pageAsked(asked)
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	call.Set("category_id", id)
	call.Set("limit", strconv.Itoa(listPage))
	call.Set("offset", strconv.Itoa((page-1)*listPage))
	return []question{
		{key: []any{"product", "list", filter, page}, path: "/api/products/?" + call.Encode(), ask: s.products.List, page: page},
		s.brandsOf(id),
	}, query
}

// childrenAsked are the questions of a category with others below it.
func (s *views) childrenAsked(id string, _ url.Values) ([]question, url.Values) {
	return []question{s.brandsOf(id)}, nil
}

// postsOnPage is the storefront's.
const postsOnPage = 3

// newsPage is a page of the blog.
func (s *views) newsPage(r *http.Request) view {
	page := pageAsked(r.URL.Query())
	path := pathOf(r)
	if page > 1 {
		path += "?page=" + strconv.Itoa(page)
	}
	return view{
		at: path, module: "src/routes/news.tsx",
		questions: []question{{key: []any{"post", "list", page}, ask: s.posts.List,
			path: fmt.Sprintf("/api/blog/posts/?limit=%d&offset=%d", postsOnPage, (page-1)*postsOnPage)}},
		head: func() (head, error) {
			return head{title: "Блог", description: newsDescription, path: path}, nil
		},
	}
}

type postFacts struct {
	ID          string  `json:"id"`
	Link        string  `json:"link"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Image       string  `json:"image"`
	Picture     picture `json:"picture"`
	CreatedAt   string  `json:"created_at"`
}

func (s *views) postPage(r *http.Request) view {
	id := subject(r)
	var post postFacts
	return view{
		at: pathOf(r), module: "src/routes/post.tsx",
		questions: []question{{key: []any{"post", "detail", id}, path: "/api/blog/posts/" + url.PathEscape(id) + "/", id: id, ask: s.posts.Show, into: &post, subject: true}},
		head: func() (head, error) {
			path := "/news/" + url.PathEscape(post.Link)
			if post.Link != id {
				return head{}, moved(path)
			}
			origin := s.pages.origin
			preloads := post.Picture.preload("(min-width: 1100px) 1040px, 92vw")
			post.Picture.Src = cmp.Or(post.Picture.Src, post.Image)
			posting := fact{"@type": "BlogPosting", "headline": post.Title, "description": post.Description, "datePublished": post.CreatedAt,
				"url": origin + path, "mainEntityOfPage": origin + path, "publisher": fact{"@type": "Organization", "name": s.contact.Name, "url": origin + "/"}}
			if post.Picture.Src != "" {
				posting["image"] = absolute(origin, post.Picture.Src)
			}
			return head{title: post.Title, description: post.Description, path: path, picture: post.Picture, kind: "article", preloads: preloads,
				facts: []fact{posting, trail(origin, step{"Блог", "/news"}, step{post.Title, path})}}, nil
		},
	}
}

// pageAsked is the number of a page in an address; what is none is 1.
func pageAsked(query url.Values) int {
	page, err := strconv.Atoi(query.Get("page"))
	if err != nil || page < 1 || page > 10_000 {
		return 1
	}
	return page
}

// subject is the id or link in a page's path.
func subject(r *http.Request) string {
	raw := chi.URLParam(r, "id")
	if text, err := url.PathUnescape(raw); err == nil && r.URL.RawPath != "" {
		return text
	}
	return raw
}

func notEmpty(texts ...string) []string {
	var some []string
	for _, text := range texts {
		if text != "" {
			some = append(some, text)
		}
	}
	return some
}
