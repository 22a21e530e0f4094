package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/changes"
	"shop/domain/catalog"
	"shop/readapi/staff"
)

func catalogList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List products with their prices, by article", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	limit, offset := command.PageFlags(cmd, 1000)
	article := cmd.Flags().String("article", "", "only this article")
	cmd.PreRunE = func(*cobra.Command, []string) error { return command.CheckPage(*limit, *offset) }
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "catalog"); err != nil {
			return err
		}
		rows, err := staff.Shop{DB: s.Pool}.Goods(ctx, staff.GoodsFilter{Article: *article, Limit: *limit, Offset: *offset})
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("ARTICLE", func(l staff.GoodsLine) string { return l.Article }),
			terminal.Right("PRICE", func(l staff.GoodsLine) string { return terminal.Tenge(l.Price) }),
			terminal.Right("TO PAY", func(l staff.GoodsLine) string { return terminal.Tenge(l.DiscountedPrice) }),
			terminal.Left("CATEGORY", func(l staff.GoodsLine) string { return l.Category }),
			terminal.Left("MARKS", func(l staff.GoodsLine) string { return strings.Join(l.Marks, ", ") }),
			terminal.Left("PRODUCT", func(l staff.GoodsLine) string { return nameOf(l.Name, l.Archived) }),
		)
	})
	return cmd
}

func catalogPrice(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "price ARTICLE PRICE", Short: "Set a product's list price, in tenge", Args: cobra.ExactArgs(2),
		Long: "Set the list price and, with --discounted, the price to pay; without it a discount ends. For many products at once,\n" +
			"import a file of the columns article and price (docs/catalog-files.md).",
		Example: "  shop catalog price DL-10001 4500\n  shop catalog price DL-10001 4500 --discounted 3900",
	}
	how := howFlags(cmd)
	discounted := cmd.Flags().Int64("discounted", 0, "price to pay, below the list price")
	var price int64
	cmd.PreRunE = func(cmd *cobra.Command, args []string) (err error) {
		if price, err = strconv.ParseInt(args[1], 10, 64); err != nil {
			return terminal.Usage(fmt.Errorf("PRICE: %q is no whole number of tenge", args[1]))
		}
		if !cmd.Flags().Changed("discounted") {
			*discounted = price
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return changeGoods(ctx, s, w, how, args[0], func(c *commands.Catalog, product uuid.UUID) (goodsChange, error) {
			_, err := c.PriceProduct(ctx, product, price, *discounted)
			return goodsChange{"prices": changes.Prices{Price: price, DiscountedPrice: *discounted}}, err
		})
	})
	return cmd
}

func catalogDiscount(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "discount ARTICLE PERCENT|none", Short: "Set a product's discount from its list price, or end it", Args: cobra.ExactArgs(2),
		Example: "  shop catalog discount DL-10001 15",
	}
	how := howFlags(cmd)
	var percent int64
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		if args[1] == "none" {
			return nil
		}
		if percent, err = strconv.ParseInt(strings.TrimSuffix(args[1], "%"), 10, 64); err != nil || percent < 1 || percent > 99 {
			return terminal.Usage(fmt.Errorf("PERCENT: %q is neither a whole number from 1 to 99 nor none", args[1]))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return changeGoods(ctx, s, w, how, args[0], func(c *commands.Catalog, product uuid.UUID) (goodsChange, error) {
			_, err := c.DiscountProduct(ctx, product, percent)
			return goodsChange{"discount": percent}, err
		})
	})
	return cmd
}

