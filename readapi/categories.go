package readapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/replicas"
)

// Categories answers about the category tree.
type Categories struct {
	DB  replicas.DB
	Now func() time.Time
	// Customer is for whom the answers are.
	Customer Viewer
}

// Category is a category with its children.
type Category struct {
	ID            uuid.UUID       `json:"id"`
	Link          string          `json:"link"`
	Name          string          `json:"name"`
	Description   string          `json:"description"`
	Image         *string         `json:"image"`
	Picture       json.RawMessage `json:"picture"`
	IsActive      bool            `json:"is_active"`
	Placeholder   string          `json:"placeholder"`
	Parent        *CategoryRef    `json:"parent"`
	ProductsCount int64           `json:"products_count"`
	// PopularPlace counts from 1 among the categories beside it, by the pieces ordered lately.
	PopularPlace int `json:"popular_place"`
	units        int64
	Children     []*Category `json:"child_categories"`
	// Russian are the texts that are in Russian because Kazakh lacks them; nil in an answer in Russian.
	Russian []string `json:"russian,omitzero"`
}

// CategoryRef names a category.
type CategoryRef struct {
	ID   uuid.UUID `json:"id"`
	Link string    `json:"link"`
	Name string    `json:"name"`
	// Russian is as in Category.
	Russian []string `json:"russian,omitzero"`
}

var activeCategories = inBothLanguages(func(l language) string {
	russian := l.fallback("c", "name", "description")
	if russian == "" {
		russian = ", NULL::jsonb AS russian"
	}
	return `SELECT c.id, c.link, ` + l.text("c", "name") + ` AS name, ` + l.text("c", "description") + ` AS description, c.picture->>'src' AS image, ` + pictureOf("c.picture") + ` AS picture,
	c.placeholder, c.parent_id, coalesce(n.count, 0) AS count, coalesce(sold.units, 0) AS units` + russian + `
	FROM catalog.category c
	LEFT JOIN (SELECT category_id, count(*) FROM catalog.product WHERE on_sale GROUP BY category_id) n ON n.category_id = c.id
	LEFT JOIN (SELECT p.category_id, sum(u.units)::bigint AS units FROM popularity.units u JOIN catalog.product p ON p.id = u.product_id
		WHERE ` + wholeDays + ` GROUP BY p.category_id) sold ON sold.category_id = c.id
	WHERE NOT c.archived ORDER BY c.sort_order, c.name, c.id`
})

// tree reads the active categories. top are those without a parent; found calls for one by id or link.
// What hangs below an archived category is not in the tree.
func (h Categories) tree(ctx context.Context, l language) (top []*Category, err error) {
	rows, err := h.DB.Query(ctx, activeCategories[l], lately(h.Now()))
	if err != nil {
		return nil, fmt.Errorf("list categories: %w", err)
	}
	type row struct {
		ID          uuid.UUID
		Link        string
		Name        string
		Description string
		Image       *string
		Picture     json.RawMessage
		Placeholder string
		ParentID    uuid.UUID
		Count       int64
		Units       int64
		Russian     []string
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil {
		return nil, fmt.Errorf("list categories: %w", err)
	}
	children := map[uuid.UUID][]*Category{}
	for _, r := range found {
		children[r.ParentID] = append(children[r.ParentID], &Category{ID: r.ID, Link: r.Link, Name: r.Name, Description: r.Description,
			Image: r.Image, Picture: r.Picture, IsActive: true, Placeholder: r.Placeholder, ProductsCount: r.Count, units: r.Units, Children: []*Category{}, Russian: r.Russian})
	}
	return hang(nil, children, children[uuid.Nil]), nil
}

// hang puts children below their parents, adds their products up and says which are popular.
func hang(parent *CategoryRef, children map[uuid.UUID][]*Category, siblings []*Category) []*Category {
	for _, c := range siblings {
		c.Parent = parent
		if below := children[c.ID]; len(below) > 0 {
			c.Children = hang(&CategoryRef{c.ID, c.Link, c.Name, nameOnly(c.Russian)}, children, below)
		}
		for _, child := range c.Children {
			c.ProductsCount += child.ProductsCount
			c.units += child.units
		}
	}
	popular := slices.Clone(siblings)
	slices.SortStableFunc(popular, func(a, b *Category) int { return cmp.Compare(b.units, a.units) })
	for i, c := range popular {
		c.PopularPlace = i + 1
	}
	return siblings
}

// nameOnly is what of these texts a reference shows.
func nameOnly(texts []string) []string {
	if texts == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text != "name" })
}

// find searches a tree for an id, or else a link; nil: not there.
func find(tree []*Category, r ref) *Category {
	for _, c := range tree {
		if c.ID == r.ID || c.Link == r.Link {
			return c
		}
		if found := find(c.Children, r); found != nil {
			return found
		}
	}
	return nil
}

// List is GET /api/categories/.
func (h Categories) List(r *http.Request) (*Reply, error) {
	top, err := h.tree(r.Context(), languageOf(r))
	if err != nil {
		return nil, err
	}
	if top == nil {
		top = []*Category{}
	}
	answer, err := replyWith(revalidate, top, Part{"catalog", ""})
	if err == nil {
		answer.until = midnight(h.Now())
	}
	return answer, err
}

// Show is GET /api/categories/{id}/.
func (h Categories) Show(r *http.Request) (*Reply, error) {
	bad := BadQuery{}
	s := everythingFor(r, h.Customer, bad)
	if len(bad) > 0 {
		return nil, bad
	}
	top, err := h.tree(r.Context(), languageOf(r))
	if err != nil {
		return nil, err
	}
	c := find(top, refOf(param(r, "id")))
	if c == nil {
		return nil, ErrNotFound
	}
	s.inCategory(ref{ID: c.ID, Link: c.Link})
	_, products, parts, err := cards(r.Context(), h.DB, s, page{Limit: defaultLimit})
	if err != nil {
		return nil, err
	}
	answer, err := replyWith(cacheFor(s.customer), struct {
		*Category
		Products json.RawMessage `json:"products"`
	}{c, products}, parts...)
	if err == nil {
		answer.until = midnight(h.Now())
	}
	return answer, err
}
