package readapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Staff answers reads of staff.
type Staff struct{ DB *pgxpool.Pool }

// OrderLine is an order in a list.
type OrderLine struct {
	Number        int64     `json:"number"`
	ID            uuid.UUID `json:"id"`
	Status        string    `json:"status"`
	IsPaid        bool      `json:"is_paid"`
	PaymentMethod string    `json:"payment_method"`
	DeliveryType  string    `json:"delivery_type"`
	City          string    `json:"city"`
	Pieces        int64     `json:"pieces"`
	TotalPaid     int64     `json:"total_paid"`
	// TestPayment: the test bank was asked for money, and takes none.
	TestPayment bool      `json:"test_payment"`
	CreatedAt   time.Time `json:"created_at"`
}

// testPayment is whether the test bank was asked for an order's money.
const testPayment = `EXISTS (SELECT FROM orders.payments p WHERE p.order_id = o.id AND p.provider = 'sandbox')`

// Orders lists orders, newest first; an empty status means any.
func (s Staff) Orders(ctx context.Context, status string, limit, offset int) ([]OrderLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT number, id, status, is_paid, payment_method, delivery_type, customer_city AS city,
			(SELECT coalesce(sum((line->>'amount')::bigint), 0)::bigint FROM jsonb_array_elements(lines) line) AS pieces, total_paid, `+testPayment+` AS test_payment, created_at
		FROM orders.orders o WHERE $1 = '' OR status = $1 ORDER BY created_at DESC, number DESC LIMIT $2 OFFSET $3`, status, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[OrderLine])
}

// Order is the row of an order as JSON; false when no order has the number.
func (s Staff) Order(ctx context.Context, number int64) (json.RawMessage, bool, error) {
	var order json.RawMessage
	err := s.DB.QueryRow(ctx, `SELECT to_json(o) FROM orders.orders o WHERE number = $1`, number).Scan(&order)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read order %d: %w", number, err)
	}
	return order, true, nil
}

// TestPayment says whether the test bank was asked for an order's money: that the order is paid says nothing then.
func (s Staff) TestPayment(ctx context.Context, id uuid.UUID) (test bool, err error) {
	if err := s.DB.QueryRow(ctx, `SELECT `+testPayment+` FROM (SELECT $1::uuid AS id) o`, id).Scan(&test); err != nil {
		return false, fmt.Errorf("look at payments of order %s: %w", id, err)
	}
	return test, nil
}

// CustomerLine is a customer in a list, without a name.
type CustomerLine struct {
	ID       uuid.UUID `json:"id"`
	State    string    `json:"state"`
	Verified bool      `json:"verified"`
	Orders   int64     `json:"orders"`
	// Spent is what the paid orders cost.
	Spent     int64     `json:"spent"`
	CreatedAt time.Time `json:"created_at"`
}

// Customers lists accounts, newest first.
func (s Staff) Customers(ctx context.Context, limit, offset int) ([]CustomerLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT a.id, a.state, a.verified, count(o.id) AS orders,
			coalesce(sum(o.total_paid) FILTER (WHERE o.is_paid), 0)::bigint AS spent, a.created_at
		FROM (SELECT * FROM customer.account ORDER BY created_at DESC, id DESC LIMIT $1 OFFSET $2) a
		LEFT JOIN orders.orders o ON o.customer_id = a.id AND o.customer_id <> '00000000-0000-0000-0000-000000000000'
		GROUP BY a.id, a.state, a.verified, a.created_at ORDER BY a.created_at DESC, a.id DESC`, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list customers: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[CustomerLine])
}

// Customer is the row of an account as JSON; false when there is none.
func (s Staff) Customer(ctx context.Context, id uuid.UUID) (json.RawMessage, bool, error) {
	var account json.RawMessage
	err := s.DB.QueryRow(ctx, `SELECT to_json(a) FROM customer.account a WHERE id = $1`, id).Scan(&account)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read customer %s: %w", id, err)
	}
	return account, true, nil
}

// OrderID finds an order by its number.
func (s Staff) OrderID(ctx context.Context, number int64) (id uuid.UUID, found bool, err error) {
	err = s.DB.QueryRow(ctx, "SELECT id FROM orders.orders WHERE number = $1", number).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.UUID{}, false, nil
	}
	if err != nil {
		return uuid.UUID{}, false, fmt.Errorf("find order %d: %w", number, err)
	}
	return id, true, nil
}

// OrderIDs finds the ids of orders by their numbers; one that there is not is absent.
func (s Staff) OrderIDs(ctx context.Context, numbers []int64) (map[int64]uuid.UUID, error) {
	rows, err := s.DB.Query(ctx, "SELECT number, id FROM orders.orders WHERE number = ANY($1)", numbers)
	if err != nil {
		return nil, fmt.Errorf("find orders: %w", err)
	}
	found := make(map[int64]uuid.UUID, len(numbers))
	var number int64
	var id uuid.UUID
	if _, err := pgx.ForEachRow(rows, []any{&number, &id}, func() error { found[number] = id; return nil }); err != nil {
		return nil, fmt.Errorf("find orders: %w", err)
	}
	return found, nil
}

