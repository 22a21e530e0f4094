package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/commands"
	"shop/commands/importer/orderfile"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/order"
	"shop/domain/review"
)

// Orders brings the order history of another shop into the log. The files are sorted out in temporary tables of
// one connection, so it needs little memory whatever their size and order.
type Orders struct {
	Handler *commands.Handler
	Log     commands.LogReader
	Numbers commands.Numbers
	Pool    *pgxpool.Pool
}

// OrderOptions adapt an import of orders.
type OrderOptions struct {
	// Source names the other shop. What is imported again under the same name adds nothing.
	Source string
	// DryRun decides everything and writes nothing.
	DryRun bool
	// Refused, when given, hears of each value that cannot be used; Progress now and then how many orders are done of all.
	Refused  func(*orderfile.BadValue)
	Progress func(done, all int64)
}

// OrderReport counts what an import did or, in a dry run, would do.
type OrderReport struct {
	// Orders and Reviews were added, Known were there already.
	Orders, Reviews, Known int64
	// Products were added, archived, because no article was theirs.
	Products int64
	// Refused are the values that could not be used.
	Refused int64
	// Bare orders have no line that can be used, so nothing says what they cost, and they are left out; FirstBare are the
	// first ones, as the files call them.
	Bare      int64
	FirstBare []string
	// Total is what the orders that were added cost.
	Total domain.Money
}

// errDry ends a command of a dry run after it was decided.
var errDry = errors.New("nothing is written in a dry run")

const (
	// ordersAtOnce is how many orders one append takes.
	ordersAtOnce = 100
	// toldBare is the most orders without lines that are told by name.
	toldBare = 10
)

