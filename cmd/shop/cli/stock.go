package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/changes"
	"shop/readapi/staff"
)

func stockCommand(w terminal.World) *cobra.Command {
	return command.Group("stock", "Show stock and change it", stockList(w), stockLedger(w), stockReceive(w), stockAdjust(w))
}

func stockList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List products with their stock, by article", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	limit, offset := command.PageFlags(cmd, 1000)
	article := cmd.Flags().String("article", "", "only this article")
	most := cmd.Flags().Int64("at-most", 0, "only products with at most so many free pieces")
	cmd.PreRunE = func(*cobra.Command, []string) error { return command.CheckPage(*limit, *offset) }
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, _ []string) error {
		filter := staff.StockFilter{Article: *article, Limit: *limit, Offset: *offset}
		if cmd.Flags().Changed("at-most") {
			filter.AtMost = most
		}
		if err := s.CatchUp(ctx, w, "catalog", "stock"); err != nil {
			return err
		}
		rows, err := staff.Shop{DB: s.Pool}.Stock(ctx, filter)
		if err != nil {
			return err
		}
		number := func(of func(staff.StockLine) int64) func(staff.StockLine) string {
			return func(l staff.StockLine) string { return strconv.FormatInt(of(l), 10) }
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("ARTICLE", func(l staff.StockLine) string { return l.Article }),
			terminal.Right("ON HAND", number(func(l staff.StockLine) int64 { return l.OnHand })),
			terminal.Right("RESERVED", number(func(l staff.StockLine) int64 { return l.Reserved })),
			terminal.Right("FREE", number(func(l staff.StockLine) int64 { return l.Available })),
			terminal.Left("PRODUCT", func(l staff.StockLine) string { return nameOf(l.Name, l.Archived) }),
		)
	})
	return cmd
}

func stockReceive(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "receive --article A --quantity N", Short: "Add received pieces", Args: cobra.NoArgs,
		Long: "Add received pieces. With --at, or where a second person has to approve, they are added to what is there then. An undo takes them\n" +
			"away again, unless fewer are free.",
		Example: "  shop stock receive --article MK-103 --quantity 24 --ref invoice-17",
	}
	article := cmd.Flags().String("article", "", "the product's article")
	quantity := cmd.Flags().Int64("quantity", 0, "pieces, from 1")
	ref := cmd.Flags().String("ref", "", "reference of the delivery, such as an invoice")
	how := howFlags(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *article == "" || *quantity < 1 {
			return terminal.Usage(errors.New("want --article and --quantity of at least 1"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, _ []string) error {
		return moveStock(ctx, s, w, movement{
			how: how, article: *article, title: "shop stock receive: " + *article, ref: *ref, field: "received", becomes: func(onHand int64) int64 { return onHand + *quantity },
		})
	})
	return cmd
}

func stockAdjust(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "adjust --article A --on-hand N", Short: "Set the pieces on hand to a counted number", Args: cobra.NoArgs,
		Example: "  shop stock adjust --article MK-103 --on-hand 7 --ref inventory-2026",
	}
	article := cmd.Flags().String("article", "", "the product's article")
	onHand := cmd.Flags().Int64("on-hand", 0, "pieces counted, from 0")
	ref := cmd.Flags().String("ref", "", "reference of the count")
	how := howFlags(cmd)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if *article == "" || !cmd.Flags().Changed("on-hand") || *onHand < 0 {
			return terminal.Usage(errors.New("want --article and --on-hand of at least 0"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, _ []string) error {
		return moveStock(ctx, s, w, movement{
			how: how, article: *article, title: "shop stock adjust: " + *article, ref: *ref, field: "on_hand", becomes: func(int64) int64 { return *onHand },
		})
	})
	return cmd
}

func stockLedger(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "ledger --article A", Short: "Show every movement of a stock with its cause, newest first", Args: cobra.NoArgs,
		Example: "  shop stock ledger --article MK-103\n  shop stock ledger --article MK-103 --at 2026-03-02T12:00:00+05:00",
	}
	format := command.FormatFlag(cmd)
	limit := cmd.Flags().Int("limit", 100, "the most rows to list")
	article := cmd.Flags().String("article", "", "the product's article")
	at := command.AtFlag(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *article == "" {
			return terminal.Usage(errors.New("want --article"))
		}
		return command.CheckLimit(*limit)
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "catalog", "stock", "orders"); err != nil {
			return err
		}
		rows, err := staff.Shop{DB: s.Pool}.Stock(ctx, staff.StockFilter{Article: *article, Limit: 1})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("there is no product with the article %q", *article)
		}
		view, err := command.Reads(s).Ledger(ctx, rows[0].ProductID, staff.Moment{Time: at.Time}, *limit, asRecorded)
		if err != nil {
			return err
		}
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, view)
		}
		fmt.Fprintf(w.Stdout, "%s: %d on hand, %d reserved, the sum of %d movements\n\n", rows[0].Article, view.OnHand, view.Reserved, view.Movements)
		err = terminal.WriteList(w.Stdout, "table", view.Entries,
			terminal.Left("WHEN", func(m staff.Movement) string { return terminal.Moment(m.RecordedAt) }),
			terminal.Left("MOVEMENT", func(m staff.Movement) string { return m.Kind }),
			terminal.Right("ON HAND", func(m staff.Movement) string { return terminal.Signed(m.OnHand) }),
			terminal.Right("RESERVED", func(m staff.Movement) string { return terminal.Signed(m.Reserved) }),
			terminal.Right("= ON HAND", func(m staff.Movement) string { return terminal.Tenge(m.OnHandAfter) }),
			terminal.Right("= RESERVED", func(m staff.Movement) string { return terminal.Tenge(m.ReservedAfter) }),
			terminal.Left("CAUSE", func(m staff.Movement) string {
				if m.OrderNumber == nil {
					return strings.TrimSpace(m.Cause.Kind + " " + m.Cause.Ref)
				}
				return strings.TrimPrefix(fmt.Sprintf("%s of order %d", m.Cause.Kind, *m.OrderNumber), "order of ")
			}),
			terminal.Left("BY", func(m staff.Movement) string { return m.Actor }),
		)
		if err == nil && view.Gap > 0 {
			err = fmt.Errorf("%d movements do not add up to what their events say", view.Gap)
		}
		return err
	})
	return cmd
}

