package readapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain/kz"
	"shop/readapi/replicas"
	"shop/readapi/search"
)

// Products answers about products. Now is the clock for "new" and "popular".
type Products struct {
	DB  replicas.DB
	Now func() time.Time
	// Index is what searches look into.
	Index *search.Index
	// Missed is told of each search that found nothing and is not about a person, when its answer is made; nil: nobody is.
	Missed func(ctx context.Context, text string) error
	// Customer is for whom the answers are.
	Customer Viewer
}

// Viewer is the signed-in customer of a request, zero if it has none. A nil Viewer sees what everybody sees alike: only that may be
// kept for others.
type Viewer func(ctx context.Context) uuid.UUID

func (v Viewer) of(r *http.Request) uuid.UUID {
	if v == nil {
		return uuid.Nil
	}
	return v(r.Context())
}

// cacheFor is the Cache-Control of what a customer sees; zero: of what everybody does.
func cacheFor(customer uuid.UUID) string {
	if customer == uuid.Nil {
		return revalidate
	}
	return private
}

// newFor is how long a list of new products stays one: what leaves it leaves at the full minute.
const newFor = time.Minute

// popularDays is how far back orders make a product popular.
const popularDays = 90

// cardColumns shape a product for lists, from cardTables. A brand or category that left the shop is null.
var cardColumns = inBothLanguages(func(l language) string {
	return `
	p.id, p.link, ` + l.text("p", "name") + ` AS name, ` + l.text("p", "description") + ` AS description, ` + l.text("p", "package_size") + ` AS package_size,
	p.article, p.price, p.discounted_price, p.price_ends_at,
	CASE WHEN p.discounted_price < p.price
		THEN greatest(1, round((p.price - p.discounted_price) * 100.0 / p.price)) ELSE 0 END AS total_discount,
	NOT p.archived AND coalesce(s.available, 0) > 0 AS in_stock,
	CASE WHEN p.archived THEN 0 ELSE least(coalesce(s.available, 0), u.max_per_order) END AS amount,
	p.pictures->0->>'src' AS main_image,
	` + pictureOf("p.pictures->0") + ` AS picture,
	coalesce(rated.rating, 0) AS rating, rated.reviews_count,
	CASE WHEN b.id IS NOT NULL THEN json_build_object('id', b.id, 'link', b.link, 'name', b.name) END AS brand,
	CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'link', c.link, 'name', ` + l.text("c", "name") + `, 'placeholder', c.placeholder,
		'parent', CASE WHEN cp.id IS NOT NULL THEN json_build_object('id', cp.id, 'link', cp.link, 'name', ` + l.text("cp", "name") + l.fallbackOf("cp", "name") + `) END` +
		l.fallbackOf("c", "name") + `) END AS category`
})

// isSubscribed is whether @customer waits for a product.
const isSubscribed = "EXISTS (SELECT FROM restock.waiting w WHERE w.customer_id = @customer AND w.product_id = p.id) AS is_subscribed"

// furtherColumns are what a product has besides its card, on its page and in lists that are not brief.
var furtherColumns = inBothLanguages(func(l language) string {
	return `
	(SELECT coalesce(json_agg(json_build_object('id', m.id, 'name', ` + l.text("m", "name") + `, 'image', m.picture->'src',
			'description', ` + l.text("m", "description") + l.fallbackOf("m", "name", "description") + `) ORDER BY i.place), '[]')
		FROM unnest(p.marks) WITH ORDINALITY i(mark, place) JOIN catalog.mark m ON m.id = i.mark AND NOT m.archived) AS marks,
	(SELECT coalesce(json_agg(shown), '[]') FROM (SELECT ` + reviewColumns + `
		FROM reviews.review v WHERE v.product_id = p.id AND v.state = 'shown'
		ORDER BY v.created_at DESC, v.id DESC LIMIT ` + withProduct + `) shown) AS reviews`
})

const cardTables = `catalog.product p
	LEFT JOIN stock.level s ON s.product_id = p.id
	LEFT JOIN catalog.brand b ON b.id = p.brand_id AND NOT b.archived
	LEFT JOIN catalog.category c ON c.id = p.category_id AND NOT c.archived
	LEFT JOIN catalog.category cp ON cp.id = c.parent_id AND NOT cp.archived
	LEFT JOIN rules.current u ON true` + ratingTable

