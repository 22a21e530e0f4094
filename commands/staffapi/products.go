package staffapi

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands/merchant"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Products are the calls of staff about what the shop sells.
type Products struct {
	Shop     reads.Shop
	Past     reads.Past
	Products *merchant.Products
	Clock    func() time.Time
	// Slug makes a link of a name.
	Slug func(name string) string
	// Picture keeps an image of a product in the shop's sizes; it refuses as photos.Album does.
	Picture func(ctx context.Context, product domain.ID, image io.ReadSeeker) (catalog.Picture, error)
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (s *Products) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	r.Method("GET", "/api/staff/products", fresh("catalog", "stock", "packing")(allowed(staff.SeeCatalog, s.list)))
	r.Method("GET", "/api/staff/catalog/{kind}", fresh("catalog")(allowed(staff.SeeCatalog, s.entries)))
	r.Method("POST", "/api/staff/products", fresh("catalog")(allowed(staff.ChangeCatalog, s.add)))
	r.Method("GET", "/api/staff/products/{article}", allowed(staff.SeeCatalog, s.sheet))
	r.Method("POST", "/api/staff/products/{article}/pictures", allowed(staff.ChangeCatalog, s.addPicture))
	r.Method("POST", "/api/staff/products/composition", fresh("catalog")(allowed(staff.SeeCatalog, s.composition)))
	r.Method("GET", "/api/staff/products/groups", fresh("catalog")(allowed(staff.SeeCatalog, s.groups)))
}

// Bounds of a page of the grid, now or at a moment.
const (
	maxGridPage   = 1_000
	maxGridOffset = 1_000_000
)

// list is GET /api/staff/products/?query=…&category=…&sort=…&at=…: a page of the grid.
func (s *Products) list(w http.ResponseWriter, r *http.Request) error {
	asked, err := productSearchOf(r.URL.Query())
	if err != nil {
		return err
	}
	asked.Since = s.Clock().In(domain.Almaty).AddDate(0, 0, -30)
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (reads.FoundProducts, error) {
		return shop.Products(ctx, asked)
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}

func productSearchOf(q url.Values) (reads.ProductSearch, error) {
	wrong := endpoint.FieldErrors{}
	id := func(name string) (id uuid.UUID) {
		if text := q.Get(name); text != "" {
			var err error
			if id, err = uuid.Parse(text); err != nil {
				wrong[name] = []string{"Must be an id."}
			}
		}
		return id
	}
	number := func(name string, fallback, least, most int) int {
		text := q.Get(name)
		if text == "" {
			return fallback
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			wrong[name] = []string{"Must be a number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most) + "."}
		}
		return n
	}
	f := reads.ProductSearch{
		Query: q.Get("query"), Code: q.Get("code"), Category: id("category"), Brand: id("brand"), Mark: id("mark"),
		State: q.Get("state"), Stock: q.Get("stock"), Lacks: q.Get("lacks"), Sort: q.Get("sort"),
		Limit: number("limit", 100, 1, maxGridPage), Offset: number("offset", 0, 0, maxGridOffset),
	}
	switch discounted := q.Get("discounted"); discounted {
	case "":
	case "true", "false":
		is := discounted == "true"
		f.Discounted = &is
	default:
		wrong["discounted"] = []string{"Must be true or false."}
	}
	for _, field := range f.Check() {
		wrong[field] = []string{"Is none of its values."}
	}
	if len(wrong) > 0 {
		return f, wrong
	}
	return f, nil
}

// groups is GET /api/staff/products/groups/?at=: categories, brands and marks.
func (s *Products) groups(w http.ResponseWriter, r *http.Request) error {
	groups, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (reads.ProductGroups, error) {
		return shop.ProductGroups(ctx)
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, groups)
	return nil
}

// entries is GET /api/staff/catalog/{kind}/?at=: all categories, brands or marks.
func (s *Products) entries(w http.ResponseWriter, r *http.Request) error {
	kind := r.PathValue("kind")
	if _, known := reads.EntryKinds[kind]; !known {
		return catalog.ErrUnknown
	}
	entries, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) ([]reads.CatalogEntry, error) {
		return shop.CatalogEntries(ctx, kind)
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string][]reads.CatalogEntry{"results": entries})
	return nil
}
