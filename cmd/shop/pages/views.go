package pages

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/app"
	"shop/readapi"
)

// The storefront's pages: what each asks before its first paint, under the keys of its queries (the *-queries.ts of
// web/src/features), and what it says about itself.

// Views are the storefront's pages, by what they ask of the read models.
type Views struct {
	Pages      *Pages
	Contact    app.Contact
	Products   readapi.Products
	Categories readapi.Categories
	Brands     readapi.Brands
	Content    readapi.Content
	Posts      readapi.Posts
	Rules      readapi.Rules
	Shop       readapi.Shop
}

// Fixed is a page without a subject.
func Fixed(module string, h Head, questions ...Question) func(r *http.Request) View {
	return func(r *http.Request) View {
		h := h
		h.Path = pathOf(r)
		return View{At: h.Path, module: module, Questions: questions, Head: func() (Head, error) { return h, nil }}
	}
}

// OwnPage is a page of what is one shopper's own: all else comes to it by script. It is the same for every id.
func OwnPage(module, title string) func(r *http.Request) View {
	h := Head{Title: title, private: true}
	return func(r *http.Request) View {
		return View{At: chi.RouteContext(r.Context()).RoutePattern(), module: module, Head: func() (Head, error) { return h, nil }}
	}
}

// Around are the questions of every page: its header and footer show them.
func (s *Views) Around() []Question {
	return []Question{
		{Key: []any{"category", "tree"}, Path: "/api/categories/", Ask: s.Categories.List},
		{Key: []any{"content", "rules"}, Path: "/api/rules/", Ask: s.Rules.Show},
		{Key: []any{"content", "shop"}, Path: "/api/shop/", Ask: s.Shop.Show},
	}
}