// pictureOf is a stored picture with its variants, or null when its size is unknown: without one a page would jump.
func pictureOf(column string) string {
	return `CASE WHEN ` + column + ` ? 'width' AND ` + column + ` ? 'height' THEN '{"sources": []}'::jsonb || (` + column + `) END`
}

// selection is which products a list holds, and in which order. Its texts are SQL, its args what shoppers wrote.
type selection struct {
	with, from, where string
	// parts follow each other in the list, each with a condition and an order of its own. They let PostgreSQL walk
	// an index and stop at the end of the page.
	parts    []part
	args     pgx.NamedArgs
	language language
	// brief products are without their marks and reviews, as cards show them, and alike for everybody.
	brief bool
	// customer is for whom the products say whether they are waited for; zero: for nobody.
	customer uuid.UUID
	// count is how many products the selection holds; nil: they are to be counted.
	count *int64
}

// part has the selection's from unless it names its own.
type part struct{ from, where, order string }

// one is a list in one part.
func one(order string) []part { return []part{{"", "true", order}} }

// cardTexts are the texts of a product in lists, pageTexts those of its page.
var (
	cardTexts = []string{"name", "description", "package_size"}
	pageTexts = append(slices.Clip(cardTexts), "expires", "apply_method", "made_in")
)

const newestFirst = "p.added_at DESC, p.id"

// everything on sale: goods in stock first, then the newest.
func everything(l language) selection {
	return selection{
		language: l,
		from:     "catalog.product p",
		where:    "p.on_sale",
		parts:    []part{{"", inStock, newestFirst}, {"", "NOT " + inStock, newestFirst}},
		args:     pgx.NamedArgs{},
	}
}

// everythingFor is everything as a request of a viewer asks to see it.
func everythingFor(r *http.Request, v Viewer, bad BadQuery) selection {
	s := everything(languageOf(r))
	if s.brief = flag(r.URL.Query(), "brief", bad); !s.brief {
		s.customer = v.of(r)
	}
	return s
}

const inStock = "EXISTS (SELECT FROM stock.level s WHERE s.product_id = p.id AND s.available > 0)"

func (s *selection) and(condition string) { s.where += " AND " + condition }

// inCategory keeps a category's products and those of its descendants; an unknown category has none.
func (s *selection) inCategory(c ref) {
	s.and("p.category_id = ANY(ARRAY(" + below + "))")
	s.args["category"], s.args["category_link"] = c.ID, c.Link
}

// below is the ids of the category @category or @category_link and of its descendants.
const below = `WITH RECURSIVE below AS (
	SELECT id FROM catalog.category WHERE (id = @category OR link = @category_link) AND NOT archived
	UNION SELECT c.id FROM catalog.category c JOIN below ON c.parent_id = below.id WHERE NOT c.archived
) SELECT id FROM below`

// ofBrands keeps products of these brands.
func (s *selection) ofBrands(list string) {
	ids, links := refsOf(list)
	s.and("p.brand_id = ANY(ARRAY(SELECT id FROM catalog.brand WHERE (id = ANY(@brands) OR link = ANY(@brand_links)) AND NOT archived))")
	s.args["brands"], s.args["brand_links"] = ids, links
}

// addedLately keeps what counts as new, newest first.
func (s *selection) addedLately(now time.Time) {
	s.and("p.added_at > @now::timestamptz - make_interval(days => (SELECT new_days FROM rules.current))")
	s.parts = one(newestFirst)
	s.args["now"] = now
}