func catalogMark(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "mark ARTICLE add|remove MARK", Short: "Add an existing mark to a product, or remove one", Args: cobra.ExactArgs(3),
		Example: "  shop catalog mark DL-10001 add Веган",
		PreRunE: func(_ *cobra.Command, args []string) error {
			if err := app.OneOf(args[1], "add", "remove"); err != nil {
				return terminal.Usage(err)
			}
			return nil
		},
	}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return changeGoods(ctx, s, w, how, args[0], func(c *commands.Catalog, product uuid.UUID) (goodsChange, error) {
			mark, found, err := staff.Shop{DB: s.Pool}.MarkID(ctx, args[2])
			if err != nil {
				return nil, err
			}
			if !found {
				return nil, fmt.Errorf("there is no mark %q; an import adds new ones", args[2])
			}
			now, err := commands.See(ctx, s.Handler, commands.ProductStream(product))
			if err != nil {
				return nil, err
			}
			marks := slices.DeleteFunc(slices.Clone(now.Marks), func(m uuid.UUID) bool { return m == mark })
			if args[1] == "add" {
				_, err = c.MarkProduct(ctx, product, mark)
				return goodsChange{"marks": append(marks, mark)}, err
			}
			_, err = c.UnmarkProduct(ctx, product, mark)
			return goodsChange{"marks": append([]uuid.UUID{}, marks...)}, err
		})
	})
	return cmd
}

func catalogMove(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "move ARTICLE CATEGORY", Short: "Move a product to another category, named by link or path", Args: cobra.ExactArgs(2),
		Example: "  shop catalog move DL-10001 \"Лицо > Кремы\"\n  shop catalog move DL-10001 kremy",
	}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return changeGoods(ctx, s, w, how, args[0], func(c *commands.Catalog, product uuid.UUID) (goodsChange, error) {
			category, found, err := staff.Shop{DB: s.Pool}.CategoryID(ctx, args[1])
			if err != nil {
				return nil, err
			}
			if !found {
				return nil, fmt.Errorf("there is no category %q; an import adds new ones", args[1])
			}
			_, err = c.MoveProduct(ctx, product, category)
			return goodsChange{"category_id": category}, err
		})
	})
	return cmd
}

type productText struct {
	flag, about string
	of          func(*catalog.ProductText) *string
}

// productTexts are the flags of what a product says of itself.
var productTexts = []productText{
	{"name", "its name", func(t *catalog.ProductText) *string { return &t.Name }},
	{"description", "its description", func(t *catalog.ProductText) *string { return &t.Description }},
	{"composition", "its INCI list", func(t *catalog.ProductText) *string { return &t.Composition }},
	{"expires", "storage terms", func(t *catalog.ProductText) *string { return &t.Expires }},
	{"apply-method", "how to use it", func(t *catalog.ProductText) *string { return &t.ApplyMethod }},
	{"package-size", "its size, such as 50 мл", func(t *catalog.ProductText) *string { return &t.PackageSize }},
	{"made-in", "country of manufacture", func(t *catalog.ProductText) *string { return &t.MadeIn }},
}

func catalogDescribe(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "describe ARTICLE", Short: "Change a product's texts and brand", Args: cobra.ExactArgs(1),
		Long: "Change the texts of a product. Texts without a flag stay, an empty text removes one; the link never changes.\n" +
			"For many products at once, import a file of the article and the columns to change (docs/catalog-files.md).",
		Example: "  shop catalog describe DL-10001 --name \"Крем «Липа»\" --package-size \"50 мл\"\n  shop catalog describe DL-10001 --composition \"$(cat inci.txt)\"",
	}
	how := howFlags(cmd)
	brand := cmd.Flags().String("brand", "", "name of an existing brand")
	said := make([]*string, len(productTexts))
	for i, t := range productTexts {
		said[i] = cmd.Flags().String(t.flag, "", t.about)
	}
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !slices.ContainsFunc(productTexts, func(t productText) bool { return cmd.Flags().Changed(t.flag) }) && !cmd.Flags().Changed("brand") {
			return terminal.Usage(errors.New("say what changes: --name, --description, … or --brand"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, args []string) error {
		return changeGoods(ctx, s, w, how, args[0], func(c *commands.Catalog, product uuid.UUID) (goodsChange, error) {
			var of *uuid.UUID
			change := goodsChange{}
			if cmd.Flags().Changed("brand") {
				id, err := brandNamed(ctx, s, *brand)
				if err != nil {
					return nil, err
				}
				of, change["brand_id"] = &id, nil
				if id != (uuid.UUID{}) {
					change["brand_id"] = id
				}
			}
			_, err := c.DescribeProduct(ctx, product, of, func(text *catalog.ProductText) {
				for i, t := range productTexts {
					if cmd.Flags().Changed(t.flag) {
						*t.of(text) = strings.TrimSpace(*said[i])
						change[strings.ReplaceAll(t.flag, "-", "_")] = *t.of(text)
					}
				}
			})
			return change, err
		})
	})
	return cmd
}