func (s *Views) BrandsOf(category string) Question {
	q := Question{Key: []any{"brand", "list", category}, Path: "/api/brands/", Ask: s.Brands.List}
	if category != "" {
		q.Path += "?category_id=" + url.QueryEscape(category)
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
func (s *Views) HomePage() func(r *http.Request) View {
	shell := s.Pages.shell
	hero := func(name string, widths ...int) string {
		var set []string
		for _, width := range widths {
			set = append(set, fmt.Sprintf("%s %dw", shell.file(fmt.Sprintf("src/routes/hero/%s-%d.avif", name, width)), width))
		}
		return strings.Join(set, ", ")
	}
	c := s.Contact
	h := Head{
		Title: "Натуральная и органическая косметика в Казахстане", home: true,
		Description: homeDescription,
		picture:     picture{Src: shell.file("src/routes/hero/wide-1200.webp")},
		facts: []fact{
			{"@type": "Organization", "@id": s.Pages.Origin + "/#organization", "name": c.Name, "url": s.Pages.Origin + "/",
				"logo": s.Pages.Origin + "/favicon.svg", "email": c.Email, "telephone": c.Phone, "legalName": c.LegalName, "address": c.Address},
			{"@type": "WebSite", "name": c.Name, "url": s.Pages.Origin + "/", "inLanguage": []string{Russian, Kazakh},
				"publisher": fact{"@id": s.Pages.Origin + "/#organization"}},
		},
		preloads: preloadImage("image/avif", hero("narrow", 480, 800), "100vw", "(max-width: 989.98px)") +
			preloadImage("image/avif", hero("wide", 1200, 1600), "100vw", "(min-width: 990px)"),
	}
	return Fixed("src/routes/home.tsx", h,
		Question{Key: []any{"product", "popular"}, Path: popularCards, Ask: s.Products.Popular},
		Question{Key: []any{"product", "fresh"}, Path: freshCards, Ask: s.Products.List},
		Question{Key: []any{"content", "block", "main-slider"}, Path: "/api/content/find/main-slider/", id: "main-slider", Ask: s.Content.Find},
		s.BrandsOf(""))
}

// CategoriesPage is the catalog's first.
func (s *Views) CategoriesPage() func(r *http.Request) View {
	return Fixed("src/routes/categories.tsx", Head{Title: "Категории", Description: categoriesDescription}, s.BrandsOf(""))
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

func (s *Views) ProductPage(r *http.Request) View {
	id := subject(r)
	var p productFacts
	escaped := url.PathEscape(id)
	return View{
		At: pathOf(r), module: "src/routes/product.tsx",
		Questions: []Question{
			{Key: []any{"product", "detail", id}, Path: "/api/products/" + escaped + "/", id: id, Ask: s.Products.Show, into: &p, Subject: true},
			{Key: []any{"product", "similar", id}, Path: fmt.Sprintf("/api/products/%s/similar/?limit=%d", escaped, cardsShown), id: id, Ask: s.Products.Similar},
		},
		Head: func() (Head, error) {
			path := "/product/" + url.PathEscape(p.Link)
			if p.Link != id {
				return Head{}, moved(path)
			}
			if p.Picture.Src == "" {
				p.Picture.Src = p.MainImage
			}
			name := strings.Join(slices.DeleteFunc([]string{p.Name, p.PackageSize}, func(part string) bool { return part == "" }), ", ")
			return Head{Title: name, Description: p.Description, Path: path, picture: p.Picture, kind: "product",
				preloads: p.Picture.preload("(min-width: 700px) 46vw, 92vw"),
				facts:    []fact{p.offer(s.Pages.Origin, name, path), trail(s.Pages.Origin, p.way(name, path)...)}}, nil
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

func (s *Views) BrandPage(r *http.Request) View {
	id := subject(r)
	var b brandFacts
	return View{
		At: pathOf(r), module: "src/routes/brand.tsx",
		Questions: []Question{{Key: []any{"brand", "detail", id}, Path: "/api/brands/" + url.PathEscape(id) + "/", id: id, Ask: s.Brands.Show, into: &b, Subject: true}},
		Head: func() (Head, error) {
			path := "/brands/" + url.PathEscape(b.Link)
			if b.Link != id {
				return Head{}, moved(path)
			}
			preloads := b.Picture.preload("(min-width: 900px) 50vw, 92vw")
			b.Picture.Src = cmp.Or(b.Picture.Src, b.MainImage, b.Image)
			return Head{Title: b.Name, Description: b.Description, Path: path, picture: b.Picture, preloads: preloads,
				facts: []fact{trail(s.Pages.Origin, step{"Бренды", "/brands"}, step{b.Name, path})}}, nil
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

// CategoryPage is a category's page, whichever kind its path says.
func (s *Views) CategoryPage(module string, questions func(id string, asked url.Values) ([]Question, url.Values)) func(r *http.Request) View {
	return func(r *http.Request) View {
		id := subject(r)
		var tree []*categoryFacts
		asks, query := questions(id, r.URL.Query())
		at := pathOf(r)
		if len(query) > 0 {
			at += "?" + query.Encode()
		}
		return View{
			At: at, module: module,
			Questions: append(asks, Question{Key: []any{"category", "tree"}, Path: "/api/categories/", Ask: s.Categories.List, into: &tree, Subject: true}),
			Head: func() (Head, error) {
				c := find(tree, id)
				if c == nil {
					return Head{}, readapi.ErrNotFound
				}
				path := c.path()
				if path != pathOf(r) {
					return Head{}, moved(path)
				}
				steps := []step{{"Категории", "/categories"}}
				if c.Parent.Link != "" {
					steps = append(steps, step{c.Parent.Name, "/categories/" + c.Parent.Link})
				}
				steps = append(steps, step{c.Name, path})
				if page := query.Get("page"); page != "" {
					path += "?page=" + page
				}
				return Head{Title: c.Name, Description: c.Description, Path: path, picture: c.Picture,
					facts: []fact{trail(s.Pages.Origin, steps...)}}, nil
			},
		}
	}
}

// ProductsAsked are the questions of a category's list of products, and its query without what changes nothing.
func (s *Views) ProductsAsked(id string, asked url.Values) ([]Question, url.Values) {
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
	return []Question{
		{Key: []any{"product", "list", filter, page}, Path: "/api/products/?" + call.Encode(), Ask: s.Products.List, page: page},
		s.BrandsOf(id),
	}, query
}

// ChildrenAsked are the questions of a category with others below it.
func (s *Views) ChildrenAsked(id string, _ url.Values) ([]Question, url.Values) {
	return []Question{s.BrandsOf(id)}, nil
}

// postsOnPage is the storefront's.
const postsOnPage = 3

// NewsPage is a page of the blog.
func (s *Views) NewsPage(r *http.Request) View {
	page := pageAsked(r.URL.Query())
	path := pathOf(r)
	if page > 1 {
		path += "?page=" + strconv.Itoa(page)
	}
	return View{
		At: path, module: "src/routes/news.tsx",
		Questions: []Question{{Key: []any{"post", "list", page}, Ask: s.Posts.List,
			Path: fmt.Sprintf("/api/blog/posts/?limit=%d&offset=%d", postsOnPage, (page-1)*postsOnPage)}},
		Head: func() (Head, error) {
			return Head{Title: "Блог", Description: newsDescription, Path: path}, nil
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

func (s *Views) PostPage(r *http.Request) View {
	id := subject(r)
	var post postFacts
	return View{
		At: pathOf(r), module: "src/routes/post.tsx",
		Questions: []Question{{Key: []any{"post", "detail", id}, Path: "/api/blog/posts/" + url.PathEscape(id) + "/", id: id, Ask: s.Posts.Show, into: &post, Subject: true}},
		Head: func() (Head, error) {
			path := "/news/" + url.PathEscape(post.Link)
			if post.Link != id {
				return Head{}, moved(path)
			}
			origin := s.Pages.Origin
			preloads := post.Picture.preload("(min-width: 1100px) 1040px, 92vw")
			post.Picture.Src = cmp.Or(post.Picture.Src, post.Image)
			posting := fact{"@type": "BlogPosting", "headline": post.Title, "description": post.Description, "datePublished": post.CreatedAt,
				"url": origin + path, "mainEntityOfPage": origin + path, "publisher": fact{"@type": "Organization", "name": s.Contact.Name, "url": origin + "/"}}
			if post.Picture.Src != "" {
				posting["image"] = absolute(origin, post.Picture.Src)
			}
			return Head{Title: post.Title, Description: post.Description, Path: path, picture: post.Picture, kind: "article", preloads: preloads,
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