// cards reads one page of a selection as a JSON array, and how many products the selection holds. Parts is what both
// depend on: of the stock only which goods are there at all, and how much there is of those on the page.
func cards(ctx context.Context, db replicas.DB, s selection, p page) (count int64, results json.RawMessage, parts []Part, err error) {
	var walks []string
	for _, part := range s.parts {
		walks = append(walks, fmt.Sprintf("(SELECT p.id FROM %s WHERE %s AND %s ORDER BY %s LIMIT @reach)", cmp.Or(part.from, s.from), s.where, part.where, part.order))
	}
	counting := fmt.Sprintf("(SELECT count(*) FROM %s WHERE %s)", s.from, s.where)
	if s.count != nil {
		counting, s.args["count"] = "@count::bigint", *s.count
	}
	columns := cardColumns[s.language]
	if s.customer == uuid.Nil {
		columns += ", false AS is_subscribed"
	} else {
		columns, s.args["customer"] = columns+", "+isSubscribed, s.customer
	}
	if !s.brief {
		columns += "," + furtherColumns[s.language]
	}
	sql := fmt.Sprintf(`%s SELECT
		%s,
		(SELECT coalesce(json_agg(card), '[]') FROM (
			SELECT %s%s FROM (SELECT id, row_number() OVER () AS place FROM (%s) walk LIMIT @limit OFFSET @offset) hit
			JOIN (%s) ON p.id = hit.id ORDER BY hit.place
		) card)`, s.with, counting, columns, s.language.fallback("p", cardTexts...), strings.Join(walks, " UNION ALL "), cardTables)
	s.args["limit"], s.args["offset"], s.args["reach"] = p.Limit, p.Offset, p.Offset+p.Limit
	if err := db.QueryRow(ctx, sql, s.args).Scan(&count, &results); err != nil {
		return 0, nil, nil, fmt.Errorf("list products: %w", err)
	}
	var shown []struct{ ID uuid.UUID }
	if err := json.Unmarshal(results, &shown); err != nil {
		return 0, nil, nil, fmt.Errorf("read a list's products: %w", err)
	}
	parts = []Part{{"catalog", ""}, {"rules", ""}, {"reviews", ""}, {"stock", "stock.replenished"}, {"stock", "stock.depleted"}}
	for _, product := range shown {
		parts = append(parts, stockOf(product.ID))
	}
	return count, results, parts, nil
}

func stockOf(product uuid.UUID) Part { return Part{"stock", "stock-" + product.String()} }

// List is GET /api/products/.
func (h Products) List(r *http.Request) (*Reply, error) {
	q, bad := r.URL.Query(), BadQuery{}
	p := readPage(q, bad)
	s := everythingFor(r, h.Customer, bad)
	isNew := flag(q, "is_new", bad)
	now := h.Now().Truncate(newFor)
	ordering := q.Get("ordering")
	switch ordering {
	case "", "price", "-price":
	default:
		bad["ordering"] = []string{"Выберите price или -price"}
	}
	if strings.Count(q.Get("brand_id"), ",") >= maxRefs {
		bad["brand_id"] = []string{"Не больше 50 брендов"}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	if isNew {
		s.addedLately(now)
	}
	if category := Clean(q.Get("category_id"), 300); category != "" {
		s.inCategory(refOf(category))
	}
	if brands := q.Get("brand_id"); strings.Trim(brands, ", ") != "" {
		s.ofBrands(brands)
	}
	if needs := Clean(q.Get("need"), searchRunes); needs != "" {
		ids, err := h.Index.Answering(r.Context(), strings.Split(needs, ","))
		if err != nil {
			return nil, err
		}
		s.and("p.id = ANY(@answering)")
		s.args["answering"] = ids
	}
	asked := q.Get("search")
	searching := Clean(asked, searchRunes)
	var found *search.Found
	// Blanks are no search; a search of which nothing can be read finds nothing.
	if searching != "" || strings.TrimSpace(asked) != "" {
		f, err := h.Index.Search(r.Context(), searching, false)
		if err != nil {
			return nil, err
		}
		found = &f
		compared := p
		if ordering != "" {
			compared.Limit = maxOffset // by price any of them may be the first
		}
		s.matching(f.Hits, compared, h.popularSince())
	}
	switch ordering {
	case "price":
		s.byPrice("ASC")
	case "-price":
		s.byPrice("DESC")
	}
	answer, err := h.answer(r, s, p, found)
	if err != nil {
		return nil, err
	}
	if found != nil {
		if text := h.Index.Impersonal(searching); len(found.Hits) == 0 && h.Missed != nil && text != "" {
			if err := h.Missed(r.Context(), text); err != nil {
				return nil, err
			}
		}
		// Equal matches are ordered by recent sales.
		answer.parts = append(answer.parts, Part{"popularity", ""})
		answer.until = h.tomorrow()
	}
	if isNew {
		answer.until = now.Add(newFor)
	}
	return answer, nil
}

// productList is a page of products; what follows it is of searches.
type productList struct {
	Page[json.RawMessage]
	// Corrected is the corrected text of the search, if it was corrected.
	Corrected string `json:"corrected,omitempty"`
	// Marks are words of the names that were asked for.
	Marks []string `json:"marks,omitempty"`
	// Needs are what the found goods are for.
	Needs []search.NeedCount `json:"needs,omitempty"`
	// Near is offered where nothing was found.
	Near []Suggestion `json:"near,omitempty"`
}

// answer is a page of a selection; found: what the search found that it is of, nil: it is of none.
func (h Products) answer(r *http.Request, s selection, p page, found *search.Found) (*Reply, error) {
	count, results, parts, err := cards(r.Context(), h.DB, s, p)
	if err != nil {
		return nil, err
	}
	list := productList{Page: envelope(r, p, count, results)}
	if found != nil {
		list.Corrected, list.Needs = found.Corrected, found.Needs
		if list.Marks, err = h.marks(results, *found); err != nil {
			return nil, err
		}
		if count == 0 {
			if list.Near, err = h.near(r.Context(), s.language, found.Near); err != nil {
				return nil, err
			}
		}
		parts = append(parts, Part{"content", ""})
	}
	return replyWith(cacheFor(s.customer), list, parts...)
}

// popularSince is the last day whose orders no longer count for popularity; tomorrow is when it changes.
func (h Products) popularSince() time.Time { return h.Now().In(kz.Almaty).AddDate(0, 0, -popularDays) }

// wholeDays are the days of popularity.units u, before today, that popularity is measured by: an answer that shows no more than
// places changes once a day, not with each order.
const wholeDays = "u.day > @since AND u.day < @today"

// lately are the arguments of wholeDays.
func lately(now time.Time) pgx.NamedArgs {
	now = now.In(kz.Almaty)
	return pgx.NamedArgs{"since": now.AddDate(0, 0, -popularDays).Format(time.DateOnly), "today": now.Format(time.DateOnly)}
}

// midnight is when the present day ends.
func midnight(now time.Time) time.Time {
	now = now.In(kz.Almaty)
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, kz.Almaty)
}

