package main

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"shop/commands/catalogfile"
	"shop/readapi"
)

func catalogExport(w world) *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use: "export", Short: "Write the catalog to a CSV or YML file that imports again without a change", Args: cobra.NoArgs,
		Long: "Write every product, archived ones too, as of one moment, in the format that 'shop catalog import' reads. Importing the file\n" +
			"into an unchanged catalog appends nothing. To copy the catalog into another shop, import it there with --archived.",
		Example: "  shop catalog export --out goods.csv\n  shop catalog export --format yml --out goods.xml.gz",
	}
	cmd.Flags().StringVar(&format, "format", "csv", "csv or yml")
	cmd.Flags().StringVar(&out, "out", "-", "file to write, compressed if it ends in .gz; -: standard output")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := oneOf(format, "csv", "yml"); err != nil {
			return usageError{fmt.Errorf("--format: %w", err)}
		}
		return nil
	}
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		if err := s.catchUp(ctx, w, "catalog", "stock"); err != nil {
			return err
		}
		show := newProgress(w.stderr)
		defer show.clear()
		products := 0
		export := func(to io.Writer) error {
			return writeOffers(ctx, readapi.Offers{DB: s.pool}, func(head readapi.Head) (catalogfile.Writer, error) {
				if format == "csv" {
					return catalogfile.NewCSV(to)
				}
				return catalogfile.NewYML(to, catalogfile.Shop{
					Name: s.config.Contact.Name, LegalName: s.config.Contact.LegalName, URL: s.config.PublicURL, Categories: head.Categories,
				}, false)
			}, func(o readapi.Offer) catalogfile.Row {
				products++
				show.say("%d products", products)
				r := rowOf(o)
				r.Available, r.Stock, r.Archived = true, &o.OnHand, &o.Archived
				return r
			})
		}
		if out != "-" {
			if err := writeWhole(out, export); err != nil {
				return err
			}
			show.clear()
			_, err := fmt.Fprintf(w.stdout, "%s: %d products\n", out, products)
			return err
		}
		buffered := bufio.NewWriterSize(w.stdout, 256<<10)
		if err := export(buffered); err != nil {
			return err
		}
		return buffered.Flush()
	})
	return cmd
}

// writeOffers writes offers as rows of a catalog file.
func writeOffers(ctx context.Context, offers readapi.Offers, open func(readapi.Head) (catalogfile.Writer, error), row func(readapi.Offer) catalogfile.Row) error {
	var file catalogfile.Writer
	err := offers.Each(ctx, func(head readapi.Head) (err error) {
		file, err = open(head)
		return err
	}, func(o readapi.Offer) error { return file.Write(row(o)) })
	if err != nil {
		return err
	}
	return file.Close()
}

// rowOf is an offer as a row; of stock and archive it says nothing.
func rowOf(o readapi.Offer) catalogfile.Row {
	r := catalogfile.Row{
		Article: o.Article, Name: o.Name, Link: o.Link, Brand: o.Brand, CategoryPath: o.Category, Price: o.Price,
		Description: o.Description, Composition: o.Composition, Expires: o.Expires, ApplyMethod: o.ApplyMethod,
		PackageSize: o.PackageSize, MadeIn: o.MadeIn, Marks: o.Marks, Pictures: o.Pictures,
	}
	if o.DiscountedPrice < o.Price {
		r.DiscountPrice = o.DiscountedPrice
	}
	return r
}