// brandNamed is the brand of a name, the zero id for no name.
func brandNamed(ctx context.Context, s *app.Shop, name string) (uuid.UUID, error) {
	if name == "" {
		return uuid.UUID{}, nil
	}
	id, found, err := staff.Shop{DB: s.Pool}.BrandID(ctx, name)
	if err == nil && !found {
		err = fmt.Errorf("there is no brand %q; an import adds new ones", name)
	}
	return id, err
}

func catalogArchive(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "archive ARTICLE", Short: "Take a product off sale; its page and its orders stay", Args: cobra.ExactArgs(1)}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return changeGoods(ctx, s, w, how, args[0], func(c *commands.Catalog, product uuid.UUID) (goodsChange, error) {
			_, err := c.ArchiveProduct(ctx, product, *how.reason)
			return goodsChange{"archived": true}, err
		})
	})
	return cmd
}

func catalogRestore(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore ARTICLE", Short: "Put an archived product back on sale", Args: cobra.ExactArgs(1),
	}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return changeGoods(ctx, s, w, how, args[0], func(c *commands.Catalog, product uuid.UUID) (goodsChange, error) {
			_, err := c.RestoreProduct(ctx, product)
			return goodsChange{"archived": false}, err
		})
	})
	return cmd
}

// goodsChange is the values that fields of a product are to have.
type goodsChange map[string]any

// items are the items of a change of a product.
func (g goodsChange) items(product uuid.UUID) (items []changes.Asked, err error) {
	for _, field := range slices.Sorted(maps.Keys(g)) {
		item, err := ask("product", product.String(), field, nil, g[field])
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// changeGoods changes the product of an article by a change, and says what it is then, or in a dry run what would change. Decide
// tries the command and says which fields are to have which values.
func changeGoods(ctx context.Context, s *app.Shop, w terminal.World, how how, article string, decide func(*commands.Catalog, uuid.UUID) (goodsChange, error)) error {
	if article == "" {
		return terminal.Usage(errors.New("ARTICLE: is empty"))
	}
	find := func() (staff.GoodsLine, error) {
		if err := s.CatchUp(ctx, w, "catalog"); err != nil {
			return staff.GoodsLine{}, err
		}
		rows, err := staff.Shop{DB: s.Pool}.Goods(ctx, staff.GoodsFilter{Article: article, Limit: 1})
		return onlyOf(rows, err, article)
	}
	l, err := find()
	if err != nil {
		return err
	}
	var what []string
	goods := &commands.Catalog{Handler: s.Handler, DryRun: true, Changed: func(changed []string) { what = changed }}
	wanted, err := decide(goods, l.ProductID)
	if err != nil {
		return err
	}
	if len(what) > 0 && !*how.dryRun {
		items, err := wanted.items(l.ProductID)
		if err != nil {
			return err
		}
		became, err := how.propose(ctx, s, w, "shop catalog: "+l.Article, items...)
		if err != nil {
			return err
		}
		if became.waits != "" || became.planned != "" {
			_, err = fmt.Fprintln(w.Stdout, terminal.OneLine(l.Article+": "+became.outcome("", false)))
			return err
		}
	}
	if *how.dryRun && len(what) > 0 {
		_, err = fmt.Fprintln(w.Stdout, terminal.OneLine(l.Article+": would change: "+strings.Join(what, ", ")))
		return err
	}
	if l, err = find(); err != nil {
		return err
	}
	said := l.Article + ": "
	if len(what) == 0 {
		said += "is so already: "
	}
	said += "price " + terminal.Tenge(l.Price)
	if l.DiscountedPrice < l.Price {
		said += ", to pay " + terminal.Tenge(l.DiscountedPrice)
	}
	if len(l.Marks) > 0 {
		said += ", marks " + strings.Join(l.Marks, " + ")
	}
	if said += ", in " + l.Category; l.Archived {
		said += ", archived"
	}
	_, err = fmt.Fprintln(w.Stdout, terminal.OneLine(said))
	return err
}