func (h Products) tomorrow() time.Time {
	return midnight(h.Now())
}

// flag reads true or false; an absent flag is false.
func flag(q url.Values, name string, bad BadQuery) bool {
	switch strings.ToLower(q.Get(name)) {
	case "true", "1":
		return true
	case "", "false", "0":
	default:
		bad[name] = []string{"Введите true или false"}
	}
	return false
}

// Popular is GET /api/products/popular/: by pieces ordered lately; after them the newest, so that the list never ends early.
func (h Products) Popular(r *http.Request) (*Reply, error) {
	bad := BadQuery{}
	p, s := readPage(r.URL.Query(), bad), everythingFor(r, h.Customer, bad)
	if len(bad) > 0 {
		return nil, bad
	}
	s.with = "WITH sold AS MATERIALIZED (SELECT product_id, sum(units) AS units FROM popularity.units WHERE day > @since GROUP BY product_id)"
	s.parts = []part{
		{"sold JOIN catalog.product p ON p.id = sold.product_id", "true", "sold.units DESC, " + newestFirst},
		{"", "p.id NOT IN (SELECT product_id FROM sold)", newestFirst},
	}
	s.args["since"] = h.popularSince().Format(time.DateOnly)
	answer, err := h.answer(r, s, p, nil)
	if err != nil {
		return nil, err
	}
	answer.parts = append(answer.parts, Part{"popularity", ""})
	answer.until = h.tomorrow()
	return answer, nil
}