// nameOf is how lists call a product.
func nameOf(name string, archived bool) string {
	if archived {
		return name + " (archived)"
	}
	return name
}

// onlyOf is the row of an article, or what is wrong.
func onlyOf[Row any](rows []Row, err error, article string) (row Row, _ error) {
	switch {
	case err != nil:
		return row, err
	case len(rows) == 0:
		return row, fmt.Errorf("there is no product with the article %q", article)
	}
	return rows[0], nil
}

// movement is how the stock of an article is to move.
type movement struct {
	how
	article, title string
	// ref is the paper of it; the reason of the change is that, and why.
	ref string
	// field is what the change sets, becomes the pieces that are on hand then.
	field   string
	becomes func(onHand int64) int64
}

// overtaken is how often others may move a stock between the look at it and the change before that is given up.
const overtaken = 5

// moveStock moves the stock of an article by a change, and says what it is then, or in a dry run what it would be.
func moveStock(ctx context.Context, s *app.Shop, w terminal.World, m movement) error {
	find := func() (staff.StockLine, error) {
		if err := s.CatchUp(ctx, w, "catalog", "stock"); err != nil {
			return staff.StockLine{}, err
		}
		rows, err := staff.Shop{DB: s.Pool}.Stock(ctx, staff.StockFilter{Article: m.article, Limit: 1})
		return onlyOf(rows, err, m.article)
	}
	l, err := find()
	if err != nil {
		return err
	}
	became, onHand, err := m.propose(ctx, s, w, l.ProductID)
	if err != nil {
		return err
	}
	switch {
	case became.waits != "" || became.planned != "":
		_, err = fmt.Fprintf(w.Stdout, "%s: %s\n", l.Article, became.outcome("", false))
		return err
	case *m.dryRun:
		_, err = fmt.Fprintf(w.Stdout, "%s: would have %d on hand instead of %d\n", l.Article, m.becomes(onHand), onHand)
		return err
	}
	if l, err = find(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.Stdout, "%s: %d on hand, %d reserved, %d free\n", l.Article, l.OnHand, l.Reserved, l.Available)
	return err
}

// propose makes the movement a change, or tries it, and answers how many pieces there were.
func (m movement) propose(ctx context.Context, s *app.Shop, w terminal.World, product uuid.UUID) (became said, onHand int64, err error) {
	how := m.how
	if m.ref != "" {
		reason := strings.TrimSuffix(m.ref+": "+*m.reason, ": ")
		how.reason = &reason
	}
	for range overtaken {
		now, err := commands.See(ctx, s.Handler, commands.StockStream(product))
		if err != nil {
			return became, 0, err
		}
		onHand = now.OnHand
		item, err := ask("stock", product.String(), m.field, onHand, m.becomes(onHand))
		if err != nil {
			return became, onHand, err
		}
		became, err = how.propose(ctx, s, w, m.title, item)
		if !errors.Is(err, changes.ErrConflict) {
			return became, onHand, err
		}
	}
	return became, onHand, changes.ErrConflict
}