// Import reads the files to their ends and adds the orders, oldest first. An error concerns the files as a whole or the
// store; what was added stays, and the same import goes on behind it.
func (i *Orders) Import(ctx context.Context, files []*orderfile.Reader, o OrderOptions) (OrderReport, error) {
	ctx = commands.WithOrigin(ctx, commands.Origin{Actor: cmp.Or(commands.OriginOf(ctx).Actor, "system:import-orders"), Imported: true})
	run := &orderImport{Orders: i, o: o, made: map[string]bool{}}
	conn, err := i.Pool.Acquire(ctx)
	if err != nil {
		return run.report, err
	}
	defer conn.Release()
	// Temporary tables end with the transaction; it writes nothing else.
	tx, err := conn.Begin(ctx)
	if err != nil {
		return run.report, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if run.names, err = readNames(ctx, i.Log); err != nil {
		return run.report, err
	}
	if err := run.stage(ctx, tx, files); err != nil {
		return run.report, err
	}
	return run.report, run.orders(ctx, tx)
}

// orderImport is one import on its way.
type orderImport struct {
	*Orders
	o      OrderOptions
	names  *names
	report OrderReport
	// made are the articles whose products this run has seen to.
	made map[string]bool
}

func (r *orderImport) refuse(bad *orderfile.BadValue) {
	r.report.Refused++
	if r.o.Refused != nil {
		r.o.Refused(bad)
	}
}

// bare takes note of an order without lines.
func (r *orderImport) bare(id string) {
	if r.report.Bare++; len(r.report.FirstBare) < toldBare {
		r.report.FirstBare = append(r.report.FirstBare, id)
	}
}

// A row is staged with all that its kind has; the table is the same for all kinds.
const stageTable = `CREATE TEMP TABLE staged (
	kind text, file text, line int, order_id text, customer text, person text, city text, status text,
	placed_at timestamptz, approved_at timestamptz, shipped_at timestamptz, completed_at timestamptz, ended_at timestamptz,
	nth bigint, article text, name text, category text, pieces bigint, price bigint, discounted bigint, delivery bigint,
	amount bigint, method text, at timestamptz, review_id text, content text, rating bigint
) ON COMMIT DROP`

const bareReason = "has no lines that can be used, and is left out"

// What orders and lines leave to files of customers and of products; what they say themselves stays.
const filledIn = `
	UPDATE staged o SET person = c.person, city = coalesce(nullif(o.city, ''), c.city)
		FROM staged c WHERE o.kind = 'orders' AND c.kind = 'customers' AND c.customer = o.customer;
	UPDATE staged l SET name = coalesce(nullif(l.name, ''), p.name), category = coalesce(nullif(l.category, ''), p.category)
		FROM staged p WHERE l.kind = 'lines' AND p.kind = 'products' AND p.article = l.article`

// orders adds the orders, oldest first.
func (r *orderImport) orders(ctx context.Context, tx pgx.Tx) error {
	var all, done int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM staged WHERE kind = 'orders'`).Scan(&all); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DECLARE history CURSOR FOR SELECT order_id FROM staged WHERE kind = 'orders' ORDER BY placed_at, order_id`); err != nil {
		return err
	}
	for {
		fetched, err := tx.Query(ctx, fmt.Sprintf(`FETCH %d FROM history`, ordersAtOnce))
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(fetched, pgx.RowTo[string])
		if err != nil || len(ids) == 0 {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT * FROM staged WHERE order_id = ANY ($1) ORDER BY nth, file, line`, ids)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByName[stagedRow])
		if err != nil {
			return err
		}
		if err := r.batch(ctx, ids, found); err != nil {
			return fmt.Errorf("import %d orders after %d: %w", len(ids), done, err)
		}
		if done += int64(len(ids)); r.o.Progress != nil {
			r.o.Progress(done, all)
		}
	}
}

// history is what the files say of one order.
type history struct {
	order                    stagedRow
	lines, payments, reviews []stagedRow
}

// batch adds orders and their reviews in one append, after the products that they need.
func (r *orderImport) batch(ctx context.Context, ids []string, rows []stagedRow) error {
	told := map[string]*history{}
	for _, id := range ids {
		told[id] = &history{}
	}
	for _, row := range rows {
		h := told[row.OrderID]
		switch orderfile.Kind(row.Kind) {
		case orderfile.Orders:
			h.order = row
		case orderfile.Lines:
			h.lines = append(h.lines, row)
		case orderfile.Payments:
			h.payments = append(h.payments, row)
		case orderfile.Reviews:
			h.reviews = append(h.reviews, row)
		}
	}
	if err := r.products(ctx, rows); err != nil {
		return err
	}
	var added OrderReport
	given := map[string]int64{} // numbers, which a second attempt at the command keeps
	_, err := r.Handler.Do(ctx, false, func(u *commands.Unit) error {
		added = OrderReport{}
		var refs []commands.Ref
		for _, id := range ids {
			refs = append(refs, commands.OrderStream(r.id("order", id)))
			for _, review := range told[id].reviews {
				refs = append(refs, commands.ReviewStream(r.reviewID(review)))
			}
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		for _, id := range ids {
			made := commands.OrderStream(r.id("order", id))
			if made.Exists(u) {
				added.Known++
			} else {
				if _, ok := given[id]; !ok && !r.o.DryRun {
					number, err := r.Numbers.Next(ctx)
					if err != nil {
						return err
					}
					given[id] = number
				}
				c := r.order(*told[id], given[id], u.At())
				if err := made.Do(u, c); err != nil {
					return fmt.Errorf("%s, line %d, order %s: %w", told[id].order.File, told[id].order.Line, id, err)
				}
				added.Orders++
				added.Total += c.Placed.Calculation.TotalPaid
			}
			for _, row := range told[id].reviews {
				posted := commands.ReviewStream(r.reviewID(row))
				if posted.Exists(u) {
					continue
				}
				if err := posted.Do(u, r.review(*told[id], row)); err != nil {
					return fmt.Errorf("%s, line %d, review of order %s: %w", row.File, row.Line, id, err)
				}
				added.Reviews++
			}
		}
		if r.o.DryRun {
			return errDry
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDry) {
		return err
	}
	r.report.Orders += added.Orders
	r.report.Known += added.Known
	r.report.Reviews += added.Reviews
	r.report.Total += added.Total
	return nil
}

// id is the identifier of what the source calls so, the same in every import.
func (r *orderImport) id(kind, name string) domain.ID {
	return commands.MadeOf("history", kind+":"+r.o.Source+":"+name)
}

// reviewID tells reviews of an order apart; some shops give one review to several orders.
func (r *orderImport) reviewID(row stagedRow) domain.ID {
	return r.id("review", row.OrderID+"/"+row.ReviewID)
}

// person is who ordered, under a pseudonym: the files name nobody. Without a customer each order is another person's.
func (r *orderImport) person(o stagedRow) domain.ID {
	return r.id("person", cmp.Or(o.Person, o.Customer, "order "+o.OrderID))
}

func known(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// order is the command that records what the files say.
func (r *orderImport) order(h history, number int64, now time.Time) order.Import {
	placed := order.Placed{
		ID: r.id("order", h.order.OrderID), Number: number, PersonID: r.person(h.order), City: h.order.City,
		DeliveryType: domain.Delivery, PaymentMethod: domain.Card, At: known(h.order.PlacedAt),
	}
	c := order.Import{
		Source: r.o.Source, Number: h.order.OrderID, Status: order.Status(h.order.Status), At: now,
		ApprovedAt: known(h.order.ApprovedAt), ShippedAt: known(h.order.ShippedAt), EndedAt: known(h.order.CompletedAt),
	}
	if ended := known(h.order.EndedAt); c.Status != order.StatusCompleted && !ended.IsZero() {
		c.EndedAt = ended
	}
	var most domain.Money
	for n, p := range h.payments {
		if p.Amount > most {
			most, placed.PaymentMethod = p.Amount, domain.PaymentMethod(p.Method)
		}
		at := known(p.At)
		if at.IsZero() {
			at = firstKnown(c.ApprovedAt, placed.At)
		}
		c.Payments = append(c.Payments, order.Paid{PaymentID: fmt.Sprintf("%s/%d", placed.ID, n+1), Amount: p.Amount, At: at})
	}
	placed.Calculation = r.calculation(h, placed.PaymentMethod)
	c.Placed = placed
	return c
}

// firstKnown is the first time that is known.
func firstKnown(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// calculation says what an order cost there, under no rules of ours: their version is 0.
func (r *orderImport) calculation(h history, method domain.PaymentMethod) domain.Calculation {
	c := domain.Calculation{DeliveryPrice: h.order.Delivery, IsDeliveryCalculated: true, CanCreateOrder: true}
	for _, row := range h.lines {
		id, _ := r.names.product(row.Article)
		line := domain.PricedLine{
			ProductID: id, Article: row.Article, Name: cmp.Or(row.Name, row.Article), Link: r.names.productLinks.LinkOf(id),
			Amount: row.Pieces, Price: row.Price, DiscountedPrice: row.Discounted, Total: row.Discounted * row.Pieces,
		}
		c.Lines = append(c.Lines, line)
		c.ListSum += line.Price * line.Amount
		c.TotalSum += line.Total
		c.DeliveryPrice += row.Delivery
	}
	c.DiscountedSum = c.TotalSum
	c.TotalPaid = c.DiscountedSum + c.DeliveryPrice
	if method == domain.Cash {
		c.PayableOnDelivery = c.TotalPaid
	} else {
		c.PayableNow = c.TotalPaid
	}
	c.Explanation = []domain.Step{{Code: "list_prices", Label: "Товары по ценам другого магазина", Amount: c.ListSum}}
	if off := c.ListSum - c.TotalSum; off > 0 {
		c.Explanation = append(c.Explanation, domain.Step{Code: "product_discounts", Label: "Скидки на товары", Amount: -off})
	}
	c.Explanation = append(c.Explanation, domain.Step{Code: "delivery", Label: "Доставка", Amount: c.DeliveryPrice})
	return c
}

// review is the command that records a review, of the product it names or of the order's first.
func (r *orderImport) review(h history, row stagedRow) review.Import {
	article := h.lines[0].Article
	for _, line := range h.lines {
		if line.Article == row.Article {
			article = row.Article
		}
	}
	id, _ := r.names.product(article)
	return review.Import{
		ID: r.reviewID(row), ProductID: id, PersonID: r.id("review person", r.reviewID(row).String()), Rating: row.Rating, Content: row.Content,
		At: firstKnown(known(row.At), known(h.order.CompletedAt), known(h.order.PlacedAt)),
	}
}

// historyCategory holds the products whose category no file says.
const historyCategory = "Из истории заказов"

// products adds those whose article nobody has, archived, in archived categories: they were sold once and are not for sale.
func (r *orderImport) products(ctx context.Context, rows []stagedRow) error {
	var missing []stagedRow
	for _, row := range rows {
		if orderfile.Kind(row.Kind) != orderfile.Lines || r.made[row.Article] {
			continue
		}
		r.made[row.Article] = true
		if _, known := r.names.product(row.Article); !known {
			missing = append(missing, row)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := r.Handler.Do(ctx, false, func(u *commands.Unit) error {
		for _, row := range missing {
			category, err := r.category(u, cmp.Or(row.Category, historyCategory))
			if err != nil {
				return fmt.Errorf("category of article %s: %w", row.Article, err)
			}
			id, _ := r.names.product(row.Article)
			product := commands.ProductStream(id)
			if err := u.Load(product); err != nil {
				return err
			}
			name := cmp.Or(row.Name, row.Article)
			price := max(1, row.Price)
			err = product.Do(u, catalog.PutProduct{
				ID: id, Article: row.Article, Link: r.names.productLinks.Give(id, Slug(name), joinSlugs(name, row.Article)), CategoryID: category,
				Text: catalog.ProductText{Name: name}, Price: price, DiscountedPrice: price, At: u.At(),
			})
			if err == nil {
				err = product.Do(u, catalog.ArchiveProduct{Reason: "Из истории заказов: " + r.o.Source, At: u.At()})
			}
			if err != nil {
				return fmt.Errorf("article %s: %w", row.Article, err)
			}
		}
		if r.o.DryRun {
			return errDry
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDry) {
		return err
	}
	r.report.Products += int64(len(missing))
	return nil
}

// category is the shop's category of a name, or an archived one.
func (r *orderImport) category(u *commands.Unit, name string) (domain.ID, error) {
	if id, known := r.names.categories[placeInTree{uuid.Nil, nameKey(name)}]; known {
		return id, nil
	}
	id := r.id("category", nameKey(name))
	category := commands.CategoryStream(id)
	if err := u.Load(category); err != nil || category.Exists(u) || category.State(u).Exists() {
		return id, err
	}
	link := r.names.categoryLinks.Give(id, "history-"+Slug(name))
	if err := category.Do(u, catalog.PutCategory{ID: id, Category: catalog.Category{Name: name, Link: link}, At: u.At()}); err != nil {
		return id, err
	}
	return id, category.Do(u, catalog.ArchiveCategory{At: u.At()})
}
