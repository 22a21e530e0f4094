package readapi

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Offer is a product with everything that files and feeds contain.
type Offer struct {
	Article, Link, Name, Brand string
	// Category is the path of names from the top; empty without a category.
	Category               []string
	Price, DiscountedPrice int64
	Description            string
	Composition            string
	Expires                string
	ApplyMethod            string
	PackageSize            string
	MadeIn                 string
	Marks                  []string
	// Pictures are addresses, those of the shop's own as paths.
	Pictures []string
	// OnHand pieces are in the warehouse, Available of them are free.
	OnHand, Available int64
	Archived          bool
	// Shelf is where it is in the warehouse, LowLine how many pieces are few; empty and nil where nobody said.
	Shelf   string
	LowLine *int64
}

// Offers reads the whole catalog, for files and feeds.
type Offers struct {
	DB *pgxpool.Pool
	// OnSale leaves out what shoppers cannot find.
	OnSale bool
}

// Head precedes the offers.
type Head struct {
	// Categories are the paths that offers name.
	Categories [][]string
	// Changed is when a product last changed; zero for an empty catalog.
	Changed time.Time
	// LegalName is the seller; empty while no settings are published.
	LegalName string
}

// offerTables are the tables of offers and their columns.
const offerTables = `catalog.product p
	LEFT JOIN catalog.category c ON c.id = p.category_id LEFT JOIN catalog.category cp ON cp.id = c.parent_id
	WHERE p.name <> '' AND p.price > 0 AND (p.on_sale OR NOT @on_sale)`

const offerPath = "array_remove(ARRAY[cp.name, c.name], NULL)"

// Each yields the head, then each offer by article, all of one moment, with the memory of one offer.
func (o Offers) Each(ctx context.Context, head func(Head) error, each func(Offer) error) error {
	args := pgx.NamedArgs{"on_sale": o.OnSale}
	return pgx.BeginTxFunc(ctx, o.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var h Head
		var changed *time.Time
		rows, err := tx.Query(ctx, `SELECT path, max(updated_at) FROM (SELECT `+offerPath+` AS path, p.updated_at FROM `+offerTables+`) named
			GROUP BY path`, args)
		if err != nil {
			return fmt.Errorf("read the categories of offers: %w", err)
		}
		var path []string
		if _, err := pgx.ForEachRow(rows, []any{&path, &changed}, func() error {
			if len(path) > 0 {
				h.Categories = append(h.Categories, path)
			}
			if changed != nil && changed.After(h.Changed) {
				h.Changed = *changed
			}
			path = nil
			return nil
		}); err != nil {
			return fmt.Errorf("read the categories of offers: %w", err)
		}
		if err := tx.QueryRow(ctx, `SELECT coalesce((SELECT settings->>'legal_name' FROM settings.current), '')`).Scan(&h.LegalName); err != nil {
			return fmt.Errorf("read the seller of offers: %w", err)
		}
		if err := head(h); err != nil {
			return err
		}
		rows, err = tx.Query(ctx, `SELECT p.article, p.link, p.name, coalesce((SELECT b.name FROM catalog.brand b WHERE b.id = p.brand_id), '') AS brand,
				`+offerPath+` AS category, p.price, p.discounted_price,
				p.description, p.composition, p.expires, p.apply_method, p.package_size, p.made_in,
				ARRAY(SELECT m.name FROM unnest(p.marks) WITH ORDINALITY i(mark, place) JOIN catalog.mark m ON m.id = i.mark ORDER BY i.place) AS marks,
				ARRAY(SELECT i.picture->>'src' FROM jsonb_array_elements(p.pictures) WITH ORDINALITY i(picture, place) ORDER BY i.place) AS pictures,
				coalesce((SELECT s.on_hand FROM stock.level s WHERE s.product_id = p.id), 0) AS on_hand,
				coalesce((SELECT s.available FROM stock.level s WHERE s.product_id = p.id), 0) AS available, p.archived,
				coalesce((SELECT w.shelf FROM packing.shelf w WHERE w.product_id = p.id), '') AS shelf,
				(SELECT n.low_line FROM packing.low_line n WHERE n.product_id = p.id) AS low_line
			FROM `+offerTables+` ORDER BY p.article COLLATE "C", p.id`, args)
		if err != nil {
			return fmt.Errorf("read offers: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			offer, err := pgx.RowToStructByName[Offer](rows)
			if err != nil {
				return fmt.Errorf("read offers: %w", err)
			}
			if err := each(offer); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("read offers: %w", err)
		}
		return nil
	})
}