// PromocodeLine is a promo code in a list. Zero limits and nil times mean none.
type PromocodeLine struct {
	Code        string     `json:"code"`
	Kind        string     `json:"kind"`
	Value       int64      `json:"value"`
	MinSum      int64      `json:"min_sum"`
	ValidFrom   *time.Time `json:"valid_from"`
	ValidUntil  *time.Time `json:"valid_until"`
	Uses        int64      `json:"uses"`
	UsesPerUser int64      `json:"uses_per_user"`
	Redeemed    int64      `json:"redeemed"`
	Revoked     bool       `json:"revoked"`
}

// Promocodes lists the promo codes, by code.
func (s Staff) Promocodes(ctx context.Context, limit, offset int) ([]PromocodeLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT code, kind, value, min_sum, valid_from, valid_until, uses, uses_per_user, redeemed, revoked
		FROM promocode.code ORDER BY code LIMIT $1 OFFSET $2`, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list promo codes: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[PromocodeLine])
}

// PostLine is a post of the blog in a list.
type PostLine struct {
	ID        uuid.UUID `json:"id"`
	Link      string    `json:"link"`
	Title     string    `json:"title"`
	Published bool      `json:"published"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// PostText is a post with what it says.
type PostText struct {
	PostLine
	Description string  `json:"description"`
	Image       *string `json:"image"`
	Alt         string  `json:"alt"`
	Content     string  `json:"content"`
}

// Posts lists the blog's posts, also those out of sight, newest first.
func (s Staff) Posts(ctx context.Context, limit, offset int) ([]PostLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT id, link, title, published, published_at AS created_at, updated_at
		FROM posts.post ORDER BY published_at DESC, id DESC LIMIT $1 OFFSET $2`, limit, offset)
	if err != nil {
		return nil, fmt.Errorf("list posts: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[PostLine])
}

// Post finds a post by its link; ErrNotFound without one.
func (s Staff) Post(ctx context.Context, link string) (PostText, error) {
	rows, err := s.DB.Query(ctx, `SELECT id, link, title, published, published_at AS created_at, updated_at,
		excerpt AS description, nullif(picture, '') AS image, alt, html AS content FROM posts.post WHERE link = $1 ORDER BY published DESC, published_at DESC LIMIT 1`, link)
	if err != nil {
		return PostText{}, fmt.Errorf("read post %s: %w", link, err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[PostText])
	if errors.Is(err, pgx.ErrNoRows) {
		return PostText{}, ErrNotFound
	}
	return found, err
}

// BlockLine is a content block as staff wrote it: it has placeholders for the values of the rules.
type BlockLine struct {
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	Slides    json.RawMessage `json:"slides"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Blocks lists the content blocks; one by its name, all by an empty one.
func (s Staff) Blocks(ctx context.Context, name string) ([]BlockLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT name, text, slides, updated_at FROM content.block WHERE $1 IN ('', name) ORDER BY name`, name)
	if err != nil {
		return nil, fmt.Errorf("list content blocks: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[BlockLine])
}

// StockLine is the stock of a product in a list.
type StockLine struct {
	Article   string    `json:"article"`
	ProductID uuid.UUID `json:"product_id"`
	Name      string    `json:"name"`
	OnHand    int64     `json:"on_hand"`
	Reserved  int64     `json:"reserved"`
	Available int64     `json:"available"`
	Archived  bool      `json:"archived"`
}

// StockFilter narrows a list of stock.
type StockFilter struct {
	// Article is an exact article; empty: all.
	Article string
	// AtMost keeps products with no more available pieces; nil: all.
	AtMost        *int64
	Limit, Offset int
}

// Stock lists products with their stock, by article.
func (s Staff) Stock(ctx context.Context, f StockFilter) ([]StockLine, error) {
	rows, err := s.DB.Query(ctx, `SELECT p.article, p.id AS product_id, p.name, coalesce(s.on_hand, 0) AS on_hand,
			coalesce(s.reserved, 0) AS reserved, coalesce(s.available, 0) AS available, p.archived
		FROM catalog.product p LEFT JOIN stock.level s ON s.product_id = p.id
		WHERE (@article = '' OR p.article = @article) AND (@most::bigint IS NULL OR coalesce(s.available, 0) <= @most)
		ORDER BY p.article, p.id LIMIT @limit OFFSET @offset`,
		pgx.NamedArgs{"article": f.Article, "most": f.AtMost, "limit": f.Limit, "offset": f.Offset})
	if err != nil {
		return nil, fmt.Errorf("list stock: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[StockLine])
}

// OrderNumbers are the numbers of orders by id; an unknown one is left out.
func (s Staff) OrderNumbers(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]int64, error) {
	numbers := make(map[uuid.UUID]int64, len(ids))
	if len(ids) == 0 {
		return numbers, nil
	}
	rows, err := s.DB.Query(ctx, `SELECT id, number FROM orders.orders WHERE id = ANY ($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("find numbers of orders: %w", err)
	}
	var id uuid.UUID
	var number int64
	if _, err := pgx.ForEachRow(rows, []any{&id, &number}, func() error { numbers[id] = number; return nil }); err != nil {
		return nil, fmt.Errorf("find numbers of orders: %w", err)
	}
	return numbers, nil
}