// Similar is GET /api/products/{id}/similar/: of the same category, then of the same brand, goods in stock first, near in price.
func (h Products) Similar(r *http.Request) (*Reply, error) {
	bad := BadQuery{}
	p, s := readPage(r.URL.Query(), bad), everythingFor(r, h.Customer, bad)
	if len(bad) > 0 {
		return nil, bad
	}
	id := refOf(param(r, "id"))
	var (
		self, category, brand uuid.UUID
		price                 int64
	)
	err := h.DB.QueryRow(r.Context(), `SELECT id, category_id, brand_id, discounted_price FROM catalog.product p WHERE `+thisProduct, id.args()).
		Scan(&self, &category, &brand, &price)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read product %s: %w", id.Link, err)
	}
	s.and("p.id <> @self")
	// Zero ids mean "none"; to have none in common makes nothing similar.
	const sameCategory = "(p.category_id = nullif(@category::uuid, @zero))"
	s.and("(" + sameCategory + " OR p.brand_id = nullif(@brand::uuid, @zero))")
	near := "abs(p.discounted_price - @near), p.id"
	s.parts = []part{
		{"", sameCategory + " IS TRUE AND " + inStock, near},
		{"", sameCategory + " IS TRUE AND NOT " + inStock, near},
		{"", sameCategory + " IS NOT TRUE AND " + inStock, near},
		{"", sameCategory + " IS NOT TRUE AND NOT " + inStock, near},
	}
	s.args["self"], s.args["category"], s.args["brand"], s.args["near"], s.args["zero"] = self, category, brand, price, uuid.Nil
	return h.answer(r, s, p, nil)
}

// thisProduct finds a product by id or link; goods no longer sold keep their page.
const thisProduct = `(p.id = @id OR p.link = @link) AND (p.on_sale OR p.archived) ORDER BY p.archived, p.added_at LIMIT 1`

func (r ref) args() pgx.NamedArgs { return pgx.NamedArgs{"id": r.ID, "link": r.Link} }

var productPage = inBothLanguages(func(l language) string {
	return `SELECT row_to_json(product) FROM (SELECT ` + cardColumns[l] + `,
	` + isSubscribed + `,
	p.composition, ` + l.text("p", "expires") + ` AS expires, ` + l.text("p", "apply_method") + ` AS apply_method, ` + l.text("p", "made_in") + ` AS made_in,
	p.archived AS is_archived,
	(SELECT coalesce(json_agg(json_build_object('image', i.picture->'src', 'picture', ` + pictureOf("i.picture") + `) ORDER BY i.place), '[]')
		FROM jsonb_array_elements(p.pictures) WITH ORDINALITY i(picture, place)) AS images,` + furtherColumns[l] + l.fallback("p", pageTexts...) + `
	FROM ` + cardTables + ` WHERE ` + thisProduct + `) product`
})

// Show is GET /api/products/{id}/.
func (h Products) Show(r *http.Request) (*Reply, error) {
	customer := h.Customer.of(r)
	return h.one(r, cacheFor(customer), productPage[languageOf(r)], customer)
}

const productStock = `SELECT json_build_object('id', p.id, 'in_stock', NOT p.archived AND coalesce(s.available, 0) > 0,
	'amount', CASE WHEN p.archived THEN 0 ELSE least(coalesce(s.available, 0), u.max_per_order) END)
	FROM catalog.product p LEFT JOIN stock.level s ON s.product_id = p.id LEFT JOIN rules.current u ON true WHERE ` + thisProduct

// Stock is GET /api/products/{id}/stock/.
func (h Products) Stock(r *http.Request) (*Reply, error) {
	return h.one(r, never, productStock, uuid.Nil)
}

// one reads what a statement says of one product. Links are not unique for ever: an archived product gives way to a
// later one, so the answer depends on all that bear the link, and on new ones.
func (h Products) one(r *http.Request, cache, sql string, customer uuid.UUID) (*Reply, error) {
	id := refOf(param(r, "id"))
	args := id.args()
	args["customer"] = customer
	var (
		body    []byte
		bearers []uuid.UUID
	)
	err := h.DB.QueryRow(r.Context(), "SELECT ("+sql+"), ARRAY(SELECT id FROM catalog.product WHERE id = @id OR link = @link)", args).Scan(&body, &bearers)
	if err != nil {
		return nil, fmt.Errorf("read product %s: %w", id.Link, err)
	}
	if body == nil {
		return nil, ErrNotFound
	}
	parts := []Part{{"catalog", "brand"}, {"catalog", "category"}, {"catalog", "mark"}, {"catalog", "product.added"}, {"rules", ""}, {"reviews", ""}}
	for _, product := range bearers {
		parts = append(parts, Part{"catalog", "product-" + product.String()}, stockOf(product))
	}
	return reply(cache, body, parts...), nil
}
