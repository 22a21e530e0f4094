package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/commands/importer/orderfile"
	"shop/domain"
)

var stageColumns = []string{
	"kind", "file", "line", "order_id", "customer", "person", "city", "status", "placed_at", "approved_at", "shipped_at", "completed_at", "ended_at",
	"nth", "article", "name", "category", "pieces", "price", "discounted", "delivery", "amount", "method", "at", "review_id", "content", "rating",
}

// What cannot stand beside the rest of the files: told with its line, and taken out. Each removes rows and returns them.
var contradictions = []struct{ field, reason, sql string }{
	{"order_id", "is there twice; the first one counts", `DELETE FROM staged s USING staged f
		WHERE s.kind = 'orders' AND f.kind = 'orders' AND f.order_id = s.order_id AND (f.file, f.line) < (s.file, s.line)`},
	{"order_id", "is no order of these files, or one that was left out", `DELETE FROM staged s
		WHERE s.kind IN ('lines', 'payments', 'reviews') AND NOT EXISTS (SELECT FROM staged o WHERE o.kind = 'orders' AND o.order_id = s.order_id)`},
	{"line", "is there twice in its order; the first one counts", `DELETE FROM staged s USING staged f
		WHERE s.kind = 'lines' AND f.kind = 'lines' AND f.order_id = s.order_id AND f.nth = s.nth AND s.nth > 0 AND (f.file, f.line) < (s.file, s.line)`},
	{"line", "is in another file as well, and has no number of its own; it counts once", inAnotherFile("lines")},
	{"payment", "is there twice in its order; the first one counts", `DELETE FROM staged s USING staged f
		WHERE s.kind = 'payments' AND f.kind = 'payments' AND f.order_id = s.order_id AND f.nth = s.nth AND s.nth > 0 AND (f.file, f.line) < (s.file, s.line)`},
	{"payment", "is in another file as well, and has no number of its own; it counts once", inAnotherFile("payments")},
	{"review_id", "is there twice in its order; the first one counts", `DELETE FROM staged s USING staged f
		WHERE s.kind = 'reviews' AND f.kind = 'reviews' AND f.order_id = s.order_id AND f.review_id = s.review_id AND (f.file, f.line) < (s.file, s.line)`},
	{"customer_id", "is there twice; the first one counts", `DELETE FROM staged s USING staged f
		WHERE s.kind = 'customers' AND f.kind = 'customers' AND f.customer = s.customer AND (f.file, f.line) < (s.file, s.line)`},
	{"article", "is there twice; the first one counts", `DELETE FROM staged s USING staged f
		WHERE s.kind = 'products' AND f.kind = 'products' AND f.article = s.article AND (f.file, f.line) < (s.file, s.line)`},
	{"order_id", bareReason, `DELETE FROM staged s
		WHERE s.kind = 'orders' AND NOT EXISTS (SELECT FROM staged l WHERE l.kind = 'lines' AND l.order_id = s.order_id)`},
}

// inAnotherFile takes out what has no number and is in another file too, as where the exports of two months overlap: of
// rows of one order that say the same, there are as many as in the file that has most of them.
func inAnotherFile(kind string) string {
	return `DELETE FROM staged s USING (
			WITH r AS (
				SELECT file, line, order_id, nth, said, row_number() OVER (PARTITION BY order_id, file, said ORDER BY line) AS copy
				FROM (SELECT *, ROW (article, pieces, price, discounted, delivery, amount, method, at)::text AS said FROM staged WHERE kind = '` + kind + `') k
				WHERE (SELECT count(DISTINCT file) > 1 FROM staged WHERE kind = '` + kind + `')
			)
			SELECT DISTINCT d.file, d.line FROM r d JOIN r f USING (order_id, said, copy) WHERE d.nth = 0 AND f.file <> d.file AND (f.nth > 0 OR f.file < d.file)
		) d WHERE s.kind = '` + kind + `' AND s.file = d.file AND s.line = d.line`
}

// stage reads the files into the table, takes out what contradicts itself, and puts together what belongs together.
func (r *orderImport) stage(ctx context.Context, tx pgx.Tx, files []*orderfile.Reader) error {
	if _, err := tx.Exec(ctx, stageTable); err != nil {
		return fmt.Errorf("make room for the files: %w", err)
	}
	for _, file := range files {
		var unread error // which COPY would only tell as the database's words
		rows := pgx.CopyFromFunc(func() (row []any, err error) {
			row, unread = r.staged(file)
			return row, unread
		})
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"staged"}, stageColumns, rows); err != nil {
			if bad := new(orderfile.BadValue); errors.As(unread, &bad) {
				return bad
			}
			return fmt.Errorf("read %s: %w", file.Name(), cmp.Or(unread, err))
		}
	}
	if _, err := tx.Exec(ctx, `CREATE INDEX ON staged (order_id, kind); ANALYZE staged`); err != nil {
		return fmt.Errorf("sort the files: %w", err)
	}
	for _, c := range contradictions {
		rows, err := tx.Query(ctx, `WITH out AS (`+c.sql+` RETURNING s.file, s.line, s.order_id) SELECT DISTINCT file, line, order_id FROM out ORDER BY file, line`)
		if err != nil {
			return fmt.Errorf("compare the files: %w", err)
		}
		bad := orderfile.BadValue{Field: c.field, Reason: c.reason}
		var orderID string
		if _, err := pgx.ForEachRow(rows, []any{&bad.File, &bad.Line, &orderID}, func() error {
			told := bad
			r.refuse(&told)
			if c.reason == bareReason {
				r.bare(orderID)
			}
			return nil
		}); err != nil {
			return fmt.Errorf("compare the files: %w", err)
		}
	}
	if _, err := tx.Exec(ctx, filledIn); err != nil {
		return fmt.Errorf("put the files together: %w", err)
	}
	return nil
}

// staged is a file's next usable row for COPY; nil at its end.
func (r *orderImport) staged(file *orderfile.Reader) ([]any, error) {
	for {
		row, usable, bad, err := file.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, b := range bad {
			r.refuse(b)
		}
		if !usable {
			continue
		}
		when := func(t time.Time) any {
			if t.IsZero() {
				return nil
			}
			return t
		}
		return []any{
			string(file.Kind()), file.Name(), row.Line, row.OrderID, row.Customer, row.Person, row.City, string(row.Status),
			when(row.PlacedAt), when(row.ApprovedAt), when(row.ShippedAt), when(row.CompletedAt), when(row.EndedAt),
			row.Nth, row.Article, row.Name, row.Category, row.Pieces, row.Price, row.DiscountedPrice, row.DeliveryPrice,
			row.Amount, string(row.Method), when(row.At), row.ReviewID, row.Content, row.Rating,
		}, nil
	}
}

// stagedRow is a row of the table as it is read back.
type stagedRow struct {
	Kind        string
	File        string
	Line        int
	OrderID     string
	Customer    string
	Person      string
	City        string
	Status      string
	PlacedAt    *time.Time
	ApprovedAt  *time.Time
	ShippedAt   *time.Time
	CompletedAt *time.Time
	EndedAt     *time.Time
	Nth         int64
	Article     string
	Name        string
	Category    string
	Pieces      int64
	Price       domain.Money
	Discounted  domain.Money
	Delivery    domain.Money
	Amount      domain.Money
	Method      string
	At          *time.Time
	ReviewID    string
	Content     string
	Rating      int64
}
